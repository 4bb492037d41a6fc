// markdown - Markdown as elements: headings, paragraphs, lists, quotes, code, tables, links.
//
// The text comes from a file of a lab. It becomes elements and text nodes, never HTML of its own,
// so a tag in it is shown as it is written. The page loads nothing: a picture is its description,
// and a link to anything but a heading of the same text is its words and its address.

import { copyable, el } from "./dom.js";
import { meaning } from "./words.js";

const deep = 8; /* lists and quotes within each other; deeper ones are paragraphs */

const fence = /^ {0,3}(`{3,}|~{3,})\s*([^`\s]*)\s*$/;
const heading = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/;
const rule = /^ {0,3}([-*_])(?: *\1){2,} *$/;
const item = /^( *)([-*+]|\d{1,9}[.)])( +)(?=\S)/;
const quote = /^ {0,3}> ?/;
const tableRule = /^ *\|?(?: *:?-+:? *\|)+(?: *:?-+:? *)?$/;
const comment = /^ {0,3}<!--/;

/** markdown(text) - an array of elements. */
export function markdown(text) {
	return blocks(text.replace(/\r\n?/g, "\n").replace(/\t/g, "    ").split("\n"), 0);
}

/** anchorOf(words) - the name of a heading, as links of Markdown have it. */
export function anchorOf(words) {
	return words.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");
}

// ---- blocks ----

// does a line end the paragraph before it?
function begins(lines, i) {
	const line = lines[i];
	return !line.trim() || [fence, heading, rule, item, quote, comment].some((form) => form.test(line)) || tableAt(lines, i);
}

function tableAt(lines, i) {
	return lines[i].includes("|") && i + 1 < lines.length && tableRule.test(lines[i + 1]);
}

// each of these takes a block at line i: [element or null, line after it]
function blocks(lines, depth) {
	const out = [];
	for (let i = 0, node; i < lines.length;) {
		const line = lines[i];
		if (!line.trim()) { i++; continue; }
		if (comment.test(line)) [node, i] = commentAt(lines, i);
		else if (fence.test(line)) [node, i] = fenced(lines, i);
		else if (heading.test(line)) [node, i] = [headed(heading.exec(line)), i + 1];
		else if (rule.test(line)) [node, i] = [el("hr"), i + 1];
		else if (tableAt(lines, i)) [node, i] = tabled(lines, i);
		else if (item.test(line) && depth < deep) [node, i] = listed(lines, i, depth);
		else if (quote.test(line) && depth < deep) [node, i] = quoted(lines, i, depth);
		else if (/^ {4}/.test(line)) [node, i] = indented(lines, i);
		else [node, i] = paragraph(lines, i);
		if (node) out.push(node);
	}
	return out;
}

function commentAt(lines, i) {
	while (i < lines.length && !lines[i].includes("-->")) i++;
	return [null, i + 1];
}

function fenced(lines, i) {
	const [, mark] = fence.exec(lines[i]), own = /^ */.exec(lines[i])[0].length, code = [];
	for (i++; i < lines.length && !(lines[i].trim().startsWith(mark) && fence.test(lines[i])); i++) {
		code.push(lines[i].replace(new RegExp(`^ {0,${own}}`), ""));
	}
	return [copyable(code.join("\n")), i + 1];
}

function indented(lines, i) {
	const code = [];
	for (; i < lines.length && (/^ {4}/.test(lines[i]) || !lines[i].trim()); i++) code.push(lines[i].slice(4));
	return [copyable(code.join("\n").trimEnd()), i];
}

function headed([, marks, words]) {
	const element = el(`h${Math.min(4, marks.length + 1)}`, {}, inline(words));
	element.id = "lab-" + anchorOf(element.textContent);
	return element;
}

function paragraph(lines, i) {
	const text = [lines[i++].trim()];
	while (i < lines.length && !begins(lines, i)) text.push(lines[i++].trim());
	return [el("p", {}, inline(text.join(" "))), i];
}

function quoted(lines, i, depth) {
	const inner = [];
	for (; i < lines.length && (quote.test(lines[i]) || !begins(lines, i)); i++) inner.push(lines[i].replace(quote, ""));
	return [el("blockquote", {}, blocks(inner, depth + 1)), i];
}

