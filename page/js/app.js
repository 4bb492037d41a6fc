// app - the page as a whole: state, actions, keys, and the loop that draws frames.
//
// `app` is the state that all panes share. An action changes it, says its command line (did) and
// calls changed(); the next frame draws. Nothing is drawn while nothing changes.

import { Clock } from "./clock.js";
import { commandFor } from "./commands.js";
import { conditionAfter, readCondition } from "./condition.js";
import { el } from "./dom.js";
import { fillFork } from "./fork.js";
import { fillHelp, keys } from "./help.js";
import { inspect } from "./inspector.js";
import { listen } from "./gestures.js";
import { Lab } from "./lab.js";
import { canvasViews, Pane } from "./pane.js";
import { theme } from "./paint.js";
import { Recording } from "./recording.js";
import { reportOf, verdict } from "./report.js";
import { serverOfPage } from "./server.js";
import { BlobSource, embeddedLab, embeddedSources } from "./source.js";
import { pinnedStrip } from "./strips.js";
import { Topology } from "./topology.js";
import { spanText, timeText } from "./units.js";
import { measures } from "./heat.js";

const $ = (id) => document.getElementById(id);
// what may be done before the reader of a lab has predicted: it shows nothing of the run
const beforehand = ["help", "theme", "projector", "black", "clear", "copy", "lab", "next-node", "previous-node", "next-link",
	"zoom-in", "zoom-out", "zoom-all", "view topology"];
const views = ["topology", "heat", "ladder", "strips", "flows", "tables", "report"];

