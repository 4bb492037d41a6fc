// layout - where the nodes of a fabric stand, by the kind of its topology.
//
// Units are free; the view scales them. A tree stands in tiers, hosts at the bottom; a dragonfly is
// a ring of groups; tori and HyperX are grids; a row of switches is a row. What is given as `at`
// in the scenario is used as it is. Result: {at: [[x, y], ...], groups: [{name, x, y, r, nodes}],
// kind, width, height}, all within 0..width and 0..height.

/** layoutOf(head) - places every node of HEAD. Pure: the same head gives the same places. */
export function layoutOf(head) {
	const fabric = new Graph(head);
	const kind = kindOf(head, fabric);
	const groups = [];
	const at = ({ given, tiers, dragonfly, grid, row, ring })[kind](fabric, head, groups);
	return fitted(at, groups, kind);
}

class Graph {
	constructor(head) {
		this.nodes = head.nodes;
		this.switches = head.nodes.map((n, i) => i).filter((i) => head.nodes[i].type !== "host");
		this.hostsOf = new Map(this.switches.map((s) => [s, []]));
		this.peers = new Map();
		head.nodes.forEach((node, i) => {
			const peers = node.ports.filter(Boolean).map((p) => p.peer);
			this.peers.set(i, [...new Set(peers)]);
			if (node.type === "host" && this.hostsOf.has(peers[0])) this.hostsOf.get(peers[0]).push(i);
		});
	}

	// switches that are linked to this one
	beside(s) { return this.peers.get(s).filter((p) => this.nodes[p].type !== "host"); }
}

function kindOf(head, fabric) {
	const { nodes } = head, type = head.topology && head.topology.type;
	if (nodes.every((n) => !n.at) === false) return "given";
	if (type === "dragonfly") return "dragonfly";
	if (type === "torus" || type === "hyperx") return "grid";
	if (type === "fat-tree" || type === "leaf-spine") return "tiers";
	if (type === "full-mesh") return "ring";
	if (rowOrder(fabric)) return "row";
	if (new Set(fabric.switches.map((s) => nodes[s].tier)).size > 1) return "tiers";
	return "ring";
}

// switches in a row, or null: two ends, all others between two
function rowOrder(fabric) {
	const { switches } = fabric;
	if (switches.length === 1) return switches;
	const ends = switches.filter((s) => fabric.beside(s).length === 1);
	if (ends.length !== 2 || switches.some((s) => fabric.beside(s).length > 2)) return null;
	const order = [ends[0]];
	while (order.length < switches.length) {
		const next = fabric.beside(order[order.length - 1]).find((s) => s !== order[order.length - 2]);
		if (next === undefined) return null;
		order.push(next);
	}
	return order;
}

// hosts of a switch on an arc around it; angle: the middle, in radians
function fan(at, fabric, s, radius, angle, spread) {
	const hosts = fabric.hostsOf.get(s), [x, y] = at[s];
	hosts.forEach((h, i) => {
		const a = hosts.length === 1 ? angle : angle - spread / 2 + spread * i / (hosts.length - 1);
		at[h] = [x + radius * Math.cos(a), y + radius * Math.sin(a)];
	});
}

function given(fabric, head) {
	const at = head.nodes.map((n) => n.at ? [n.at[0], n.at[1]] : null);
	const known = at.filter(Boolean);
	const size = Math.max(1, ...known.map((a) => Math.max(Math.abs(a[0]), Math.abs(a[1]))));
	const middle = [0, 1].map((c) => known.reduce((sum, a) => sum + a[c], 0) / known.length);
	fabric.switches.forEach((s, i) => {
		if (at[s]) return;
		const a = 2 * Math.PI * i / fabric.switches.length;
		at[s] = [middle[0] + size * Math.cos(a), middle[1] + size * Math.sin(a)];
	});
	for (const s of fabric.switches) {
		const missing = fabric.hostsOf.get(s).filter((h) => !at[h]);
		const out = Math.atan2(at[s][1] - middle[1], at[s][0] - middle[0]);
		missing.forEach((h, i) => {
			const a = out + (i - (missing.length - 1) / 2) * 0.5;
			at[h] = [at[s][0] + 0.35 * size * Math.cos(a), at[s][1] + 0.35 * size * Math.sin(a)];
		});
	}
	return at.map((a) => a || [0, 0]);
}

