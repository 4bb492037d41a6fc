// paint - what all canvases share: sharp pixels, colours of the theme, hatching, arrows.
//
// Colours are read from CSS, so light, dark, projector and print have one table (page.css). The
// series colours are those of Okabe and Ito, which differ for colour-blind readers too; each also
// has a dash pattern, and stops are hatched, so that no fact is in a colour alone.

export const dashes = [[], [7, 3], [2, 2], [9, 3, 2, 3], [4, 4], [12, 4], [1, 3], [6, 2, 2, 2, 2, 2]];

/** theme() - the colours and sizes that hold now, from the custom properties of the page. */
export function theme() {
	const style = getComputedStyle(document.documentElement);
	const read = (name) => style.getPropertyValue(name).trim();
	const series = [];
	for (let i = 0; i < 8; i++) series.push(read(`--series-${i}`));
	return { ink: read("--ink"), soft: read("--soft"), faint: read("--faint"), back: read("--back"), panel: read("--panel"),
		stop: read("--stop"), accent: read("--accent"), good: read("--good"), box: read("--box"), series,
		dark: read("--dark") === "1", font: Number(read("--canvas-font")), line: Number(read("--canvas-line")) };
}

/** start(canvas) - sets the size of @canvas to that on the screen; its context, in CSS pixels. */
export function start(canvas, colours) {
	const ratio = Math.min(3, globalThis.devicePixelRatio || 1);
	const width = canvas.clientWidth || canvas.fixedWidth || 300, height = canvas.clientHeight || canvas.fixedHeight || 150;
	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
	}
	const g = canvas.getContext("2d");
	g.setTransform(ratio, 0, 0, ratio, 0, 0);
	g.fillStyle = colours.panel;
	g.fillRect(0, 0, width, height);
	g.font = font(colours);
	g.textBaseline = "middle";
	g.lineJoin = "round";
	return { g, width, height };
}

export function font(colours, scale = 1) { return `${colours.font * scale}px system-ui, sans-serif`; }

/** fitNames(g, colours, step) - sets the font for names in rows that are @step pixels apart:
 *  smaller where the rows are narrow, at least 0.7 of the usual size. Returns n: every n-th row has
 *  place for its name. */
export function fitNames(g, colours, step) {
	const scale = Math.max(0.7, Math.min(1, step / colours.font));
	g.font = font(colours, scale);
	return Math.max(1, Math.ceil(0.95 * scale * colours.font / step));
}

/** longest(g, texts, width) - the first of @texts, long ones first, that is at most @width wide;
 *  else the last one. */
export function longest(g, texts, width) {
	return texts.find((text) => g.measureText(text).width <= width) || texts.at(-1);
}

// from free to busy: by lightness as well as by hue, so that it is clear in black and white
const ramp = {
	light: [[226, 232, 240], [160, 196, 232], [72, 140, 200], [176, 88, 120], [150, 30, 20]],
	dark: [[44, 52, 64], [38, 92, 140], [60, 150, 210], [236, 160, 60], [255, 236, 150]],
};

/** heat(part, colours) - the colour of 0 (free) to 1 (full). */
export function heat(part, colours) {
	const table = colours.dark ? ramp.dark : ramp.light;
	const place = Math.max(0, Math.min(1, part)) * (table.length - 1), low = Math.min(table.length - 2, Math.floor(place));
	const f = place - low;
	return `rgb(${table[low].map((c, i) => Math.round(c + (table[low + 1][i] - c) * f)).join(",")})`;
}

const hatches = new Map();

/** hatch(g, colour, background) - a pattern of diagonal lines: what is stopped. */
export function hatch(g, colour, background = "transparent") {
	const name = colour + background;
	if (!hatches.has(name)) {
		const tile = document.createElement("canvas");
		tile.width = tile.height = 8;
		const t = tile.getContext("2d");
		if (background !== "transparent") { t.fillStyle = background; t.fillRect(0, 0, 8, 8); }
		t.strokeStyle = colour;
		t.lineWidth = 2.2;
		for (const x of [-8, 0, 8]) { t.beginPath(); t.moveTo(x, 8); t.lineTo(x + 8, 0); t.stroke(); }
		hatches.set(name, tile);
	}
	return g.createPattern(hatches.get(name), "repeat");
}

/** arrow(g, from, to, bend) - a bent line with a head; bend: part of the length, to one side. */
export function arrow(g, [x0, y0], [x1, y1], bend, size) {
	const mx = (x0 + x1) / 2 - (y1 - y0) * bend, my = (y0 + y1) / 2 + (x1 - x0) * bend;
	g.beginPath();
	g.moveTo(x0, y0);
	g.quadraticCurveTo(mx, my, x1, y1);
	g.stroke();
	const a = Math.atan2(y1 - my, x1 - mx);
	g.beginPath();
	g.moveTo(x1, y1);
	g.lineTo(x1 - size * Math.cos(a - 0.4), y1 - size * Math.sin(a - 0.4));
	g.lineTo(x1 - size * Math.cos(a + 0.4), y1 - size * Math.sin(a + 0.4));
	g.fill();
	return [mx, my];
}

/** label(g, text, x, y, colours, align) - text on a plate, readable above lines. */
export function label(g, text, x, y, colours, align = "center") {
	g.textAlign = align;
	const width = g.measureText(text).width + 6, height = colours.font + 4;
	const left = align === "center" ? x - width / 2 : align === "right" ? x - width : x;
	g.fillStyle = colours.panel;
	g.globalAlpha = 0.85;
	g.fillRect(left, y - height / 2, width, height);
	g.globalAlpha = 1;
	g.fillStyle = colours.ink;
	g.fillText(text, align === "center" ? x : align === "right" ? x - 3 : x + 3, y + 0.5);
}
