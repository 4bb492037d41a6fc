#include "orchestrator/results/results_symptom.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "orchestrator/base/screen.h"

#define SHOWN 12u

static const char *const kind_name[SYMPTOM_KINDS] = {
	[SYMPTOM_NO_TABLES] = "no-tables",
	[SYMPTOM_NOTHING_DELIVERED] = "nothing-delivered",
};

/* the sums over the flows of a host */
struct host_sums {
	uint64_t resent, received;
};

static void symptom_add(struct results *results, enum symptom_kind kind, uint32_t node,
			uint64_t resent)
{
	results->symptoms[results->symptom_count++] =
		(struct result_symptom){ .kind = kind, .node = node, .resent = resent };
}

static void hosts_look(const struct plan *plan, struct results *results, struct host_sums *sums)
{
	for (uint32_t i = 0; i < results->flow_count; i++) {
		const struct result_flow *flow = &results->flows[i];

		if (flow->source >= plan->host_count)
			continue;
		sums[flow->source].resent += flow->transport.resent;
		sums[flow->source].received += flow->packets;
	}
	for (uint32_t host = 0; host < plan->host_count; host++)
		if (sums[host].resent && !sums[host].received)
			symptom_add(results, SYMPTOM_NOTHING_DELIVERED, plan_host_node(plan, host),
				    sums[host].resent);
}

int results_symptom_gather(const struct plan *plan, struct stats_page *const *pages,
			   struct results *results)
{
	struct host_sums *sums = calloc(plan->host_count, sizeof(*sums));

	results->symptoms =
		calloc(plan->switch_count + plan->host_count, sizeof(*results->symptoms));
	if (!sums || !results->symptoms) {
		free(sums);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (!plan_vacant(plan, i) && !pages[i]->tables_taken)
			symptom_add(results, SYMPTOM_NO_TABLES, i, 0);
	hosts_look(plan, results, sums);
	free(sums);
	return 0;
}

bool results_symptom_wrong(const struct plan *plan, const struct results *results, char *text,
			   size_t text_max)
{
	uint32_t count = 0, first = 0;

	for (uint32_t i = 0; i < results->symptom_count; i++) {
		if (results->symptoms[i].kind != SYMPTOM_NO_TABLES)
			continue;
		first = count++ ? first : results->symptoms[i].node;
	}
	if (count > 1)
		snprintf(text, text_max, "switch %s and %" PRIu32 " more have no tables",
			 plan->nodes[first].name, count - 1);
	else
		snprintf(text, text_max, "switch %s has no tables", plan->nodes[first].name);
	return count;
}

json_t *results_symptom_json(const struct plan *plan, const struct results *results)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < results->symptom_count; i++) {
		const struct result_symptom *symptom = &results->symptoms[i];
		json_t *row = json_pack("{s:s, s:s, s:I}", "kind", kind_name[symptom->kind], "node",
					plan->nodes[symptom->node].name, "resent_packets",
					(json_int_t)symptom->resent);

		if (json_array_append_new(array, row)) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

void results_symptom_write(const struct plan *plan, const struct results *results, bool colour,
			   FILE *out)
{
	for (uint32_t i = 0; i < results->symptom_count && i < SHOWN; i++) {
		const struct result_symptom *symptom = &results->symptoms[i];
		const char *name = plan->nodes[symptom->node].name;

		fprintf(out, "%s%s", i ? "" : "\n", screen_paint(colour, SCREEN_RED));
		if (symptom->kind == SYMPTOM_NO_TABLES)
			fprintf(out,
				"switch %s has no tables: it has forwarded nothing to its "
				"destination",
				name);
		else
			fprintf(out,
				"host %s has delivered nothing, and retransmitted %" PRIu64
				" packets",
				name, symptom->resent);
		fprintf(out, "%s\n", screen_paint(colour, SCREEN_PLAIN));
	}
	if (results->symptom_count > SHOWN)
		fprintf(out, "... and %" PRIu32 " more\n", results->symptom_count - SHOWN);
}
