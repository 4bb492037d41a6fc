/*  cmd_check - `heddle check SCENARIO`: reads and plans a scenario and prints a summary, without a
 *  run (TB-10). */
#include "orchestrator/cli/cmd_check.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "orchestrator/base/json_text.h"
#include "orchestrator/base/quantity.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/cli/check_up.h"
#include "orchestrator/command/options.h"
#include "orchestrator/plan/congestion_text.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/plan/plan_congestion_make.h"
#include "orchestrator/plan/plan_given.h"
#include "orchestrator/plan/plan_real.h"
#include "orchestrator/plan/roce_text.h"
#include "orchestrator/plan/routing_text.h"
#include "orchestrator/results/compare.h"
#include "orchestrator/results/expect.h"
#include "orchestrator/scenario/scenario_idle.h"

struct request {
	bool json, congestion, up;
	struct option_settings settings;
	const char *path;
};

#define AT(member) offsetof(struct request, member)

static const struct option_row options[] = {
	OPTION_FLAG("--json", AT(json), "the same for programs"),
	OPTION_FLAG("--congestion", AT(congestion),
		    "also all numbers of congestion control, including derived ones; of a fabric\n"
		    "of kind roce always thresholds, headroom and buffers"),
	OPTION_FLAG("--up", AT(up),
		    "for 'heddle up', which needs no section run and has no end; also what it "
		    "would\nwarn of: too much for this machine, programs that are missing"),
	OPTION_TAKE("--seed", "N", AT(settings), option_seed, NULL, "another seed"),
	OPTION_DILATE(AT(settings)),
	OPTION_CONTROL(AT(settings)),
	OPTION_SET(AT(settings), "run.duration=1ms"),
};

static const struct command_words words = {
	"check",
	"usage: heddle check SCENARIO [options]\n"
	"Reads a scenario, reports every mistake with file, line and column, and prints what "
	"would\n"
	"run, with the routing and its derived numbers.\n",
	"exit status: 0 the scenario is fine, 2 wrong usage or scenario\n",
	OPTIONS(options),
	OPERANDS("scenario", 1, 1),
};

/* sums over a plan */
struct summary {
	uint64_t flows, ring_bytes;
	uint32_t edge_links, fabric_links;
};

static uint64_t flows_of(const struct workload_config *workload)
{
	return (uint64_t)workload->destination_count * workload->connections;
}

static struct summary summarise(const struct plan *plan)
{
	struct summary summary = { 0 };

	for (uint32_t i = 0; i < plan->node_count; i++) {
		const struct node_config *node = &plan->nodes[i];

		for (uint32_t p = 0; p < node->port_count; p++)
			summary.ring_bytes += node->ports[p].ring_bytes;
		for (uint32_t w = 0; node->kind == NODE_NIC && w < node->nic.workload_count; w++)
			summary.flows += flows_of(&node->nic.workloads[w]);
	}
	summary.edge_links = plan->host_count;
	summary.fabric_links = plan->link_count - plan->host_count;
	return summary;
}

static uint64_t workload_flows(const struct plan *plan, uint32_t index)
{
	uint64_t flows = 0;

	for (uint32_t h = 0; h < plan->host_count; h++) {
		const struct nic_config *nic = &plan->nodes[plan_host_node(plan, h)].nic;

		for (uint32_t w = 0; w < nic->workload_count; w++)
			if (nic->workloads[w].workload_index == index)
				flows += flows_of(&nic->workloads[w]);
	}
	return flows;
}

static int print_congestion(const struct plan *plan)
{
	struct congestion_basis basis;
	int error = plan_congestion_basis(CLOCK_VIRTUAL, plan, &basis);

	if (!error)
		congestion_print(&basis, &plan->nodes[0].switch_.congestion, stdout);
	return error;
}

/* The common flow key, and those that differ (FC-2). */
static void flow_keys_print(const struct plan *plan)
{
	if (plan_fabric(plan) != FABRIC_FLOW_CHANNEL)
		return;
	printf("flow key      ");
	flow_match_print(&plan->match, stdout);
	printf("\n");
	for (uint32_t h = 0; h < plan->host_count; h++) {
		if (flow_match_equal(plan_host_match(plan, h), &plan->match))
			continue;
		printf("  %-11s ", plan_host_name(plan, h));
		flow_match_print(plan_host_match(plan, h), stdout);
		printf("\n");
	}
}

static json_t *match_json(const struct flow_match *match)
{
	char text[FLOW_MATCH_TEXT_MAX];
	FILE *out = fmemopen(text, sizeof(text), "w");

	if (!out)
		return NULL;
	flow_match_print(match, out);
	fclose(out);
	return json_string(text);
}

