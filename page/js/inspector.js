// inspector - everything that is known of what is selected, at the time that is shown.

import { el, table } from "./dom.js";
import { hopTable } from "./flows.js";
import { keyAt, keyOf } from "./slice.js";
import { rateText, spanText, timeText, valueText } from "./units.js";
import { meaning } from "./words.js";

/** inspect(facts, t, selected, pin) - an element. @selected: {node, port} or null; pin(name, node,
 *  port, index) adds a strip. */
export function inspect(facts, t, { selected, flow, pin }) {
	const parts = [];
	if (flow) parts.push(hopTable(facts, t, flow), flowSeries(facts, t, flow, pin));
	if (selected && selected.port) parts.push(...portParts(facts, t, selected.port, pin));
	else if (selected) parts.push(...nodeParts(facts, t, selected.node));
	if (!flow && !selected) parts.push(summary(facts));
	parts.push(nearEvents(facts, t, selected));
	return el("div", {}, parts);
}

// a state with names: the name; a set of classes: their names
function stateText(facts, series, value) {
	if (series.type !== "state") return valueText(value, series.unit);
	if (series.unit === "classes") {
		const set = [];
		for (let c = 0; c < 32; c++) if (Math.floor(value / 2 ** c) % 2) set.push(facts.className(c));
		return set.join(", ") || "none";
	}
	const names = series.states || (series.unit.includes("|") ? series.unit.split("|") : null);
	return names && names[value] || String(value);
}

function seriesRows(facts, t, node, of, port, pin) {
	const moment = facts.rec.moment(t), rows = [];
	if (!moment) return rows;
	for (const series of facts.rec.head.series) {
		if (!of.includes(series.of)) continue;
		for (const row of facts.rows(series.name)) {
			if (row.node !== node || row.port !== port) continue;
			const value = facts.rec.value(moment, node, series.name, port, row.index);
			const name = series.of === "class" ? ` (${facts.className(row.index)})` : series.of === "lane" ? ` (lane ${row.index})` : "";
			rows.push([el("span", { title: series.what || meaning(series.name) || null, class: "known" }, series.name + name),
				stateText(facts, series, value), series.type === "state" ? "" : stateText(facts, series, row.max),
				el("button", { class: "small", title: "show it as a strip over time", "data-pin": series.name,
					onclick: () => pin(series.name, node, port, row.index) }, "strip")]);
		}
	}
	return rows;
}

// values are of a sample, events and stops of the very time
function sampleText(moment) { return moment ? `at the last sample (${timeText(moment.at)})` : "no sample yet"; }

function valueHeads(moment) {
	return [{ text: "series" }, { text: sampleText(moment), align: "right" }, { text: "maximum", align: "right" }, { text: "" }];
}

function portParts(facts, t, port, pin) {
	const { nodes } = facts.rec.head;
	const stops = facts.stopped(port.node, port.port, t, facts.rec.moment(t));
	const total = facts.stopSpans(port.node, port.port, 0, t).reduce((sum, [begin, end]) => sum + end - begin, 0);
	return [el("h2", {}, facts.portName(port.node, port.port)),
		el("p", {}, `port ${port.port} of ${nodes[port.node].name}, ${rateText(port.rate)}, delay ${spanText(port.delay)}. `,
			stops.length ? el("strong", { class: "stopped" }, stops.map((s) => `May not send (${s.what}, ${facts.className(s.cls)}) ` +
				`since ${timeText(s.from)}. `).join("")) : "May send. ", total ? `Stopped so far: ${timeText(total)} in all.` : ""),
		table(valueHeads(facts.rec.moment(t)), seriesRows(facts, t, port.node, ["port", "class", "lane"], port.port, pin))];
}

function nodeParts(facts, t, node) {
	const { rec } = facts, n = rec.head.nodes[node], moment = rec.moment(t), before = facts.before(moment);
	const rows = facts.outputsOf(node).map((p) => [`p${p.port} \u2192 ${rec.head.nodes[p.peer].name}`,
		valueText(facts.queue(moment, node, p.port), "bytes"), Math.round(100 * facts.load(moment, before, p)) + " %",
		facts.stopped(node, p.port, t, moment).map((s) => s.what).join(", ") || "no"]);
	return [el("h2", {}, n.name), table([{ text: "output" }, { text: "queue", align: "right" }, { text: "load", align: "right" },
		{ text: "stopped" }], rows, { caption: `${n.type === "host" ? "host" : "switch"} with ${rows.length} ` +
			(rows.length === 1 ? "port" : "ports") + `; queue and load ${sampleText(moment)}` })];
}

