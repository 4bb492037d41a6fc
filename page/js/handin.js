// handin - what a student hands in, in the report of a lab: `heddle lab report` (SE-9).

import { el, table } from "./dom.js";
import { withUnit } from "./lab.js";

/** handIn(lab) - the part of the report. @lab: of embeddedLab(). */
export function handIn(lab) {
	const values = Object.entries(lab.values).map(([name, value]) => `${name} = ${value}`).join(", ");
	return el("section", { class: "handin" }, el("h2", {}, `Lab ${lab.lab}: ${lab.title}`),
		el("p", {}, `Student ${lab.student}. `, values ? `Values: ${values}. ` : "",
			el("strong", { class: lab.passed ? null : "stopped" }, markOf(lab))),
		predictedTable(lab), answerTable(lab),
		el("h3", {}, "Commands"), el("pre", {}, lab.commands.join("\n")));
}

function markOf(lab) {
	const right = lab.answers.filter((a) => a.right).length;
	if (lab.passed === null) return "Not checked: answers are missing.";
	return `${lab.passed ? "Passed" : "Not passed"}: ${right} of ${lab.answers.length} answers are right.`;
}

function givenText({ given: answer, unit }) {
	return answer === null ? "-" : withUnit({ answer, unit });
}

function predictedTable(lab) {
	if (!lab.predict.length) return null;
	return table([{ text: "question" }, { text: "predicted", align: "right" }, { text: "measured", align: "right" }],
		lab.predict.map((p) => [p.ask, givenText(p), p.measured === null ? "-" : p.measured]), { caption: "Predictions" });
}

function answerTable(lab) {
	return table([{ text: "question" }, { text: "answer", align: "right" }, { text: "tolerance", align: "right" }, { text: "" }],
		lab.answers.map((a) => [a.ask, givenText(a), a.tolerance === null ? "-" : a.tolerance,
			a.right === null ? "-" : a.right ? "ok" : el("strong", { class: "stopped" }, "not right")]), { caption: "Answers" });
}
