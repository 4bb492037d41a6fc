// facts - what the views ask of a recording: queues, loads, stops, firsts; in the words of the
// field.
//
// Series and events have names in HEAD; this is the one file that knows them. Stops are spans in
// which an output may not send: between XOFF and XON of its peer (exact, from events), waits for
// credit, pauses of a NIC's flows (FGFC). A recording without those events has them from the
// sampled states.

import { keyOf, keyAt } from "./slice.js";

// events that begin and end a stop; at "peer": the output that is stopped is at the other end
const spans = {
	xoff: { ends: "xon", at: "peer", what: "PFC" },
	pause: { ends: "resume", at: "here", what: "waits" },
	fgfc_hold: { ends: "fgfc_end", at: "here", what: "FGFC" }, /* of single flows: see held */
	link_down: { ends: "link_up", at: "here", what: "down" },
};
const ended = new Map(Object.entries(spans).map(([begin, span]) => [span.ends, begin]));

// events of single packets, at their receiver; their value is how long before they left
const packets = { packet: "data", ack: "ACK", cnp_packet: "CNP", link_acks: "ACK", credit: "credit" };

/** Kinds of events that a jump of the transport bar finds, in this order. */
export const firsts = [["xoff", "first XOFF"], ["mark", "first mark"], ["cnp", "first CNP"],
	["drop", "first drop"], ["credit_wait", "first credit wait"], ["fgfc_hold", "first FGFC"],
	["redirect", "first redirect"], ["stuck", "first stuck output"], ["link_down", "link failure"]];

export class Facts {
	constructor(recording) {
		this.rec = recording;
		this.stops = [];         /* {node, port, cls, from, to, what}; to is Infinity while it lasts */
		this.stopsOf = new Map();/* node * 64 + port to its stops */
		this.heldOf = new Map(); /* the same for FGFC: pauses of single flows of a NIC; the link may send */
		this.open = new Map();
		this.first = new Map();  /* name of an event to the time of the first */
		this.count = new Map();  /* name of an event to how many */
		this.max = new Map();    /* key of a row to its greatest value */
		this.events = 0;
		this.flight = 0;         /* the longest of a packet, in ps; 0: there are no single packets */
		recording.collectors.push((slice) => this.collect(slice));
		const { head } = recording;
		this.kinds = new Map(head.events.map((e) => [e.id, e.name]));
		// a recording that is thinned out the most has no events
		this.xoffKnown = head.events.some((e) => e.name === "xoff") && !/no events$/.test(head.thinned || "");
		this.loadSpan = Math.max(4 * (head.sample_ps || 1e6), 1e6);
		this.ports = [];
		head.nodes.forEach((node, n) => node.ports.forEach((port, p) => {
			if (port) this.ports.push({ node: n, port: p, peer: port.peer, peerPort: port.peer_port, rate: port.rate_bps,
				delay: port.delay_ps, host: node.type === "host" });
		}));
		this.portOf = new Map(this.ports.map((p) => [p.node * 64 + p.port, p]));
	}

	collect(slice) {
		const { events: e } = slice;
		this.events += e.count;
		for (let i = 0; i < e.count; i++) {
			const name = this.kinds.get(e.kind[i]);
			this.count.set(name, (this.count.get(name) || 0) + 1);
			if (!this.first.has(name)) this.first.set(name, e.at[i]);
			if (packets[name]) this.flight = Math.max(this.flight, e.value[i], 1);
			if (spans[name] || ended.has(name)) this.turn(name, e, i);
			else if (name === "credit_wait") {
				this.stop({ node: e.node[i], port: e.port[i], cls: e.cls[i], from: e.at[i] - e.value[i], to: e.at[i],
					what: "credit" });
			}
		}
		for (let k = 0; k < slice.keys.length; k++) {
			let most = this.max.get(slice.keys[k]) || 0;
			for (let i = slice.starts[k]; i < slice.starts[k + 1]; i++) if (slice.values[i] > most) most = slice.values[i];
			this.max.set(slice.keys[k], most);
		}
	}

	turn(name, e, i) {
		const begin = spans[name] ? name : ended.get(name), span = spans[begin];
		let node = e.node[i], port = e.port[i];
		if (span.at === "peer") {
			const there = this.portOf.get(node * 64 + port);
			if (!there) return;
			node = there.peer;
			port = there.peerPort;
		}
		// several flows may be paused at one port
		const flow = begin === "fgfc_hold" ? `${e.source[i]} ${e.destination[i]} ${e.detail[i]}` : "";
		const id = `${begin} ${node} ${port} ${e.cls[i]} ${flow}`;
		const running = this.open.get(id);
		if (name === begin) {
			if (running) return;
			const stop = { node, port, cls: e.cls[i], from: e.at[i], to: Infinity, what: span.what };
			this.open.set(id, stop);
			if (span.what !== "FGFC") this.stop(stop);
			else if (this.rec.head.nodes[node].type === "host") listed(this.heldOf, node * 64 + port).push(stop);
		} else if (running) {
			running.to = e.at[i];
			this.open.delete(id);
		}
	}

