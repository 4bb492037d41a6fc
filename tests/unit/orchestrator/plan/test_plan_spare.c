/*  orchestrator/plan/plan_spare: a node that joins or leaves changes its own places, and the tables
 *  of all switches, nothing else (TB-22). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/control/config_check.h"
#include "orchestrator/plan/plan_congestion_make.h"
#include "orchestrator/plan/plan_real.h"
#include "orchestrator/plan/plan_spare.h"
#include "orchestrator/plan/plan_topology.h"
#include "tests/testing.h"

#define RUN "name: t\nseed: 7\nrun: {duration: 100us, warmup: 10us}\n"
#define TWO RUN "topology: {switches: [s1, s2], hosts: {A: s1, B: s2, C: s2}, links: [[s1, s2]]}\n"

static struct plan plan;

static void plan_of(const char *text)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	int error = scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors);

	if (!error)
		error = plan_make_real(&scenario, &plan, &errors);
	ck_assert_msg(error == 0, "%s", errors.count ? errors.texts[0] : "no error");
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	ck_assert_int_eq(plan_spare_make(&plan), 0);
}

static void set_up(void)
{
	plan_of(TWO);
}

static void tear_down(void)
{
	plan_free(&plan);
}

static uint32_t at(const char *name)
{
	const struct node_config *node = plan_node_find(&plan, name);

	ck_assert_ptr_nonnull(node);
	ck_assert_uint_eq(node->index, node - plan.nodes);
	return node->index;
}

/* a node accepts every configuration, and both ends of every link name each other */
static void consistent(void)
{
	struct why why;

	for (uint32_t i = 0; i < plan.node_count; i++) {
		const struct node_config *node = &plan.nodes[i];

		if (plan_vacant(&plan, i))
			continue;
		ck_assert_msg(node_config_check(node, &why) == 0, "%s: %s", node->name, why.text);
		for (uint32_t p = 0; p < node->port_count; p++) {
			const struct port_config *port = &node->ports[p];
			const struct port_config *back;

			if (port->vacant)
				continue;
			back = &plan.nodes[port->peer_index].ports[port->peer_port];
			ck_assert_uint_eq(back->peer_index, i);
			ck_assert_uint_eq(back->peer_port, p);
			ck_assert_uint_eq(back->link_index, port->link_index);
			ck_assert_str_eq(port->peer_name, plan.nodes[port->peer_index].name);
		}
	}
}

static int64_t plug(uint32_t a, uint32_t b)
{
	struct port_config like = plan_spare_template(&plan, a, b);

	return plan_spare_link(&plan, a, b, &like);
}

TEST_GROUP(plan_room, .setup = set_up, .teardown = tear_down);

/* The first NIC has `pauses` of its own. A host that joins has none, and removing it leaves those
 * of the first. */
TEST(plan_spare_host__pauses_are_not_shared)
{
	struct nic_config *first = &plan.nodes[at("A")].nic, *joined;

	first->pauses = calloc(2, sizeof(*first->pauses));
	first->pause_count = 2;
	joined = &plan.nodes[plan_spare_host(&plan, "new")].nic;
	ck_assert_ptr_null(joined->pauses);
	ck_assert_uint_eq(joined->pause_count, 0);
	plan_spare_node_remove(&plan, at("new"));
	ck_assert_uint_eq(first->pause_count, 2);
}

TEST(plan_spare_make__moves_nothing)
{
	struct plan_counts counts = plan_spare_counts(&plan);

	consistent();
	ck_assert_uint_eq(counts.switches, 2);
	ck_assert_uint_eq(counts.hosts, 3);
	ck_assert_uint_eq(counts.links, 4);
	ck_assert_uint_eq(plan.nodes[at("s2")].switch_.fabric_address, 2);
	ck_assert_uint_eq(plan.nodes[at("C")].nic.host_index, 2);
	ck_assert_uint_eq(plan_host_node(&plan, 2), at("C"));
	ck_assert_uint_eq(plan.nodes[at("s1")].port_count, 2 + PLAN_SPARE_PORTS);
	ck_assert_str_eq(plan.nodes[plan.links[2].node_a].name, "C");
}