function listed(lines, i, depth) {
	const ordered = /\d/.test(item.exec(lines[i])[2]), left = item.exec(lines[i])[1].length, items = [];
	const first = parseInt(item.exec(lines[i])[2], 10);
	while (i < lines.length) {
		const found = item.exec(lines[i]);
		if (!found || found[1].length < left || /\d/.test(found[2]) !== ordered || rule.test(lines[i])) break;
		const inside = found[0].length, inner = [lines[i++].slice(inside)];
		let blank = false;
		for (; i < lines.length; i++) {
			const own = /^ */.exec(lines[i])[0].length;
			if (!lines[i].trim()) { blank = true; inner.push(""); continue; }
			// what is indented is in the item; so are further lines of its paragraph
			if (own <= left && (blank || begins(lines, i))) break;
			if (own > left && own < inside && blank && !item.test(lines[i])) break;
			inner.push(lines[i].slice(Math.min(own, inside)));
			blank = false;
		}
		items.push(el("li", {}, tight(blocks(inner, depth + 1))));
	}
	return [el(ordered ? "ol" : "ul", ordered && first > 1 ? { start: String(first) } : {}, items), i];
}

// an item of one paragraph is its text
function tight(parts) {
	return parts.length && parts[0].tagName === "P" && parts.slice(1).every((p) => p.tagName === "UL" || p.tagName === "OL")
		? [...parts[0].childNodes, ...parts.slice(1)] : parts;
}

function cells(line) {
	return line.trim().replace(/^\||\|$/g, "").match(/(?:`[^`]*`|\\.|[^|`\\]|[`\\])+|(?<=\||^)(?=\||$)/g)?.map((c) => c.trim()) || [];
}

function tabled(lines, i) {
	const heads = cells(lines[i]), aligns = cells(lines[i + 1]).map((c) => c.endsWith(":") ? "number" : null), rows = [];
	for (i += 2; i < lines.length && lines[i].includes("|") && lines[i].trim(); i++) rows.push(cells(lines[i]));
	const cell = (name, text, c) => el(name, { class: aligns[c] || null }, inline((text || "").replace(/\\\|/g, "|")));
	return [el("div", { class: "wide" }, el("table", {}, el("thead", {}, el("tr", {}, heads.map((h, c) => cell("th", h, c)))),
		el("tbody", {}, rows.map((row) => el("tr", {}, heads.map((h, c) => cell("td", row[c], c))))))), i];
}

// ---- within a line ----

// [form at this place of the text, what it becomes]
const forms = [
	[/\\([!-/:-@[-`{-~])/y, ([, sign]) => sign],
	[/(`+)(?!`)([^]*?[^`])\1(?!`)/y, ([, , code]) => el("code", {}, code.trim())],
	[/!\[([^\]]*)\]\([^()\s]*[^()]*\)/y, ([, words]) => el("span", { class: "hint" }, `[picture: ${words}]`)],
	[/\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]*)[^()]*\)/y, ([, words, address]) => linked(words, address)],
	[/<(https?:[^<>\s]+)>/y, ([, address]) => el("code", {}, address)],
	[/\*\*(?=\S)([^]*?\S)\*\*/y, ([, words]) => el("strong", {}, inline(words))],
	[/\*(?=[^\s*])([^*]*[^\s*])\*/y, ([, words]) => el("em", {}, inline(words))],
	[/(?<![\p{L}\p{N}_])_(?=[^\s_])([^_]*[^\s_])_(?![\p{L}\p{N}_])/uy, ([, words]) => el("em", {}, inline(words))],
	[/[^\\`![<*_]+/y, ([words]) => words],
];

/** inline(text) - an array of elements and texts, for one line. */
export function inline(text) {
	const out = [];
	for (let at = 0; at < text.length;) {
		let part = text[at], after = at + 1;
		for (const [form, make] of forms) {
			form.lastIndex = at;
			const found = form.exec(text);
			// making it may use the same form for what is inside
			if (found) { after = at + found[0].length; part = make(found); break; }
		}
		out.push(part);
		at = after;
	}
	return out;
}

function linked(words, address) {
	if (address.startsWith("#")) return el("a", { href: address, "data-anchor": address.slice(1) }, inline(words));
	const plain = words.replace(/[`*]/g, ""), known = meaning(plain);
	if (known) return el("span", { class: "known", title: known, tabindex: "0" }, inline(words));
	return el("span", {}, inline(words), " (", el("code", {}, address.replace(/^(?:\.\.\/)+/, "")), ")");
}
