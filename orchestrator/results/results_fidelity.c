/*  results_fidelity - whether the results of a run under the real clock are valid, in figures and
 *  in words (TB-8).
 *
 *  The rule is that of fidelity.h. In addition, a run with a beginning and an end is not valid if
 *  the lag of a node exceeded 1 % of the run, because then a part of the measurement is missing;
 *  and if a node waited for a full ring for so long, because a ring stands for a link (both ours).
 *  For a run that is not valid the text states the load that the machine carried, and suggests half
 *  of it: the other half is for whatever else the machine has to do (ours). */
#include "orchestrator/results/results_fidelity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "orchestrator/base/human.h"

#define DELAY_NS_MAX 100000000u /* a longer delay is not suggested */
#define RUN_PARTS 100u          /* one of them may be missing */

static struct fidelity_limits limits_of(const struct node_config *node)
{
	struct fidelity_limits limits;

	fidelity_limits_init(&limits, node->kind);
	for (uint32_t p = 0; p < node->port_count; p++)
		fidelity_limits_port(&limits, node, &node->ports[p]);
	return limits;
}

/* how long data of the peer at @port waited for space in the node's buffer */
static uint64_t peer_waited_ns(const struct port_config *port, struct stats_page *const *pages)
{
	return stats_port(pages[port->peer_index], port->peer_port)->paused_ps / NODE_NS;
}

static uint64_t peers_waited_ns(const struct node_config *node, struct stats_page *const *pages)
{
	uint64_t sum_ns = 0;

	for (uint32_t p = 0; p < node->port_count; p++)
		sum_ns += peer_waited_ns(&node->ports[p], pages);
	return sum_ns;
}

static uint64_t uncarried_bytes(const struct node_config *node, struct stats_page *const *pages,
				const struct fidelity *judged)
{
	uint64_t bytes = 0;

	for (uint32_t p = 0; p < node->port_count; p++)
		bytes += fidelity_uncarried_bytes(judged, peer_waited_ns(&node->ports[p], pages),
						  node->ports[p].rate_bps,
						  stats_port(pages[node->index], p)->rx_bytes);
	return bytes;
}

static void fullest_port(struct result_lateness *row, uint32_t port_count, struct stats_page *page)
{
	for (uint32_t port = 0; port < port_count; port++) {
		node_time_t full_ps = stats_port(page, port)->ring_full_ps;

		if (full_ps <= row->ring_full_ps)
			continue;
		row->ring_full_ps = full_ps;
		row->full_port = port;
	}
}

static struct result_lateness node_judge(const struct node_config *node,
					 struct stats_page *const *pages, node_time_t run_ps)
{
	struct stats_page *page = pages[node->index];
	struct fidelity_limits limits = limits_of(node);
	struct result_lateness row = {
		.node = fidelity_judge(&page->lateness, &limits, peers_waited_ns(node, pages),
				       run_ps / NODE_NS),
		.made_up_ns = limits.made_up_ns,
		.behind_ns = page->behind_max_ns,
	};

	fullest_port(&row, node->port_count, page);
	row.uncarried_bytes = uncarried_bytes(node, pages, &row.node);
	row.verdict = fidelity_verdict_of(&row.node);
	row.reason = fidelity_reason_of(&row.node);
	if (row.verdict == FIDELITY_NOT_VALID)
		return row;
	if (row.behind_ns > run_ps / NODE_NS / RUN_PARTS)
		row.reason = FIDELITY_LAG;
	else if (row.ring_full_ps > run_ps / RUN_PARTS)
		row.reason = FIDELITY_RING;
	if (row.reason != FIDELITY_NO_REASON)
		row.verdict = FIDELITY_NOT_VALID;
	return row;
}

/* true if messages should name @a rather than @b */
static bool is_worse(const struct result_lateness *a, const struct result_lateness *b)
{
	if (a->verdict != b->verdict)
		return a->verdict > b->verdict;
	if (a->verdict == FIDELITY_NOT_VALID && a->behind_ns != b->behind_ns)
		return a->behind_ns > b->behind_ns;
	return fidelity_worse(&a->node, &b->node);
}

int results_fidelity_gather(const struct plan *plan, struct stats_page *const *pages,
			    struct results *results)
{
	struct result_fidelity *fidelity = &results->fidelity;

	if (!plan_is_real(plan))
		return 0;
	fidelity->nodes = calloc(plan->node_count, sizeof(*fidelity->nodes));
	if (!fidelity->nodes)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->node_count; i++) {
		fidelity->nodes[i] = node_judge(&plan->nodes[i], pages, results->end_ps);
		if (is_worse(&fidelity->nodes[i], &fidelity->nodes[fidelity->worst]))
			fidelity->worst = i;
		if (fidelity->nodes[i].uncarried_bytes > fidelity->uncarried_bytes)
			fidelity->uncarried_bytes = fidelity->nodes[i].uncarried_bytes;
		if (fidelity->nodes[i].ring_full_ps >
		    fidelity->nodes[fidelity->fullest].ring_full_ps)
			fidelity->fullest = i;
	}
	fidelity->verdict = fidelity->nodes[fidelity->worst].verdict;
	return 0;
}

bool results_valid(const struct results *results)
{
	return !results->fidelity.nodes || results->fidelity.verdict != FIDELITY_NOT_VALID;
}

/* ---- in words ---- */

uint64_t results_round_down(uint64_t value)
{
	uint64_t power = 1;

	if (!value)
		return 0;
	while (value / power >= 10)
		power *= 10;
	return value / power >= 5 ? 5 * power : value / power >= 2 ? 2 * power : power;
}