TEST(plan_spare_host__joins_with_its_own_address)
{
	int64_t host = plan_spare_host(&plan, "D");

	ck_assert_int_ge(host, 0);
	ck_assert_int_ge(plug((uint32_t)host, at("s1")), 0);
	consistent();
	ck_assert_uint_eq(plan.nodes[host].nic.host_index, 3);
	ck_assert_uint_eq(plan.nodes[host].ports[0].peer_index, at("s1"));
	ck_assert_uint_eq(plan.nodes[host].ports[0].peer_port, 2);
	ck_assert_uint_eq(plan.nodes[at("s1")].ports[2].match.fields,
			  plan.nodes[at("s1")].ports[0].match.fields);
}

TEST(plan_spare_link__fails_without_a_free_port)
{
	for (uint32_t i = 0; i < PLAN_SPARE_PORTS; i++)
		ck_assert_int_ge(plug(at("s1"), at("s2")), 0);
	ck_assert_int_eq(plug(at("s1"), at("s2")), -EMLINK);
	consistent();
}

TEST(plan_spare_link__fails_without_a_free_place)
{
	int64_t pair[2] = { 0 };
	char name[16];

	for (uint32_t i = 0; i <= PLAN_SPARE_LINKS / NODE_PORTS_MAX; i++) {
		for (uint32_t k = 0; k < 2; k++) {
			snprintf(name, sizeof(name), "n%u.%u", i, k);
			pair[k] = plan_spare_switch(&plan, name);
			ck_assert_int_ge(pair[k], 0);
		}
		for (uint32_t k = 0; k < NODE_PORTS_MAX && i < PLAN_SPARE_LINKS / NODE_PORTS_MAX;
		     k++)
			ck_assert_int_ge(plug((uint32_t)pair[0], (uint32_t)pair[1]), 0);
	}
	ck_assert_int_eq(plug((uint32_t)pair[0], (uint32_t)pair[1]), -ENOSPC);
	ck_assert_uint_eq(plan_spare_counts(&plan).links, 4 + PLAN_SPARE_LINKS);
	consistent();
}

TEST(plan_spare_host__fails_without_a_free_place)
{
	char name[16];

	for (uint32_t i = 0; i < PLAN_SPARE_HOSTS; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		ck_assert_int_ge(plan_spare_host(&plan, name), 0);
	}
	ck_assert_int_eq(plan_spare_host(&plan, "one-more"), -ENOSPC);
}

TEST(plan_spare_node_remove__frees_the_place)
{
	uint32_t index = at("B");

	plan_spare_node_remove(&plan, index);
	consistent();
	ck_assert_uint_eq(plan_spare_counts(&plan).links, 3);
	ck_assert_ptr_null(plan_node_find(&plan, "B"));
	ck_assert(plan.nodes[at("s2")].ports[0].vacant);
	ck_assert_uint_eq(plan.nodes[at("C")].ports[0].peer_port, 1); /* it did not move */
	ck_assert_int_eq(plan_spare_host(&plan, "E"), index);
	ck_assert_int_eq(plug(index, at("s2")), 1);
	consistent();
}

/* the first edge port was removed, so the new link cannot copy its match fields */
TEST(plan_spare_link__has_match_fields_without_the_first_port)
{
	uint32_t fields = plan.nodes[at("s1")].ports[0].match.fields;
	int64_t host;

	ck_assert_uint_ne(fields, 0);
	plan_spare_node_remove(&plan, at("A"));
	host = plan_spare_host(&plan, "D");
	ck_assert_int_ge(plug((uint32_t)host, at("s1")), 0);
	ck_assert_uint_eq(plan.nodes[host].ports[0].peer_port, 0);
	ck_assert_uint_eq(plan.nodes[at("s1")].ports[0].match.fields, fields);
	ck_assert_uint_eq(plan.nodes[host].ports[0].match.fields, 0);
}

/* A running node keeps the number of flow channels of a port, so only a port with the same number
 * fits. The MTU is the smaller one of both ends. */
