// condition - "until ..." of the transport bar: a series of a port against a number, or an event.
//
// s1.p2.queue_bytes > 10kB      a series of that port, as at the prompt of heddle (step until ...)
// s1.s2.queue_bytes > 10kB      the port by its peer; of several links to it, the sum
// drop at s1 / xoff / cnp       the next event of that name

import { keyOf, valueAt } from "./slice.js";

const bytes = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1048576, GiB: 2 ** 30 };
const UNIT_BYTES = 256;

// the units of a number that is compared with a series, by the unit of the series
const sizes = {
	bytes,
	units: Object.fromEntries(Object.entries(bytes).map(([unit, size]) => [unit, size / UNIT_BYTES])),
	ps: { ps: 1, ns: 1e3, us: 1e6, ms: 1e9, s: 1e12 },
	bps: { "b/s": 1, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9, "Tb/s": 1e12 },
};
const compare = { ">": (a, b) => a > b, ">=": (a, b) => a >= b, "<": (a, b) => a < b, "<=": (a, b) => a <= b,
	"==": (a, b) => a === b, "!=": (a, b) => a !== b };

// names of nodes and of peers may contain dots: the longest node that begins @path, and the series
// after its last dot
function pathParts(path, { nodes }) {
	let node = -1;
	nodes.forEach((n, i) => { if (path.startsWith(n.name + ".") && (node < 0 || n.name.length > nodes[node].name.length)) node = i; });
	if (node < 0) throw new Error(`no node begins ${path}`);
	const rest = path.slice(nodes[node].name.length + 1), dot = rest.lastIndexOf(".");
	if (dot < 0) throw new Error(`expected NODE.PORT.SERIES, as in ${nodes[node].name}.p0.queue_bytes`);
	return { node, portName: rest.slice(0, dot), name: rest.slice(dot + 1) };
}

// the ports of that name: all to a peer, else a number
function portsOf(node, name, { nodes }) {
	const { ports } = nodes[node], found = ports.flatMap((p, i) => p && nodes[p.peer].name === name ? [i] : []);
	const number = /^p?\d+$/.test(name) ? Number(name.replace("p", "")) : -1;
	if (!found.length && ports[number]) found.push(number);
	if (!found.length) throw new Error(`${nodes[node].name} has no port ${name}`);
	return found;
}

/** readCondition(text, recording) - {event: test(events, i), name} or {keys, name, test(sum)}; an
 *  Error says what is wrong. */
export function readCondition(text, recording) {
	const { head, nodeOf } = recording;
	const words = text.trim().split(/\s+/);
	const event = head.events.find((e) => e.name === words[0]);
	if (event && (words.length === 1 || words[1] === "at" && words.length === 3)) {
		const node = words.length === 3 ? nodeOf.get(words[2]) : undefined;
		if (words.length === 3 && node === undefined) throw new Error(`no node ${words[2]}`);
		return { event: (e, i) => e.kind[i] === event.id && (node === undefined || e.node[i] === node), name: event.name };
	}
	const found = /^([^\s<>=!]+)\s*(>=|<=|==|!=|>|<)\s*(\d+\.?\d*|\.\d+)\s*([A-Za-z/]*)$/.exec(text.trim());
	if (!found) {
		throw new Error("expected NODE.PORT.SERIES > NUMBER, e.g. s1.p2.queue_bytes > 10kB, or the name of an event: " +
			head.events.map((e) => e.name).slice(0, 12).join(", ") + " ...");
	}
	const [, path, sign, number, unit] = found, { node, portName, name } = pathParts(path, head);
	const ports = portsOf(node, portName, head);
	const series = head.series.find((s) => s.name === name);
	if (!series) throw new Error(`no series ${name}; there are ${head.series.map((s) => s.name).join(", ")}`);
	if (series.of !== "port") throw new Error(`${name} has a value for each ${series.of}: a condition needs a series of ports`);
	const known = sizes[series.unit] || {};
	if (unit && !known[unit]) {
		throw new Error(`${name} is compared with ` + (sizes[series.unit] ? `one of ${Object.keys(known).join(", ")}` : "a number without unit") + `, not ${unit}`);
	}
	const limit = Number(number) * (unit ? known[unit] : 1);
	return { keys: ports.map((port) => keyOf(node, series.id, port, 0)), name, test: (value) => compare[sign](value, limit) };
}

/** conditionAfter(recording, condition, t) - the first time after @t at which it holds, or null. */
export async function conditionAfter(recording, condition, t) {
	if (condition.event) return recording.nextEvent(t, condition.event);
	for (let n = Math.max(0, recording.sliceNumber(t)); n < recording.slices.length; n++) {
		const data = await recording.load(recording.slices[n]);
		for (let i = 0; i < data.times.length; i++) {
			if (data.times[i] > t && condition.test(condition.keys.reduce((sum, key) => sum + valueAt(data, key, i), 0))) return data.times[i];
		}
	}
	return null;
}
