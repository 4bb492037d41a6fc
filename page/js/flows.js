// flows - every flow: rate now, allowed rate, completion, path; and hop by hop what a flow meets.

import { el, table } from "./dom.js";
import { ladderPath } from "./ladder.js";
import { bytesText, rateText, timeText } from "./units.js";
import { meaning } from "./words.js";

const SHOWN_MAX = 400;

/** resultOf(facts, flow) - its row of flows[] in RSLT, or null. */
export function resultOf(facts, flow) {
	const { rec } = facts, { nodes } = rec.head;
	if (!rec.result) return null;
	if (facts.resultFlows === undefined || facts.resultFlowsOf !== rec.result) {
		facts.resultFlowsOf = rec.result;
		facts.resultFlows = new Map();
		for (const row of rec.result.flows || []) {
			const name = [row.src, row.dst, row.class, row.workload].join(" "), rows = facts.resultFlows.get(name) || [];
			// only transports number their connections; rows are in that order
			rows[row.transport ? row.transport.connection : rows.length] = row;
			facts.resultFlows.set(name, rows);
		}
	}
	const name = (cls) => [nodes[flow.node].name, nodes[flow.destination].name, cls, flow.workload].join(" ");
	const rows = facts.resultFlows.get(name(flow.class)) || facts.resultFlows.get(name(facts.className(flow.class))) || [];
	return rows[flow.connection || 0] || null;
}

/** pathText(facts, flow) - "h0 > s1 > h4", or "not recorded". */
export function pathText(facts, flow) {
	const { nodes } = facts.rec.head;
	if (!flow.path || !flow.path.length) return "not recorded";
	return [...flow.path.map(([n]) => nodes[n].name), nodes[flow.destination].name].join(" \u2192 ");
}

/** flowTable(facts, t, state) - state: {flow, pick(flow), filter}. A table element. */
export function flowTable(facts, t, { flow: chosen, pick, filter }) {
	const { rec } = facts, moment = rec.moment(t), before = facts.before(moment);
	const all = rec.flows.filter((f) => !filter || `${facts.flowName(f)} ${f.workload}`.includes(filter));
	const shown = all.slice(0, SHOWN_MAX);
	const heads = ["flow", "workload", "class", "sent now", "allowed rate", "waits at host", "not acked", "goodput", "FCT p50", "FCT p99", "messages",
		"path"].map((text, i) => ({ text, align: i > 2 && i < 11 ? "right" : "left", title: meaning(text) }));
	const known = (value, write) => value === null || value === undefined ? "-" : write(value);
	const rows = shown.map((f) => {
		const r = resultOf(facts, f);
		return [facts.flowName(f), f.workload, facts.className(f.class), known(facts.flowSpeed(moment, before, f), rateText),
			known(facts.flowValue(moment, f, "flow_allowed_rate_bps"), rateText),
			known(facts.flowValue(moment, f, "flow_queued_bytes"), bytesText),
			known(rec.head.kind === "port-group" ? null : facts.flowValue(moment, f, "flow_unacked_bytes"), bytesText),
			r ? rateText(r.goodput_bps) : "-", r ? timeText(r.fct_ps && r.fct_ps.p50) : "-", r ? timeText(r.fct_ps && r.fct_ps.p99) : "-",
			r ? r.messages : "-", el("span", { class: "path" }, pathText(facts, f))];
	});
	const mark = chosen ? shown.indexOf(chosen) : -1;
	return el("div", {}, table(heads, rows, { caption: `Flows at ${timeText(t)}` + (all.length > SHOWN_MAX ? ` (${SHOWN_MAX} of ${all.length}; use the filter)` : "") +
		": goodput, FCT and messages are those of the whole run", pick: (r) => pick(shown[r]), mark }));
}

/** hopTable(facts, t, flow) - one row for each hop: queue, load, what stops it. */
export function hopTable(facts, t, flow) {
	const { rec } = facts, moment = rec.moment(t), before = facts.before(moment), { nodes } = rec.head;
	const { hops, guessed } = ladderPath(facts, flow);
	const heads = [["hop", ""], ["output", ""], ["link rate", "right"], ["load", "right"], ["queue", "right"], ["may not send", ""]]
		.map(([text, align]) => ({ text, align, title: meaning(text) }));
	const rows = hops.slice(0, -1).map((hop, n) => {
		const port = facts.portOf.get(hop.node * 64 + hop.port);
		if (!port) return [n + 1, `${nodes[hop.node].name} port ${hop.port}`, "-", "-", "-", "-"];
		const stops = facts.stopped(hop.node, hop.port, t, moment);
		return [n + 1, facts.portName(hop.node, hop.port), rateText(port.rate), Math.round(100 * facts.load(moment, before, port)) + " %",
			bytesText(facts.queue(moment, hop.node, hop.port)),
			stops.length ? stopText(stops, nodes[port.peer].name) : "no"];
	});
	return table(heads, rows, { caption: `${facts.flowName(flow)}, hop by hop` + (guessed ? " (path not recorded: a shortest one)" : "") });
}

// what stops an output; data that waits for it is not a reason of its own
function stopText(stops, peer) {
	const reasons = stops.some((s) => s.what !== "waits") ? stops.filter((s) => s.what !== "waits") : stops;
	return reasons.map((s) => `${s.what}, ${peer}, since ${timeText(s.from)}`).join("; ");
}
