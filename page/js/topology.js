// topology - the fabric drawn by its kind: queues as bars, links by load, stops hatched.
//
// Each link is two lines, one for each direction, on the right of its sender. Width and colour of a
// line show the part of the rate that was sent in the last samples. A bar at the beginning of a
// line is the queue of that output; those of hosts (not sent yet) have a scale of their own. A
// hatched line may not send. Squares that travel are XOFF (filled) and XON (hollow), at the times
// of the events. Dots are single packets if the recording has them (packets.js). Else there is one
// for every so many bytes of the counter of the link, and the legend says how many. When nodes are
// too close, groups are drawn as discs.

import { layoutOf } from "./layout.js";
import { drawDots, signs } from "./packets.js";
import { arrow, font, hatch, heat, label, start } from "./paint.js";
import { bytesText, niceMax, timeText } from "./units.js";

export class Topology {
	constructor(facts) {
		this.facts = facts;
		this.layout = layoutOf(facts.rec.head);
		this.zoom = 1;
		this.shift = [0, 0];
		this.links = facts.ports.filter((p) => p.node < p.peer || p.node === p.peer && p.port < p.peerPort);
		// several links between two nodes stand beside each other
		const beside = new Map();
		for (const link of this.links) {
			const name = `${link.node} ${link.peer}`;
			link.lane = beside.get(name) || 0;
			beside.set(name, link.lane + 1);
		}
		for (const link of this.links) {
			link.lanes = beside.get(`${link.node} ${link.peer}`);
			const back = facts.portOf.get(link.peer * 64 + link.peerPort);
			if (back) { back.lane = -link.lane; back.lanes = link.lanes; back.mirrored = true; }
		}
	}

	/** scales(panes) - the greatest queues of all panes, so that two have one scale. */
	static scales(list) {
		const most = (which) => niceMax(Math.max(1, ...list.map((f) => f.seriesMax("queue_bytes", which))));
		return { switchQueue: most("switch"), hostQueue: most("host") };
	}

	place(width, height) {
		const { layout } = this, bottom = this.below;
		const across = width / layout.width, down = (height - bottom) / layout.height;
		const scale = Math.min(across, down) * this.zoom;
		// tiers may be stretched: only their order has a meaning
		const tall = layout.kind === "tiers" ? Math.min(down * this.zoom, scale * 4) : scale;
		this.scale = scale;
		const left = (width - layout.width * scale) / 2 + this.shift[0];
		const top = (height - bottom - layout.height * tall) / 2 + this.shift[1];
		this.points = layout.at.map(([x, y]) => [left + x * scale, top + y * tall]);
		this.discs = layout.groups.map((d) => ({ ...d, x: left + d.x * scale, y: top + d.y * scale, r: d.r * scale }));
	}

	/** draw(canvas, view) - view: {t, colours, scales, selected, flow, slow: ps per second}. */
	draw(canvas, view) {
		const { g, width, height } = start(canvas, view.colours);
		this.large = view.colours.line > 1.5 ? 1.35 : 1;
		this.font = view.colours.font;
		this.legendPlace(g, width, height, view);
		this.place(width, height);
		const moment = this.facts.rec.moment(view.t), before = this.facts.before(moment);
		this.far = this.layout.groups.length > 1 && this.scale < 15;
		this.small = this.scale < 26;
		if (this.far) this.drawGroups(g, view, moment, before);
		else this.drawAll(g, view, moment, before);
		this.legend(g, width, height, view, moment);
	}

	// in slow motion there are single packets, if the recording has them
	single(view) { return this.facts.flight > 0 && view.slow && view.slow <= 5e6 && !this.small && !view.asking; }

	drawAll(g, view, moment, before) {
		const { colours } = view;
		for (const d of this.discs) {
			g.strokeStyle = colours.faint;
			g.lineWidth = 1;
			g.beginPath();
			g.arc(d.x, d.y, d.r, 0, 2 * Math.PI);
			g.stroke();
			g.fillStyle = colours.soft;
			g.textAlign = "center";
			if (this.scale > 9) g.fillText(d.name, d.x, d.y);
		}
		const onPath = new Set((view.flow && view.flow.path || []).map(([n, p]) => n * 64 + p));
		for (const port of this.facts.ports) this.drawLink(g, view, moment, before, port, onPath);
		if (!this.small || this.facts.ports.length < 400) {
			for (const port of this.facts.ports) this.drawQueue(g, view, moment, port);
		}
		for (let n = 0; n < this.points.length; n++) this.drawNode(g, view, moment, n);
		this.dots = this.single(view) ? drawDots(g, this, view) : 0;
		this.drawControl(g, view);
		this.drawWaits(g, view, moment);
	}

