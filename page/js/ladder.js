// ladder - a time-space diagram: nodes of a path from left to right, time from top to bottom.
//
// Exact, from events: messages (first packet sent to completely received), CNPs, XOFF and XON with
// the delay of their link, marks, drops. From samples: the shade between two nodes, darker where
// more of the link's rate was used; a parallelogram, since data of a moment arrives a delay later.
// Hatched beside a node: its output on the path could not send. Single packets, ACKs, CNPs and
// credit are lines if the recording has them (packets.js), instead of messages.

import { drawLines, linesOf, signs } from "./packets.js";
import { arrow, hatch, heat, label, start } from "./paint.js";
import { spanText, ticks } from "./units.js";
import { keyOf } from "./slice.js";

// places around the diagram: they grow with the fonts
function around({ font }) { return { top: Math.max(46, font * 2.7), left: Math.max(78, font * 5.4), right: 60 }; }

/** ladderPath(facts, flow) - [{node, port}] from the source, and at the end {node}. The recorded
 *  path, or the shortest one if the recording has none (then `guessed` is true). */
export function ladderPath(facts, flow) {
	if (flow.path && flow.path.length) {
		const hops = flow.path.map(([node, port]) => ({ node, port }));
		const last = facts.portOf.get(hops[hops.length - 1].node * 64 + hops[hops.length - 1].port);
		if (last && last.peer !== flow.destination || !last) return { hops: [...hops, { node: flow.destination }], guessed: false };
		return { hops: [...hops, { node: flow.destination }], guessed: false };
	}
	// the shortest path by hops, lowest ports first
	const from = new Map([[flow.node, null]]), queue = [flow.node];
	while (queue.length && !from.has(flow.destination)) {
		const node = queue.shift();
		for (const port of facts.outputsOf(node)) {
			if (from.has(port.peer)) continue;
			from.set(port.peer, port);
			queue.push(port.peer);
		}
	}
	const hops = [{ node: flow.destination }];
	for (let port = from.get(flow.destination); port; port = from.get(port.node)) hops.unshift({ node: port.node, port: port.port });
	return { hops, guessed: true };
}

/** drawLadder(canvas, facts, view) - view: {flow, from, to, t, colours}. */
export function drawLadder(canvas, facts, view) {
	const { g, width, height } = start(canvas, view.colours);
	const { colours, flow, from, to } = view, { nodes } = facts.rec.head;
	if (!flow) {
		g.fillStyle = colours.ink;
		g.textAlign = "center";
		g.fillText(facts.rec.flows.length ? "choose a flow (view 5)" : "this recording has no flows", width / 2, height / 2);
		return;
	}
	const { hops, guessed } = ladderPath(facts, flow);
	const { top: TOP, left: LEFT, right: RIGHT } = around(colours);
	const lines = facts.flight ? linesOf(facts, hops, view) : [], single = Boolean(lines && lines.length);
	canvas.dataset.lines = String(lines ? lines.length : "");
	const signsText = legendLines(g, width, facts, lines);
	const bottom = height - colours.font * (0.6 + 1.3 * signsText.length), y = (t) => TOP + (t - from) / (to - from) * (bottom - TOP);
	const x = (n) => LEFT + n * (width - LEFT - RIGHT) / Math.max(1, hops.length - 1);
	const column = new Map(hops.map((h, n) => [h.node, n]));
	g.save();
	g.beginPath();
	g.rect(0, TOP, width, bottom - TOP);
	g.clip();
	if (!single) density(g, facts, hops, view, x, y, bottom - TOP);
	stops(g, facts, hops, view, x, y);
	g.strokeStyle = colours.ink;
	g.lineWidth = 1.5 * colours.line;
	for (let n = 0; n < hops.length; n++) {
		g.beginPath();
		g.moveTo(x(n), TOP);
		g.lineTo(x(n), bottom);
		g.stroke();
	}
	if (single) drawLines(g, lines, hops, colours, x, y);
	else messages(g, facts, flow, hops.length - 1, view, x, y);
	control(g, facts, flow, column, view, x, y);
	g.strokeStyle = colours.accent;
	g.lineWidth = 2;
	g.beginPath();
	g.moveTo(LEFT - 30, y(view.t));
	g.lineTo(width - RIGHT + 30, y(view.t));
	g.stroke();
	g.restore();
	g.textAlign = "center";
	hops.forEach((h, n) => label(g, nodes[h.node].name, x(n), TOP - 12, colours));
	g.fillStyle = colours.ink;
	g.textAlign = "left";
	g.fillText(`${facts.flowName(flow)}, class ${facts.className(flow.class)}` +
		(guessed ? " \u00b7 its path was not recorded: a shortest one" : "") + (single ? "" : others(facts, flow)), 6, 12, width - 12);
	g.fillStyle = colours.soft;
	g.textAlign = "right";
	for (const at of ticks(from, to, (bottom - TOP) / 42)) g.fillText(spanText(at).replace(/^0.*/, "0"), LEFT - 34, y(at));
	g.textAlign = "left";
	signsText.forEach((text, n) => g.fillText(text, 6, bottom + colours.font * (0.9 + 1.3 * n), width - 12));
}

