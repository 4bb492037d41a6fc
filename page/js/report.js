// report - everything of one or several recordings as one document, on the screen and on A4.

import { runCommand } from "./commands.js";
import { el, table } from "./dom.js";
import { handIn } from "./handin.js";
import { drawHeat, heatRows } from "./heat.js";
import { drawStrips, stripMax } from "./strips.js";
import { expectedText, resultTable, tableList } from "./tables.js";
import { rateText, spanText, timeText } from "./units.js";
import { meaning } from "./words.js";

/** busiestTime(facts) - when most outputs were stopped; without stops, when the longest queue was
 *  at its longest. A moment that shows what the run is about. */
export function busiestTime(facts) {
	const turns = [];
	for (const s of facts.stops) if (s.what !== "waits") turns.push([s.from, 1], [Math.min(s.to, facts.rec.end), -1]);
	turns.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
	let now = 0, most = 0, best = null;
	turns.forEach(([at, change], i) => {
		now += change;
		const lasts = (i + 1 < turns.length ? turns[i + 1][0] : at) - at;
		if (now > most && lasts > 0) { most = now; best = at + lasts / 2; }
	});
	if (best !== null) return best;
	const [row] = facts.top("queue_bytes", 1, "switch");
	let peak = facts.rec.head.measure ? facts.rec.head.measure[1] / 2 : 0, value = -1;
	if (row) facts.rec.walk(row.key, 0, facts.rec.end, (at, v) => { if (v > value) { value = v; peak = at; } });
	return peak;
}

/** reportOf(panes, view) - the document. @view: {colours, scales, lab}; canvases draw themselves
 *  when redraw() of the result is called, after they are in the page. */
export function reportOf(panes, view) {
	const drawings = [];
	const end = Math.max(...panes.map((p) => usefulEnd(p)));
	const shown = panes.some((p) => p.rec.end > end) ? `to the end of the measured interval at ${timeText(end)}; the drain is not shown` : "the whole run";
	const picture = (height, draw, caption) => {
		const canvas = el("canvas", { class: "figure", style: `height: ${height}px`, role: "img", "aria-label": caption });
		drawings.push(() => draw(canvas));
		return el("figure", {}, canvas, el("figcaption", {}, caption));
	};
	const first = panes[0].rec, s = first.head.scenario;
	const parts = [el("h1", {}, `${s.name}`), el("p", {}, s.about || ""), view.lab ? handIn(view.lab) : null, facts(panes), expectations(panes)];
	if (panes.length > 1) parts.push(comparison(panes));
	for (const pane of panes) {
		const many = panes.length > 1, t = busiestTime(pane.facts);
		if (many) parts.push(el("h2", { class: "variant" }, pane.name));
		parts.push(deadlocks(pane));
		parts.push(picture(many ? 280 : 420, (canvas) => pane.topology.draw(canvas, { ...view, t, selected: null, flow: null, slow: 0 }),
			`Topology at ${timeText(t)}, ${pane.facts.stops.length ? "when most outputs were stopped" : "when the longest queue was longest"}.`));
		const strips = pane.strips.slice(0, many ? 3 : 8);
		if (strips.length) {
			parts.push(picture(70 + strips.reduce((h, x) => h + (x.kind === "lines" ? 95 : 75), 0), (canvas) => drawStrips(canvas, pane.facts, strips,
				{ ...view, t: -1, from: 0, to: end, maxOf: (n) => Math.max(...panes.map((p) => {
					const same = p.strips.find((x) => x.title === strips[n].title && x.name === strips[n].name);
					return same ? stripMax(p.facts, same) : 0;
				})) || undefined }), `Over time, ${shown}.` + (many ? " All variants have one scale." : "")));
		}
		const { rows } = heatRows(pane.facts, "queue", "first");
		if (rows.length) {
			parts.push(picture(Math.min(560, 60 + Math.max(4, rows.length) * (many ? 11 : 15)), (canvas) => drawHeat(canvas, pane.facts,
				{ ...view, t: -1, from: 0, to: end, measure: "queue", order: "first", top: view.scales.switchQueue, selected: null }),
			`Outputs over time, ${shown}, in the order in which they became congested.`));
		}
	}
	parts.push(...tables(panes), scenario(panes), commands(panes));
	const element = el("article", { class: "report" }, parts.filter(Boolean));
	return { element, redraw: () => { for (const draw of drawings) draw(); } };
}

