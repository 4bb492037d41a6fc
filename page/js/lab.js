// lab - the text of a lab beside the fabric, and the predictions of its reader (SE-9).
//
// Before the first play the page asks what the reader expects. While it asks, nothing of the run
// is shown: see `asking` in app.js. The predictions then stay below the text. The server has them,
// so a page that is opened again does not ask again, and `heddle lab report` has them too.

import { el } from "./dom.js";
import { anchorOf, inline, markdown } from "./markdown.js";

export class Lab {
	/** @element: of the page. save(predictions): a promise, an Error if they are refused.
	 *  done(): asking has ended. */
	constructor(element, { save, done }) {
		this.element = element;
		this.save = save;
		this.done = done;
		this.lab = { predict: [] };
		this.skipped = false;
		this.known = "";
		this.text = el("div", { class: "lab-text", tabindex: "0" });
		this.below = el("div", { class: "lab-predictions" });
		element.replaceChildren(this.text, this.below);
		element.addEventListener("click", (e) => {
			const link = e.target.closest("a[data-anchor]");
			if (!link) return;
			e.preventDefault(); /* the address of the page has its token */
			const there = element.querySelector(`#lab-${CSS.escape(anchorOf(link.dataset.anchor))}`);
			if (there) there.scrollIntoView();
		});
	}

	get missing() { return this.lab.predict.filter((p) => p.answer === null); }

	/** asking - the page has to ask before it plays. */
	get asking() { return !this.skipped && this.missing.length > 0; }

	/** show(lab) - @lab: of GET /lab. What has not changed stays: what is typed, where it is
	 *  scrolled to. */
	show(lab) {
		const known = JSON.stringify(lab), before = this.lab;
		if (known === this.known) return;
		this.known = known;
		this.lab = lab;
		this.element.hidden = false;
		if (before.text !== lab.text || before.explanation !== lab.explanation) {
			const parts = markdown(lab.text || ""), [first] = parts;
			// the title is there once
			if (first && /^H2$/.test(first.tagName) && first.textContent === lab.title) parts.shift();
			this.text.replaceChildren(el("h2", {}, lab.title), el("p", { class: "hint" },
				`${lab.minutes} minutes, student ${lab.student}`), ...parts, ...explained(lab));
		}
		if (JSON.stringify(before.predict) !== JSON.stringify(lab.predict)) this.showBelow();
	}

	showBelow() {
		this.below.replaceChildren(...this.asking ? [this.form()] : this.predicted());
		this.below.hidden = !this.lab.predict.length;
	}

	form() {
		const fault = el("p", { class: "bad", role: "alert" });
		const fields = this.missing.map((p) => el("label", {}, el("span", {}, inline(p.ask)), el("span", { class: "field" },
			el("input", { name: p.name, required: true, maxlength: "200", autocomplete: "off" }), p.unit ? ` ${p.unit}` : null)));
		const send = async (e) => {
			e.preventDefault();
			const values = Object.fromEntries([...e.target.querySelectorAll("input")].map((i) => [i.name, i.value.trim()]));
			try { await this.save(values); } catch (error) { fault.textContent = error.message || String(error); }
		};
		const skip = () => { this.skipped = true; this.showBelow(); this.done(); };
		return el("form", { onsubmit: send }, el("h3", {}, "What do you expect?"), fields, fault,
			el("p", {}, el("button", { type: "submit", class: "main" }, "save predictions"), " ",
				el("button", { type: "button", onclick: skip, title: "without a prediction" }, "skip"), " ",
				el("span", { class: "hint" }, "Then the run plays. Predictions are not marked.")));
	}

	predicted() {
		return [el("h3", {}, "Your predictions"), el("dl", {}, this.lab.predict.flatMap((p) => [el("dt", {}, inline(p.ask)),
			el("dd", {}, p.answer === null ? el("span", { class: "hint" }, "none") : el("strong", {}, withUnit(p)))]))];
	}

	/** focus() - to the first question, or to the text. */
	focus() { (this.below.querySelector("input") || this.text).focus(); }
}

/** withUnit({answer, unit}) - a text with the unit once, if its author has written it as well. */
export function withUnit({ answer, unit }) {
	return unit && /^[\d\s.,+-]+$/.test(answer) ? `${answer} ${unit}` : answer;
}

function explained({ explanation }) {
	if (explanation === null || explanation === undefined) return [];
	const parts = markdown(explanation), own = parts[0] && /^H/.test(parts[0].tagName);
	return own ? parts : [el("h3", {}, "Explanation"), ...parts];
}
