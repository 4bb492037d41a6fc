// units - numbers as people read them: one unit for all times of a recording, prefixes for the
// rest.

const prefixes = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

// digits(2.3456) is "2.35": three significant ones, whole numbers as they are
function digits(value) {
	if (Number.isInteger(value)) return String(value);
	const size = Math.abs(value);
	return value.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

function withPrefix(value, unit) {
	for (const [factor, prefix] of prefixes) {
		if (Math.abs(value) >= factor) return digits(value / factor) + " " + prefix + unit;
	}
	return digits(value) + (unit ? " " + unit : "");
}

/** timeText(ps) - microseconds with three decimals, the unit of all of Heddle's output. */
export function timeText(ps) {
	if (ps === null || ps === undefined) return "-";
	return (ps / 1e6).toFixed(3) + " us";
}

/** spanText(ps) - a short span for axes and speeds: 10 ns, 1 us, 2.5 ms. */
export function spanText(ps) {
	for (const [factor, unit] of [[1e12, "s"], [1e9, "ms"], [1e6, "us"], [1e3, "ns"]]) {
		if (Math.abs(ps) >= factor) return digits(ps / factor).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "") + " " + unit;
	}
	return digits(ps) + " ps";
}

/** bytesText(), rateText() - 111.6 kB, 24.86 Gb/s; powers of 1000. */
export function bytesText(bytes) { return withPrefix(bytes, "B"); }
export function rateText(bps) { return withPrefix(bps, "b/s"); }

/** valueText(value, unit) - @unit as in HEAD: bytes, bps, ps, units, or any other text. */
export function valueText(value, unit) {
	if (value === null || value === undefined) return "-";
	if (typeof value !== "number") return String(value);
	switch (unit) {
	case "bytes": return bytesText(value);
	case "bps": case "b/s": return rateText(value);
	case "ps": return timeText(value);
	case "ns": return timeText(value * 1e3);
	case "units": return bytesText(value * 256);
	case "": case null: case undefined: case "count": return digits(value);
	default: return digits(value) + " " + unit;
	}
}

/** unitOfName(name) - the unit at the end of a key of a result: queue_bytes, paused_ps, rate_bps.
 *  */
export function unitOfName(name) {
	const found = /(?:_|^)(bytes|bps|ps|ns|units|us)(_max|_mean|_min|_measured)?$/.exec(name);
	if (found) return found[1];
	if (/fct_ps\./.test(name) || /_ps\./.test(name)) return "ps";
	return "";
}

/** ticks(from, to, wanted) - round numbers between both for an axis, about @wanted of them. */
export function ticks(from, to, wanted) {
	if (!(to > from)) return [];
	const raw = (to - from) / Math.max(1, wanted);
	const power = 10 ** Math.floor(Math.log10(raw));
	const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw);
	const out = [];
	for (let n = Math.ceil(from / step); n * step <= to; n++) out.push(n * step);
	return out;
}

/** niceMax(value) - the round number at the top of a scale that has @value on it. */
export function niceMax(value) {
	if (!(value > 0)) return 1;
	const power = 10 ** Math.floor(Math.log10(value));
	return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((n) => n * power).find((n) => n >= value * 0.9999);
}