/* Return: 0 or -1. */
static int flow_keys_add(const struct plan *plan, json_t *root)
{
	json_t *keys = json_object();
	int error = json_object_set_new(root, "flow_key", match_json(&plan->match));

	for (uint32_t h = 0; !error && h < plan->host_count; h++)
		if (!flow_match_equal(plan_host_match(plan, h), &plan->match))
			error = json_object_set_new(keys, plan_host_name(plan, h),
						    match_json(plan_host_match(plan, h)));
	return json_object_set_new(root, "flow_keys", keys) || error ? -1 : 0;
}

/* a line for each warning of `heddle up` */
static int print_up(const struct plan *plan)
{
	json_t *warnings = check_up(plan), *text;
	size_t i;

	json_array_foreach (warnings, i, text)
		printf("up warns      %s\n", json_string_value(text));
	if (warnings && !json_array_size(warnings))
		printf("up warns      of nothing\n");
	json_decref(warnings);
	return warnings ? 0 : -ENOMEM;
}

static int print_text(const struct plan *plan, const struct scenario *scenario,
		      const struct request *request)
{
	struct summary summary = summarise(plan);
	uint32_t hosts = plan_owner_count(plan);
	char time[3][QUANTITY_TEXT_MAX], nics[32] = "";

	printf("%s: fine\n", plan->file);
	printf("scenario      %s (seed %llu)\n", plan->scenario, (unsigned long long)plan->seed);
	if (*scenario->about)
		printf("about         %s\n", scenario->about);
	printf("fabric        %s\n", scenario_fabric_name[plan_fabric(plan)]);
	if (hosts < plan->host_count)
		snprintf(nics, sizeof(nics), "%u NICs of ", plan->host_count);
	printf("nodes         %u: %u switch%s, %s%u host%s\n", plan->node_count, plan->switch_count,
	       plan->switch_count == 1 ? "" : "es", nics, hosts, hosts == 1 ? "" : "s");
	printf("links         %u: %u to hosts, %u between switches\n", plan->link_count,
	       summary.edge_links, summary.fabric_links);
	if (!request->up)
		printf("time          %s, measured from %s, time step %s\n",
		       quantity_format(QUANTITY_TIME, plan->duration_ps, time[0]),
		       quantity_format(QUANTITY_TIME, plan->warmup_ps, time[1]),
		       quantity_format(QUANTITY_TIME, plan->lookahead_ps, time[2]));
	printf("flows         %llu at most\n", (unsigned long long)summary.flows);
	for (uint32_t i = 0; i < plan->workload_count; i++)
		printf("  %-11s %llu flows, packets of %u bytes\n", plan->workloads[i].name,
		       (unsigned long long)workload_flows(plan, i),
		       plan->workloads[i].packet_bytes);
	printf("expectations  %u\n", plan->expectation_count);
	flow_keys_print(plan);
	scenario_idle_print(scenario, "no effect     ", stdout);
	if (scenario->compare)
		printf("variants      %u, compared by %u metrics\n",
		       scenario->compare->variant_count, scenario->compare->column_count);
	routing_print(plan, stdout);
	plan_loops_print(plan, "routing loop  ", stdout);
	if (plan_fabric(plan) == FABRIC_ROCE)
		roce_print(plan, stdout);
	if (request->up && print_up(plan))
		return -ENOMEM;
	return request->congestion ? print_congestion(plan) : 0;
}

static int add_congestion(const struct plan *plan, json_t *root)
{
	struct congestion_basis basis;
	int error = plan_congestion_basis(CLOCK_VIRTUAL, plan, &basis);

	if (!error &&
	    json_object_set_new(root, "congestion",
				congestion_json(&basis, &plan->nodes[0].switch_.congestion)))
		error = -ENOMEM;
	return error;
}

static json_t *idle_json(const struct scenario *scenario)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < scenario->idle_count; i++)
		json_array_append_new(list, json_string(scenario->idle[i]));
	return list;
}

struct loop_list {
	const struct plan *plan;
	json_t *list;
};

static void loop_add(void *context, uint32_t target, const uint32_t *switches, uint32_t count)
{
	struct loop_list *loops = context;
	json_t *names = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(names, json_string(loops->plan->nodes[switches[i]].name));
	json_array_append_new(
		loops->list,
		json_pack("{s:s, s:o}", "to", loops->plan->nodes[target].name, "switches", names));
}

/* an array; empty if there are none */
static json_t *loops_json(const struct plan *plan)
{
	struct loop_list loops = { .plan = plan, .list = json_array() };

	if (plan_loops_each(plan, loop_add, &loops) >= 0)
		return loops.list;
	json_decref(loops.list);
	return NULL;
}

