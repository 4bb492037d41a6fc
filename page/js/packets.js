// packets - single packets, if the recording has them (run.packets): dots on links in slow motion,
// lines in the ladder.
//
// Each is drawn from the moment at which its first bit leaves to that at which the receiver handles
// it: the end of its last bit, with cut-through of its header. Kinds differ in form: a disc is
// data, a ring an ACK, a diamond a CNP, a plus credit.

import { label } from "./paint.js";

const linesMax = 2500; /* more of them are no lines any more */

/** signs - what the legend says of the forms. */
export const signs = "disc: a packet, ring: ACK, diamond: CNP, plus: credit";

function mark(g, kind, x, y, size) {
	g.beginPath();
	if (kind === "CNP") {
		g.moveTo(x, y - size * 1.4); g.lineTo(x + size * 1.4, y); g.lineTo(x, y + size * 1.4); g.lineTo(x - size * 1.4, y);
		g.closePath();
	} else if (kind === "credit") {
		g.moveTo(x - size, y); g.lineTo(x + size, y); g.moveTo(x, y - size); g.lineTo(x, y + size);
	} else g.arc(x, y, size, 0, 2 * Math.PI);
	if (kind === "data" || kind === "CNP") g.fill();
	g.stroke();
}

// of the flow, or of its reverse direction
function isOf(flow, packet) {
	const [from, to] = packet.kind === "data" ? [packet.source, packet.destination] : [packet.destination, packet.source];
	return from === flow.node && to === flow.destination;
}

/** drawDots(g, topology, view) - what is on the links at view.t. Return: how many. */
export function drawDots(g, topology, view) {
	const { colours, flow } = view, size = Math.min(3.2 * colours.line, Math.max(1.6, topology.scale * 0.05));
	let count = 0;
	topology.facts.packetsIn(view.t, view.t + 1, (packet) => {
		count++;
		const l = topology.line(packet.output), part = (view.t - packet.left) / Math.max(1, packet.at - packet.left);
		const chosen = flow && isOf(flow, packet);
		g.lineWidth = 1.2 * colours.line;
		g.strokeStyle = chosen ? colours.accent : colours.ink;
		g.fillStyle = packet.kind === "CNP" ? colours.stop : chosen ? colours.accent : colours.panel;
		mark(g, packet.kind, l.x0 + (l.x1 - l.x0) * part, l.y0 + (l.y1 - l.y0) * part, chosen ? size * 1.4 : size);
	});
	return count;
}

/** linesOf(facts, hops, view) - every packet on the links of a path from view.from to view.to: with
 *  `own` if it is of view.flow, or an ACK or credit on its path. Null: too many for lines. */
export function linesOf(facts, hops, { flow, from, to }) {
	const column = new Map(hops.map((h, n) => [h.node, n])), found = [];
	const ahead = new Set(hops.slice(0, -1).map((h) => h.node * 64 + h.port));
	facts.packetsIn(from, to, (packet) => {
		const { output } = packet, own = isOf(flow, packet);
		const back = ahead.has(output.peer * 64 + output.peerPort);
		// along the path and back; what is of the flow on all links between its nodes
		if (column.has(output.node) && column.has(output.peer) && (own || ahead.has(output.node * 64 + output.port) || back)) {
			found.push({ ...packet, own: own || back && packet.source < 0 });
		}
	});
	return found.length > linesMax ? null : found.sort((a, b) => a.own - b.own || a.left - b.left);
}

/** drawLines(g, lines, hops, colours, x, y) - @lines: of linesOf(). Those of the flow have their
 *  numbers, others are faint. */
export function drawLines(g, lines, hops, colours, x, y) {
	const column = new Map(hops.map((h, n) => [h.node, n]));
	let named = -1e9;
	for (const packet of lines) {
		const { output, kind, own } = packet, x0 = x(column.get(output.node)), x1 = x(column.get(output.peer));
		const y0 = y(packet.left), y1 = y(packet.at);
		g.globalAlpha = own ? 1 : 0.35;
		g.strokeStyle = g.fillStyle = kind === "CNP" ? colours.stop : own && kind === "data" ? colours.accent : colours.soft;
		g.lineWidth = (own && kind === "data" ? 1.8 : 1) * colours.line;
		g.setLineDash(kind === "data" ? [] : kind === "credit" ? [2, 4] : [6, 3]);
		g.beginPath();
		g.moveTo(x0, y0);
		g.lineTo(x1, y1);
		g.stroke();
		g.setLineDash([]);
		if (kind !== "data") g.fillStyle = kind === "CNP" ? colours.stop : colours.panel;
		if (own) mark(g, kind, x0 + (x1 - x0) * 0.93, y0 + (y1 - y0) * 0.93, 2.4 * colours.line);
		if (own && kind === "data" && column.get(output.node) === 0 && y0 - named > 1.3 * colours.font) {
			named = y0;
			label(g, String(packet.number), x0 + 16 * colours.line, y0 + (y1 - y0) * 0.1, colours);
		}
	}
	g.globalAlpha = 1;
}