	// the line of one direction: from the edge of the sender to the edge of the peer
	line(port) {
		const a = this.points[port.node], b = this.points[port.peer];
		const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy) || 1;
		const ux = dx / length, uy = dy / length, gap = Math.max(1.6, Math.min(4.5, this.scale * 0.06));
		const lane = (port.lane || 0) - (port.lanes > 1 ? (port.mirrored ? -1 : 1) * (port.lanes - 1) / 2 : 0);
		const side = gap + lane * gap * 4 * (port.mirrored ? 1 : 1);
		const ox = -uy * side, oy = ux * side;
		const r0 = this.radius(port.node), r1 = this.radius(port.peer);
		return { x0: a[0] + ux * r0 + ox, y0: a[1] + uy * r0 + oy, x1: b[0] - ux * r1 + ox, y1: b[1] - uy * r1 + oy, ux, uy,
			length: Math.max(1, length - r0 - r1) };
	}

	radius(node) {
		const host = this.facts.rec.head.nodes[node].type === "host";
		return Math.max(host ? 3 : 4, Math.min(host ? 13 : 19, this.scale * (host ? 0.16 : 0.24))) * this.large;
	}

	drawLink(g, view, moment, before, port, onPath) {
		const { colours } = view, l = this.line(port);
		const load = this.facts.load(moment, before, port);
		const stops = this.facts.stopped(port.node, port.port, view.t, moment);
		const thick = colours.line * (this.small ? 0.6 : 1);
		if (onPath.has(port.node * 64 + port.port) || view.selected && view.selected.port === port) {
			g.strokeStyle = colours.accent;
			g.lineWidth = 9 * thick;
			g.globalAlpha = 0.45;
			stroke(g, l);
			g.globalAlpha = 1;
		}
		g.strokeStyle = load > 0.005 ? heat(0.15 + 0.85 * load, colours) : colours.faint;
		g.lineWidth = (load > 0.005 ? 1.2 + 3.4 * load : 1) * thick;
		stroke(g, l);
		if (stops.length) {
			const down = stops.some((s) => s.what === "down");
			g.strokeStyle = down ? colours.panel : hatch(g, colours.stop, colours.panel);
			g.lineWidth = 6 * thick;
			stroke(g, l);
			g.strokeStyle = colours.stop;
			g.lineWidth = 1;
			for (const side of [-3.2 * thick, 3.2 * thick]) {
				stroke(g, { x0: l.x0 - l.uy * side, y0: l.y0 + l.ux * side, x1: l.x1 - l.uy * side, y1: l.y1 + l.ux * side });
			}
			if (down) label(g, "down", (l.x0 + l.x1) / 2, (l.y0 + l.y1) / 2, colours);
		} else if (moment && view.slow && view.slow <= 5e6 && !this.small && load > 0 && !this.facts.flight) this.drawDots(g, view, port, l);
	}

	// one dot for each `grain` bytes that the counter of the link has counted, moving for the
	// delay
	drawDots(g, view, port, l) {
		const { rec } = this.facts, grain = this.grain(), flight = Math.max(port.delay, 1);
		const at = (t) => {
			const now = rec.moment(t);
			if (!now) return null;
			const n = rec.moment(now.at + (rec.head.sample_ps || 1));
			const low = rec.value(now, port.node, "tx_bytes", port.port);
			const high = n ? rec.value(n, port.node, "tx_bytes", port.port) : low;
			const span = n && n.at > now.at ? n.at - now.at : 1;
			return low + (high - low) * Math.min(1, (t - now.at) / span);
		};
		const newest = at(view.t), oldest = at(Math.max(0, view.t - flight));
		if (newest === null || oldest === null || newest <= oldest) return;
		g.fillStyle = view.colours.panel;
		g.strokeStyle = view.colours.ink;
		g.lineWidth = 1.2;
		for (let k = Math.floor(newest / grain); k * grain > oldest; k--) {
			const part = (newest - k * grain) / (newest - oldest);
			g.beginPath();
			g.arc(l.x0 + (l.x1 - l.x0) * part, l.y0 + (l.y1 - l.y0) * part, 2.6 * view.colours.line, 0, 2 * Math.PI);
			g.fill();
			g.stroke();
		}
	}

	grain() {
		// so many bytes that a link has some ten dots on it when it is full
		const p = this.facts.ports[0];
		const flight = p ? p.rate * p.delay / 8e12 : 1e5;
		return Math.max(2048, 2 ** Math.round(Math.log2(Math.max(1, flight / 8))));
	}

	drawQueue(g, view, moment, port) {
		const { colours, scales } = view, l = this.line(port);
		const queue = this.facts.queue(moment, port.node, port.port);
		const full = Math.min(l.length * 0.45, Math.max(12, this.scale * (port.host ? 0.22 : 0.36)));
		const part = Math.min(1, queue / (port.host ? scales.hostQueue : scales.switchQueue));
		const thick = (this.small ? 4 : 6) * colours.line, away = 3 + thick;
		g.save();
		g.translate(l.x0 - l.uy * away * 0.5, l.y0 + l.ux * away * 0.5);
		g.rotate(Math.atan2(l.uy, l.ux));
		g.fillStyle = colours.panel;
		g.fillRect(0, 0, full, thick);
		g.strokeStyle = colours.soft;
		g.lineWidth = 0.8;
		g.strokeRect(0, 0, full, thick);
		if (part > 0) {
			g.fillStyle = port.host ? colours.soft : heat(0.35 + 0.65 * part, colours);
			g.fillRect(0, 0, Math.max(1, full * part), thick);
		}
		g.restore();
	}

	drawNode(g, view, moment, n) {
		const { colours } = view, node = this.facts.rec.head.nodes[n], [x, y] = this.points[n], r = this.radius(n);
		const chosen = view.selected && view.selected.node === n && !view.selected.port;
		g.fillStyle = colours.box;
		g.strokeStyle = chosen ? colours.accent : colours.ink;
		g.lineWidth = (chosen ? 3 : 1.2) * colours.line;
		g.beginPath();
		if (node.type === "host") g.arc(x, y, r, 0, 2 * Math.PI);
		else g.rect(x - r * 1.15, y - r * 0.8, r * 2.3, r * 1.6);
		g.fill();
		g.stroke();
		const held = node.type === "host" ? this.facts.held(n, 0, view.t).length : 0;
		if (held) {
			// two bars, as on a button that pauses: single flows are paused at this
			// host
			g.fillStyle = colours.stop;
			for (const side of [0.9, 1.35]) g.fillRect(x + r * side, y - r * 1.1, Math.max(1.5, r * 0.28), Math.max(4, r * 0.9));
		}
		if (r < 7 && !chosen && this.points.length > 80) return;
		const fit = Math.min(1, (r * 2.2) / Math.max(1, g.measureText(node.name).width));
		g.textAlign = "center";
		g.fillStyle = colours.ink;
		if (fit < 0.65 || node.type === "host" && r < 9) {
			label(g, node.name, x, y + r + colours.font * 0.6, colours);
			return;
		}
		g.font = font(colours, Math.max(0.75, fit));
		g.fillText(node.name, x, y + 0.5);
		g.font = font(colours);
	}

	// XOFF and XON on their link, as long as they travel
	drawControl(g, view) {
		const { facts } = this, { colours } = view;
		const span = Math.max(...facts.ports.map((p) => p.delay), view.slow ? view.slow * 0.12 : 0);
		facts.rec.eventsIn(Math.max(0, view.t - span), view.t + 1, (e, i) => {
			const name = facts.kinds.get(e.kind[i]);
			const port = facts.portOf.get(e.node[i] * 64 + e.port[i]);
			if (!port) return;
			if (name === "xoff" || name === "xon") {
				const flight = Math.max(port.delay, view.slow ? view.slow * 0.12 : 0);
				const part = (view.t - e.at[i]) / flight;
				if (part > 1) return;
				const l = this.line(port), x = l.x0 + (l.x1 - l.x0) * part, y = l.y0 + (l.y1 - l.y0) * part, s = 5 * colours.line;
				g.lineWidth = 2;
				g.strokeStyle = g.fillStyle = colours.stop;
				if (name === "xoff") g.fillRect(x - s, y - s, 2 * s, 2 * s);
				else { g.fillStyle = colours.panel; g.fillRect(x - s, y - s, 2 * s, 2 * s); g.strokeRect(x - s, y - s, 2 * s, 2 * s); }
				return;
			}
			if (name === "drop" || name === "cnp" || name === "cnp_received") {
				const [x, y] = this.points[e.node[i]], r = this.radius(e.node[i]);
				label(g, name === "drop" ? "\u2715 drop" : name === "cnp" ? "\u25c7 CNP sent" : "\u25c6 CNP", x + r + 26, y - r - 4, colours);
			}
		});
	}

	drawWaits(g, view, moment) {
		const { colours } = view;
		const locked = new Map(this.facts.deadlockAt(view.t).map((d) => [d.node * 64 + d.port, d]));
		const spot = (port) => {
			const l = this.line(port), far = Math.min(l.length * 0.3, 26);
			return [l.x0 + l.ux * far, l.y0 + l.uy * far];
		};
		for (const { from, to } of this.facts.waitsFor(view.t, moment)) {
			if (this.small && from.host) continue;
			const exact = locked.has(from.node * 64 + from.port) && locked.has(to.node * 64 + to.port);
			g.strokeStyle = g.fillStyle = exact ? colours.stop : colours.ink;
			g.lineWidth = (exact ? 3 : 1.4) * colours.line;
			g.setLineDash(exact ? [] : [4, 3]);
			arrow(g, spot(from), spot(to), 0.22, 9 * colours.line);
			g.setLineDash([]);
		}
		for (const [id, d] of locked) {
			const port = this.facts.portOf.get(id);
			if (port) { const [x, y] = spot(port); label(g, `${d.number}`, x, y, colours); }
		}
	}

	// from far away: a disc for each group, a line between two groups for all of their links
	drawGroups(g, view, moment, before) {
		const { facts } = this, { colours, scales } = view, groupOf = new Map();
		this.discs.forEach((d, i) => d.nodes.forEach((n) => groupOf.set(n, i)));
		const between = new Map(), own = this.discs.map(() => ({ queue: 0, stopped: 0, load: 0, links: 0 }));
		for (const port of facts.ports) {
			if (port.host) continue;
			const a = groupOf.get(port.node), b = groupOf.get(port.peer);
			const load = facts.load(moment, before, port), stop = facts.stopped(port.node, port.port, view.t, moment).length;
			const sum = own[a];
			sum.queue = Math.max(sum.queue, facts.queue(moment, port.node, port.port));
			if (stop) sum.stopped++;
			if (b === undefined || a === b) { sum.load = Math.max(sum.load, load); continue; }
			const name = Math.min(a, b) * 4096 + Math.max(a, b);
			const known = between.get(name) || { a, b, load: 0, stop: 0 };
			known.load = Math.max(known.load, load);
			known.stop += stop;
			between.set(name, known);
		}
		for (const { a, b, load, stop } of [...between.values()].sort((m, n) => m.load - n.load)) {
			const p = this.discs[a], q = this.discs[b];
			g.strokeStyle = stop ? hatch(g, colours.stop, colours.panel) : load > 0.005 ? heat(0.15 + 0.85 * load, colours) : colours.faint;
			g.lineWidth = stop ? 4 : 0.5 + 1.5 * load;
			g.globalAlpha = stop ? 1 : 0.25 + 0.45 * load;
			stroke(g, { x0: p.x, y0: p.y, x1: q.x, y1: q.y });
		}
		g.globalAlpha = 1;
		this.discs.forEach((d, i) => {
			g.fillStyle = heat(0.1 + 0.9 * Math.min(1, own[i].queue / scales.switchQueue), colours);
			g.strokeStyle = own[i].stopped ? colours.stop : colours.ink;
			g.lineWidth = own[i].stopped ? 3 : 1;
			g.beginPath();
			g.arc(d.x, d.y, d.r * 0.62, 0, 2 * Math.PI);
			g.fill();
			g.stroke();
			label(g, d.name.replace("group ", "g"), d.x, d.y, colours);
		});
	}

	// the items of the legend: [text, width of the sign before it, what draws it at x, y]
	legendItems(g, view, moment) {
		const { colours, scales } = view, { facts } = this, hosts = scales.hostQueue > 1;
		if (view.asking) return [["the fabric before the run"]];
		const ramp = (x, y) => {
			for (let i = 0; i <= 20; i++) { g.fillStyle = heat(0.15 + 0.85 * i / 20, colours); g.fillRect(x + i * 3, y - 5, 3, 2 + i / 2.5); }
		};
		const stopped = (x, y) => { g.fillStyle = hatch(g, colours.stop, colours.panel); g.fillRect(x, y - 5, 22, 10); };
		const items = [["load 0 to 100 %", 68, ramp], ["may not send", 26, stopped]];
		if (!facts.rec.seriesOf.has("queue_bytes") || !moment) items.push(["no samples at this time: queues and loads are not known"]);
		else if (view.t - moment.at > 2 * (facts.rec.head.sample_ps || 0)) items.push([`samples end at ${timeText(moment.at)}: queues and loads are of then`]);
		else if (this.far) items.push([`disc: longest queue of the group, full = ${bytesText(scales.switchQueue)}`]);
		else items.push([`bar: queue, full = ${bytesText(scales.switchQueue)}` + (hosts ? ` (hosts, not sent yet: ${bytesText(scales.hostQueue)})` : "")]);
		if (this.far) return [...items, ["zoom in (+) for switches and hosts"]];
		items.push(["dashed arrow: waits for, likely"], ["solid: deadlock"], ["square: XOFF, hollow: XON"]);
		if (facts.heldOf.size) items.push(["\u2016 at a host: flows paused by FGFC"]);
		if (this.single(view)) items.push([signs]);
		else if (view.slow && view.slow <= 5e6 && !this.small) items.push([`dot: ${bytesText(this.grain())} of the link's counter, no single packet`]);
		return items;
	}

	// puts items into lines of @width: [item, x, line] of each
	legendLines(g, width, height, items) {
		const placed = [];
		let x = 8, line = 0;
		for (const item of items) {
			const wide = (item[1] || 0) + g.measureText(item[0]).width;
			if (x > 8 && x + wide > width - 8) { x = 8; line++; }
			placed.push([item, x, line]);
			x += wide + 14;
		}
		// in a small window the fabric needs the space more
		const lines = Math.max(2, Math.floor(0.3 * height / (1.6 * this.font)));
		return placed.filter(([, , at]) => at < lines);
	}

	// height of the legend: of the most lines so far at this width, so that the fabric
	// stays in place
	legendPlace(g, width, height, view) {
		const name = `${width} ${height} ${view.colours.font}`, placed = this.legendLines(g, width, height, this.legendItems(g, view, this.facts.rec.moment(view.t)));
		const lines = placed[placed.length - 1][2] + 1;
		this.lines = this.linesOf === name ? Math.max(this.lines, lines) : Math.max(2, lines);
		this.linesOf = name;
		this.below = view.colours.font * (0.6 + 1.6 * this.lines);
	}

	legend(g, width, height, view, moment) {
		const { colours } = view;
		const top = height - this.below;
		g.fillStyle = colours.panel;
		g.globalAlpha = 0.9;
		g.fillRect(0, top, width, this.below);
		g.globalAlpha = 1;
		g.textAlign = "left";
		for (const [[text, sign, drawSign], x, line] of this.legendLines(g, width, height, this.legendItems(g, view, moment))) {
			const y = top + colours.font * (1.1 + 1.6 * line);
			if (drawSign) drawSign(x, y);
			g.fillStyle = colours.ink;
			g.fillText(text, x + (sign || 0), y, Math.max(20, width - x - (sign || 0) - 8));
		}
	}

	/** hit(x, y) - {node} or {node, port} near a point of the canvas, or null. */
	hit(x, y) {
		let best = null, nearest = 9;
		this.points.forEach(([px, py], n) => {
			const d = Math.hypot(px - x, py - y) - this.radius(n);
			if (d < nearest) { nearest = d; best = { node: n, port: null }; }
		});
		if (best && nearest <= 2 || this.far) return best;
		for (const port of this.facts.ports) {
			const l = this.line(port), along = (x - l.x0) * l.ux + (y - l.y0) * l.uy;
			if (along < 0 || along > l.length) continue;
			const d = Math.abs((x - l.x0) * -l.uy + (y - l.y0) * l.ux);
			if (d < nearest) { nearest = d; best = { node: port.node, port }; }
		}
		return best;
	}

	/** zoomBy(factor, x, y, width, height) - zooms; what is at @x, @y of the canvas stays
	 *  there. */
	zoomBy(factor, x, y, width, height) {
		const before = this.zoom;
		this.zoom = Math.min(40, Math.max(0.5, before * factor));
		const real = this.zoom / before;
		const cx = width / 2 + this.shift[0], cy = (height - this.below) / 2 + this.shift[1];
		this.shift[0] += (x - cx) * (1 - real);
		this.shift[1] += (y - cy) * (1 - real);
	}
}

function stroke(g, l) {
	g.beginPath();
	g.moveTo(l.x0, l.y0);
	g.lineTo(l.x1, l.y1);
	g.stroke();
}