export const app = {
	clock: new Clock(),
	loaded: [],          /* all panes that were opened */
	panes: [],           /* one or two of them are shown */
	view: "topology",
	from: 0, to: 1,      /* span of time of strips, heat map and ladder */
	whole: true,         /* the span follows the end */
	brush: null,
	selected: null,
	flow: null,
	filter: "",
	measure: "queue",
	order: "first",
	last: { kind: "view", view: "topology" },
	frames: 0, fps: 0,
	timing: {},          /* ms: opened, read; for tests */
	dirty: true,
	colours: null,
	lab: null,           /* beside the fabric */

	get asking() { return Boolean(this.lab && this.lab.asking); },
	get t() { return this.clock.t; },
	get ratio() { return this.clock.playing ? this.clock.ratio : Math.min(this.clock.ratio, 5e6); },
	get several() { return this.panes.length > 1; },
	get scales() { return Topology.scales(this.panes.map((p) => p.facts)); },

	changed() { this.dirty = true; },
	did(what) { this.last = { t: this.clock.t, ...what }; this.changed(); },

	/** add(recording, info) - opens a recording and shows it. */
	async add(recording, info = {}, show = "first") {
		const begun = performance.now();
		await recording.open();
		const pane = new Pane(recording, info);
		this.loaded.push(pane);
		listen(this, pane);
		if (show === "first" && !this.panes.length) this.show([pane]);
		else if (show === "beside") this.show([this.panes[0], pane].filter(Boolean).slice(-2));
		this.choices();
		this.timing.opened = performance.now() - begun;
		await this.follow(pane);
		this.timing.read = performance.now() - begun;
		return pane;
	},

	/** follow(pane) - reads what there is, and looks for more while the recording grows. */
	async follow(pane) {
		const { rec } = pane;
		let drawn = 0;
		const show = () => {
			drawn = performance.now();
			this.extent();
			pane.drawn.state = null;
			this.changed();
		};
		// drawing all of it again takes time from reading
		const progress = () => { if (performance.now() - drawn > 700) show(); };
		await rec.readAll(progress);
		pane.refreshStrips();
		show();
		const left = rec.source.size < (rec.source.total || 0);
		if (rec.complete || (rec.source.state !== "growing" && !left)) return;
		this.growing(pane, progress, show);
	},

	async growing(pane, progress, show) {
		const { rec } = pane;
		while (!rec.complete) {
			try {
				const more = await rec.source.more();
				if (more && await rec.readBlocks()) {
					await rec.readAll(progress);
					pane.refreshStrips();
					show();
				}
				if (!more && rec.source.state !== "growing") break;
				if (!more) await new Promise((done) => setTimeout(done, 300));
			} catch (error) {
				this.complain(error);
				await new Promise((done) => setTimeout(done, 1000));
			}
		}
		this.choices();
		show();
	},

	// the end may have moved
	extent() {
		const end = Math.max(...this.panes.map((p) => p.rec.end), 1);
		if (end === this.clock.end) return;
		if (!this.clock.end) this.clock.fit(end);
		this.clock.end = end;
		if (this.whole) [this.from, this.to] = [0, this.usefulEnd()];
	},

	// series end with the measured interval; the drain after it may take much longer
	usefulEnd() {
		const measured = Math.max(...this.panes.map((p) => p.rec.head.measure ? p.rec.head.measure[1] : 0));
		return measured > 0 ? Math.min(this.clock.end, measured) : this.clock.end;
	},

	show(panes) {
		this.panes = panes;
		document.body.classList.toggle("several", panes.length > 1);
		$("panes").replaceChildren(...panes.map((p) => p.element));
		$("strips").replaceChildren(...panes.map((p) => p.below));
		this.clock.end = 0;
		this.extent();
		document.title = `Heddle: ${panes.map((p) => p.name).join(" | ")}`;
		for (const pane of panes) pane.drawn.state = null;
		this.reportState = null;
		this.choices();
		this.changed();
	},

	// which recordings are shown
	choices() {
		const options = (chosen) => this.loaded.map((p, i) => el("option", { value: String(i), selected: p === chosen },
			p.name + (p.rec.complete ? "" : " (runs)")));
		$("left").replaceChildren(...options(this.panes[0]));
		$("right").replaceChildren(el("option", { value: "" }, "alone"), ...options(this.panes[1]));
		$("left").closest("label").hidden = this.loaded.length < 2;
		$("right").closest("label").hidden = this.loaded.length < 2;
	},

	select(hit) {
		this.selected = hit;
		if (hit && hit.port) this.did({ kind: "port", node: hit.node, port: hit.port.port });
		else if (hit) this.did({ kind: "node", node: hit.node });
		this.changed();
	},

	pickFlow(flow) {
		app.flow = flow;
		app.did({ kind: "flow", flow });
	},

	go(t) { this.clock.go(t); this.did({ kind: "go", t: this.clock.t }); },

	span(from, to) {
		const end = this.clock.end, least = 1000;
		this.whole = false;
		this.from = Math.max(0, Math.min(from, end - least));
		this.to = Math.min(end, Math.max(to, this.from + least));
		this.changed();
	},

	zoomTime(factor, around) {
		const width = (this.to - this.from) / factor, part = (around - this.from) / (this.to - this.from);
		if (width >= this.clock.end) this.act("zoom-all");
		else this.span(around - width * part, around + width * (1 - part));
	},

	complain(error) {
		$("message").textContent = error ? error.message || String(error) : "";
		$("message").hidden = !error;
	},

	setView(view) {
		this.view = view;
		this.did({ kind: "view", view });
		for (const tab of document.querySelectorAll("#tabs button")) tab.setAttribute("aria-selected", String(tab.dataset.view === view));
		document.body.dataset.view = view;
		if (view === "ladder" && !this.flow && this.panes[0]) this.flow = this.panes[0].rec.flows[0] || null;
		for (const pane of this.panes) pane.drawn.state = null;
	},

	async step(direction, what) {
		this.clock.pause();
		const { rec, facts } = this.panes[0], { t } = this.clock, { selected } = this;
		let at = null;
		if (what === "sample") {
			const times = await Promise.all(this.panes.map((p) => p.rec.neighbourSample(t, direction)));
			const known = times.filter((x) => x !== null);
			if (known.length) at = direction > 0 ? Math.min(...known) : Math.max(...known);
		} else {
			const match = (e, i) => facts.isAt(selected, e.node[i], e.port[i]);
			at = direction > 0 ? await rec.nextEvent(t, match) : await rec.eventBefore(t, match);
		}
		if (at !== null) this.clock.go(at);
		this.did({ kind: what === "sample" ? "step-sample" : "step-event", t });
	},

	async until(text) {
		try {
			const { rec } = this.panes[0], { t } = this.clock;
			const condition = readCondition(text, rec), at = await conditionAfter(rec, condition, t);
			if (at === null) throw new Error(`'${text}' does not hold after ${timeText(t)} in this recording`);
			this.complain(null);
			this.clock.go(at);
			this.did({ kind: "until", text, t, name: condition.name, event: Boolean(condition.event) });
		} catch (error) { this.complain(error); }
	},

	bookmark(direction) {
		const list = this.panes[0].facts.bookmarks(), { t } = this.clock;
		const found = direction > 0 ? list.find((b) => b.at > t) : list.reverse().find((b) => b.at < t);
		if (found) this.jump(found);
	},

	jump(bookmark) {
		this.clock.go(bookmark.at);
		this.did({ kind: "bookmark", event: bookmark.event, t: bookmark.at });
	},

	// nodes, links and flows in turn, so that the keyboard reaches all of them
	turn(what, direction) {
		const { rec, facts } = this.panes[0], now = this.selected;
		const next = (at, count) => ((at + direction) % count + count) % count;
		if (what === "flow") {
			if (!rec.flows.length) return;
			this.pickFlow(rec.flows[next(this.flow ? this.flow.id : direction > 0 ? -1 : 0, rec.flows.length)]);
		} else if (what === "node") {
			this.select({ node: next(now ? now.node : direction > 0 ? -1 : 0, rec.head.nodes.length), port: null });
		} else {
			const ports = facts.outputsOf(now ? now.node : 0);
			if (!ports.length) return;
			const at = now && now.port ? ports.findIndex((p) => p.port === now.port.port) : -1;
			this.select({ node: ports[0].node, port: ports[next(at, ports.length)] });
		}
	},

	/** act(name) - an action of the table of keys; buttons use the same names. */
	act(name) {
		const { clock } = this;
		if (!this.panes.length && !["help", "open", "theme", "projector", "black", "clear", "lab"].includes(name)) return;
		if (this.asking && !beforehand.includes(name)) {
			this.complain("Predict first, beside the text of the lab (key t), or skip it: then the fabric plays.");
			return;
		}
		if (name.startsWith("view ")) { this.setView(name.slice(5)); return; }
		switch (name) {
		case "play":
			if (clock.playing) clock.pause(); else clock.play();
			this.did({ kind: "play", ratio: clock.ratio });
			break;
		case "reverse": clock.play(-1); this.changed(); break;
		case "next-sample": this.step(1, "sample"); break;
		case "previous-sample": this.step(-1, "sample"); break;
		case "next-event": this.step(1, "event"); break;
		case "previous-event": this.step(-1, "event"); break;
		case "faster": case "slower":
			clock.faster(name === "faster" ? 1 : -1);
			this.did({ kind: "play", ratio: clock.ratio });
			break;
		case "start": this.go(0); break;
		case "end": this.go(clock.end); break;
		case "next-bookmark": this.bookmark(1); break;
		case "previous-bookmark": this.bookmark(-1); break;
		case "until": $("until").focus(); $("until").select(); break;
		case "compare": this.compare(); break;
		case "next-node": this.turn("node", 1); break;
		case "previous-node": this.turn("node", -1); break;
		case "next-link": this.turn("link", 1); break;
		case "next-flow": this.turn("flow", 1); break;
		case "previous-flow": this.turn("flow", -1); break;
		case "clear": this.clear(); break;
		case "zoom-in": case "zoom-out": this.zoom(name === "zoom-in" ? 1.4 : 1 / 1.4); break;
		case "zoom-all": this.zoomAll(); break;
		case "earlier": case "later": {
			const move = (this.to - this.from) / 3 * (name === "later" ? 1 : -1);
			if (this.from + move >= 0 && this.to + move <= clock.end) this.span(this.from + move, this.to + move);
			break;
		}
		case "measure": this.measure = measures[(measures.indexOf(this.measure) + 1) % measures.length]; this.changed(); break;
		case "order": this.order = this.order === "first" ? "fabric" : "first"; this.changed(); break;
		case "filter": this.setView("flows"); $("filter").hidden = false; $("filter").focus(); break;
		case "fork": this.forkDialog(); break;
		case "copy": navigator.clipboard && navigator.clipboard.writeText($("command").textContent).catch(() => {}); break;
		case "open": $("file").click(); break;
		case "theme": this.setTheme(this.colours.dark ? "light" : "dark"); break;
		case "projector": document.body.classList.toggle("projector"); this.setTheme(null); break;
		case "black": $("black").hidden = !$("black").hidden; break;
		case "lab": this.turnLab(); break;
		case "help": this.dialog("help", (box, close) => fillHelp(box, close)); break;
		default: throw new Error(`no action ${name}`);
		}
	},

	zoom(factor) {
		if (this.view === "topology") {
			const { canvas } = this.panes[0];
			for (const p of this.panes) p.topology.zoomBy(factor, canvas.clientWidth / 2, canvas.clientHeight / 2, canvas.clientWidth, canvas.clientHeight);
			this.changed();
		} else this.zoomTime(factor, Math.min(this.to, Math.max(this.from, this.clock.t)));
	},

	zoomAll() {
		if (this.view === "topology") for (const p of this.panes) { p.topology.zoom = 1; p.topology.shift = [0, 0]; }
		else {
			// first the measured interval, then all of it, in turn
			const full = this.whole && this.to < this.clock.end;
			[this.from, this.to] = [0, full ? this.clock.end : this.usefulEnd()];
			this.whole = true;
		}
		this.changed();
	},

	clear() {
		if (!$("dialog").hidden) { $("dialog").hidden = true; return; }
		if (!$("black").hidden) { $("black").hidden = true; return; }
		this.complain(null);
		this.clock.pause();
		this.selected = null;
		this.flow = null;
		this.changed();
	},

	compare() {
		// a report has all recordings already: another view shows two side by side
		if (!this.several && this.loaded.length > 1 && this.view === "report") this.setView("topology");
		if (this.several) this.show([this.panes[0]]);
		else if (this.loaded.length > 1) {
			const other = this.loaded.find((p) => p !== this.panes[0]);
			this.show([this.panes[0], other]);
		} else this.complain("Open a second recording (g), or start a fork (w), to see two side by side.");
		this.did({ kind: "view", view: "compare" });
	},

	pin(name, node, port, index) {
		for (const pane of app.panes) {
			pane.pinned = [...pane.pinned, pinnedOf(pane, name, node, port, index)].filter(Boolean).slice(-6);
			pane.refreshStrips();
		}
		app.changed();
	},

	dialog(name, fill) {
		const box = $("dialog"), close = () => { box.hidden = true; };
		if (!box.hidden && box.dataset.name === name) { close(); return; }
		box.dataset.name = name;
		box.hidden = false;
		fill(box, close);
		(box.querySelector("form input") || box.querySelector("button") || box).focus();
	},

	forkDialog() {
		const { server } = this;
		if (!server || !server.control) {
			this.complain("A fork needs `heddle run FILE --view=control` or `heddle view RECORDING --control`.");
			return;
		}
		this.dialog("fork", (box, close) => fillFork(box, close, this));
	},

	// ---- a lab ----

	/** readLab() - the lab of the server as it is now: answers may come from a terminal. */
	async readLab() {
		const { server } = this;
		const lab = await server.lab();
		if (!this.lab) {
			this.lab = new Lab($("lab"), { done: () => this.answered(),
				save: async (predictions) => {
					await server.predict(predictions);
					this.did({ kind: "predict", lab: this.lab.lab, predictions });
					await this.readLab();
				} });
			document.querySelector("[data-act=lab]").hidden = false;
			this.select(null);
		}
		const { asking } = this;
		this.lab.show(lab);
		if (asking && !this.asking) this.answered();
		this.lock();
	},

	// nothing of the run is shown before the predictions
	lock() {
		document.body.classList.toggle("asking", this.asking);
		for (const id of ["transport", "tabs"]) $(id).inert = this.asking;
		this.changed();
	},

	answered() {
		this.complain(null);
		this.lock();
		$("play").focus();
	},

	turnLab() {
		if (!this.lab) { this.complain("There is no lab beside this fabric."); return; }
		$("lab").hidden = !$("lab").hidden && !this.asking;
		if (!$("lab").hidden) this.lab.focus();
		this.changed();
	},

	setTheme(name) {
		if (name) document.documentElement.dataset.theme = name;
		this.colours = theme();
		for (const pane of this.loaded) pane.drawn.state = null;
		this.reportState = null;
		this.changed();
	},

	// ---- drawing ----

	draw() {
		if (this.view === "report") { this.drawReport(); return; }
		$("report").hidden = true;
		$("play-area").hidden = false;
		const strip = canvasViews.includes(this.view) && this.view !== "strips" || this.view === "flows";
		$("strips").hidden = !strip || this.asking;
		for (const pane of this.panes) {
			pane.draw(this);
			if (strip && !this.asking) pane.drawStrips(pane.below, { ...this.shared(), view: "below" });
		}
		$("filter").hidden = this.view !== "flows";
		// at the size of a lecture hall there is space for one text beside the fabric
		const text = this.lab && !$("lab").hidden && document.body.classList.contains("projector");
		$("inspector").hidden = this.asking || text && !this.selected && !this.flow;
		if (!this.clock.playing || performance.now() - (this.inspected || 0) > 200) {
			this.inspected = performance.now();
			const pane = this.panes[0];
			$("inspector").replaceChildren(inspect(pane.facts, this.clock.t, { selected: pane.selectedOf(this), flow: pane.flowOf(this), pin: this.pin }));
		}
		this.transport();
	},

	shared() {
		return { t: this.t, from: this.from, to: this.to, colours: this.colours, panes: this.panes, scales: this.scales };
	},

	drawReport() {
		$("play-area").hidden = true;
		$("strips").hidden = true;
		$("report").hidden = false;
		const state = this.panes.map((p) => `${p.name} ${p.rec.fed} ${p.rec.complete}`).join() + document.documentElement.dataset.theme;
		if (this.reportState !== state) {
			this.reportState = state;
			const panes = this.embedded ? this.loaded : this.panes;
			const report = reportOf(panes, { colours: this.colours, panes, lab: embeddedLab(),
				scales: Topology.scales(panes.map((p) => p.facts)) });
			$("report").replaceChildren(report.element);
			this.redrawReport = report.redraw;
		}
		this.redrawReport();
		this.transport();
	},

	transport() {
		const { clock } = this;
		$("time").textContent = timeText(clock.t);
		$("end").textContent = timeText(clock.end);
		$("scrub").max = String(clock.end);
		$("scrub").value = String(clock.t);
		$("scrub").setAttribute("aria-valuetext", timeText(clock.t));
		$("play").textContent = clock.playing ? "\u275a\u275a" : "\u25b6";
		$("play").setAttribute("aria-label", clock.playing ? "pause" : "play");
		$("speed").textContent = `${spanText(clock.ratio)}/s`;
		$("speed").title = `this recording takes ${Math.max(1, Math.round(clock.end / clock.ratio))} s at this speed`;
		$("fps").textContent = clock.playing ? `${this.fps} frames/s` : "";
		$("command").textContent = commandFor(this.panes[0], this.last);
		const { head } = this.panes[0].rec;
		const late = head.clock === "real" ? `real clock${verdict(this.panes[0].rec)}` : "virtual clock, exact";
		$("verdict").textContent = late;
		$("verdict").className = /NOT VALID/.test(late) ? "bad" : /valid for rates|unknown/.test(late) ? "middling" : "fine";
		const marks = this.panes[0].facts.bookmarks();
		const state = marks.map((m) => m.at + m.name).join();
		if ($("bookmarks").dataset.state !== state) {
			$("bookmarks").dataset.state = state;
			$("bookmarks").replaceChildren(...marks.map((m) => el("button", { class: "small", title: timeText(m.at), onclick: () => this.jump(m) },
				`${m.name} ${(m.at / 1e6).toFixed(1)}`)));
		}
	},

	frame(now) {
		const seconds = (now - (this.before || now)) / 1000;
		this.before = now;
		if (this.clock.frame(seconds)) this.dirty = true;
		if (this.dirty && this.panes.length) {
			this.dirty = false;
			const begun = performance.now();
			this.draw();
			this.frames++;
			this.timing.draw = performance.now() - begun;
		}
		if (now - (this.counted || 0) > 1000) {
			this.fps = Math.round((this.frames - (this.framesBefore || 0)) * 1000 / (now - (this.counted || now - 1000)));
			this.framesBefore = this.frames;
			this.counted = now;
		}
		requestAnimationFrame((t) => this.frame(t));
	},
};

