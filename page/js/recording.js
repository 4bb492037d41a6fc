// recording - the one source of everything that is shown: blocks, their order, and values in time.
//
// The file is read from its start, or by its index if it has its end. DATA blocks are inflated when
// they are needed and kept up to a limit of memory; value() and events() answer from what is there.
// readAll() goes through the whole recording once, in order, and feeds those that collect facts.

import { decodeSlice, sampleAt, valueAt, keyAt, keyOf, upper } from "./slice.js";

const START = "heddle recording 1\n", END = "heddle end\n";
const BLOCK_BYTES_MAX = 1 << 28;
// a small file cannot fill memory: what a block holds, as docs/recording.md says
const CONTENT_BYTES_MAX = 1 << 28, CONTENT_BYTES_ANY = 1 << 20, CONTENT_RATIO = 64;
const MEMORY_BYTES_MAX = 600e6;
const text = new TextDecoder();

/** inflate(bytes) - a zlib stream that holds no more than a block may. */
export async function inflate(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
	const reader = stream.getReader(), parts = [];
	const most = Math.min(CONTENT_BYTES_MAX, Math.max(CONTENT_BYTES_ANY, bytes.length * CONTENT_RATIO));
	let size = 0;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) break;
		size += value.length;
		if (size > most) {
			await reader.cancel();
			throw new Error(`its content has more than ${most} bytes`);
		}
		parts.push(value);
	}
	if (parts.length === 1) return parts[0];
	const whole = new Uint8Array(size);
	let at = 0;
	for (const part of parts) { whole.set(part, at); at += part.length; }
	return whole;
}

export class Recording {
	constructor(source) {
		this.source = source;
		this.next = START.length; /* offset of the next block */
		this.slices = [];         /* {from, to, offset, bytes, data or null, used} in the order of time */
		this.flows = [];          /* as in FLOW, ascending by node and index */
		this.flowOf = new Map();  /* "node index" to a flow */
		this.tables = new Map();  /* name to text */
		this.resultText = "";     /* RSLT, that may be in several blocks */
		this.result = null;
		this.done = null;         /* DONE: how the run ended */
		this.head = null;
		this.complete = false;
		this.memory = 0;
		this.turn = 0;
		this.fed = 0;             /* slices given to collectors */
		this.collectors = [];
	}

	get name() {
		const s = this.head && this.head.scenario;
		if (!s) return this.source.name;
		const settings = (s.settings || []).filter((set) => !set.startsWith("run."));
		return s.name + (s.variant ? ": " + s.variant : "") + (settings.length ? ` (${settings.join(" ")})` : "");
	}

	get end() { return this.slices.length ? this.slices[this.slices.length - 1].to : 0; }

	/** open() - reads HEAD, and all blocks but DATA of a recording that has its end. */
	async open() {
		while (this.source.size < START.length + 8) {
			if (this.source.state !== "growing") break;
			if (!await this.source.more()) await new Promise((done) => setTimeout(done, 100));
		}
		const start = text.decode(await this.source.read(0, START.length));
		if (start !== START) throw new Error(`${this.source.name}: not a recording of Heddle (first line)`);
		if (!await this.readIndex()) await this.readBlocks();
		if (!this.head) throw new Error(`${this.source.name}: has no HEAD block`);
	}

	// with its end in place the index says where everything is
	async readIndex() {
		const { size } = this.source, tail = 8 + END.length;
		if (size < START.length + tail) return false;
		const last = await this.source.read(size - tail, tail);
		if (text.decode(last.subarray(8)) !== END) return false;
		const offset = Number(new DataView(last.buffer, last.byteOffset, 8).getBigUint64(0, true));
		const header = await this.blockHeader(offset);
		if (!header || header.kind !== "INDX") throw new Error(`byte ${offset}: the index is not there`);
		const index = JSON.parse(text.decode(await this.inflated(offset, header.bytes)));
		let end = START.length;
		for (const entry of index) {
			/* a block that is named many times would be read many times */
			if (!(entry.offset >= end)) throw new Error(`byte ${offset}: the index is not in order`);
			end = await this.addBlock(entry.kind, entry.offset, entry.from_ps, entry.to_ps);
		}
		this.finish();
		return true;
	}

	finish() {
		this.complete = true;
		if (this.resultText) this.result = JSON.parse(this.resultText);
	}

	/** readBlocks() - what has been added since; true if there was something. */
	async readBlocks() {
		let found = false;
		while (!this.complete) {
			const header = await this.blockHeader(this.next);
			if (!header || this.next + 8 + header.bytes > this.source.size) break;
			this.next = await this.addBlock(header.kind, this.next, null, null);
			found = true;
		}
		return found;
	}

