// slice - one DATA block of a recording: the values of a span of time, and its events.
//
// Columns of typed arrays, so that a slice takes ten bytes for each change of a value. Keys are
// numbers in ascending order; a binary search finds one. Bytes are from outside: each number is
// checked against HEAD, and an error names the position.

const PORTS = 64, SERIES = 256, INDICES = 4194304;

/** keyOf(node, series, port, index) - the number that names one row of values; exact below 2^53. */
export function keyOf(node, series, port, index) {
	return ((node * SERIES + series) * PORTS + port) * INDICES + index;
}

/** keyParts(key) - the reverse. */
export function keyParts(key) {
	const index = key % INDICES;
	let rest = (key - index) / INDICES;
	const port = rest % PORTS;
	rest = (rest - port) / PORTS;
	return { node: Math.floor(rest / SERIES), series: rest % SERIES, port, index };
}

class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	fail(reason) { throw new Error(`DATA block, byte ${this.at}: ${reason}`); }

	// an unsigned LEB128 number; by multiplication, since it may have more than 32 bits
	number() {
		const { bytes } = this;
		let byte = bytes[this.at++];
		if (byte < 128) return byte;
		let value = byte & 127, factor = 128;
		for (;;) {
			byte = bytes[this.at++];
			if (byte === undefined) this.fail("the block ends within a number");
			if (factor > 2 ** 56) this.fail("a number of more than 64 bits");
			value += (byte & 127) * factor;
			if (byte < 128) return value;
			factor *= 128;
		}
	}

	signed() {
		const value = this.number();
		return value % 2 ? -(value + 1) / 2 : value / 2;
	}

	below(limit, what) {
		const value = this.number();
		if (!(value < limit)) this.fail(`${what} ${value}, of ${limit}`);
		return value;
	}
}

// an array that grows; one() at the end gives the part in use
class Column {
	constructor(type) {
		this.array = new type(1024);
		this.length = 0;
	}

	push(value) {
		if (this.length === this.array.length) {
			const larger = new this.array.constructor(this.length * 2);
			larger.set(this.array);
			this.array = larger;
		}
		this.array[this.length++] = value;
	}

	done() { return this.array.slice(0, this.length); }
}

/** decodeSlice(bytes, limits) - @bytes inflated. @limits: {nodes, series, events}, from HEAD.
 *  Returns {from, to, times, keys, starts, at, values, events, size}; size is in bytes. */
export function decodeSlice(bytes, limits) {
	const r = new Reader(bytes);
	const from = r.number(), to = r.number();
	if (to < from) r.fail("the slice ends before it starts");
	const sampleCount = r.below(65536, "samples");
	const times = new Float64Array(sampleCount);
	for (let i = 0, t = from; i < sampleCount; i++) times[i] = t += r.number();

	const keyCount = r.below(bytes.length + 1, "keys");
	const keys = new Float64Array(keyCount), starts = new Uint32Array(keyCount + 1);
	const at = new Column(Uint16Array), values = new Column(Float64Array);
	for (let k = 0; k < keyCount; k++) {
		keys[k] = keyOf(r.below(limits.nodes, "node"), r.below(limits.series, "series"),
			r.below(PORTS, "port"), r.below(INDICES, "index"));
		if (k && keys[k] <= keys[k - 1]) r.fail("keys are not in ascending order");
		starts[k] = values.length;
		const changes = r.below(sampleCount + 1, "changes");
		for (let i = 0, sample = 0, value = 0; i < changes; i++) {
			sample += r.number();
			if (sample >= sampleCount) r.fail(`sample ${sample}, of ${sampleCount}`);
			at.push(sample);
			values.push(value += r.signed());
		}
	}
	starts[keyCount] = values.length;
	const events = decodeEvents(r, from, limits);
	if (r.at > bytes.length) r.fail("the block is too short");
	return { from, to, times, keys, starts, at: at.done(), values: values.done(), events,
		size: values.length * 10 + keyCount * 12 + events.count * 37 };
}

function decodeEvents(r, from, limits) {
	const count = r.below(r.bytes.length + 1, "events");
	const e = { count, at: new Float64Array(count), node: new Uint16Array(count), kind: new Uint8Array(count),
		port: new Uint8Array(count), cls: new Uint8Array(count), detail: new Float64Array(count),
		value: new Float64Array(count), source: new Uint16Array(count), destination: new Uint16Array(count) };
	for (let i = 0, t = from; i < count; i++) {
		e.at[i] = t += r.number();
		e.node[i] = r.below(limits.nodes, "node of an event");
		e.kind[i] = r.below(256, "kind of event");
		e.port[i] = r.below(256, "port of an event");
		e.cls[i] = r.below(256, "class of an event");
		e.detail[i] = r.number();
		e.value[i] = r.number();
		e.source[i] = r.below(limits.nodes + 1, "source");
		e.destination[i] = r.below(limits.nodes + 1, "destination");
	}
	return e;
}

/** sampleAt(slice, t) - number of the last sample at or before @t; -1: none in this slice. */
export function sampleAt(slice, t) {
	return upper(slice.times, t, 0, slice.times.length) - 1;
}

/** keyAt(slice, key) - its position in slice.keys, or -1. */
export function keyAt(slice, key) {
	const { keys } = slice;
	let low = 0, high = keys.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (keys[middle] < key) low = middle + 1; else high = middle;
	}
	return keys[low] === key ? low : -1;
}

/** valueAt(slice, key, sample) - the value of @key at the sample with that number; 0: none. */
export function valueAt(slice, key, sample) {
	const k = keyAt(slice, key);
	if (k < 0) return 0;
	const i = upper(slice.at, sample, slice.starts[k], slice.starts[k + 1]) - 1;
	return i < slice.starts[k] ? 0 : slice.values[i];
}

/** upper(array, value, low, high) - the first position of a value that is greater. */
export function upper(array, value, low, high) {
	while (low < high) {
		const middle = (low + high) >> 1;
		if (array[middle] <= value) low = middle + 1; else high = middle;
	}
	return low;
}
