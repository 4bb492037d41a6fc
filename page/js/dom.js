// dom - elements in one call.

/** el("div", {class: "a", onclick: f, title: "..."}, child, "text", ...) - a new element. */
export function el(name, attributes = {}, ...children) {
	const node = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (value === null || value === undefined || value === false) continue;
		if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
		else if (key in node && typeof value !== "string") node[key] = value;
		else node.setAttribute(key, value === true ? "" : value);
	}
	node.append(...children.flat().filter((c) => c !== null && c !== undefined));
	return node;
}

/** copyText(text, element) - to the clipboard; where the browser has none for this page, @element
 *  is selected, to be copied by the reader. What it did, in a word. */
export function copyText(text, element) {
	if (navigator.clipboard) {
		navigator.clipboard.writeText(text).catch(() => {});
		return "copied";
	}
	getSelection().selectAllChildren(element);
	return "selected";
}

/** copyable(text) - a block of code. Commands are wrapped and have a button that copies them; in
 *  other blocks, such as drawings, lines stay whole. */
export function copyable(text) {
	const code = el("code", {}, text), command = /^(\$ |#|[A-Z]+=|(\.\/)?heddle\b)/.test(text);
	if (!command) return el("div", { class: "code" }, el("pre", { class: "drawn", tabindex: "0" }, code));
	const button = el("button", { type: "button", class: "small", "aria-label": "copy this code" }, "copy");
	button.addEventListener("click", () => {
		button.textContent = copyText(text, code);
		setTimeout(() => { button.textContent = "copy"; }, 1500);
	});
	return el("div", { class: "code" }, el("pre", {}, code), button);
}

/** table(heads, rows, options) - heads: {text, title, align}; rows: arrays of text, numbers or
 *  nodes. */
export function table(heads, rows, { caption = null, pick = null, mark = null } = {}) {
	const body = el("tbody", {}, rows.map((row, r) => {
		const tr = el("tr", pick ? { tabindex: "0", onclick: () => pick(r), class: mark === r ? "picked" : null,
			"aria-selected": mark === r ? "true" : "false",
			onkeydown: (e) => { if (e.key === "Enter") { e.stopPropagation(); pick(r); } } } : {});
		tr.append(...row.map((cell, c) => el("td", { class: heads[c].align === "right" ? "number" : null },
			cell === null || cell === undefined ? "-" : cell)));
		return tr;
	}));
	return el("table", {}, caption ? el("caption", {}, caption) : null, el("thead", {}, el("tr", {}, heads.map((h) =>
		el("th", { scope: "col", title: h.title || null, class: (h.align === "right" ? "number" : "") + (h.title ? " known" : ""),
			tabindex: h.title ? "0" : null }, h.text)))), body);
}