	stop(stop) {
		this.stops.push(stop);
		const list = listed(this.stopsOf, stop.node * 64 + stop.port);
		// waits for credit are known at their end
		let place = list.length;
		while (place > 0 && list[place - 1].from > stop.from) place--;
		list.splice(place, 0, stop);
	}

	/** isAt(selected, node, port) - whether that port is part of what is selected: of the
	 *  node or the link, at either end. All are, of nothing. */
	isAt(selected, node, port) {
		if (!selected) return true;
		if (node === selected.node && (!selected.port || port === selected.port.port)) return true;
		const own = this.portOf.get(node * 64 + port);
		return Boolean(own && own.peer === selected.node && (!selected.port || own.peerPort === selected.port.port));
	}

	/** isPacket(kind) - is an event of this kind a single packet? */
	isPacket(kind) { return Boolean(packets[this.kinds.get(kind)]); }

	/** packetsIn(from, to, each) - each({kind, output, left, at, number, source, destination})
	 *  for the single packets that are on a link at some time from @from to before @to.
	 *  output: the port that sent it; source, destination: nodes, -1 if they are not known. */
	packetsIn(from, to, each) {
		if (!this.flight) return;
		this.rec.eventsIn(from, to + this.flight, (e, i) => {
			const kind = packets[this.kinds.get(e.kind[i])], left = e.at[i] - e.value[i];
			const own = kind && left < to && this.portOf.get(e.node[i] * 64 + e.port[i]);
			const output = own && this.portOf.get(own.peer * 64 + own.peerPort);
			if (output) each({ kind, output, left, at: e.at[i], number: e.detail[i], source: e.source[i] - 1, destination: e.destination[i] - 1 });
		});
	}

	/** stopped(node, port, t, moment) - the stops of this output at @t: a list, often empty. */
	stopped(node, port, t, moment) {
		const known = this.stopsOf.get(node * 64 + port);
		if (known) {
			return spansAt(known, t, this.rec.fed);
		}
		if (this.xoffKnown || !moment) return [];
		const bits = this.rec.value(moment, node, "paused", port);
		return bits ? [{ node, port, cls: Math.log2(bits) | 0, from: moment.at, to: moment.at, what: "PFC" }] : [];
	}

	/** held(node, port, t) - pauses by FGFC of single flows of this NIC at @t. */
	held(node, port, t) { return spansAt(this.heldOf.get(node * 64 + port) || [], t, this.rec.fed); }

	/** stopSpans(node, port, from, to) - [begin, end] of each time between @from and @to in
	 *  which this output could not send. Stops of several classes, and data that waits for
	 *  one, count once. */
	stopSpans(node, port, from, to) {
		const spans = [];
		let reached = from;
		for (const s of this.stopsOf.get(node * 64 + port) || []) {
			const begin = Math.max(s.from, reached), end = Math.min(s.to, to);
			if (begin >= end) continue;
			const last = spans[spans.length - 1];
			if (last && last[1] === begin) last[1] = end; else spans.push([begin, end]);
			reached = end;
		}
		return spans;
	}

	queue(moment, node, port) { return this.rec.value(moment, node, "queue_bytes", port); }

	/** load(t, moment, port) - part of the link's rate that was sent in the last samples, 0
	 *  to 1. */
	load(moment, before, port) {
		const series = this.rec.seriesOf.get("tx_bytes");
		if (!series || !moment || !before || moment.at <= before.at) return 0;
		const sent = this.rec.value(moment, port.node, "tx_bytes", port.port) -
			this.rec.value(before, port.node, "tx_bytes", port.port);
		return Math.min(1, Math.max(0, sent * 8e12 / (moment.at - before.at) / port.rate));
	}

	/** before(t) - the moment that load() compares with. */
	before(moment) {
		return moment && this.rec.moment(Math.max(0, moment.at - this.loadSpan)) || null;
	}

	/** seriesMax(name, switches) - the greatest value of all rows; of switches only, if
	 *  asked. */
	seriesMax(name, which = "all") {
		let most = 0;
		for (const row of this.rows(name)) {
			const host = this.rec.head.nodes[row.node].type === "host";
			if (which === "switch" && host || which === "host" && !host) continue;
			most = Math.max(most, row.max);
		}
		return most;
	}

	/** rows(name) - {node, port, index, key, max} of every row of a series that is not always
	 *  0. */
	rows(name) {
		const series = this.rec.seriesOf.get(name);
		if (!series) return [];
		const cached = this.rowCache || (this.rowCache = new Map());
		const known = cached.get(name);
		if (known && known.fed === this.rec.fed) return known.rows;
		const rows = [];
		for (const [key, max] of this.max) {
			const index = key % 4194304, rest = (key - index) / 4194304, port = rest % 64, upper = (rest - port) / 64;
			if (upper % 256 === series.id && max) rows.push({ node: Math.floor(upper / 256), port, index, key, max });
		}
		rows.sort((a, b) => b.max - a.max || a.key - b.key);
		cached.set(name, { fed: this.rec.fed, rows });
		return rows;
	}