function row(fabric) {
	const at = [], order = rowOrder(fabric);
	let x = 0;
	order.forEach((s, i) => {
		const hosts = fabric.hostsOf.get(s), single = order.length === 1;
		if (single) {
			at[s] = [0, 0];
			fan(at, fabric, s, Math.max(1.2, hosts.length * 0.17), -Math.PI / 2, 2 * Math.PI * (1 - 1 / Math.max(2, hosts.length)));
			return;
		}
		// the hosts of the ends stand outside, others above and below in turn
		const left = i === 0, right = i === order.length - 1;
		const width = Math.max(2, left || right ? 2 : Math.ceil(hosts.length / 2) * 0.9);
		at[s] = [x + width / 2, 0];
		x += width;
		if (left || right) fan(at, fabric, s, 1.3, left ? Math.PI : 0, Math.min(2.6, 0.62 * (hosts.length - 1)));
		else {
			hosts.forEach((h, j) => {
				const above = j % 2 === 0, side = hosts.filter((unused, k) => k % 2 === j % 2).length;
				at[h] = [at[s][0] + (Math.floor(j / 2) - (side - 1) / 2) * 0.9, above ? -1.2 : 1.2];
			});
		}
	});
	return at;
}

function ring(fabric) {
	const at = [], { switches } = fabric;
	const most = Math.max(1, ...switches.map((s) => fabric.hostsOf.get(s).length));
	const radius = Math.max(1.6, switches.length * Math.max(0.9, most * 0.25) / Math.PI);
	switches.forEach((s, i) => {
		const a = 2 * Math.PI * i / switches.length - Math.PI * 3 / 4;
		at[s] = [radius * Math.cos(a), radius * Math.sin(a)];
		fan(at, fabric, s, 0.9, a, Math.min(1.8, 0.5 * (most - 1)));
	});
	return at;
}

// distance from the nearest host, if HEAD does not say
function tierOf(fabric, s) {
	const { tier } = fabric.nodes[s];
	return Number.isInteger(tier) && tier > 0 ? tier : fabric.hostsOf.get(s).length ? 1 : 2;
}

function tiers(fabric, head) {
	const at = [], { nodes } = fabric;
	const levels = [];
	for (const s of fabric.switches) (levels[tierOf(fabric, s)] = levels[tierOf(fabric, s)] || []).push(s);
	const edge = levels[1] || [];
	const order = (a, b) => (nodes[a].group ?? 1e9) - (nodes[b].group ?? 1e9) || a - b;
	edge.sort(order);
	// hosts in rows of at most `across` under their switch
	const most = Math.max(1, ...edge.map((s) => fabric.hostsOf.get(s).length));
	const across = most <= 4 ? most : Math.ceil(Math.sqrt(most * 2));
	const step = Math.max(1, across);
	let x = 0, group = null;
	for (const s of edge) {
		if (group !== null && nodes[s].group !== group) x += 0.5;
		({ group } = nodes[s]);
		at[s] = [x + step / 2, 0];
		fabric.hostsOf.get(s).forEach((h, i, all) => {
			const inRow = Math.min(across, all.length - Math.floor(i / across) * across);
			at[h] = [at[s][0] + (i % across - (inRow - 1) / 2), 1 + Math.floor(i / across) * 0.5];
		});
		x += step + 0.2;
	}
	const width = Math.max(1, x);
	for (let level = 2; level < levels.length; level++) {
		const row = levels[level] || [], y = -(level - 1) * Math.max(1.1, width / 11);
		const byGroup = new Map();
		for (const s of row.sort(order)) {
			const name = nodes[s].group;
			if (!byGroup.has(name)) byGroup.set(name, []);
			byGroup.get(name).push(s);
		}
		for (const [name, members] of byGroup) {
			const below = name === null || name === undefined ? [] : edge.filter((s) => nodes[s].group === name);
			const left = below.length ? Math.min(...below.map((s) => at[s][0])) - step / 2 : 0;
			const right = below.length ? Math.max(...below.map((s) => at[s][0])) + step / 2 : width;
			members.forEach((s, i) => { at[s] = [left + (right - left) * (i + 0.5) / members.length, y]; });
		}
	}
	return at;
}

