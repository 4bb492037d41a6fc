// strips - values over time, one below the other on one axis: queues, rates, stops, credit, marks.
//
// A strip has at most six lines; each has a name at its right end, a colour and a dash pattern. A
// line is drawn through the least and the greatest value of each pixel column, so no peak is lost.
// Rows of stops are a Gantt chart, hatched. Ticks below are events: taller where there are more.

import { dashes, fitNames, font, hatch, start } from "./paint.js";
import { keyOf } from "./slice.js";
import { niceMax, spanText, ticks, timeText, valueText } from "./units.js";

/** margins(colours) - the places left and right of the axis of time, and below it; they grow with
 *  the font. */
export function margins({ font }) { return { left: font * 9.7, right: font * 12.2, bottom: font * 1.75 }; }

const LINES_MAX = 6;

// what a strip shows by default: the first series of a list that the recording has
const wanted = [
	{ title: "queues", names: ["queue_bytes"], which: "switch" },
	{ title: "inputs", names: ["class_input_bytes", "lane_input_units"], which: "switch" },
	{ title: "links", names: ["tx_bytes"], which: "switch", rate: true },
	{ title: "flows", names: ["flow_sent_bytes"], which: "host", rate: true },
	{ title: "allowed", names: ["flow_allowed_rate_bps"], which: "host" },
	{ title: "allowed, NICs", names: ["allowed_rate_sum_bps", "rate_bps"], which: "host",
		unless: "allowed" },
	{ title: "credit", names: ["lane_credit_units"], which: "all", stopped: true },
];
const tickKinds = ["mark", "cnp", "cnp_received", "drop", "credit_wait", "redirect", "fgfc_hold", "timeout"];

/** defaultStrips(facts) - the strips that this recording has something for. */
export function defaultStrips(facts) {
	const strips = [];
	for (const w of wanted) {
		if (w.unless && strips.some((s) => s.title === w.unless)) continue;
		const name = w.names.find((n) => facts.top(n, 1, w.which).length);
		if (!name) continue;
		let rows = facts.top(name, w.stopped ? 1e9 : LINES_MAX, w.which);
		// credit is least where packets wait for it
		if (w.stopped) {
			const waits = (row) => (facts.stopsOf.get(row.node * 64 + row.port) || []).length;
			rows = rows.sort((a, b) => waits(b) - waits(a)).slice(0, LINES_MAX);
		}
		if (rows.length) strips.push({ kind: "lines", title: w.title, name, rows, rate: w.rate });
	}
	const held = new Map();
	const end = facts.rec.end;
	for (const stop of facts.stops) {
		const id = stop.node * 64 + stop.port;
		held.set(id, (held.get(id) || 0) + Math.min(end, stop.to) - stop.from);
	}
	// in the order in which they were stopped first: the spread reads from top to bottom
	const rows = [...held].filter(([id]) => facts.stopsOf.has(id)).sort((a, b) => b[1] - a[1]).slice(0, 10).map(([id]) => id)
		.sort((a, b) => facts.stopsOf.get(a)[0].from - facts.stopsOf.get(b)[0].from);
	if (rows.length) strips.splice(1, 0, { kind: "stops", title: "stopped", rows, of: facts.stopsOf });
	const flows = [...facts.heldOf.keys()].slice(0, 10);
	if (flows.length) strips.push({ kind: "stops", title: "FGFC", rows: flows, of: facts.heldOf });
	const kinds = tickKinds.filter((k) => facts.count.has(k));
	if (kinds.length) strips.push({ kind: "ticks", title: "events", kinds });
	return strips;
}

/** addStrip(facts, name, node, port, index) - a strip of one row that the reader has pinned. */
export function pinnedStrip(facts, name, node, port, index) {
	const series = facts.rec.seriesOf.get(name);
	const key = keyOf(node, series.id, port, index);
	return { kind: "lines", title: name, name, rows: [{ node, port, index, key, max: facts.max.get(key) || 0 }],
		rate: series.type === "counter", pinned: true };
}

/** span of a strip's scale: rates are derived from counters, so they have no stored maximum */
function top(facts, strip, from, to) {
	if (!strip.rate) return Math.max(1, ...strip.rows.map((r) => r.max));
	const rates = strip.rows.map((r) => {
		const port = facts.portOf.get(r.node * 64 + r.port);
		return port ? port.rate : 1;
	});
	return Math.max(1, ...rates);
}

/** stripHeights(strips, height) - the part of the height that each takes. */
export function stripHeights(strips, height, axis) {
	const weight = (s) => s.kind === "ticks" ? 0.3 + 0.17 * s.kinds.length : s.kind === "stops" ? 0.35 + 0.13 * s.rows.length : 0.5 + 0.1 * s.rows.length;
	const sum = strips.reduce((all, s) => all + weight(s), 0) || 1;
	return strips.map((s) => (height - axis) * weight(s) / sum);
}