// events of messages name their hosts, not their flow
function others(facts, flow) {
	const count = facts.rec.flows.filter((f) => f.node === flow.node && f.destination === flow.destination).length;
	return count > 1 ? ` \u00b7 messages of all ${count} flows from this host to that one` : "";
}

// the legend, in as many lines as the width needs
function legendLines(g, width, facts, lines) {
	const single = lines && lines.length, parts = single ? [...signs.split(", "), "faint: of other flows"]
		: ["line: message", "shade: data on the link, from its counter", "diamonds: CNP"];
	parts.push("squares: XOFF, hollow XON", "+ mark, x drop", "hatched: may not send");
	if (lines === null) parts.push("zoom in (+) for single packets");
	const out = [];
	for (const part of parts) {
		const longer = out.length ? `${out[out.length - 1]} \u00b7 ${part}` : part;
		if (out.length && g.measureText(longer).width < width - 12) out[out.length - 1] = longer;
		else out.push(part);
	}
	return out;
}

function density(g, facts, hops, { from, to, colours }, x, y, height) {
	const series = facts.rec.seriesOf.get("tx_bytes");
	if (!series) return;
	hops.slice(0, -1).forEach((hop, n) => {
		const port = facts.portOf.get(hop.node * 64 + hop.port);
		if (!port) return;
		let t0 = null, v0 = 0, drawn = -1e9;
		const least = (to - from) / height * 1.5, sample = facts.rec.head.sample_ps || 0;
		facts.rec.walk(keyOf(hop.node, series.id, hop.port, 0), from - 4 * facts.loadSpan, to, (at, value, until) => {
			const idle = until - at > sample && until - at > least;
			if (t0 === null) { t0 = idle ? Math.max(at, until - sample) : at; v0 = value; return; }
			if (at <= t0 || at - t0 < least && !idle) return;
			const load = Math.min(1, (value - v0) * 8e12 / (at - t0) / port.rate);
			// no more of them than there are lines of pixels
			if (load > 0.01 && y(at) > drawn) {
				g.fillStyle = heat(0.36 * load, colours);
				g.beginPath();
				g.moveTo(x(n), y(t0));
				g.lineTo(x(n + 1), y(t0 + port.delay));
				g.lineTo(x(n + 1), y(at + port.delay) + 0.5);
				g.lineTo(x(n), y(at) + 0.5);
				g.fill();
				drawn = y(at);
			}
			// what comes next is counted after the last sample that has this value
			t0 = idle ? Math.max(at, until - sample) : at;
			v0 = value;
		});
	});
}

function stops(g, facts, hops, { from, to, colours }, x, y) {
	hops.slice(0, -1).forEach((hop, n) => {
		for (const s of facts.stopsOf.get(hop.node * 64 + hop.port) || []) {
			if (s.to < from || s.from > to) continue;
			const top = y(Math.max(from, s.from)), tall = Math.max(1.5, y(Math.min(to, s.to)) - top);
			g.fillStyle = hatch(g, colours.stop, colours.panel);
			g.fillRect(x(n) + 2, top, 10 * colours.line, tall);
		}
	});
}