	async blockHeader(offset) {
		if (offset + 8 > this.source.size) return null;
		const bytes = await this.source.read(offset, 8);
		const length = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
		if (length > BLOCK_BYTES_MAX) throw new Error(`byte ${offset}: a block of ${length} bytes`);
		return { bytes: length, kind: text.decode(bytes.subarray(4, 8)) };
	}

	async inflated(offset, length) {
		const bytes = await this.source.read(offset + 8, length);
		if (bytes.length < length) throw new Error(`byte ${offset}: the file ends within a block`);
		try {
			return await inflate(bytes);
		} catch (error) {
			throw new Error(`byte ${offset}: the block is damaged (${error.message})`);
		}
	}

	// returns where the next block begins
	async addBlock(kind, offset, from, to) {
		const header = await this.blockHeader(offset);
		if (!header) throw new Error(`byte ${offset}: the file ends before the block`);
		await this.takeBlock(kind, offset, header.bytes, from, to);
		return offset + 8 + header.bytes;
	}

	async takeBlock(kind, offset, bytes, from, to) {
		if (kind === "DATA") return this.addSlice(offset, bytes, from, to);
		if (kind === "INDX") return this.finish();
		if (!["HEAD", "FLOW", "RSLT", "TABL", "FIDL", "DONE"].includes(kind)) return;
		const content = text.decode(await this.inflated(offset, bytes));
		if (kind === "TABL") {
			const line = content.indexOf("\n");
			const name = content.slice(0, line);
			this.tables.set(name, (this.tables.get(name) || "") + content.slice(line + 1));
			return;
		}
		if (kind === "RSLT") { this.resultText += content; return; }
		const value = JSON.parse(content);
		if (kind === "HEAD") this.setHead(value);
		else if (kind === "FIDL") this.fidelity = value;
		else if (kind === "DONE") this.done = value;
		else this.addFlows(value);
	}

	setHead(head) {
		if (head.format !== 1) throw new Error(`a recording of format ${head.format}; this page reads 1`);
		if (!Array.isArray(head.nodes) || head.nodes.length > 32768) throw new Error("HEAD has no list of nodes");
		this.head = head;
		this.limits = { nodes: head.nodes.length, series: Math.max(0, ...head.series.map((s) => s.id)) + 1 };
		this.seriesOf = new Map(head.series.map((s) => [s.name, s]));
		this.eventOf = new Map(head.events.map((e) => [e.id, e]));
		this.nodeOf = new Map(head.nodes.map((n, i) => [n.name, i]));
		for (const node of head.nodes) {
			for (const port of node.ports) {
				if (port && !head.nodes[port.peer]) throw new Error(`${node.name}: a port without a peer`);
			}
		}
	}

	addFlows(flows) {
		for (const flow of flows) {
			const name = `${flow.node} ${flow.index}`;
			const known = this.flowOf.get(name);
			if (known) { Object.assign(known, flow); continue; }
			flow.id = this.flows.length;
			this.flows.push(flow);
			this.flowOf.set(name, flow);
		}
	}

	async addSlice(offset, bytes, from, to) {
		const slice = { from, to, offset, bytes, data: null, used: 0, loading: null };
		// without an index only the slice itself knows its span
		if (from === null || from === undefined) {
			await this.load(slice);
			slice.from = slice.data.from;
			slice.to = slice.data.to;
		}
		this.slices.push(slice);
	}

	/** load(slice) - inflates and decodes it, if it is not in memory. */
	async load(slice) {
		slice.used = ++this.turn;
		if (slice.data) return slice.data;
		if (!slice.loading) {
			slice.loading = this.inflated(slice.offset, slice.bytes).then((bytes) => {
				slice.data = decodeSlice(bytes, this.limits);
				slice.loading = null;
				this.memory += slice.data.size;
				this.forget(slice);
			});
		}
		await slice.loading;
		return slice.data;
	}

	// the least recently used slices make place
	forget(kept) {
		if (this.memory < MEMORY_BYTES_MAX) return;
		const old = this.slices.filter((s) => s.data && s !== kept).sort((a, b) => a.used - b.used);
		for (const slice of old) {
			if (this.memory < MEMORY_BYTES_MAX * 0.8) break;
			this.memory -= slice.data.size;
			slice.data = null;
		}
	}

	/** readAll(changed) - decodes what has not been read yet, in order, and feeds the
	 *  collectors.
	 *  Calls changed() now and then, so that the page can draw what is there. */
	async readAll(changed) {
		let last = performance.now();
		while (this.fed < this.slices.length) {
			const slice = this.slices[this.fed];
			const data = await this.load(slice);
			for (const collector of this.collectors) collector(data);
			this.fed++;
			if (performance.now() - last > 30) {
				changed();
				await new Promise((done) => setTimeout(done, 0));
				last = performance.now();
			}
		}
	}

