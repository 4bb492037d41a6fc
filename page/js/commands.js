// commands - the command line that gives what the page shows; every click has one.

import { spanText } from "./units.js";

// a word for the shell: quoted only where it must be
function quoted(text) { return /^[\w./:=@%+,-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'"; }

// 53700000 ps as heddle reads it: 53.7us
function timeWord(ps) {
	const us = Math.round(ps) / 1e6;
	return Number.isInteger(us) ? `${us}us` : `${Math.round(ps)}ps`;
}

// the options of the settings: a library of one's own is --cc
function settingsWords(settings) {
	const library = settings.find((set) => set.startsWith("roce.own-control="));
	const words = [];
	for (const set of settings) {
		if (set.startsWith("seed=")) words.push(`--seed ${quoted(set.slice(5))}`);
		else if (set === library) words.push(`--cc ${quoted(libraryOf(set.slice(set.indexOf("=") + 1)))}`);
		else if (!library || set !== "roce.congestion-control=own") words.push(`--set ${quoted(set)}`);
	}
	return words;
}

// the text of a value in YAML; --cc takes what has no slash for a word, unless it ends in .so
function libraryOf(yaml) {
	const name = /^'.*'$/.test(yaml) ? yaml.slice(1, -1).replace(/''/g, "'") : yaml;
	return name.includes("/") || name.endsWith(".so") ? name : "./" + name;
}

/** runCommand(rec) - `heddle run FILE --set ...` of this recording. */
export function runCommand(rec) {
	const s = rec.head.scenario;
	return ["heddle run", quoted(s.file || "SCENARIO"), ...settingsWords(s.settings || []),
		...s.variant ? ["--variant", quoted(s.variant)] : []].join(" ");
}

// what a fork does at the prompt, from its command line: {script, run, at} or null
function forked(info) {
	const found = info && info.fork && /^printf '%s\\n' (.*) \| (heddle run .*) --break-at (\d+)ps --record FILE$/.exec(info.command || "");
	return found ? { script: found[1], run: found[2], at: Number(found[3]) } : null;
}

// the run of this pane, and at @t the line @line of the prompt
function promptCommand({ rec, info }, t, line) {
	const fork = forked(info), lines = line ? [quoted(line)] : [];
	if (!fork || t < fork.at) {
		const run = `${fork ? fork.run : runCommand(rec)} --break-at ${timeWord(t)}`;
		return line ? `echo ${lines[0]} | ${run}` : run;
	}
	if (t > (info.fork.at_ps || fork.at)) lines.unshift(quoted(`continue ${timeWord(t)}`));
	return `printf '%s\\n' ${[fork.script, ...lines].join(" ")} | ${fork.run} --break-at ${timeWord(fork.at)}`;
}

/** counters - series that are counters of the prompt, too: `step until` can wait for them. */
export const counters = new Set(["queue_bytes", "tx_bytes", "rx_bytes", "limited", "metered", "fgfc_held", "extent_units", "acks",
	"lost_frames", "pauses_sent", "pauses_received", "paused_ps"]);

/** commandFor(pane, what) - what: {kind, ...}, the last thing that was done. A line that a shell
 *  runs as it is. */
export function commandFor(pane, what) {
	const { rec, info } = pane, { nodes } = rec.head, t = what.t || 0;
	const fork = forked(info), start = fork ? `printf '%s\\n' ${fork.script} | ` : "";
	const run = start + (fork ? `${fork.run} --break-at ${timeWord(fork.at)}` : runCommand(rec));
	switch (what.kind) {
	case "play": return `${run} --slow ${spanText(what.ratio).replace(" ", "")}/s`;
	case "go": return promptCommand(pane, t);
	case "step-event": return `${run} --events e.csv   # the next row after ${Math.round(what.t)} ps`;
	case "step-sample": return promptCommand(pane, t, `step ${timeWord(rec.head.sample_ps || 1e6)}`);
	case "until":
		if (what.event) return `${run} --events e.csv   # the next ${what.name} after ${Math.round(t)} ps`;
		// the prompt knows what is counted, samples have more
		return counters.has(what.name) ? promptCommand(pane, t, `step until ${what.text}`)
			: `${run} --csv DIR   # DIR/samples.csv, ${what.name}`;
	case "bookmark": return what.event ? `${run} --events e.csv && grep -m1 ,${what.event}, e.csv` : run;
	case "port": return promptCommand(pane, t, `show ${nodes[what.node].name} ${tableOfPort(rec, nodes[what.node])} p${what.port}`);
	case "node": return promptCommand(pane, t, `show ${nodes[what.node].name} ${tableOfPort(rec, nodes[what.node])}`);
	case "flow": {
		const flow = what.flow, row = `${nodes[flow.node].name}" and .dst == "${nodes[flow.destination].name}`;
		return `${run} --json | jq '.flows[] | select(.src == "${row}")'`;
	}
	case "view": return viewCommand(run, rec, what);
	case "table": return what.name.endsWith(".csv") ? `${run} --csv DIR   # DIR/${what.name}` : `${run} --json | jq .${what.name}`;
	case "predict": return ["heddle lab predict", quoted(what.lab.name || what.lab.title), `--student ${what.lab.student}`,
		...Object.entries(what.predictions).map(([name, text]) => quoted(`${name}=${text}`))].join(" ");
	case "fork": {
		const changed = [run, ...settingsWords(what.settings)].join(" ");
		if (!what.set.length) return changed;
		const lines = what.set.map((s) => quoted(`set ${s.node} ${s.key} ${s.value}`));
		return fork ? changed : `${lines.length > 1 ? "printf '%s\\n'" : "echo"} ${lines.join(" ")} | ${changed} --break-at ${timeWord(what.at_ps)}`;
	}
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
