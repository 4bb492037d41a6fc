/*  Fuzzes orchestrator/live/live_request (TB-10, TB-23): the JSON that a client sends to the daemon
 *  of a running fabric.
 *
 *  All nodes of the fabric are dead: the code that serves a request looks it up, checks it and
 *  refuses it, and nothing is started. Requests that would touch this machine
 *  (processes, namespaces, interfaces) are left out. Every answer is a JSON object, and the fabric
 *  is as it was. */
#include <assert.h>

#include "orchestrator/fabric/fabric_real.h"
#include "orchestrator/live/live_request.h"
#include "tests/fuzz/real_fabric.h"

static struct plan plan;
static struct live live;

static void set_up(void)
{
	if (plan.node_count)
		return;
	real_plan(&plan);
	live = (struct live){ .plan = &plan, .fabric = { .plan = &plan, .options.real = true } };
	live.fabric.nodes = calloc(plan.node_count, sizeof(*live.fabric.nodes));
	live.hosts = calloc(plan.host_count, sizeof(*live.hosts));
	live.fabric.page = aligned_alloc(64, (clock_bytes(plan.node_count) + 63) / 64 * 64);
	if (!live.fabric.nodes || !live.hosts || !live.fabric.page ||
	    fabric_drain_init(&live.fabric))
		abort();
	memset(live.fabric.page, 0, clock_bytes(plan.node_count));
	clock_init(live.fabric.page, plan.node_count, NODE_US);
	clock_attach(&live.fabric.clock, live.fabric.page, clock_bytes(plan.node_count));
	for (uint32_t i = 0; i < plan.node_count; i++)
		live.fabric.nodes[i].control = live.fabric.nodes[i].doorbell = -1;
	strcpy(live.place.name, "t");
}

/* nodes and fabric managers are processes, hosts have interfaces and namespaces */
static bool is_tried(const uint8_t *data, size_t size)
{
	static const char *const kept_out[] = { "start",  "add-host", "add-switch", "add-link",
						"remove", "exec",     "link-down",  "link-up" };
	json_t *request = json_loadb((const char *)data, size, 0, NULL);
	const char *ask = json_string_value(json_object_get(request, "ask"));
	bool tried = true;

	for (size_t i = 0; ask && i < sizeof(kept_out) / sizeof(kept_out[0]); i++)
		tried = tried && strcmp(ask, kept_out[i]) != 0;
	json_decref(request);
	return tried;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plan_counts before, after;
	struct live_answer answer;

	set_up();
	if (!is_tried(data, size))
		return 0;
	before = plan_spare_counts(&plan);
	live_request(&live, (const char *)data, size, &answer);
	assert(json_is_object(answer.body) && answer.fd_count <= LIVE_FDS_MAX);
	json_decref(answer.body);
	after = plan_spare_counts(&plan);
	assert(before.links == after.links && before.hosts == after.hosts &&
	       before.switches == after.switches);
	return 0;
}