static int print_json(const struct plan *plan, const struct scenario *scenario,
		      const struct request *request)
{
	struct summary summary = summarise(plan);
	json_t *workloads = json_array(), *root;

	for (uint32_t i = 0; i < plan->workload_count; i++)
		json_array_append_new(workloads,
				      json_pack("{s:s, s:I, s:I}", "name", plan->workloads[i].name,
						"flows", (json_int_t)workload_flows(plan, i),
						"packet_bytes",
						(json_int_t)plan->workloads[i].packet_bytes));
	root = json_pack(
		"{s:b, s:o, s:s, s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:I}",
		"ok", 1, "file", utf8_json(plan->file), "fabric",
		scenario_fabric_name[plan_fabric(plan)], "scenario", plan->scenario, "about",
		scenario->about,
		/* 64 bits without sign: JSON integers of jansson have one */
		"seed", json_sprintf("%llu", (unsigned long long)plan->seed), "switches",
		(json_int_t)plan->switch_count, "hosts", (json_int_t)plan_owner_count(plan),
		"links", (json_int_t)plan->link_count, "duration_ps", (json_int_t)plan->duration_ps,
		"warmup_ps", (json_int_t)plan->warmup_ps, "lookahead_ps",
		(json_int_t)plan->lookahead_ps, "flows", (json_int_t)summary.flows, "ring_bytes",
		(json_int_t)summary.ring_bytes, "workloads", workloads, "expectations",
		(json_int_t)plan->expectation_count);
	if (!root ||
	    (scenario->idle_count && json_object_set_new(root, "no_effect", idle_json(scenario))) ||
	    (request->congestion && add_congestion(plan, root)) ||
	    (request->up && json_object_set_new(root, "up", check_up(plan))) ||
	    json_object_set_new(root, "routing", routing_json(plan)) ||
	    json_object_set_new(root, "routing_loops", loops_json(plan)) ||
	    (plan_fabric(plan) == FABRIC_FLOW_CHANNEL && flow_keys_add(plan, root)) ||
	    (plan_fabric(plan) == FABRIC_PORT_GROUP &&
	     json_object_set_new(root, "port_group", port_group_json(plan))) ||
	    (plan_fabric(plan) == FABRIC_ROCE &&
	     json_object_set_new(root, "roce", roce_json(plan)))) {
		json_decref(root);
		return -ENOMEM;
	}
	return json_text_write(root, JSON_INDENT(2), stdout);
}

static void print_errors(const struct scenario_errors *errors, bool json)
{
	json_t *root;

	if (!json) {
		scenario_errors_print(errors, stderr);
		return;
	}
	root = json_pack("{s:b, s:I, s:o}", "ok", 0, "error_count", (json_int_t)errors->count,
			 "errors", scenario_errors_json(errors));
	json_text_write(root, JSON_INDENT(2), stdout);
}

/* variant @variant of @base: 0, -EINVAL with @errors, -ENOMEM */
static int check_variant(const struct request *request, const struct scenario *base,
			 uint32_t variant, struct scenario_errors *errors)
{
	struct scenario scenario = { 0 };
	struct plan plan = { 0 };
	int error = scenario_read_variant(request->path, request->settings.texts,
					  request->settings.count, variant, &scenario, errors);

	if (!error)
		error = plan_make(&scenario, &plan, errors);
	if (!error)
		error = compare_check(base->compare, &plan, errors);
	plan_free(&plan);
	scenario_free(&scenario);
	return error;
}

/* Return: 0, -EINVAL with @errors, -ENOMEM. */
static int check(const struct request *request, struct scenario *scenario, struct plan *plan,
		 struct scenario_errors *errors)
{
	int error = scenario_read_file(request->path, request->settings.texts,
				       request->settings.count, scenario, errors);

	if (!error)
		error = request->up ? plan_make_real(scenario, plan, errors)
				    : plan_make(scenario, plan, errors);
	if (error == -EINVAL)
		expect_check_early(scenario, errors);
	for (uint32_t i = 0; !error && i < plan->expectation_count; i++)
		expect_check(plan, &plan->expectations[i], errors);
	for (uint32_t i = 0;
	     !error && !request->up && scenario->compare && i < scenario->compare->variant_count;
	     i++)
		error = check_variant(request, scenario, i, errors);
	return !error && errors->count ? -EINVAL : error;
}

int cmd_check(int argc, char **argv)
{
	struct request request = { 0 };
	struct scenario_errors errors = { 0 };
	struct scenario scenario = { 0 };
	struct plan plan = { 0 };
	int count, error, status = options_read(&words, argc, argv, &request, &count);

	if (status >= 0)
		return status;
	request.path = argv[1];
	error = check(&request, &scenario, &plan, &errors);
	status = error ? 0 : option_control_check("check", &request.settings, &scenario, true);
	if (errors.count)
		print_errors(&errors, request.json);
	else if (!error && !status && request.json)
		error = print_json(&plan, &scenario, &request);
	else if (!error && !status)
		error = print_text(&plan, &scenario, &request);
	if (error && !errors.count)
		fprintf(stderr, "heddle check: %s\n", strerror(-error));
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	return !error ? status : error == -EINVAL ? EXIT_USAGE : EXIT_NODE;
}