	/** sliceNumber(t) - of the slice that holds @t; the last one after the end; -1: none. */
	sliceNumber(t) {
		let low = 0, high = this.slices.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.slices[middle].from <= t) low = middle + 1; else high = middle;
		}
		return low - 1;
	}

	/** moment(t) - the last sample at or before @t: {data, sample, at}, or null if there is
	 *  none or
	 *  its slice is not in memory (it is then being loaded). Use it for many values at one
	 *  time. */
	moment(t) {
		for (let n = this.sliceNumber(t); n >= 0; n--) {
			const slice = this.slices[n];
			if (!slice.data) { this.load(slice).catch(() => {}); return null; }
			slice.used = ++this.turn;
			const sample = sampleAt(slice.data, t);
			if (sample >= 0) return { data: slice.data, sample, at: slice.data.times[sample] };
		}
		return null;
	}

	/** value(moment, node, series name, port, index) - 0 if the recording has no such series.
	 *  */
	value(moment, node, name, port = 0, index = 0) {
		const series = this.seriesOf.get(name);
		if (!series || !moment) return 0;
		return valueAt(moment.data, keyOf(node, series.id, port, index), moment.sample);
	}

	/** walk(key, from, to, each) - each(at, value, until) for each span of a constant value,
	 *  of the
	 *  slices in memory. */
	walk(key, from, to, each) {
		for (let n = Math.max(0, this.sliceNumber(from)); n < this.slices.length; n++) {
			const { data } = this.slices[n];
			if (this.slices[n].from > to) break;
			if (!data || !data.times.length) continue;
			const k = keyAt(data, key), { times } = data;
			// up to the first sample of the next slice; after the last sample nothing
			// is known
			const next = this.slices.slice(n + 1, n + 3).find((x) => x.data && x.data.times.length);
			const last = next ? next.data.times[0] : times[times.length - 1];
			const first = k < 0 ? -1 : data.starts[k], end = k < 0 ? -1 : data.starts[k + 1];
			let at = times[0], value = 0;
			for (let i = first; i < end; i++) {
				const t = times[data.at[i]];
				if (t > at) each(at, value, t);
				at = t;
				value = data.values[i];
			}
			each(at, value, last);
		}
	}

	/** rows(series name) - every {node, port, index, max} of it that is not always 0. After
	 *  readAll(). */
	rowKeys(name) {
		const series = this.seriesOf.get(name), found = new Set();
		if (!series) return found;
		for (const { data } of this.slices) {
			if (!data) continue;
			for (const key of data.keys) if (Math.floor(key / (64 * 4194304)) % 256 === series.id) found.add(key);
		}
		return found;
	}

	/** eventsIn(from, to, each) - each(events, i) for those with from <= at < to, of slices
	 *  in memory. */
	eventsIn(from, to, each) {
		for (let n = Math.max(0, this.sliceNumber(from)); n < this.slices.length; n++) {
			const slice = this.slices[n];
			if (slice.from >= to) break;
			if (!slice.data) { this.load(slice).catch(() => {}); continue; }
			const e = slice.data.events;
			for (let i = upper(e.at, from - 0.5, 0, e.count); i < e.count && e.at[i] < to; i++) each(e, i);
		}
	}

	/** nextEvent(t, match), eventBefore(t, match) - time of the nearest event after or before
	 *  @t for
	 *  which match(events, i) holds, or null. */
	async nextEvent(t, match) {
		for (let n = Math.max(0, this.sliceNumber(t)); n < this.slices.length; n++) {
			const { events: e } = await this.load(this.slices[n]);
			for (let i = upper(e.at, t, 0, e.count); i < e.count; i++) if (match(e, i)) return e.at[i];
		}
		return null;
	}

	async eventBefore(t, match) {
		for (let n = this.sliceNumber(t); n >= 0; n--) {
			const { events: e } = await this.load(this.slices[n]);
			for (let i = upper(e.at, t - 0.5, 0, e.count) - 1; i >= 0; i--) if (match(e, i)) return e.at[i];
		}
		return null;
	}

	/** sampleTimes(t, direction) - time of the next (+1) or previous (-1) sample, or null. */
	async neighbourSample(t, direction) {
		for (let n = Math.max(0, this.sliceNumber(t)); n >= 0 && n < this.slices.length; n += direction) {
			const { times } = await this.load(this.slices[n]);
			const at = direction > 0 ? upper(times, t, 0, times.length) : upper(times, t - 0.5, 0, times.length) - 1;
			if (at >= 0 && at < times.length) return times[at];
		}
		return null;
	}
}
