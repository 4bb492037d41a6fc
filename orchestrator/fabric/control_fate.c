#include "orchestrator/fabric/control_fate.h"

#include <inttypes.h>

/* "of flow h0 -> h4 (incast, connection 3) at 12.500000 us" */
static void flow_describe(const struct fabric *fabric, uint32_t node,
			  const struct control_call *call, char *text, size_t text_max)
{
	const struct plan *plan = fabric->plan;
	struct flow_tx_stats flow = { .destination = UINT32_MAX };
	char connection[32] = "";

	if (call->slot < fabric->nodes[node].stats->flows_max)
		flow = *stats_flow_tx(fabric->nodes[node].stats, call->slot);
	if (flow.destination >= plan->host_count || flow.workload_index >= plan->workload_count) {
		snprintf(text, text_max, "of flow %" PRIu32, call->slot);
		return;
	}
	if (plan->workloads[flow.workload_index].connections > 1)
		snprintf(connection, sizeof(connection), ", connection %" PRIu32, flow.connection);
	snprintf(text, text_max, "of flow %s -> %s (%s%s) at %" PRIu64 ".%06u us",
		 plan->nodes[node].name, plan_host_name(plan, flow.destination),
		 plan->workloads[flow.workload_index].name, connection, call->at_ps / NODE_US,
		 (unsigned)(call->at_ps % NODE_US));
}

bool control_fate(const struct fabric *fabric, uint32_t node, const char *how, char *text,
		  size_t text_max)
{
	const struct origin *origin = fabric->plan->origin;
	char flow[256] = "", what[512];
	struct control_call call;

	if (!origin || !fabric->nodes[node].stats ||
	    !node_config_has_control(&fabric->plan->nodes[node]))
		return false;
	call = fabric->nodes[node].stats->control_call;
	if (call.function == CONTROL_NONE)
		return false;
	if (call.function != CONTROL_LOAD)
		flow_describe(fabric, node, &call, flow, sizeof(flow));
	snprintf(text, text_max, "%s: the control %s %s", how ? "ended" : "hangs",
		 origin->control.name, control_call_describe(&call, how, flow, what, sizeof(what)));
	return true;
}