uint64_t results_round_up(uint64_t value)
{
	uint64_t down = results_round_down(value), first = down;

	if (down == value)
		return value;
	while (first >= 10)
		first /= 10;
	return first == 2 ? down / 2 * 5 : 2 * down;
}

struct words {
	char *text;
	size_t max, length;
};

static void __attribute__((format(printf, 2, 3))) say(struct words *words, const char *format, ...)
{
	va_list arguments;
	int length;

	if (words->length >= words->max)
		return;
	va_start(arguments, format);
	length = vsnprintf(words->text + words->length, words->max - words->length, format,
			   arguments);
	va_end(arguments);
	words->length += length > 0 ? (size_t)length : 0;
}

/* @value as a scenario accepts it: in the largest of @units, each a thousand of the one before, in
 * which it is whole */
static void say_whole(struct words *words, uint64_t value, const char *const units[])
{
	while (value % 1000 == 0 && units[1]) {
		value /= 1000;
		units++;
	}
	say(words, "%" PRIu64 "%s", value, *units);
}

/* the latest node */
static void say_worst(struct words *words, const struct plan *plan,
		      const struct result_fidelity *fidelity)
{
	const struct result_lateness *row = &fidelity->nodes[fidelity->worst];
	char p50[HUMAN_TEXT_MAX], p99[HUMAN_TEXT_MAX], max[HUMAN_TEXT_MAX], made_up[HUMAN_TEXT_MAX];

	say(words, "%s was late by p50 %s, p99 %s, max %s; its links absorb %s",
	    plan->nodes[fidelity->worst].name, human_time(row->node.p50_ns * NODE_NS, p50),
	    human_time(row->node.p99_ns * NODE_NS, p99),
	    human_time(row->node.max_ns * NODE_NS, max),
	    human_time(row->made_up_ns * NODE_NS, made_up));
	if (row->behind_ns)
		say(words, "; its largest lag was %s", human_time(row->behind_ns * NODE_NS, max));
}

static void say_fullest(struct words *words, const struct plan *plan, const struct results *results)
{
	const struct result_fidelity *fidelity = &results->fidelity;
	const struct result_lateness *row = &fidelity->nodes[fidelity->fullest];
	const char *reader = plan->nodes[fidelity->fullest].ports[row->full_port].peer_name;

	say(words, "; the ring from %s to %s was full for %.1f %% of the run: %s is too slow",
	    plan->nodes[fidelity->fullest].name, reader,
	    100.0 * (double)row->ring_full_ps / (double)results->end_ps, reader);
}

/* the link to a host that carried most; NULL if nothing arrived */
static const struct result_port *busiest_port(const struct plan *plan,
					      const struct results *results)
{
	const struct result_port *busiest = NULL;

	for (uint32_t i = 0; i < results->port_count; i++) {
		const struct result_port *port = &results->ports[i];

		if (port->node < plan->switch_count &&
		    plan->nodes[port->node].ports[port->port].kind == PORT_EDGE &&
		    port->stats.tx_bytes > (busiest ? busiest->stats.tx_bytes : 0))
			busiest = port;
	}
	return busiest;
}

/* suggests a delay that would absorb it */
static void say_delay(struct words *words, const struct result_lateness *row)
{
	static const char *const units[] = { "ns", "us", "ms", "s", NULL };
	uint64_t delay_ns = results_round_up(row->made_up_ns + row->node.added_ns);

	if (delay_ns > DELAY_NS_MAX)
		return;
	say(words, ". Longer delays absorb it, for instance --set links.delay=");
	say_whole(words, delay_ns, units);
}

/* suggests a rate that the machine could carry */
static void say_rate(struct words *words, const struct plan *plan, const struct results *results)
{
	static const char *const units[] = { "b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s", NULL };
	const struct result_port *port = busiest_port(plan, results);
	char carried[HUMAN_TEXT_MAX];
	uint64_t bps;

	if (!port || !results->end_ps) {
		say(words, ". Nothing has arrived: try much lower rates");
		return;
	}
	bps = (uint64_t)((double)port->stats.tx_bytes * 8 * (double)NODE_S /
			 (double)results->end_ps);
	say(words,
	    ". The busiest link to a host, %s to %s, carried %s: try lower rates, for instance "
	    "--set links.rate=",
	    plan->nodes[port->node].name, plan->nodes[port->node].ports[port->port].peer_name,
	    human_rate(bps, carried));
	say_whole(words, results_round_down(bps / 2), units);
}

const char *results_fidelity_words(const struct plan *plan, const struct results *results,
				   char text[FIDELITY_WORDS_MAX])
{
	const struct result_lateness *row = &results->fidelity.nodes[results->fidelity.worst];

	return fidelity_words(&row->node, row->reason, plan->nodes[results->fidelity.worst].name,
			      text);
}

void results_fidelity_describe(const struct plan *plan, const struct results *results, char *text,
			       size_t text_max)
{
	const struct result_fidelity *fidelity = &results->fidelity;
	struct words words = { .text = text, .max = text_max };
	char late[HUMAN_TEXT_MAX];

	*text = 0;
	say_worst(&words, plan, fidelity);
	if (fidelity->nodes[fidelity->fullest].ring_full_ps > results->end_ps / RUN_PARTS)
		say_fullest(&words, plan, results);
	if (fidelity->uncarried_bytes && fidelity->verdict == FIDELITY_NOT_VALID)
		say(&words, "; up to %s that were offered were not carried in time",
		    human_bytes(fidelity->uncarried_bytes, late));
	if (fidelity->verdict == FIDELITY_VALID_FOR_RATES)
		say_delay(&words, &fidelity->nodes[fidelity->worst]);
	else if (fidelity->verdict == FIDELITY_NOT_VALID)
		say_rate(&words, plan, results);
}
