// help - all keys, and the glossary.

import { el, table } from "./dom.js";
import { glossaryRows } from "./words.js";

/** Keys of the page: [key, what it does, name of the action]. The one table of keys. */
export const keys = [
	[" ", "play, pause", "play"],
	["r", "play backwards", "reverse"],
	["ArrowRight", "step: next sample", "next-sample"],
	["ArrowLeft", "step back: sample before", "previous-sample"],
	[".", "step: next event (of what is selected, if anything is)", "next-event"],
	[",", "step back: event before", "previous-event"],
	["ArrowUp", "faster", "faster"],
	["ArrowDown", "slower", "slower"],
	["Home", "to the start", "start"],
	["End", "to the end", "end"],
	["n", "next bookmark: first XOFF, first CNP, first drop, deadlock ...", "next-bookmark"],
	["N", "bookmark before", "previous-bookmark"],
	["u", "play until a condition holds", "until"],
	["1", "topology", "view topology"],
	["2", "heat map: outputs over time", "view heat"],
	["3", "ladder (time-space) diagram of the selected flow", "view ladder"],
	["4", "strips over time", "view strips"],
	["5", "flows", "view flows"],
	["6", "two recordings side by side, and back", "compare"],
	["7", "all tables", "view tables"],
	["8", "report, for printing", "view report"],
	["s", "select the next switch or host", "next-node"],
	["S", "select the one before", "previous-node"],
	["l", "select the next link of the selected node", "next-link"],
	["f", "select the next flow", "next-flow"],
	["F", "select the flow before", "previous-flow"],
	["Escape", "select nothing; close what is open", "clear"],
	["+", "zoom in: topology, else time", "zoom-in"],
	["-", "zoom out", "zoom-out"],
	["0", "all of it", "zoom-all"],
	["[", "earlier span of time", "earlier"],
	["]", "later span of time", "later"],
	["m", "heat map: queue, load, stops", "measure"],
	["o", "heat map: in the order of congestion, or of the fabric", "order"],
	["/", "filter of the flow table", "filter"],
	["t", "text of the lab; while it asks: to its questions", "lab"],
	["w", "what if: change a parameter and run again, beside this run (--view=control)", "fork"],
	["y", "copy the command line", "copy"],
	["g", "open a recording", "open"],
	["d", "light or dark", "theme"],
	["p", "projector: large, thick lines", "projector"],
	["b", "black screen, and back", "black"],
	["?", "this help", "help"],
];

const shownKey = { " ": "space", ArrowRight: "\u2192", ArrowLeft: "\u2190", ArrowUp: "\u2191", ArrowDown: "\u2193" };

/** fillHelp(element) - the dialog of keys and words. */
export function fillHelp(element, close) {
	const words = el("div", { class: "glossary" });
	const show = (filter) => words.replaceChildren(table([{ text: "word" }, { text: "meaning" }], glossaryRows(filter).slice(0, 60)));
	show("");
	element.replaceChildren(el("button", { class: "close", onclick: close }, "close (Esc)"), el("h2", {}, "Keys"),
		el("div", { class: "keys" }, table([{ text: "key" }, { text: "action" }], keys.map(([key, what]) => [el("kbd", {}, shownKey[key] || key), what]))),
		el("p", {}, "Mouse and touch: click a link, node, row or axis; drag the topology; drag over strips to zoom; wheel or pinch zooms."),
		el("h2", {}, "Words"), el("input", { type: "search", placeholder: "find a word", "aria-label": "find a word",
			oninput: (e) => show(e.target.value) }), words);
}
