/*  results_paths - the part of the summary about the choice of paths (FC-16, FC-23 ... FC-25), and
 *  about port groups, credits and marks (PG-3, PG-9, PG-10). */
#include "orchestrator/results/results_paths.h"

#include <inttypes.h>

#include "orchestrator/base/human.h"
#include "orchestrator/base/screen.h"
#include "orchestrator/results/statistics.h"

/* the sums over all ports: choices of switches, BECNs of NICs, waits for credit of both; and the
 * ports with the most redirects and waits */
struct sums {
	struct port_stats all;
	const struct result_port *redirector, *waiter;
};

static struct sums sums_of(const struct results *results)
{
	struct sums sums = { 0 };

	for (uint32_t i = 0; i < results->port_count; i++) {
		const struct result_port *row = &results->ports[i];

		statistics_fold(&port_statistics, &row->stats, &sums.all);
		if (row->stats.redirects > (sums.redirector ? sums.redirector->stats.redirects : 0))
			sums.redirector = row;
		if (row->stats.credit_wait_ps >
		    (sums.waiter ? sums.waiter->stats.credit_wait_ps : 0))
			sums.waiter = row;
	}
	return sums;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void choices_write(const struct port_stats *all, FILE *out)
{
	fprintf(out, "choices %" PRIu64 ": another port than the static one %" PRIu64 " (%.1f %%)",
		all->choices, all->choices_other, percent(all->choices_other, all->choices));
	if (all->choices_detour)
		fprintf(out, ", a detour %" PRIu64 " (%.1f %%)", all->choices_detour,
			percent(all->choices_detour, all->choices));
	if (all->choices_held)
		fprintf(out, ", kept on their path as a source of congestion %" PRIu64,
			all->choices_held);
	fputc('\n', out);
}

static void redirects_write(const struct plan *plan, const struct sums *sums, FILE *out)
{
	if (!sums->all.reroute_acks && !sums->all.redirects)
		return;
	fprintf(out, "flows redirected %" PRIu64 ", by %" PRIu64 " ACK_REROUTEs",
		sums->all.redirects, sums->all.reroute_acks);
	if (sums->redirector)
		fprintf(out, "; most often at %s port %" PRIu32,
			plan->nodes[sums->redirector->node].name, sums->redirector->port);
	fputc('\n', out);
}

static void credits_write(const struct plan *plan, const struct sums *sums, FILE *out)
{
	char all[HUMAN_TEXT_MAX], most[HUMAN_TEXT_MAX];

	fprintf(out,
		"waited for credit %s in %" PRIu64
		" waits, all ports of switches and NICs together",
		human_time(sums->all.credit_wait_ps, all), sums->all.credit_waits);
	if (sums->waiter)
		fprintf(out, " (longest %s port %" PRIu32 ", %s)",
			plan->nodes[sums->waiter->node].name, sums->waiter->port,
			human_time(sums->waiter->stats.credit_wait_ps, most));
	fprintf(out, ", packets marked FECN %" PRIu64 ", BECNs %" PRIu64 "\n",
		sums->all.fecn_marked, sums->all.becns);
}

void results_paths_write(const struct plan *plan, const struct results *results, bool colour,
			 FILE *out)
{
	struct sums sums;

	if (!results_has_paths(plan))
		return;
	sums = sums_of(results);
	fprintf(out, "\n%spaths%s\n", screen_paint(colour, SCREEN_BOLD),
		screen_paint(colour, SCREEN_PLAIN));
	choices_write(&sums.all, out);
	redirects_write(plan, &sums, out);
	if (sums.all.folds)
		fprintf(out, "unordered flows forced onto one path (folded) %" PRIu64 "\n",
			sums.all.folds);
	if (plan_fabric(plan) == FABRIC_PORT_GROUP)
		credits_write(plan, &sums, out);
}