TEST(plan_spare_link__fits_the_running_nodes)
{
	const struct port_config *s1, *s2;

	plan_free(&plan);
	plan_of(RUN "topology: {switches: [s1, s2, s3], hosts: {A: s1, B: s2},\n"
		    "  links: [{between: [s1, s2], channels: 8, mtu: 1518}, [s2, s3]]}\n");
	s1 = &plan.nodes[at("s1")].ports[1];
	s2 = &plan.nodes[at("s2")].ports[1];
	ck_assert_uint_eq(s1->channels, 8);
	plan_spare_link_remove(&plan, s1->link_index);
	ck_assert_uint_eq(s1->channels, 8);
	ck_assert_uint_ge(s1->mtu_bytes, plan.nodes[at("s1")].ports[0].mtu_bytes);
	/* not at that port, although it is the first */
	ck_assert_int_ge(plug(at("s1"), at("s3")), 0);
	ck_assert(s1->vacant);
	ck_assert_uint_eq(plan.nodes[at("s1")].ports[2].channels,
			  plan.nodes[at("s3")].ports[1].channels);
	ck_assert_int_ge(plug(at("s1"), at("s2")), 0);
	ck_assert(!s1->vacant && !s2->vacant);
	ck_assert_uint_eq(s1->mtu_bytes, s2->mtu_bytes);
	consistent();
}

TEST(plan_spare_node_remove__keeps_the_clock)
{
	int64_t more = plan_spare_switch(&plan, "s3");

	plan_spare_node_remove(&plan, at("A"));
	plan_spare_node_remove(&plan, at("s1"));
	ck_assert(plan_is_real(&plan));
	ck_assert_int_gt(more, 0);
}

/* FC-3: a switch that joins knows the networks behind hosts, and a host in the place of a router is
 * the router */
TEST(plan_spare_switch__has_the_prefixes)
{
	const struct switch_config *joined;

	plan_free(&plan);
	plan_of(RUN "topology: {switches: [s1], hosts: {A: s1, B: {switch: s1, prefixes: "
		    "[11.0.0.0/8, 10.9.0.0/16]}}}\n");
	joined = &plan.nodes[plan_spare_switch(&plan, "s2")].switch_;
	ck_assert_uint_eq(joined->prefix_count, 2);
	ck_assert_ptr_ne(joined->prefixes, plan.nodes[at("s1")].switch_.prefixes);
	ck_assert_uint_eq(joined->prefixes[0].address[0], 10);
	ck_assert_uint_eq(joined->prefixes[1].address[0], 11);
	ck_assert_uint_eq(joined->prefixes[1].host_index, 1);
}

TEST(plan_spare_template__like_the_links_of_its_kind)
{
	struct port_config like;

	plan_free(&plan);
	plan_of(RUN "links: {rate: 40Gb/s}\n"
		    "topology: {switches: [s1, s2], hosts: {A: {switch: s1, rate: 1Gb/s}, B: "
		    "{switch: s2, rate: 2Gb/s}},\n"
		    "           links: [[s1, s2]]}\n");
	like = plan_spare_template(&plan, (uint32_t)plan_spare_host(&plan, "C"), at("s2"));
	ck_assert_uint_eq(like.rate_bps, 2000000000);
	like = plan_spare_template(&plan, at("s1"), at("s2"));
	ck_assert_uint_eq(like.rate_bps, 40000000000);
}

/* ports that lead nowhere are no part of the fabric, and change nothing of what follows from it */
TEST(plan_spare_make__vacant_ports)
{
	struct congestion_basis basis, before;
	struct topology topology;
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	struct plan without = { 0 };

	ck_assert_int_eq(
		scenario_read_memory("t.yaml", TWO, strlen(TWO), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make_real(&scenario, &without, &errors), 0);
	ck_assert_int_eq(plan_congestion_basis(CLOCK_REAL, &without, &before), 0);
	plan_free(&without);
	scenario_free(&scenario);
	plan.nodes[at("s1")].ports[3].mtu_bytes = before.mtu_bytes + 1;
	plan.nodes[at("s1")].ports[3].delay_ps = NODE_S;
	ck_assert_int_eq(plan_congestion_basis(CLOCK_REAL, &plan, &basis), 0);
	ck_assert_uint_eq(basis.mtu_bytes, before.mtu_bytes);
	ck_assert_uint_eq(basis.link_rtt_ps, before.link_rtt_ps);
	ck_assert_int_eq(plan_topology(&plan, &topology), 0);
	ck_assert_int_eq(topology.switches[0].ports[0].leads_to, END_HOST);
	ck_assert_int_eq(topology.switches[0].ports[1].leads_to, END_SWITCH);
	for (uint32_t p = 2; p < topology.switches[0].port_count; p++) {
		ck_assert_int_eq(topology.switches[0].ports[p].leads_to, END_NOTHING);
		ck_assert(!topology.switches[0].ports[p].up);
	}
	topology_free(&topology);
}