/** drawStrips(canvas, facts, strips, view) - view: {from, to, t, colours, scaleOf(n) or null}. */
export function drawStrips(canvas, facts, strips, view) {
	const { g, width, height } = start(canvas, view.colours);
	const { colours, from, to } = view, { left, right, bottom } = margins(colours), inner = width - left - right;
	const x = (t) => left + (t - from) / (to - from) * inner;
	const areas = [];
	let y = 0;
	stripHeights(strips, height, bottom).forEach((h, n) => {
		areas.push({ x, y, left, right, h: h - 6, width, inner, from, to, colours, facts, n, max: view.maxOf && view.maxOf(n) });
		y += h;
	});
	unchanging(canvas, g, `${from} ${to} ${facts.rec.fed} ${colours.ink} ${colours.font} ${areas.map((a) => a.max)} ` +
		strips.map((s) => s.title + s.rows), (still) => areas.forEach((area) => drawStrip({ ...area, g: still }, strips[area.n])));
	const moment = facts.rec.moment(view.t);
	for (const area of areas) if (strips[area.n].kind === "lines") lineNames({ ...area, g, moment, t: view.t }, strips[area.n]);
	axis(g, x, view, width, height, left, right, bottom);
}

/** unchanging(canvas, g, state, draw) - what does not depend on the time that is shown is drawn
 *  once,
 *  into a picture of its own, and again when @state (a text) or the size has changed. */
export function unchanging(canvas, g, state, draw) {
	const name = `${canvas.width} ${canvas.height} ${state}`;
	if (!canvas.still || canvas.still.name !== name) {
		const picture = document.createElement("canvas");
		picture.width = canvas.width;
		picture.height = canvas.height;
		const still = picture.getContext("2d");
		still.setTransform(g.getTransform());
		still.font = g.font;
		still.textBaseline = "middle";
		still.lineJoin = "round";
		const result = draw(still);
		canvas.still = { name, picture, result };
	}
	g.save();
	g.setTransform(1, 0, 0, 1, 0, 0);
	g.drawImage(canvas.still.picture, 0, 0);
	g.restore();
	return canvas.still.result;
}

function drawStrip(area, strip) {
	const { g, y, colours, left } = area;
	g.fillStyle = colours.ink;
	g.textAlign = "left";
	g.fillText(strip.title, 4, y + colours.font * 0.8, left - 10);
	if (strip.kind === "lines") lines(area, strip, area.max);
	else if (strip.kind === "stops") stops(area, strip);
	else eventTicks(area, strip);
}
function frame({ g, y, h, inner, colours, left }) {
	g.strokeStyle = colours.faint;
	g.lineWidth = 1;
	g.strokeRect(left, y + 3, inner, h - 3);
}

/** stripMax(facts, strip) - the top of its scale; the larger one of two panes is used for both. */
export function stripMax(facts, strip) {
	return strip.kind === "lines" ? niceMax(top(facts, strip)) : 0;
}

function lines(area, strip, max) {
	const { g, x, y, h, inner, from, to, colours, facts, left } = area, { rec } = facts;
	const series = rec.seriesOf.get(strip.name), unit = strip.rate ? "bps" : series.unit;
	const most = max || stripMax(facts, strip);
	const py = (value) => y + h - (h - 8) * Math.min(1, value / most);
	frame(area);
	g.fillStyle = colours.soft;
	g.textAlign = "right";
	g.fillText(valueText(most, unit), left - 4, y + colours.font * 0.8, left - 8 - g.measureText(strip.title).width);
	g.fillText("0", left - 4, y + h - 5);
	marks(area, strip, py, most);
	g.save();
	g.beginPath();
	g.rect(left, y, inner, h + 1);
	g.clip();
	strip.rows.forEach((row, n) => {
		g.strokeStyle = colours.series[n % 8];
		g.lineWidth = 1.4 * colours.line;
		g.setLineDash(dashes[n % dashes.length]);
		g.beginPath();
		const points = strip.rate ? rates(rec, row, from, to, facts.loadSpan) : values(rec, row, from, to);
		plot(g, points, x, py, from, to, inner);
		g.stroke();
		g.setLineDash([]);
	});
	g.restore();
}