function messages(g, facts, flow, last, { from, to, colours }, x, y) {
	const { rec } = facts, started = new Map();
	let drawn = 0, named = -1e9;
	const begin = rec.head.events.find((e) => e.name === "message_start"), end = rec.head.events.find((e) => e.name === "message_end");
	if (!begin || !end) return;
	rec.eventsIn(0, to, (e, i) => {
		if (e.kind[i] !== begin.id && e.kind[i] !== end.id) return;
		if (e.source[i] !== flow.node + 1 && !(e.kind[i] === begin.id && e.node[i] === flow.node)) return;
		if (e.destination[i] !== flow.destination + 1) return;
		const name = e.detail[i];
		if (e.kind[i] === begin.id) { started.set(name, [...started.get(name) || [], e.at[i]]); return; }
		// of several flows of the pair the one that started first is taken to end first
		const t0 = started.has(name) ? started.get(name).shift() : undefined;
		if (t0 === undefined || e.at[i] < from || drawn++ > 400) return;
		message(name, t0, e.at[i], e.value[i]);
	});
	for (const [name, list] of started) for (const t0 of list) message(name, t0, null, 0);
	function message(name, t0, t1) {
		const color = colours.series[name % 8];
		g.strokeStyle = g.fillStyle = color;
		g.lineWidth = 2.6 * colours.line;
		g.globalAlpha = 0.9;
		if (t1 === null) {
			g.setLineDash([6, 4]);
			g.beginPath();
			g.moveTo(x(0) - 16, y(t0));
			g.lineTo(x(0) - 16, y(to));
			g.stroke();
			g.setLineDash([]);
		} else arrow(g, [x(0), y(t0)], [x(last), y(t1)], 0, 9 * colours.line);
		g.globalAlpha = 1;
		if (t0 >= from && y(t0) - named > 2 * colours.font) {
			named = y(t0);
			label(g, `message ${name}`, x(0) + 44, y(t0) + 8, colours);
		}
	}
}

function control(g, facts, flow, column, { from, to, colours }, x, y) {
	const cnps = [];
	facts.rec.eventsIn(Math.max(0, from - (to - from) * 0.2), to, (e, i) => {
		const name = facts.kinds.get(e.kind[i]), n = column.get(e.node[i]), s = 4 * colours.line;
		if (n === undefined) return;
		const px = x(n), py = y(e.at[i]);
		const ours = (!e.source[i] || e.source[i] === flow.node + 1) && (!e.destination[i] || e.destination[i] === flow.destination + 1);
		g.strokeStyle = g.fillStyle = colours.stop;
		g.lineWidth = 1.6 * colours.line;
		if (name === "xoff" || name === "xon") {
			const port = facts.portOf.get(e.node[i] * 64 + e.port[i]);
			if (!port || column.get(port.peer) === undefined) return;
			const qx = x(column.get(port.peer)), qy = y(e.at[i] + port.delay);
			g.setLineDash(name === "xon" ? [3, 3] : []);
			arrow(g, [px, py], [qx, qy], 0, 7);
			g.setLineDash([]);
			if (name === "xoff") g.fillRect(px - s, py - s, 2 * s, 2 * s);
			else { g.fillStyle = colours.panel; g.fillRect(px - s, py - s, 2 * s, 2 * s); g.strokeRect(px - s, py - s, 2 * s, 2 * s); }
		} else if (name === "mark" && ours) {
			g.strokeStyle = colours.soft;
			g.beginPath();
			g.moveTo(px - s, py); g.lineTo(px + s, py); g.moveTo(px, py - s); g.lineTo(px, py + s);
			g.stroke();
		} else if (name === "drop" && ours) label(g, "\u2715 drop", px + 26, py, colours);
		else if (name === "cnp" && ours) cnps.push([px, py]);
		else if (name === "cnp_received" && ours) {
			g.strokeStyle = g.fillStyle = colours.accent;
			const sent = cnps.shift();
			g.setLineDash([5, 4]);
			if (sent) arrow(g, sent, [px, py], 0, 8);
			g.setLineDash([]);
			g.beginPath();
			g.moveTo(px, py - s - 2); g.lineTo(px + s + 2, py); g.lineTo(px, py + s + 2); g.lineTo(px - s - 2, py);
			g.fill();
		}
	});
}
