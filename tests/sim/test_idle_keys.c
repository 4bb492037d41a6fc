/*  Keys that mean nothing in a fabric of some kind (orchestrator/scenario/scenario_idle). If a
 *  key is reported as idle, a run gives the same bytes with and without it. If it is not, it may
 *  matter (TB-11). */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/sim.h"
#include "tests/testing.h"

#define FLOW_CHANNEL (1u << FABRIC_FLOW_CHANNEL)
#define ROCE (1u << FABRIC_ROCE)
#define PORT_GROUP (1u << FABRIC_PORT_GROUP)

static const struct {
	const char *setting;
	unsigned kinds; /* where it means something */
} said[] = {
	{ "congestion=no", FLOW_CHANNEL },
	{ "roce={ecn: no, buffer: 1MiB}", ROCE },
	{ "port-group={becn: no, policy: random}", PORT_GROUP },
	{ "routing.choice=static", FLOW_CHANNEL },
	{ "routing.detour={when: always}", FLOW_CHANNEL },
	{ "routing.hold-sources={for: 1ms}", FLOW_CHANNEL },
	{ "routing.redirect={depth: 5kB, full: 6kB}", FLOW_CHANNEL },
	{ "routing.lanes=2", FLOW_CHANNEL | PORT_GROUP },
	{ "switch.arbiter=by-port", FLOW_CHANNEL },
	{ "switch.flow-key=[source-mac]", FLOW_CHANNEL },
	{ "switch.acks={t1: 1ns}", FLOW_CHANNEL },
	{ "switch.buffer=512KiB", FLOW_CHANNEL | PORT_GROUP },
	{ "switch.output-queue=8KiB", FLOW_CHANNEL | PORT_GROUP },
	{ "nic.fgfc-entries=1", FLOW_CHANNEL },
	{ "classes.0.unordered=yes", FLOW_CHANNEL | PORT_GROUP },
	{ "classes.0.lossless=no", ROCE },
	{ "classes.0.ecn=no", ROCE },
	{ "classes.0.queue=50kB", ROCE },
	{ "classes.0.alpha=50%", ROCE },
	{ "classes.0.xoff=20kB", ROCE },
	{ "classes.0.xon-offset=2kB", ROCE },
	{ "classes.0.watched=no", ROCE },
	{ "links.channels=2", FLOW_CHANNEL },
	{ "links.edge.channels=2", FLOW_CHANNEL },
	{ "links.fabric.channels=2", FLOW_CHANNEL },
	{ "topology.hosts.B={switch: s0, channels: 2}", FLOW_CHANNEL },
	{ "topology.hosts.B={switch: s0, flow-key: [source-mac/24]}", FLOW_CHANNEL },
	{ "topology.links.0={between: [s0, s2], channels: 2}", FLOW_CHANNEL },
};

#define COUNT (sizeof(said) / sizeof(said[0]))

static const char text[] =
	"name: t\nseed: 3\nrun: {duration: 20us}\n"
	"topology:\n  switches: [s0, s1, s2, s3]\n  hosts: {A: s0, B: s0, C: s1, D: s1}\n"
	"  links: [[s0, s2], [s0, s3], [s1, s2], [s1, s3]]\n"
	"classes: [{name: a}]\nlinks: {rate: 100Gb/s, delay: 100ns}\nswitch: {latency: 300ns}\n"
	"nic: {latency: 400ns}\nrouting: {reaction: 1us}\n"
	"workloads:\n  - {name: in, pattern: incast, to: C, frame: roce, connections: 2}\n"
	"  - {name: all, pattern: uniform, size: 20kB, frame: roce}\n";

/* @json  freed.   Return: the same without what the run was told; malloc'd */
static char *without_input(char *json)
{
	json_t *object = json_loads(json, 0, NULL);
	char *left;

	ck_assert_int_eq(json_object_del(object, "settings"), 0);
	ck_assert_int_eq(json_object_del(object, "effective"), 0);
	left = json_dumps(object, 0);
	json_decref(object);
	free(json);
	return left;
}

/* the JSON result; malloc'd */
static char *result(enum fabric_kind fabric, const char *setting)
{
	char kind[64];
	const char *settings[] = { kind, setting, NULL };
	struct sim sim;
	char *json;

	snprintf(kind, sizeof(kind), "fabric=%s", scenario_fabric_name[fabric]);
	sim_open_text(&sim, text, settings);
	sim_run(&sim);
	json = sim_json(&sim);
	sim_close(&sim);
	return without_input(json);
}

static bool told(enum fabric_kind fabric, const char *setting)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	char kind[64];
	const char *settings[] = { kind, setting };
	bool idle;

	snprintf(kind, sizeof(kind), "fabric=%s", scenario_fabric_name[fabric]);
	ck_assert_msg(
		!scenario_read_memory("t", text, strlen(text), settings, 2, &scenario, &errors),
		"%s", errors.texts[0]);
	idle = scenario.idle_count;
	scenario_free(&scenario);
	return idle;
}

TEST_GROUP(idle_keys, .timeout_s = 120);

/* _i: the kind of fabric */
TEST_RANGE(scenario_idle__told_is_without_effect, 0, FABRIC_KINDS)
{
	char *as_it_is = result((enum fabric_kind)_i, NULL);

	for (size_t i = 0; i < COUNT; i++) {
		bool idle = !(said[i].kinds >> _i & 1);
		char *changed;

		ck_assert_msg(told((enum fabric_kind)_i, said[i].setting) == idle, "%s",
			      said[i].setting);
		if (!idle)
			continue;
		changed = result((enum fabric_kind)_i, said[i].setting);
		ck_assert_msg(!strcmp(as_it_is, changed), "%s changes a fabric of kind %s",
			      said[i].setting, scenario_fabric_name[_i]);
		free(changed);
	}
	free(as_it_is);
}