// names at the right, with the values now
function lineNames({ g, y, h, inner, colours, facts, moment, t, from, to, left, right }, strip) {
	const { rec } = facts, series = rec.seriesOf.get(strip.name), unit = strip.rate ? "bps" : series.unit;
	const line = Math.min((h - 4) / strip.rows.length, colours.font * 1.25), named = fitNames(g, colours, line);
	strip.rows.forEach((row, n) => {
		const yy = y + 3 + (n + 0.5) * line;
		g.strokeStyle = colours.series[n % 8];
		g.lineWidth = 2;
		g.setLineDash(dashes[n % dashes.length]);
		g.beginPath();
		g.moveTo(left + inner + 4, yy);
		g.lineTo(left + inner + 22, yy);
		g.stroke();
		g.setLineDash([]);
		if (n % named) return;
		const value = t < from || t > to ? null : strip.rate
			? rateAt(rates(rec, row, Math.max(0, t - 3 * facts.loadSpan), t + 2 * facts.loadSpan, facts.loadSpan), t)
			: rec.value(moment, row.node, strip.name, row.port, row.index);
		g.fillStyle = colours.ink;
		g.textAlign = "left";
		g.fillText(rowName(facts, strip, row) + (value === null ? "" : `  ${valueText(value, unit)}`), left + inner + 26, yy, right - 28);
	});
	g.font = font(colours);
}

/** rowName(facts, strip, row) - "s1 > r", "h0 > h4", or with the lane or class. */
export function rowName(facts, strip, row) {
	const { rec } = facts, series = rec.seriesOf.get(strip.name);
	if (series.of === "flow") {
		const flow = rec.flowOf.get(`${row.node} ${row.index}`);
		return flow ? facts.flowName(flow) : `flow ${row.index}`;
	}
	// what is in an input came from the peer
	const peer = facts.portOf.get(row.node * 64 + row.port);
	const name = /input|rx_|xoff|pauses_sent/.test(strip.name) && peer ? facts.portName(peer.peer, peer.peerPort)
		: facts.portName(row.node, row.port);
	if (series.of === "class") return `${name} ${facts.className(row.index)}`;
	return series.of === "lane" ? `${name} lane ${row.index}` : name;
}

function values(rec, row, from, to) {
	const points = [];
	rec.walk(row.key, from, to, (at, value, until) => points.push([at, value], [until, value]));
	return points;
}

/** rates(rec, row, from, to, span) - [time, rate] of a counter: its slope over spans of @span, at
 *  least one sample long; 0 while nothing is counted. */
export function rates(rec, row, from, to, span) {
	const points = [], sample = rec.head.sample_ps || 0;
	let t0 = null, v0 = 0;
	rec.walk(row.key, from - span, to, (at, value, until) => {
		const idle = until - at > 2 * span;
		if (t0 === null) { t0 = at; v0 = value; }
		if (at > t0 && (idle || at - t0 >= span)) {
			const rate = (value - v0) * 8e12 / (at - t0);
			points.push([t0, rate], [at, rate]);
			t0 = at;
			v0 = value;
		}
		// nothing was counted up to the last sample that has this value
		if (idle) {
			t0 = Math.max(at, until - sample);
			v0 = value;
			points.push([at, 0], [t0, 0]);
		}
	});
	return points;
}

function rateAt(points, t) {
	let value = 0;
	for (let i = 0; i < points.length && points[i][0] <= t; i++) [, value] = points[i];
	return value;
}

function plot(g, points, x, py, from, to, inner) {
	// columns of a pixel: least and greatest value, in this order, then on from the last one
	let column = null, low = 0, high = 0, last = 0, begun = false;
	const flush = () => {
		if (column === null) return;
		if (!begun) { g.moveTo(column, py(low)); begun = true; }
		g.lineTo(column, py(low));
		if (high !== low) g.lineTo(column, py(high));
		g.lineTo(column, py(last));
	};
	for (const [t, value] of points) {
		const c = Math.round(x(Math.min(to, Math.max(from, t))));
		if (c !== column) {
			flush();
			if (begun) g.lineTo(c, py(last));
			column = c;
			low = high = value;
		}
		low = Math.min(low, value);
		high = Math.max(high, value);
		last = value;
	}
	flush();
}

// constant lines of HEAD: xoff, kmin, kmax of the rows that are shown; equal ones once
function marks({ g, inner, colours, facts, left }, strip, py, most) {
	// the marks of classes are shown with the queue of their port, too
	const mine = (mark) => !mark.series || mark.series === strip.name || strip.name === "queue_bytes" && mark.series === "class_queue_bytes";
	const seen = new Map(); /* to the place of the line; those too close to another are left out */
	for (const mark of facts.rec.head.marks || []) {
		const id = mark.name + mark.value;
		if (mark.value > most || !mark.value || seen.has(id) || !mine(mark)) continue;
		if (!strip.rows.some((r) => r.node === mark.node && r.port === mark.port)) continue;
		if ([...seen.values()].some((line) => Math.abs(line - py(mark.value)) < colours.font)) continue;
		seen.set(id, py(mark.value));
		g.strokeStyle = colours.soft;
		g.setLineDash([2, 4]);
		g.beginPath();
		g.moveTo(left, py(mark.value));
		g.lineTo(left + inner, py(mark.value));
		g.stroke();
		g.setLineDash([]);
		g.fillStyle = colours.soft;
		g.textAlign = "left";
		g.fillText(mark.name, left + 3, py(mark.value) - 6);
	}
}

