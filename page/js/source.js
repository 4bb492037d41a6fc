// source - where the bytes of a recording come from: the server, a file, or this HTML file.
//
// A source has size (bytes that are there now), state ("growing", "complete", ...), read(from,
// length) and more(): asks for what has been added, true if there is something new.

export class BlobSource {
	/** A file that was dropped on the page, or any Blob. Takes @blob. */
	constructor(blob, name) {
		this.blob = blob;
		this.name = name;
		this.size = blob.size;
		this.state = "complete";
		this.window = { from: 0, bytes: new Uint8Array(0) };
	}

	async read(from, length) {
		const w = this.window;
		if (from < w.from || from + length > w.from + w.bytes.length) {
			// reads ahead, since blocks are small and follow each other
			const to = Math.min(this.size, from + Math.max(length, 1 << 22));
			const bytes = new Uint8Array(await this.blob.slice(from, to).arrayBuffer());
			this.window = { from, bytes };
		}
		const start = from - this.window.from;
		return this.window.bytes.subarray(start, start + length);
	}

	async more() { return false; }
}

export class ServerSource {
	/** The recording @id of the server that sent this page; @ask(path, options) adds the
	 *  token. */
	constructor(ask, id, name) {
		this.ask = ask;
		this.id = id;
		this.name = name;
		this.size = 0;
		this.total = 0; // of the server, as of its last answer
		this.state = "growing";
		this.bytes = new Uint8Array(1 << 20);
	}

	async read(from, length) {
		return this.bytes.subarray(from, Math.min(this.size, from + length));
	}

	// the server gives at most 16 MiB at once, 204 if there is nothing new
	async more() {
		const range = { headers: { Range: `bytes=${this.size}-` } };
		const answer = await this.ask(`/recordings/${this.id}`, range);
		this.state = answer.headers.get("Heddle-State") || this.state;
		if (answer.status === 204) return false;
		if (answer.status !== 206) throw new Error(`recording ${this.id}: status ${answer.status}`);
		const part = new Uint8Array(await answer.arrayBuffer());
		while (this.size + part.length > this.bytes.length) {
			const larger = new Uint8Array(this.bytes.length * 2);
			larger.set(this.bytes.subarray(0, this.size));
			this.bytes = larger;
		}
		this.bytes.set(part, this.size);
		this.size += part.length;
		const [, total] = /\/(\d+)$/.exec(answer.headers.get("Content-Range") || "") || [];
		this.total = Number(total || 0);
		return part.length > 0;
	}
}

// the bytes in an element of a report
function bytesOf(data) {
	return Uint8Array.from(atob(data.textContent.replace(/\s+/g, "")), (c) => c.charCodeAt(0));
}

/** embeddedSources() - the recordings in the HTML of a report, in their order. */
export function embeddedSources() {
	return [...document.querySelectorAll("script[type='application/x-heddle-recording']")].map((data) =>
		new BlobSource(new Blob([bytesOf(data)]), data.dataset.name || ""));
}

/** embeddedLab() - the lab in the HTML of a report, as `heddle lab report` writes it; or null. */
export function embeddedLab() {
	const data = document.querySelector("script[type='application/x-heddle-lab']");
	return data ? JSON.parse(new TextDecoder().decode(bytesOf(data))) : null;
}