// where the measured interval ends, series end too; what comes after is the drain
function usefulEnd(pane) {
	const { measure } = pane.rec.head;
	return measure && measure[1] ? Math.min(pane.rec.end, measure[1]) : pane.rec.end;
}

function facts(panes) {
	const rows = panes.map(({ rec, name }) => {
		const s = rec.head.scenario;
		const set = [...(s.settings || []), ...differences(panes[0].rec, rec)];
		return [name, rec.head.kind, `${rec.head.clock}${verdict(rec)}`, timeText(rec.end), String(s.seed), rec.head.version,
			el("code", {}, (s.digest || "-").slice(0, 16)), set.length ? el("mark", {}, set.join("  ")) : "none"];
	});
	return table(["recording", "kind", "clock", "end", "seed", "version", "digest of the scenario", "settings"].map((text) =>
		({ text, title: meaning(text) })), rows);
}

/** verdict(rec) - ", valid" and so on under the real clock; empty under the virtual one. */
export function verdict(rec) {
	if (rec.head.clock !== "real") return "";
	const f = (rec.result && rec.result.fidelity) || rec.fidelity;
	return f ? `, ${f.words || f.verdict}` : ", verdict at the end";
}

// what a variant has set: leaves of the scenario as it was run that differ from the first one
function differences(first, rec) {
	const s = rec.head.scenario;
	if (first === rec || !s.variant || !rec.result || !first.result) return [];
	const leaves = (value, path, out) => {
		if (value && typeof value === "object") {
			for (const [key, v] of Object.entries(value)) {
				if (path || key !== "compare" && key !== "expect") leaves(v, (path ? path + "." : "") + (v && v.name || key), out);
			}
		} else out.set(path, value);
		return out;
	};
	const here = leaves(rec.result.effective, "", new Map()), there = leaves(first.result.effective, "", new Map());
	return [...here].filter(([path, value]) => there.get(path) !== value).map(([path, value]) => `${path}=${value}`);
}

function expectations(panes) {
	// variants are compared, not judged
	if (panes.some(({ rec }) => rec.head.scenario.variant)) return null;
	const rows = panes.flatMap(({ rec, name }) => (rec.result && rec.result.expectations || []).map((e) =>
		[panes.length > 1 ? name : "", e.ok ? "ok" : el("strong", { class: "stopped" }, "FAILED"), e.text, expectedText(e.text, e.value)]));
	if (!rows.length) return el("p", {}, "The scenario states no expectations.");
	return table([{ text: "" }, { text: "" }, { text: "expectation" }, { text: "value", align: "right" }], rows, { caption: "Expectations" });
}

function deadlocks({ rec }) {
	const list = rec.result && rec.result.deadlocks || [];
	if (!list.length) return null;
	return el("p", { class: "stopped" }, list.map((d) => `Deadlock since ${timeText(d.since_ps)}: ${d.text}. `).join(""));
}

function comparison(panes) {
	const rows = panes.map(({ rec, name }) => {
		const groups = rec.result ? Object.entries(rec.result.groups) : [];
		const drops = rec.result ? Object.values(rec.result.drops).reduce((a, b) => a + b, 0) : null;
		// of the result, not of the events: those may be thinned out
		const roce = rec.result && rec.result.roce;
		return [name, ...["goodput_bps", "jain", "p99"].map((key) => el("span", { class: "lines" }, groups.map(([group, g]) =>
			`${group} ` + (key === "p99" ? timeText(g.fct_ps && g.fct_ps.p99) : key === "jain" ? (g.jain === null ? "-" : g.jain.toFixed(5)) : rateText(g.goodput_bps))).join("\n"))),
		drops, roce ? roce.pauses_sent : null, roce ? roce.cnps_made : null];
	});
	return table(["variant", "goodput", "Jain", "FCT p99", "drops", "XOFF", "CNPs"].map((text, i) => ({ text, title: meaning(text),
		align: i > 3 ? "right" : "left" })), rows, { caption: "The variants" });
}