function stops(area, strip) {
	const { g, x, y, h, inner, from, to, colours, facts, left, right } = area;
	frame(area);
	const step = (h - 6) / strip.rows.length, named = fitNames(g, colours, step);
	strip.rows.forEach((id, n) => {
		const top = y + 4 + n * step, tall = Math.max(2, step - 2);
		let drawn = -1;
		for (const stop of strip.of.get(id) || []) {
			if (stop.to < from || stop.from > to) continue;
			const a = Math.max(left, x(stop.from)), b = Math.min(left + inner, x(Math.min(to, stop.to)));
			if (b < drawn && stop.what !== "waits") continue;
			// with data that waits: on a tinted ground
			if (stop.what === "waits") {
				g.fillStyle = colours.stop;
				g.globalAlpha = 0.4;
				g.fillRect(a, top, Math.max(1, b - a), tall);
				g.globalAlpha = 1;
			}
			g.fillStyle = hatch(g, colours.stop);
			g.fillRect(a, top, Math.max(1, b - a), tall);
			drawn = b;
		}
		g.fillStyle = colours.ink;
		if (n % named) return; /* names do not cover each other */
		g.textAlign = "left";
		const first = strip.of.get(id)[0].from;
		g.fillText(`${facts.portName(Math.floor(id / 64), id % 64)} from ${(first / 1e6).toFixed(1)}`, left + inner + 4,
			top + tall / 2, right - 6);
	});
	g.font = font(colours);
}

function eventTicks(area, strip) {
	const { g, x, y, h, inner, from, to, colours, facts, left, right } = area;
	frame(area);
	const step = (h - 4) / strip.kinds.length, named = fitNames(g, colours, step);
	const kindOf = new Map(strip.kinds.map((name, n) => [facts.rec.head.events.find((e) => e.name === name).id, n]));
	const columns = strip.kinds.map(() => new Uint32Array(Math.max(1, Math.ceil(inner) + 1)));
	facts.rec.eventsIn(from, to, (e, i) => {
		const n = kindOf.get(e.kind[i]);
		if (n !== undefined) columns[n][Math.max(0, Math.round(x(e.at[i]) - left))]++;
	});
	columns.forEach((column, n) => {
		const bottom = y + 3 + (n + 1) * step, most = Math.max(1, ...column);
		g.fillStyle = colours.series[n % 8];
		column.forEach((count, c) => {
			if (count) { const tall = (step - 2) * (0.35 + 0.65 * count / most); g.fillRect(left + c, bottom - tall, 1.5, tall); }
		});
		g.fillStyle = colours.ink;
		g.textAlign = "left";
		if (n % named) return;
		g.fillText(`${strip.kinds[n]}: ${facts.count.get(strip.kinds[n])}`, left + inner + 4, bottom - step / 2, right - 6);
	});
	g.font = font(colours);
}

function axis(g, x, { from, to, t, colours }, width, height, left, right, bottom) {
	g.fillStyle = g.strokeStyle = colours.soft;
	g.lineWidth = 1;
	g.textAlign = "center";
	const inner = width - left - right;
	for (const at of ticks(from, to, Math.max(1, inner / colours.font / 9))) {
		g.beginPath();
		g.moveTo(x(at), height - bottom);
		g.lineTo(x(at), height - bottom + 4);
		g.stroke();
		g.textAlign = x(at) > width - right - 12 ? "right" : "center";
		g.fillText(spanText(at).replace(/^0 .*/, "0"), x(at), height - bottom * 0.4);
	}
	cursor(g, x, t, from, to, height - bottom, colours);
}

/** cursor(g, x, t, ...) - the time that is shown, on any axis of time. */
export function cursor(g, x, t, from, to, bottom, colours, top = 0) {
	if (t < from || t > to) return;
	g.strokeStyle = colours.accent;
	g.lineWidth = 2 * colours.line;
	g.beginPath();
	g.moveTo(x(t), top);
	g.lineTo(x(t), bottom);
	g.stroke();
	g.fillStyle = colours.accent;
	g.beginPath();
	g.moveTo(x(t) - 5, top);
	g.lineTo(x(t) + 5, top);
	g.lineTo(x(t), top + 7);
	g.fill();
}

/** readout(t) - the time as text, for titles. */
export function readout(t) { return timeText(t); }