	/** top(name, count, which) - the rows with the greatest values. */
	top(name, count, which = "all") {
		const { nodes } = this.rec.head;
		return this.rows(name).filter((row) => which === "all" || (nodes[row.node].type === "host") === (which === "host"))
			.slice(0, count);
	}

	portName(node, port) {
		const { nodes } = this.rec.head, there = nodes[node].ports[port];
		return nodes[node].name + (there ? " \u2192 " + nodes[there.peer].name : " port " + port);
	}

	className(cls) { return this.rec.head.classes[cls] || String(cls); }

	flowName(flow) {
		const { nodes } = this.rec.head;
		return `${nodes[flow.node].name} \u2192 ${nodes[flow.destination].name}` +
			(flow.connection ? ` #${flow.connection}` : "");
	}

	/** bookmarks() - {at, name}: the first of each kind of event, deadlocks; in the order of
	 *  time. */
	bookmarks() {
		const list = [];
		for (const [kind, name] of firsts) if (this.first.has(kind)) list.push({ at: this.first.get(kind), name, event: kind });
		const dead = this.rec.result && this.rec.result.deadlocks || [];
		for (const lock of dead) list.push({ at: lock.since_ps, name: "deadlock" });
		return list.sort((a, b) => a.at - b.at);
	}

	/** deadlockAt(t) - outputs of the deadlocks that are complete at @t, each numbered by its
	 *  time. */
	deadlockAt(t) {
		const out = [];
		for (const lock of this.rec.result && this.rec.result.deadlocks || []) {
			if (lock.since_ps > t) continue;
			[...lock.outputs].sort((a, b) => a.since_ps - b.since_ps).forEach((output, i) => {
				const node = typeof output.node === "number" ? output.node : this.rec.nodeOf.get(output.node);
				out.push({ node, port: output.port, number: i + 1, since: output.since_ps });
			});
		}
		return out;
	}

	/** waitsFor(t, moment) - {from: port, to: port}: a stopped output, and an output of its
	 *  peer that
	 *  is stopped too, or has the longest queue there: why the peer is full. Read from
	 *  states, so it
	 *  is a likely reason; the cycle of a deadlock is exact. */
	waitsFor(t, moment) {
		const arrows = [], deadlocked = this.deadlockAt(t);
		for (const port of this.ports) {
			const stops = this.stopped(port.node, port.port, t, moment).filter((s) => s.what !== "down");
			if (!stops.length || this.rec.head.nodes[port.peer].type === "host") continue;
			const outputs = this.ports.length && this.outputsOf(port.peer).filter((o) => o.port !== port.peerPort);
			const held = outputs.filter((o) => this.stopped(o.node, o.port, t, moment).length);
			const exact = held.filter((o) => deadlocked.some((d) => d.node === o.node && d.port === o.port));
			let to = exact.length ? exact : held;
			if (!to.length) {
				const longest = outputs.reduce((a, b) => this.queue(moment, a.node, a.port) >=
					this.queue(moment, b.node, b.port) ? a : b, outputs[0]);
				to = longest && this.queue(moment, longest.node, longest.port) ? [longest] : [];
			}
			for (const output of to) arrows.push({ from: port, to: output });
		}
		return arrows;
	}

	outputsOf(node) {
		if (!this.byNode) {
			this.byNode = new Map();
			for (const port of this.ports) {
				if (!this.byNode.has(port.node)) this.byNode.set(port.node, []);
				this.byNode.get(port.node).push(port);
			}
		}
		return this.byNode.get(node) || [];
	}

	/** flowValue(moment, flow, series name) - the value of a flow, or null if there is no
	 *  such series. */
	flowValue(moment, flow, name) {
		const series = this.rec.seriesOf.get(name);
		if (!series || series.of !== "flow" || !moment) return null;
		const key = keyOf(flow.node, series.id, 0, flow.index);
		return keyAt(moment.data, key) < 0 && !this.max.has(key) ? 0 : this.rec.value(moment, flow.node, name, 0, flow.index);
	}

	/** flowSpeed(moment, before, flow) - b/s sent of this flow in the last samples, or null. */
	flowSpeed(moment, before, flow) {
		const now = this.flowValue(moment, flow, "flow_sent_bytes"), then = this.flowValue(before, flow, "flow_sent_bytes");
		return now === null || then === null || moment.at <= before.at ? null : (now - then) * 8e12 / (moment.at - before.at);
	}
}

function listed(map, name) {
	if (!map.has(name)) map.set(name, []);
	return map.get(name);
}

// those of a list in the order of `from` that hold at t; list.latest[i]: the end of the one of the
// first i + 1 that ends last, as of @fed
function spansAt(list, t, fed) {
	let low = 0, high = list.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (list[middle].from <= t) low = middle + 1; else high = middle;
	}
	const now = [];
	if (list.fed !== fed || list.latest.length !== list.length) {
		let latest = -Infinity;
		list.latest = list.map((s) => (latest = Math.max(latest, s.to)));
		list.fed = fed;
	}
	for (let i = low - 1; i >= 0 && t < list.latest[i]; i--) if (t < list[i].to) now.push(list[i]);
	return now;
}
