// heat - ports over time: a congestion tree grows backwards, from its root to the hosts.
//
// A row for each output that ever had something to show, a column for each span of time; darker is
// more (the greatest value in the span), hatched: it could not send for most of it. Rows stand in
// the order in which they became congested, or in that of the fabric.

import { fitNames, font, hatch, heat, longest, start } from "./paint.js";
import { keyOf } from "./slice.js";
import { cursor, margins, unchanging } from "./strips.js";
import { bytesText, niceMax, spanText, ticks } from "./units.js";

export const ROWS_MAX = 160;
export const measures = ["queue", "load", "stops"];

/** heatLeft(colours) - the place of names, left of the cells. */
export function heatLeft(colours) { return margins(colours).left + colours.font * 3.5; }

/** heatRows(facts, measure, order) - the ports to show, and how many were left out. */
export function heatRows(facts, measure, order) {
	const { nodes } = facts.rec.head;
	const queue = new Map(facts.rows("queue_bytes").map((r) => [r.node * 64 + r.port, r.max]));
	const most = facts.seriesMax("queue_bytes", "switch") || 1;
	let rows = facts.ports.filter((p) => {
		const id = p.node * 64 + p.port;
		if (measure === "load") return facts.max.has(keyOf(p.node, series(facts, "tx_bytes"), p.port, 0));
		if (measure === "stops") return facts.stopsOf.has(id);
		return !p.host && queue.get(id) > most * 0.01 || facts.stopsOf.has(id);
	});
	const firstAt = new Map();
	const first = (p) => {
		const id = p.node * 64 + p.port;
		if (firstAt.has(id)) return firstAt.get(id);
		const stops = facts.stopsOf.get(id);
		let at = stops ? stops.reduce((a, s) => Math.min(a, s.from), Infinity) : Infinity;
		if (!p.host) {
			facts.rec.walk(keyOf(p.node, series(facts, "queue_bytes"), p.port, 0), 0, facts.rec.end, (t, value) => {
				if (value > most * 0.25 && t < at) at = t;
			});
		}
		firstAt.set(id, at);
		return at;
	};
	const all = rows.length;
	if (all > ROWS_MAX) {
		const size = (p) => (queue.get(p.node * 64 + p.port) || 0) * (p.host ? 1e-6 : 1) + (facts.stopsOf.has(p.node * 64 + p.port) ? most : 0);
		rows = rows.map((p) => [size(p), p]).sort((a, b) => b[0] - a[0]).slice(0, ROWS_MAX).map(([, p]) => p);
	}
	if (order === "first") rows.sort((a, b) => first(a) - first(b) || a.node - b.node || a.port - b.port);
	else {
		const tier = (p) => nodes[p.node].tier ?? 0;
		rows.sort((a, b) => tier(b) - tier(a) || a.node - b.node || a.port - b.port);
	}
	return { rows, all };
}

function series(facts, name) {
	const found = facts.rec.seriesOf.get(name);
	return found ? found.id : 255;
}

/** cells(facts, row, measure, from, to, columns) - {value: 0..., stopped: part} of each column. */
export function cells(facts, row, measure, from, to, columns) {
	const value = new Float64Array(columns), stopped = new Float64Array(columns), width = (to - from) / columns;
	const clamp = (c) => Math.max(0, Math.min(columns - 1, c));
	if (measure === "load") {
		let t0 = null, v0 = 0;
		const sample = facts.rec.head.sample_ps || 0;
		facts.rec.walk(keyOf(row.node, series(facts, "tx_bytes"), row.port, 0), from - width, to, (at, v, until) => {
			if (t0 !== null && at > t0) {
				// bytes spread over the columns between two values
				const a = clamp(Math.floor((t0 - from) / width)), b = clamp(Math.floor((at - from) / width));
				for (let c = a; c <= b; c++) {
					const overlap = Math.min(at, from + (c + 1) * width) - Math.max(t0, from + c * width);
					if (overlap > 0) value[c] += (v - v0) * overlap / (at - t0);
				}
			}
			// what comes next is counted after the last sample that has this value
			t0 = Math.max(at, until - sample);
			v0 = v;
		});
		for (let c = 0; c < columns; c++) value[c] = Math.min(1, value[c] * 8e12 / width / row.rate);
	} else {
		facts.rec.walk(keyOf(row.node, series(facts, "queue_bytes"), row.port, 0), from, to, (at, v, until) => {
			if (!v || until < from || at > to) return;
			for (let c = clamp(Math.floor((at - from) / width)); c <= clamp(Math.ceil((until - from) / width) - 1); c++) {
				if (v > value[c]) value[c] = v;
			}
		});
	}
	for (const [begin, end] of facts.stopSpans(row.node, row.port, from, to)) {
		for (let c = clamp(Math.floor((begin - from) / width)); c <= clamp(Math.floor((end - from) / width)); c++) {
			const overlap = Math.min(end, from + (c + 1) * width) - Math.max(begin, from + c * width);
			if (overlap > 0) stopped[c] += overlap / width;
		}
	}
	return { value, stopped };
}

/** drawHeat(canvas, facts, view) - view: {from, to, t, colours, measure, order, top, selected}.
 *  Returns the rows, for hit(). */
