// commands - the command line that gives what the page shows; every click has one.

import { spanText } from "./units.js";

// a word for the shell: quoted only where it must be
function quoted(text) { return /^[\w./:=@%+,-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'"; }

// 53700000 ps as heddle reads it: 53.7us
function timeWord(ps) {
	const us = Math.round(ps) / 1e6;
	return Number.isInteger(us) ? `${us}us` : `${Math.round(ps)}ps`;
}

/** runCommand(rec) - `heddle run FILE --set ...` of this recording. */
export function runCommand(rec) {
	const s = rec.head.scenario;
	const settings = (s.settings || []).filter((set) => !set.startsWith("seed=")).map((set) => ` --set ${quoted(set)}`);
	const seed = (s.settings || []).find((set) => set.startsWith("seed="));
	return `heddle run ${quoted(s.file || "SCENARIO")}${settings.join("")}${seed ? " --seed " + seed.slice(5) : ""}` +
		(s.variant ? ` --variant ${quoted(s.variant)}` : "");
}

/** commandFor(rec, what) - what: {kind, ...}, the last thing that was done. */
export function commandFor(rec, what) {
	const run = runCommand(rec), { nodes } = rec.head;
	const at = what.t === undefined ? "" : ` --break-at ${timeWord(what.t)}`;
	switch (what.kind) {
	case "play": return `${run} --slow ${spanText(what.ratio).replace(" ", "")}/s`;
	case "go": return `${run}${at}`;
	case "step-event": return `${run} --events e.csv   # the next row after ${Math.round(what.t)} ps`;
	case "step-sample": return `${run}${at}   then: step ${timeWord(rec.head.sample_ps || 1e6)}`;
	case "until": return `${run}${at}   then: step until ${what.text}`;
	case "bookmark": return `${run} --events e.csv && grep -m1 ${quoted(what.event || "")} e.csv`;
	case "port": return `${run}${at}   then: show ${nodes[what.node].name} ${tableOfPort(rec, nodes[what.node])} p${what.port}`;
	case "node": return `${run}${at}   then: show ${nodes[what.node].name} ${tableOfPort(rec, nodes[what.node])}`;
	case "flow": {
		const flow = what.flow, row = `${nodes[flow.node].name}" and .dst == "${nodes[flow.destination].name}`;
		return `${run} --json | jq '.flows[] | select(.src == "${row}")'`;
	}
	case "view": return viewCommand(run, rec, what);
	case "table": return what.name.endsWith(".csv") ? `${run} --csv DIR   # DIR/${what.name}` : `${run} --json | jq .${what.name}`;
	case "fork": return `${run} ${what.settings.map((s) => "--set " + quoted(s)).join(" ")}`;
	default: return run;
	}
}

function tableOfPort(rec, node) {
	if (node.type === "host") return rec.head.kind === "roce" ? "queue-pairs" : "flows";
	return { roce: "queues", "port-group": "lanes" }[rec.head.kind] || "ifct";
}

function viewCommand(run, rec, { view }) {
	switch (view) {
	case "topology": return run;
	case "heat": case "strips": return `${run} --csv DIR   # DIR/samples.csv`;
	case "ladder": return `${run} --events e.csv`;
	case "flows": return `${run} --json | jq .flows`;
	case "tables": return `${run} --json`;
	case "compare": return `heddle run ${quoted(rec.head.scenario.file || "SCENARIO")} --compare`;
	default: return run;
	}
}
