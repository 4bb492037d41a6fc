// pane - one recording on the page: its facts, its canvases, and what each view draws into them.
//
// Two panes stand side by side with one clock and one scale; a pane draws what `shared` says: time,
// span of time, view, selection, scales.

import { el } from "./dom.js";
import { Facts } from "./facts.js";
import { flowTable } from "./flows.js";
import { changesText } from "./fork.js";
import { drawHeat, heatHit, heatLeft } from "./heat.js";
import { drawLadder } from "./ladder.js";
import { defaultStrips, drawStrips, margins, stripMax } from "./strips.js";
import { csvOf, resultTable, save, tableList } from "./tables.js";
import { Topology } from "./topology.js";
import { timeText } from "./units.js";

export const canvasViews = ["topology", "heat", "ladder", "strips"];

export class Pane {
	constructor(recording, info = {}) {
		this.rec = recording;
		this.info = info;              /* of GET /recordings: id, fork, command */
		this.facts = new Facts(recording);
		this.topology = new Topology(this.facts);
		this.strips = [];
		this.pinned = [];
		this.canvas = el("canvas", { tabindex: "0", role: "img" });
		this.below = el("canvas", { tabindex: "0", role: "img", "aria-label": "strips over time" });
		this.content = el("div", { class: "content", tabindex: "0" });
		this.title = el("h1", { class: "pane-title" });
		this.element = el("section", { class: "pane" }, this.title, this.canvas, this.content);
		this.tableName = null;
		this.drawn = {};
	}

	get name() {
		const fork = this.info.fork;
		if (!fork) return this.rec.name;
		return `${this.rec.name}, changed` + (fork.at_ps ? ` at ${timeText(fork.at_ps)}` : "") +
			(fork.set && fork.set.length ? `: ${changesText(fork.set)}` : "");
	}

	/** refreshStrips() - the default strips and those that the reader has pinned. */
	refreshStrips() { this.strips = [...this.pinned, ...defaultStrips(this.facts)]; }

	/** stripsShown(view) - all of them in their own view, three below the others. */
	stripsShown(view) {
		if (view === "strips") return this.strips;
		const first = this.strips.filter((s) => s.pinned);
		const rest = this.strips.filter((s) => !s.pinned);
		const chosen = [rest.find((s) => s.name === "queue_bytes"), rest.find((s) => s.kind === "stops"),
			rest.find((s) => s.kind === "ticks"), rest.find((s) => s.name === "tx_bytes")].filter(Boolean);
		return [...first.slice(-2), ...chosen].slice(0, 3);
	}

	flowOf(shared) {
		return shared.flow ? this.rec.flowOf.get(`${shared.flow.node} ${shared.flow.index}`) || null : null;
	}

	selectedOf({ selected }) {
		if (!selected || !this.rec.head.nodes[selected.node]) return null;
		return { node: selected.node, port: selected.port ? this.facts.portOf.get(selected.node * 64 + selected.port.port) || null : null };
	}

	/** draw(shared) - the main area of this pane. */
	draw(shared) {
		const { view } = shared, canvas = canvasViews.includes(view);
		this.title.textContent = shared.several ? this.name : "";
		this.title.hidden = !shared.several;
		this.canvas.hidden = !canvas;
		this.content.hidden = canvas;
		const flow = this.flowOf(shared), selected = this.selectedOf(shared);
		this.canvas.setAttribute("aria-label", `${view} of ${this.name} at ${timeText(shared.t)}`);
		switch (view) {
		case "topology":
			this.topology.draw(this.canvas, { ...shared, flow, selected, slow: shared.ratio });
			break;
		case "heat":
			this.drawn.heat = drawHeat(this.canvas, this.facts, { ...shared, selected, top: shared.scales.switchQueue });
			break;
		case "ladder":
			drawLadder(this.canvas, this.facts, { ...shared, flow });
			break;
		case "strips":
			this.drawStrips(this.canvas, shared);
			break;
		case "flows":
			this.replace(`flows ${shared.t} ${flow && flow.id} ${shared.filter}`, () =>
				flowTable(this.facts, shared.t, { flow, filter: shared.filter, pick: shared.pickFlow }));
			break;
		case "tables":
			this.replace(`tables ${this.rec.complete} ${this.tableName} ${this.tableNode} ${this.tableSort}`, () => this.tables(shared));
			break;
		default: break;
		}
	}

	// a table is built again only if what it shows has changed; the focus and the scroll
	// position stay
	replace(state, build) {
		if (this.drawn.state === state) return;
		this.drawn.state = state;
		const focused = [...this.content.querySelectorAll("tr, select, button, th")].indexOf(document.activeElement);
		const { scrollTop, scrollLeft } = this.content;
		this.content.replaceChildren(build());
		this.content.scrollTop = scrollTop;
		this.content.scrollLeft = scrollLeft;
		const again = focused >= 0 && this.content.querySelectorAll("tr, select, button, th")[focused];
		if (again) again.focus();
	}

	drawStrips(canvas, shared) {
		const strips = this.stripsShown(shared.view);
		canvas.dataset.strips = strips.map((s) => s.title).join("|");
		drawStrips(canvas, this.facts, strips, { ...shared, maxOf: (n) => {
			// the same strip of the other pane has the same scale
			const same = (p) => p.strips.find((s) => s.title === strips[n].title && s.name === strips[n].name && s.kind === "lines");
			return Math.max(...shared.panes.map((p) => same(p) ? stripMax(p.facts, same(p)) : 0)) || undefined;
		} });
	}

	tables(shared) {
		const list = tableList(this.rec);
		if (!list.length) return el("p", { class: "hint" }, "Tables come with the end of the run.");
		const item = list.find((t) => t.name === this.tableName) || list[0];
		this.tableName = item.name;
		const again = (change) => { Object.assign(this, change); shared.changed(); };
		const names = [...new Set(this.rec.head.nodes.map((n) => n.name))];
		return el("div", {}, el("p", { class: "controls" },
			el("label", {}, "table ", el("select", { onchange: (e) => { again({ tableName: e.target.value, tableSort: null }); shared.did({ kind: "table", name: e.target.value }); } },
				list.map((t) => el("option", { value: t.name, selected: t === item }, t.name)))), " ",
			el("label", {}, "node ", el("select", { onchange: (e) => again({ tableNode: e.target.value }) }, el("option", { value: "" }, "all"),
				names.map((n) => el("option", { value: n, selected: n === this.tableNode }, n)))), " ",
			el("button", { onclick: () => save(item.name.replace(/(\.csv)?$/, ".csv"), csvOf(item)) }, "save as CSV")),
			resultTable(this.rec, item, { node: this.tableNode || "", sort: this.tableSort, resort: (key) => again({ tableSort: key }) }));
	}

	/** hit(shared, x, y) - what is at this place of the canvas: {node, port} or null. */
	hit({ view }, x, y) {
		if (view === "topology") return this.topology.hit(x, y);
		return view === "heat" ? heatHit(this.drawn.heat, y) : null;
	}

	/** timeAt(shared, canvas, x) - the time at this place of an axis, or null. */
	static timeAt({ view, from, to, colours }, canvas, x, below) {
		const heat = view === "heat" && !below;
		const left = heat ? heatLeft(colours) : margins(colours).left, right = heat ? 8 : margins(colours).right;
		const part = (x - left) / (canvas.clientWidth - left - right);
		return part < -0.01 || part > 1.01 ? null : from + Math.min(1, Math.max(0, part)) * (to - from);
	}
}