function tables(panes) {
	const out = [];
	for (const pane of panes) {
		const wanted = panes.length > 1 ? ["groups"] : ["groups", "flows", "ports", "classes", "roce", "drops", "faults", "symptoms"];
		for (const item of tableList(pane.rec)) {
			if (!wanted.includes(item.name)) continue;
			const few = item.name === "ports" ? { ...item, rows: [...item.rows].sort((a, b) => b.utilisation - a.utilisation) } : item.pairs
				? { ...item, rows: item.rows.filter((r) => r.value) } : item;
			if (!few.rows.length) continue;
			if (panes.length > 1) out.push(el("h3", {}, pane.name));
			out.push(el("div", { class: "wide" }, resultTable(pane.rec, few, { max: 40 })));
		}
	}
	return out;
}

// the scenario as it was run, with what --set and the variant changed marked
function scenario(panes) {
	const { rec } = panes[0], s = rec.head.scenario;
	const effective = rec.result && rec.result.effective;
	if (!effective) return el("div", {}, el("h2", {}, "Scenario"), el("pre", {}, s.text || ""));
	const changed = (s.settings || []).map((set) => set.split("=")[0].split("."));
	const lines = [];
	write(effective, 0, [], changed, lines);
	return el("div", {}, el("h2", {}, "Scenario as it was run"), el("p", {}, "Marked: what the command line has set."), el("pre", {}, lines));
}

function write(value, depth, path, changed, lines) {
	const pad = "  ".repeat(depth);
	const marked = (p) => changed.some((c) => c.length <= p.length && c.every((word, i) => word === p[i]));
	const line = (text, p) => lines.push(marked(p) ? el("mark", {}, text) : text, "\n");
	const entries = Array.isArray(value) ? value.map((v) => [v && typeof v === "object" && v.name || null, v]) : Object.entries(value);
	for (const [key, v] of entries) {
		const p = [...path, key];
		const head = Array.isArray(value) ? `${pad}-` : `${pad}${key}:`;
		if (v && typeof v === "object") {
			const simple = JSON.stringify(v);
			if (simple.length < 90 && !Object.values(v).some((x) => x && typeof x === "object")) line(`${head} ${flow(v)}`, leafPath(v, p, changed));
			else { line(head, p); write(v, depth + 1, p, changed, lines); }
		} else line(`${head} ${v}`, p);
	}
}

// a short map on one line is marked if one of its keys was set
function leafPath(v, p, changed) {
	const hit = !Array.isArray(v) && Object.keys(v).map((k) => [...p, k]).find((q) => changed.some((c) => c.length === q.length &&
		c.every((word, i) => word === q[i])));
	return hit || p;
}

function flow(v) {
	return Array.isArray(v) ? `[${v.join(", ")}]` : `{${Object.entries(v).map(([k, x]) => `${k}: ${x}`).join(", ")}}`;
}

function commands(panes) {
	const lines = panes.map(({ rec }) => runCommand(rec));
	const { rec } = panes[0];
	return el("div", {}, el("h2", {}, "Repeat it"), el("pre", {}, [...new Set(lines)].join("\n")),
		el("p", {}, `Heddle ${rec.head.version}; the scenario's file has SHA-256 `, el("code", {}, rec.head.scenario.digest || "-"),
			". Under the virtual clock the same version, file and settings give the same bytes on every machine."),
		el("p", {}, rec.head.thinned ? `Samples in this file are thinned out: ${rec.head.thinned}.`
			: `Sampled every ${spanText(rec.head.sample_ps || 0)}.`));
}

