// server - the recordings of the `heddle` that serves this page, and requests to it.

import { Recording } from "./recording.js";
import { ServerSource } from "./source.js";

export class Server {
	/** @token: from the fragment of the URL; it is sent with each request and stored nowhere.
	 *  */
	constructor(token) {
		this.token = token;
		this.control = false;
		this.hasLab = false;
		this.known = new Map(); /* id to the last entry of GET /recordings */
	}

	/** ask(path, options) - fetch with the token; an Error with the server's sentence if it
	 *  refuses. */
	async ask(path, options = {}) {
		const headers = { ...options.headers, Authorization: `Bearer ${this.token}` };
		const answer = await fetch(path, { ...options, headers, cache: "no-store" });
		if (answer.ok) return answer;
		let text = `${path}: status ${answer.status}`;
		try { text = (await answer.json()).error || text; } catch { /* no JSON: the status will do */ }
		throw new Error(text);
	}

	/** poll() - the entries that are new since the last call. */
	async poll() {
		const { server, recordings } = await (await this.ask("/recordings")).json();
		this.control = server.control;
		this.mode = server.mode;
		this.hasLab = server.lab;
		const fresh = recordings.filter((r) => !this.known.has(r.id));
		for (const r of recordings) this.known.set(r.id, r);
		return fresh;
	}

	recording(entry) {
		return new Recording(new ServerSource((path, options) => this.ask(path, options), entry.id, entry.name));
	}

	/** lab() - the lab beside the fabric. */
	async lab() { return (await this.ask("/lab")).json(); }

	/** predict(predictions) - saves {name: text} of the lab. */
	async predict(predictions) {
		await this.ask("/lab/predictions", { method: "PUT", headers: { "Content-Type": "application/json" },
			body: JSON.stringify(predictions) });
	}

	/** fork(request) - a second run with changes; its id. */
	async fork(request) {
		const answer = await this.ask("/fork", { method: "POST", headers: { "Content-Type": "application/json" },
			body: JSON.stringify(request) });
		return (await answer.json()).id;
	}
}

/** serverOfPage() - the server that this page came from, or null if it is a file or has no token.
 *  */
export function serverOfPage() {
	const token = /[#&]token=([0-9a-f]+)/.exec(location.hash);
	return token && location.protocol.startsWith("http") ? new Server(token[1]) : null;
}