function dragonfly(fabric, head, groups) {
	const at = [], byGroup = new Map();
	for (const s of fabric.switches) {
		const name = fabric.nodes[s].group ?? 0;
		if (!byGroup.has(name)) byGroup.set(name, []);
		byGroup.get(name).push(s);
	}
	const size = Math.max(...[...byGroup.values()].map((g) => g.length));
	const most = Math.max(1, ...fabric.switches.map((s) => fabric.hostsOf.get(s).length));
	const inner = Math.max(1, size * 0.9 / Math.PI), reach = inner + 1;
	const outer = byGroup.size === 1 ? 0 : Math.max(reach * 1.5, byGroup.size * reach * 1.12 / Math.PI);
	let g = 0;
	for (const [name, members] of byGroup) {
		const angle = 2 * Math.PI * g / byGroup.size - Math.PI / 2;
		const x = outer * Math.cos(angle), y = outer * Math.sin(angle);
		members.forEach((s, i) => {
			const a = angle + 2 * Math.PI * (i + 0.5) / members.length;
			at[s] = [x + inner * Math.cos(a), y + inner * Math.sin(a)];
			fan(at, fabric, s, 0.75, a, Math.min(1.6, 0.45 * (most - 1)));
		});
		groups.push({ name: "group " + name, x, y, r: reach, nodes: members });
		g++;
	}
	return at;
}

// the coordinates stand in the names: s1.2, s0.3.1
function grid(fabric, head) {
	const at = [];
	const places = new Map(fabric.switches.map((s) => [s, fabric.nodes[s].name.replace(/^\D*/, "").split(".").map(Number)]));
	const shape = [];
	for (const place of places.values()) place.forEach((c, d) => { shape[d] = Math.max(shape[d] || 1, c + 1); });
	const most = Math.max(1, ...fabric.switches.map((s) => fabric.hostsOf.get(s).length));
	const pitch = 2.2 + Math.max(0, most - 3) * 0.15;
	// dimensions in turn go right and down; planes of the third and later ones stand apart
	const factor = [];
	let right = pitch, down = pitch;
	shape.forEach((length, d) => {
		if (d % 2 === 0) { factor[d] = [right, 0]; right *= length + 0.4; }
		else { factor[d] = [0, down]; down *= length + 0.4; }
	});
	for (const [s, place] of places) {
		at[s] = [0, 0];
		place.forEach((c, d) => { at[s][0] += c * factor[d][0]; at[s][1] += c * factor[d][1]; });
		// a little apart, so that links between distant ones do not hide each other
		if (shape.length > 1 && head.topology.type === "hyperx") {
			at[s][0] += 0.12 * pitch * (place[1] % 2);
			at[s][1] += 0.12 * pitch * (place[0] % 2);
		}
		fan(at, fabric, s, 0.8, Math.PI / 4, Math.min(1.4, 0.5 * (most - 1)));
	}
	return at;
}

function fitted(at, groups, kind) {
	const margin = 0.7;
	const xs = at.map((a) => a[0]), ys = at.map((a) => a[1]);
	for (const g of groups) { xs.push(g.x - g.r, g.x + g.r); ys.push(g.y - g.r, g.y + g.r); }
	const left = xs.reduce((a, b) => Math.min(a, b)) - margin, top = ys.reduce((a, b) => Math.min(a, b)) - margin;
	const width = xs.reduce((a, b) => Math.max(a, b)) - left + margin;
	const height = ys.reduce((a, b) => Math.max(a, b)) - top + margin;
	return { at: at.map(([x, y]) => [x - left, y - top]), kind, width, height,
		groups: groups.map((g) => ({ ...g, x: g.x - left, y: g.y - top })) };
}
