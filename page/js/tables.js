// tables - every table of the result and of each node, with units, names and explanations.

import { el, table } from "./dom.js";
import { unitOfName, valueText } from "./units.js";
import { meaning } from "./words.js";

const ROWS_MAX = 500;

/** tableList(rec) - {name, rows: [objects]} of all tables: those of the JSON, and the CSV files. */
export function tableList(rec) {
	const list = [], { result } = rec;
	if (result) {
		for (const key of ["expectations", "groups", "flows", "ports", "classes", "tables", "deadlocks", "faults", "symptoms"]) {
			const value = result[key];
			const rows = Array.isArray(value) ? value : value && Object.entries(value).map(([name, v]) => ({ name, ...v }));
			if (rows && rows.length) list.push({ name: key, rows: rows.map((row) => flat(row)) });
		}
		for (const key of ["totals", "roce", "drops"]) {
			if (result[key]) list.push({ name: key, rows: Object.entries(result[key]).map(([name, value]) => ({ name, value })), pairs: true });
		}
		if (result.fidelity) list.push({ name: "fidelity", rows: [flat({ ...result.fidelity, nodes: undefined })] });
	}
	const known = new Set(["flows.csv", "ports.csv", "classes.csv", "tables.csv", "summary.txt"]);
	for (const [name, text] of rec.tables) if (!known.has(name) && name.endsWith(".csv")) list.push({ name, rows: readCsv(text) });
	return list;
}

// {a: {b: 1}} is {"a.b": 1}; lists are their number
function flat(object, prefix = "", out = {}) {
	for (const [key, value] of Object.entries(object)) {
		if (value === undefined) continue;
		if (Array.isArray(value)) out[prefix + key] = value.length && typeof value[0] !== "object" ? value.join(" ") : `${value.length}`;
		else if (value && typeof value === "object") flat(value, prefix + key + ".", out);
		else out[prefix + key] = value;
	}
	return out;
}

/** readCsv(text) - rows as objects; numbers are numbers. Fields of Heddle may stand in quotes. */
export function readCsv(text) {
	const lines = text.split("\n").filter((line) => line && !line.startsWith("#"));
	const cells = (line) => (line.match(/("([^"]|"")*"|[^,]*)(,|$)/g) || []).slice(0, -1 + Number(!line.endsWith(",")) || undefined)
		.map((cell) => cell.replace(/,$/, "")).map((cell) => cell.startsWith('"') ? cell.slice(1, -1).replace(/""/g, '"') : cell);
	const heads = (lines[0] || "").split(",");
	return lines.slice(1).map((line) => {
		const values = line.includes('"') ? cells(line) : line.split(",");
		return Object.fromEntries(heads.map((h, i) => [h, values[i] === "" || values[i] === undefined ? null
			: /^-?\d+(\.\d+)?$/.test(values[i]) ? Number(values[i]) : values[i]]));
	});
}

function shown(key, value, row) {
	if (value === true) return key === "ok" ? "ok" : "yes";
	if (value === false) return key === "ok" ? "FAILED" : "no";
	if (key === "value" && row && row.text && typeof value === "number") return expectedText(row.text, value);
	if (typeof value === "number") {
		const unit = unitOfName(row && row.name && key === "value" ? row.name : key);
		if (/utilisation|share/.test(key)) return (100 * value).toFixed(2) + " %";
		return valueText(value, unit);
	}
	return value;
}

// metrics that are shown in percent (results/metric.c: IN_PERCENT)
const percents = /^(?:delivered|reached|utilisation|imbalance|fault\.least|share|(?:goodput|buffer|marked)\.share(?:\.min)?)(?![\w.])/;

/** expectedText(text, value) - the value of an expectation in the unit that it is written in. */
export function expectedText(text, value) {
	if (value === null) return "-";
	const unit = /[\d.](ps|ns|us|ms|s)\b/.test(text) ? "ps" : /b\/s/.test(text) ? "bps" : /\d(k|M|G|Ki|Mi|Gi)?B\b/.test(text) ? "bytes" : "";
	if (!unit && percents.test(text.trim())) return (100 * value).toFixed(2) + " %";
	return valueText(value, unit);
}

/** resultTable(rec, item, state) - state: {node: "" or a name, sort: key}. An element. */
export function resultTable(rec, item, { node = "", sort = null, resort = null, max = ROWS_MAX } = {}) {
	let { rows } = item;
	if (node) {
		const mine = rows.filter((r) => [r.node, r.src, r.dst, r.name, r.peer].includes(node));
		if (rows.some((r) => "node" in r || "src" in r)) rows = mine;
	}
	if (sort) rows = [...rows].sort((a, b) => typeof a[sort] === "number" || typeof b[sort] === "number" ? (b[sort] ?? -1) - (a[sort] ?? -1)
		: String(a[sort]).localeCompare(String(b[sort])));
	// columns in which nothing ever stands are left out, and counted
	const all = rows.length ? Object.keys(rows[0]) : [];
	const idle = all.filter((key) => !item.pairs && rows.every((r) => r[key] === 0 || r[key] === null));
	const keys = all.filter((key) => !idle.includes(key));
	const heads = keys.map((key) => ({ text: key, align: rows.some((r) => typeof r[key] === "number") ? "right" : "left",
		title: meaning(key) }));
	const body = table(heads, rows.slice(0, max).map((r) => keys.map((key) => shown(key, r[key], r))), {
		caption: `${item.name}: ${rows.length} ${rows.length === 1 ? "row" : "rows"}` + (rows.length > max ? `, the first ${max}` : "") +
			(idle.length ? ` \u00b7 ${idle.length} columns are 0 in all rows: ${idle.slice(0, 8).join(", ")}${idle.length > 8 ? " ..." : ""}` : "") });
	if (resort) {
		body.querySelectorAll("th").forEach((th, i) => {
			th.tabIndex = 0;
			th.classList.add("sortable");
			th.addEventListener("click", () => resort(keys[i]));
			th.addEventListener("keydown", (e) => { if (e.key === "Enter") { e.stopPropagation(); resort(keys[i]); } });
		});
	}
	if (item.pairs) body.querySelectorAll("tbody tr").forEach((tr, i) => { tr.title = meaning(rows[i].name) || ""; });
	return body;
}

/** csvOf(item) - the rows as CSV, with the numbers as they are. */
export function csvOf(item) {
	if (!item.rows.length) return "";
	const keys = Object.keys(item.rows[0]);
	const cell = (value) => value === null || value === undefined ? "" : /[",\n]/.test(String(value)) ? `"${String(value).replace(/"/g, '""')}"` : String(value);
	return [keys.join(","), ...item.rows.map((r) => keys.map((k) => cell(r[k])).join(","))].join("\n") + "\n";
}

/** save(name, text) - offers a file to keep. */
export function save(name, text, type = "text/csv") {
	const link = el("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
