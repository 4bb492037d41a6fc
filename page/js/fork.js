// fork - "what if": a change of nodes at the time that is shown, or of the scenario, in a run of
// its own beside this one.

import { el } from "./dom.js";
import { timeText } from "./units.js";

/** nodesNamed(text, nodes) - the names that @text means: names with * in them, "switches", "hosts",
 *  with spaces or commas between them. Each once, in the order of @nodes (of HEAD). An Error names
 *  the word that means none. */
export function nodesNamed(text, nodes) {
	const chosen = new Set();
	for (const word of text.split(/[\s,]+/).filter(Boolean)) {
		const form = new RegExp(`^${word.split("*").map((part) => part.replace(/[^\w-]/g, "\\$&")).join(".*")}$`);
		const found = nodes.filter((n) => n.name === word || (word === "switches" && n.type === "switch") ||
			(word === "hosts" && n.type === "host") || (word.includes("*") && form.test(n.name)));
		if (!found.length) throw new Error(`'${word}' is no node: expected names, such as ${nodes[0].name}, a part with *, switches, or hosts`);
		for (const node of found) chosen.add(node.name);
	}
	return nodes.map((n) => n.name).filter((name) => chosen.has(name));
}

/** changesText(set) - "s0, s1 roce.xoff 50kB": nodes with the same change together. */
export function changesText(set) {
	const nodes = new Map();
	for (const { node, key, value } of set) {
		const change = `${key} ${value}`;
		nodes.set(change, [...nodes.get(change) || [], node]);
	}
	return [...nodes].map(([change, names]) => (names.length > 4 ? `${names.length} nodes` : names.join(", ")) + ` ${change}`).join("; ");
}

/** fillFork(box, close, app) - the dialog. */
export function fillFork(box, close, app) {
	const pane = app.panes[0], { nodes } = pane.rec.head;
	const field = (name, rest) => el("input", { name, "aria-label": name, autocomplete: "off", ...rest });
	const node = field("node", { value: app.selected ? nodes[app.selected.node].name : "", placeholder: "s0, s1, or switches" });
	const key = field("key", { placeholder: "roce.xoff" }), value = field("value", { placeholder: "50kB" });
	const settings = field("settings", { placeholder: "roce.dcqcn=no" }), fault = el("p", { class: "bad", role: "alert" });
	const send = async (e) => {
		e.preventDefault();
		try {
			const names = key.value ? nodesNamed(node.value, nodes) : [];
			if (key.value && !names.length) throw new Error(`of which nodes? For instance: ${nodes[0].name}, or switches`);
			const request = { of: pane.info.id, set: names.map((name) => ({ node: name, key: key.value, value: value.value })),
				settings: settings.value.split(/\s+/).filter(Boolean) };
			if (key.value) request.at_ps = Math.round(app.clock.t);
			await app.server.fork(request);
			app.did({ kind: "fork", ...request });
			close();
		} catch (error) { fault.textContent = error.message || String(error); }
	};
	box.replaceChildren(el("button", { class: "close", onclick: close }, "close (Esc)"), el("h2", {}, "What if?"),
		el("form", { onsubmit: send }, el("p", {}, `At ${timeText(app.clock.t)} set `, node, " ", key, " to ", value),
			el("p", { class: "hint" }, "Nodes: names with commas between them, a part with * (s*), switches, hosts."),
			el("p", {}, "or, from the start, ", settings, " (PATH=VALUE of the scenario, as with --set)"), fault,
			el("button", { type: "submit" }, "run again beside this one")));
}