// a pinned strip exists only in a recording with that series and node
function pinnedOf(pane, name, node, port, index) {
	return pane.rec.seriesOf.has(name) && pane.rec.head.nodes[node] ? pinnedStrip(pane.facts, name, node, port, index) : null;
}

function onKey(e) {
	if (e.ctrlKey || e.altKey || e.metaKey) return;
	// the text of a lab is scrolled
	if (e.target.closest(".lab-text") && ["ArrowUp", "ArrowDown", "Home", "End", " "].includes(e.key)) return;
	if (e.target.closest(".drawn") && ["ArrowLeft", "ArrowRight"].includes(e.key)) return;
	const field = e.target.closest("input:not([type=range]), select, textarea");
	if (field && e.key !== "Escape") return;
	if (field) { field.blur(); e.preventDefault(); return; }
	// a button is pressed by space, a slider moved by arrows, a row chosen by Enter
	if (e.key === " " && e.target.closest("button")) return;
	if (e.target.id === "scrub" && e.key.startsWith("Arrow")) return;
	const found = keys.find(([key]) => key === e.key);
	if (!found) return;
	e.preventDefault();
	app.act(found[2]);
}

/** open(files) - recordings from files: the first alone, more beside it. */
async function open(files) {
	for (const file of files) {
		try {
			app.complain(null);
			await app.add(new Recording(new BlobSource(file, file.name)), {}, app.loaded.length ? "beside" : "first");
		} catch (error) { app.complain(`${file.name}: ${error.message || error}`); }
	}
}

