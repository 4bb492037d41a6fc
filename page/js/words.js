// words - what a column, key or term means; from docs/glossary.md and the tables of
// docs/results.md.
//
// page/build.sh makes `glossary` (word: meaning) from these pages, so there is one text for each.
/* global glossary */

// columns of the page itself
const own = {
	"sent now": "bytes of this flow sent in the last samples, per second (series flow_sent_bytes)",
	"allowed rate": "the rate that congestion control allows the flow now",
	"waits at host": "of its messages, not sent so far",
	"not acked": "sent and not acknowledged; with flow channels also what waits at the switch of the host; port groups have no ACKs",
	"FCT p50": "flow completion time of its messages, median, of the whole run",
	"FCT p99": "flow completion time of its messages, 99th percentile, of the whole run",
	load: "part of the link's rate that was sent in the last samples",
	"may not send": "the neighbour (PFC, credit) or the switch (FGFC) stops this output",
	queue: "bytes that wait for this output; at a host: of messages, not sent yet",
	"link rate": "as configured",
	hop: "one traversal of one link",
	path: "the links from source to destination",
	messages: "complete messages, of the whole run",
	workload: "the part of the scenario that this traffic comes from",
};

/** meaning(word) - one sentence, or null if the pages of Heddle explain it nowhere. */
export function meaning(word) {
	if (own[word]) return own[word];
	const last = word.split(".").pop();
	const bare = last.replace(/_(bytes|bps|ps|ns|units)(_max|_mean|_min)?$/, "");
	for (const name of [word, last, bare]) {
		if (Object.hasOwn(glossary, name)) return glossary[name];
		if (Object.hasOwn(glossary, name.toLowerCase())) return glossary[name.toLowerCase()];
	}
	return null;
}

/** glossaryRows(filter) - [word, meaning] of all words that contain @filter. */
export function glossaryRows(filter) {
	const wanted = filter.toLowerCase();
	return Object.entries(glossary).filter(([word, text]) => (word + " " + text).toLowerCase().includes(wanted));
}
