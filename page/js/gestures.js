// gestures - mouse and touch on the canvases: select, drag, zoom, and seek in time.

import { canvasViews, Pane } from "./pane.js";

/** listen(app, pane) - connects the canvases of a pane. One pointer selects and drags, two zoom. */
export function listen(app, pane) {
	area(app, pane, pane.canvas, false);
	area(app, pane, pane.below, true);
}

function area(app, pane, canvas, below) {
	const pointers = new Map();
	let start = null, apart = 0, moved = false;
	const place = (e) => { const box = canvas.getBoundingClientRect(); return [e.clientX - box.left, e.clientY - box.top]; };
	const timed = () => below || app.view === "heat" || app.view === "strips";

	canvas.addEventListener("pointerdown", (e) => {
		canvas.setPointerCapture(e.pointerId);
		pointers.set(e.pointerId, place(e));
		moved = false;
		if (pointers.size === 1) start = { at: place(e), shift: [...pane.topology.shift] };
		else apart = distance(pointers);
	});
	canvas.addEventListener("pointermove", (e) => {
		if (!pointers.has(e.pointerId)) { hover(e); return; }
		pointers.set(e.pointerId, place(e));
		if (pointers.size === 2) {
			const now = distance(pointers);
			if (apart > 0 && Math.abs(now - apart) > 2) { zoom(now / apart, ...middle(pointers)); apart = now; }
			moved = true;
			return;
		}
		const [x, y] = place(e), dx = x - start.at[0], dy = y - start.at[1];
		if (Math.abs(dx) + Math.abs(dy) > 5) moved = true;
		if (!moved) return;
		if (timed()) {
			const a = Pane.timeAt(app, canvas, start.at[0], below), b = Pane.timeAt(app, canvas, x, below);
			if (a !== null && b !== null) app.brush = [Math.min(a, b), Math.max(a, b)];
		} else if (app.view === "topology") {
			for (const p of app.panes) p.topology.shift = [start.shift[0] + dx, start.shift[1] + dy];
		}
		app.changed();
	});
	const end = (e) => {
		if (!pointers.delete(e.pointerId) || pointers.size) return;
		if (moved) {
			if (app.brush && app.brush[1] > app.brush[0]) app.span(...app.brush);
			app.brush = null;
			return;
		}
		if (e.type === "pointercancel") return;
		const [x, y] = place(e), at = timed() ? Pane.timeAt(app, canvas, x, below) : null;
		const hit = below ? null : pane.hit(app, x, y);
		if (hit) app.select(hit);
		if (at !== null) app.go(at);
		else if (!hit && !timed()) app.select(null);
		canvas.focus({ preventScroll: true });
	};
	canvas.addEventListener("pointerup", end);
	canvas.addEventListener("pointercancel", end);
	canvas.addEventListener("wheel", (e) => {
		e.preventDefault();
		zoom(e.deltaY < 0 ? 1.2 : 1 / 1.2, ...place(e));
	}, { passive: false });

	function zoom(factor, x, y) {
		if (!below && app.view === "topology") {
			for (const p of app.panes) p.topology.zoomBy(factor, x, y, canvas.clientWidth, canvas.clientHeight);
			app.changed();
		} else app.zoomTime(factor, Pane.timeAt(app, canvas, x, below) ?? app.clock.t);
	}

	function hover(e) {
		if (below || !canvasViews.includes(app.view)) return;
		const hit = pane.hit(app, ...place(e));
		canvas.style.cursor = hit ? "pointer" : "";
		canvas.title = hit ? hit.port ? pane.facts.portName(hit.port.node, hit.port.port) : pane.rec.head.nodes[hit.node].name : "";
	}
}

function distance(pointers) {
	const [a, b] = [...pointers.values()];
	return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

function middle(pointers) {
	const [a, b] = [...pointers.values()];
	return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}