async function openServer(server) {
	app.server = server;
	const opening = [];
	for (;;) {
		try {
			const fresh = await server.poll();
			if (server.hasLab && !app.lab) await app.readLab();
			for (const entry of fresh) {
				opening.push(app.add(server.recording(entry), entry, app.loaded.length || opening.length ? "beside" : "first")
					.catch((error) => app.complain(entry.error || error)));
			}
			for (const pane of app.loaded) {
				const entry = server.known.get(pane.info.id);
				if (entry && entry.error) app.complain(`${entry.name}: ${entry.error}`);
			}
		} catch (error) { app.complain(error); }
		await new Promise((done) => setTimeout(done, 1000));
	}
}

function connect() {
	$("tabs").addEventListener("click", (e) => { const b = e.target.closest("button"); if (b) app.act(b.dataset.view === "compare" ? "compare" : `view ${b.dataset.view}`); });
	document.addEventListener("click", (e) => { const b = e.target.closest("button[data-act]"); if (b) app.act(b.dataset.act); });
	document.addEventListener("keydown", onKey);
	$("scrub").addEventListener("input", (e) => app.go(Number(e.target.value)));
	$("until").addEventListener("keydown", (e) => { if (e.key === "Enter") { app.until(e.target.value); e.target.blur(); } });
	$("filter").addEventListener("input", (e) => { app.filter = e.target.value; app.changed(); });
	$("left").addEventListener("change", (e) => app.show([app.loaded[e.target.value], ...app.panes.slice(1)]));
	$("right").addEventListener("change", (e) => app.show([app.panes[0], ...(e.target.value === "" ? [] : [app.loaded[e.target.value]])]));
	$("file").addEventListener("change", (e) => open([...e.target.files]));
	document.addEventListener("dragover", (e) => e.preventDefault());
	document.addEventListener("drop", (e) => { e.preventDefault(); open([...e.dataTransfer.files]); });
	// commands in a terminal answer as well
	addEventListener("focus", () => { if (app.lab) app.readLab().catch((error) => app.complain(error)); });
	new ResizeObserver(() => app.changed()).observe($("main"));
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => app.setTheme(null));
	// A4 is printed in black on white, whatever the screen shows
	let screen = null;
	addEventListener("beforeprint", () => { screen = document.documentElement.dataset.theme || ""; app.setTheme("light"); app.setView("report"); app.draw(); });
	addEventListener("afterprint", () => { document.documentElement.dataset.theme = screen; app.setTheme(null); });
}

/** main() - starts the page: what is in this file, else what the server has, else a file. */
export async function main() {
	connect();
	app.setTheme(null);
	app.setView("topology");
	requestAnimationFrame((t) => app.frame(t));
	const embedded = embeddedSources();
	app.embedded = embedded.length > 0;
	try {
		if (app.embedded) {
			for (const source of embedded) await app.add(new Recording(source), {});
			app.setView("report");
		} else if (serverOfPage()) await openServer(serverOfPage());
	} catch (error) { app.complain(error); }
}

globalThis.heddlePage = app; /* for tests, and for the console of the curious */
main();