function flowSeries(facts, t, flow, pin) {
	const moment = facts.rec.moment(t), rows = [];
	for (const series of facts.rec.head.series) {
		if (series.of !== "flow" || !moment) continue;
		const key = keyOf(flow.node, series.id, 0, flow.index);
		if (!facts.max.has(key) && keyAt(moment.data, key) < 0) continue;
		rows.push([el("span", { title: series.what || null, class: "known" }, series.name),
			stateText(facts, series, facts.rec.value(moment, flow.node, series.name, 0, flow.index)),
			series.type === "state" ? "" : stateText(facts, series, facts.max.get(key) || 0),
			el("button", { class: "small", "data-pin": series.name, onclick: () => pin(series.name, flow.node, 0, flow.index) }, "strip")]);
	}
	return rows.length ? table(valueHeads(moment), rows) : el("p", {}, "This recording has no series of single flows.");
}

function counted(head, type, several) {
	const count = head.nodes.filter((n) => n.type === type).length;
	return `${count} ${count === 1 ? type : several}`;
}

function summary(facts) {
	const { head, result, done } = facts.rec, s = head.scenario;
	const failed = result && (result.expectations || []).filter((e) => !e.ok).length;
	return el("div", {}, el("h2", {}, s.name), el("p", {}, s.about || ""),
		el("p", {}, `${counted(head, "switch", "switches")}, ${counted(head, "host", "hosts")}, ` +
			`kind ${head.kind}, ${head.clock} clock, seed ${s.seed}, sampled every ${spanText(head.sample_ps || 0)}.`),
		result && result.expectations && result.expectations.length
			? el("p", {}, failed ? `${failed} of ${result.expectations.length} expectations FAILED.`
				: `All ${result.expectations.length} expectations hold.`) : null,
		done && done.status !== "complete" ? el("p", { class: "stopped" }, `The run ${done.status}: ${done.failure || "no reason given"}`) : null,
		el("p", { class: "hint" }, "Click a link, a switch or a host; press ? for all keys."));
}

/** eventText(facts, e, i) - one event as a line. */
export function eventText(facts, e, i) {
	const { head } = facts.rec, row = facts.rec.eventOf.get(e.kind[i]) || { name: `event ${e.kind[i]}` };
	const there = head.nodes[e.node[i]].ports[e.port[i]];
	let text = `${head.nodes[e.node[i]].name}${there ? " \u2192 " + head.nodes[there.peer].name : ""} ${row.name}`;
	if (row.has_class) text += ` ${facts.className(e.cls[i])}`;
	if (e.source[i]) text += `, from ${head.nodes[e.source[i] - 1].name}`;
	if (e.destination[i]) text += ` to ${head.nodes[e.destination[i] - 1].name}`;
	if (row.detail) text += `, ${row.detail} ${row.words && row.words[e.detail[i]] || e.detail[i]}`;
	if (row.value) {
		const unit = /_(bytes|bps|ps|us|units)$/.exec(row.value);
		text += `, ${row.value.replace(/_(bytes|bps|ps)$/, "")} ${valueText(e.value[i], row.value === "bytes" ? "bytes" : unit ? unit[1] : "")}`;
	}
	return text;
}

function nearEvents(facts, t, selected) {
	const span = Math.max(2e6, facts.rec.end / 100), rows = [];
	facts.rec.eventsIn(Math.max(0, t - span), t + 1, (e, i) => {
		// every packet of the fabric would leave no line for anything else
		if (facts.isAt(selected, e.node[i], e.port[i]) && (selected || !facts.isPacket(e.kind[i]))) rows.push([e, i]);
	});
	const last = rows.slice(-12).reverse();
	return el("div", {}, el("h3", {}, "Events up to now" + (selected ? ", here" : "")), last.length
		? el("ol", { class: "events" }, last.map(([e, i]) => el("li", { title: (facts.rec.eventOf.get(e.kind[i]) || {}).what || null },
			el("time", {}, timeText(e.at[i])), " ", eventText(facts, e, i))))
		: el("p", { class: "hint" }, `none in the last ${spanText(span)}`));
}
