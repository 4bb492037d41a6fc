// clock - the time that is shown: it plays, pauses, steps and goes back. One clock for all panes.
//
// The fabric's clock in ps. Playing advances it by `ratio` ps for each second that passes; a frame
// that comes late advances it by more, so the speed holds and frames are what is left out.

export const ratios = [1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8, 1e9, 2e9, 5e9,
	1e10, 1e11, 1e12];

export class Clock {
	constructor() {
		this.t = 0;
		this.end = 0;
		this.playing = false;
		this.direction = 1;
		this.ratio = 1e7;
		this.until = null;       /* {match(events, i), text}: playing stops there */
	}

	/** frame(seconds) - advances by the time since the frame before; true if the time
	 *  changed. */
	frame(seconds) {
		if (!this.playing) return false;
		this.t += this.direction * this.ratio * Math.min(seconds, 0.5);
		if (this.t >= this.end || this.t <= 0) this.playing = false;
		this.t = Math.min(this.end, Math.max(0, this.t));
		return true;
	}

	play(direction = 1) {
		this.direction = direction;
		if (direction > 0 && this.t >= this.end) this.t = 0;
		this.playing = true;
	}

	pause() { this.playing = false; }

	go(t) {
		this.pause();
		this.t = Math.min(this.end, Math.max(0, t));
	}

	faster(steps) {
		const at = ratios.findIndex((r) => r >= this.ratio * 0.999);
		this.ratio = ratios[Math.min(ratios.length - 1, Math.max(0, (at < 0 ? ratios.length - 1 : at) + steps))];
	}

	/** fit(end) - a speed at which the whole recording takes about 20 s. */
	fit(end) {
		this.ratio = ratios.find((r) => r >= end / 30) || ratios[ratios.length - 1];
	}
}