export function drawHeat(canvas, facts, view) {
	const { g, width, height } = start(canvas, view.colours);
	const { colours, from, to } = view, LEFT = heatLeft(colours), inner = Math.max(10, width - LEFT - 8), LEGEND = colours.font * 1.9;
	const drawn = unchanging(canvas, g, `${from} ${to} ${facts.rec.fed} ${colours.ink} ${colours.font} ${view.measure} ${view.order} ${view.top}`,
		(still) => cellsDrawn(still, facts, view, width, height));
	const { rows, tall } = drawn, at = view.selected ? rows.indexOf(view.selected.port) : -1;
	if (at >= 0) {
		g.strokeStyle = colours.accent;
		g.lineWidth = 2;
		g.strokeRect(LEFT, LEGEND + at * tall, inner, tall);
	}
	cursor(g, (t) => LEFT + (t - from) / (to - from) * inner, view.t, from, to, LEGEND + tall * rows.length, colours, LEGEND);
	return drawn;
}

function cellsDrawn(g, facts, view, width, height) {
	const { colours, from, to, measure } = view, { rows, all } = heatRows(facts, measure, view.order);
	const LEFT = heatLeft(colours), AXIS = colours.font * 1.9, LEGEND = AXIS;
	const inner = Math.max(10, width - LEFT - 8), x = (t) => LEFT + (t - from) / (to - from) * inner;
	const tall = Math.min(28, (height - AXIS - LEGEND) / Math.max(1, rows.length));
	const columns = Math.max(1, Math.floor(inner / 2));
	const top = measure === "load" ? 1 : view.top || niceMax(facts.seriesMax("queue_bytes", "switch"));
	const fullHost = measure === "load" ? 0 : niceMax(facts.seriesMax("queue_bytes", "host"));
	const named = fitNames(g, colours, tall);
	rows.forEach((row, n) => {
		const { value, stopped } = cells(facts, row, measure, from, to, columns), y = LEGEND + n * tall;
		const full = row.host && fullHost || top;
		for (let c = 0; c < columns; c++) {
			if (measure !== "stops" && value[c]) {
				g.fillStyle = heat(value[c] / full, colours);
				g.fillRect(LEFT + c * inner / columns, y, inner / columns + 0.5, tall);
			}
		}
		let c = 0;
		while (c < columns) {
			if (stopped[c] < 0.5) { c++; continue; }
			const begin = c;
			while (c < columns && stopped[c] >= 0.5) c++;
			g.fillStyle = hatch(g, colours.stop);
			g.fillRect(LEFT + begin * inner / columns, y, (c - begin) * inner / columns, Math.max(2, tall - 0.5));
		}
		if (n % named === 0) {
			g.fillStyle = colours.ink;
			g.textAlign = "right";
			g.fillText(facts.portName(row.node, row.port), LEFT - 5, y + tall / 2, LEFT - 8);
		}
	});
	g.font = font(colours);
	g.strokeStyle = colours.faint;
	g.strokeRect(LEFT, LEGEND, inner, tall * rows.length);
	legend(g, view, top, rows.some((row) => row.host) && fullHost, width, all, rows.length);
	g.fillStyle = colours.soft;
	g.textAlign = "center";
	for (const at of ticks(from, to, Math.max(1, inner / colours.font / 9))) {
		g.textAlign = x(at) > width - 24 ? "right" : "center";
		g.fillText(spanText(at).replace(/^0 .*/, "0"), x(at), LEGEND + tall * rows.length + AXIS / 2);
	}
	if (!rows.length) {
		g.fillStyle = colours.ink;
		g.fillText(measure === "stops" ? "no output was stopped" : "nothing to show in this recording", width / 2, height / 2);
	}
	return { rows, tall, top: LEGEND };
}

// @hosts: the top of the scale of hosts, or 0 without rows of hosts
function legend(g, { colours, measure, order: rowsIn }, top, hosts, width, all, shown) {
	let x = 8;
	const y = colours.font * 0.95;
	for (let i = 0; i <= 30; i++) { g.fillStyle = heat(i / 30, colours); g.fillRect(x + i * 3, y - 5, 3, 10); }
	g.fillStyle = colours.ink;
	g.textAlign = "left";
	x += 98;
	const scale = measure === "load" ? "load, 0 to 100 %" : `queue, 0 to ${bytesText(top)}`;
	const stopped = "may not send", left = width - x - 48 - g.measureText(stopped).width;
	const text = longest(g, [hosts ? `${scale} (hosts, not sent yet: ${bytesText(hosts)})` : scale, scale], left);
	g.fillText(text, x, y);
	x += g.measureText(text).width + 14;
	g.fillStyle = hatch(g, colours.stop, colours.panel);
	g.fillRect(x, y - 6, 22, 12);
	g.fillStyle = colours.ink;
	const order = `${stopped} \u00b7 rows in the order of ${rowsIn === "first" ? "congestion" : "the fabric"}`;
	x += 27;
	g.fillText(longest(g, [`${order}; ${shown} of ${all} outputs, those with the longest queues`, order, stopped]
		.slice(shown < all ? 0 : 1), width - x - 7), x, y, width - x - 7);
}

/** heatHit(drawn, y) - the port in that row, or null. */
export function heatHit(drawn, y) {
	const row = drawn && drawn.rows[Math.floor((y - drawn.top) / drawn.tall)];
	return row ? { node: row.node, port: row } : null;
}
