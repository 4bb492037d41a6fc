// condition - "until ..." of the transport bar: a counter of a port against a number, or an event.
//
// s1.p2.queue_bytes > 10kB      a series of that port, as at the prompt of heddle (step until ...)
// s1.s2.queue_bytes > 10kB      the port by its peer
// drop at s1 / xoff / cnp       the next event of that name

import { keyOf } from "./slice.js";
import { valueAt } from "./slice.js";

const sizes = { "": 1, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1048576, GiB: 2 ** 30, ps: 1, ns: 1e3, us: 1e6,
	ms: 1e9, s: 1e12, "b/s": 1, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9, "Tb/s": 1e12 };
const compare = { ">": (a, b) => a > b, ">=": (a, b) => a >= b, "<": (a, b) => a < b, "<=": (a, b) => a <= b,
	"==": (a, b) => a === b, "!=": (a, b) => a !== b };

/** readCondition(text, recording) - {event} or {key, test(value)}; an Error says what is wrong. */
export function readCondition(text, recording) {
	const { head, nodeOf } = recording;
	const words = text.trim().split(/\s+/);
	const event = head.events.find((e) => e.name === words[0]);
	if (event && (words.length === 1 || words[1] === "at" && words.length === 3)) {
		const node = words.length === 3 ? nodeOf.get(words[2]) : undefined;
		if (words.length === 3 && node === undefined) throw new Error(`no node ${words[2]}`);
		return { event: (e, i) => e.kind[i] === event.id && (node === undefined || e.node[i] === node) };
	}
	const found = /^([\w.-]+)\.([\w-]+)\.(\w+)\s*(>=|<=|==|!=|>|<)\s*([\d.]+)\s*([\w/]*)$/.exec(text.trim());
	if (!found) {
		throw new Error("expected NODE.PORT.SERIES > NUMBER, e.g. s1.p2.queue_bytes > 10kB, or the name of an event: " +
			head.events.map((e) => e.name).slice(0, 12).join(", ") + " ...");
	}
	const [, nodeName, portName, name, sign, number, unit] = found;
	const node = nodeOf.get(nodeName);
	if (node === undefined) throw new Error(`no node ${nodeName}`);
	const { ports } = head.nodes[node];
	let port = /^p\d+$/.test(portName) ? Number(portName.slice(1)) : -1;
	if (port < 0 || port >= ports.length) {
		port = ports.findIndex((p) => p && head.nodes[p.peer].name === portName);
	}
	if (port < 0) throw new Error(`${nodeName} has no port ${portName}`);
	const series = head.series.find((s) => s.name === name);
	if (!series) throw new Error(`no series ${name}; there are ${head.series.map((s) => s.name).join(", ")}`);
	if (!(unit in sizes)) throw new Error(`unknown unit ${unit}`);
	const limit = Number(number) * sizes[unit];
	return { key: keyOf(node, series.id, port, 0), test: (value) => compare[sign](value, limit) };
}

/** conditionAfter(recording, condition, t) - the first time after @t at which it holds, or null. */
export async function conditionAfter(recording, condition, t) {
	if (condition.event) return recording.nextEvent(t, condition.event);
	for (let n = Math.max(0, recording.sliceNumber(t)); n < recording.slices.length; n++) {
		const data = await recording.load(recording.slices[n]);
		for (let i = 0; i < data.times.length; i++) {
			if (data.times[i] > t && condition.test(valueAt(data, condition.key, i))) return data.times[i];
		}
	}
	return null;
}
