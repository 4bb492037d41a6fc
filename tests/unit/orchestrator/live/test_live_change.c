/*  orchestrator/live/live_change: what may not join or leave, and why not (TB-22). No node runs.
 *
 *  s1 with A, s2 with B, and two links between the switches. */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/live/live_fault.h"
#include "orchestrator/live/live_query.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/live/one_live.h"

#define TWO                                                        \
	"name: t\nseed: 7\nrun: {duration: 100us, warmup: 10us}\n" \
	"topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2], [s1, s2]]}\n"

static void setup(void)
{
	one_live_begin(TWO);
}

TEST_GROUP(live_change, .setup = setup, .teardown = one_live_end);

static void is_refused(const char *request, const char *sentence)
{
	json_t *answer;

	ck_assert_str_eq(one_live_refusal(request, &answer), sentence);
	json_decref(answer);
}

static void leaves(const char *name)
{
	plan_spare_node_remove(&plan, plan_node_find(&plan, name)->index);
}

/* ---- places ---- */

TEST(live_add__no_place_is_left)
{
	char name[NODE_NAME_MAX];
	int64_t node = 0;

	for (unsigned i = 0; node >= 0; i++) {
		snprintf(name, sizeof(name), "t%u", i);
		node = plan_spare_switch(&plan, name);
	}
	node = 0;
	for (unsigned i = 0; node >= 0; i++) {
		snprintf(name, sizeof(name), "h%u", i);
		node = plan_spare_host(&plan, name);
	}
	is_refused("{'ask': 'add-switch', 'name': 'n', 'neighbours': ['s1']}",
		   "a switch: no slot is left; up to 64 switches, 256 hosts and 1024 links can "
		   "join");
	is_refused("{'ask': 'add-host', 'name': 'n', 'switch': 's1'}",
		   "a host: no slot is left; up to 64 switches, 256 hosts and 1024 links can join");
	for (uint32_t i = 0; i < plan.link_count; i++)
		plan.links[i].vacant = false;
	is_refused("{'ask': 'add-link', 'node': 's1', 'peer': 's2'}",
		   "a link from s1 to s2: no slot is left; up to 64 switches, 256 hosts and 1024 "
		   "links can join");
}

/* TB-22: switch s1 has failed when a link to it is planned and then refused: the next link at that
 * place is another one, which no fault has taken down */
TEST(live_add__refused_while_a_fault_is_present)
{
	struct port_config like;
	int64_t link;

	one_live_end();
	one_live_begin(TWO "faults: [{at: 20us, switch: s1}]\n");
	ck_assert_int_eq(live_faults_init(&live), 0);
	like = plan_spare_template(&plan, 0, 1);
	link = plan_spare_link(&plan, 0, 1, &like);
	plan_spare_link_remove(&plan, (uint32_t)link);
	live.faults.schedule.action = 1;
	is_refused("{'ask': 'add-switch', 'name': 'n', 'neighbours': ['s1', 'n']}",
		   "a switch cannot have a link to itself");
	is_refused("{'ask': 'add-switch', 'name': 'n', 'neighbours': ['s2', 'n']}",
		   "a switch cannot have a link to itself");
	ck_assert_uint_eq(live.faults.schedule.down[link], 0);
	live_faults_fini(&live);
}

/* a host of which the link has no place does not join either */
TEST(live_add__no_port_is_left)
{
	struct port_config like = plan_spare_template(&plan, 0, 1);

	while (plan_spare_link(&plan, 0, 1, &like) >= 0)
		;
	is_refused("{'ask': 'add-link', 'node': 's2', 'peer': 's1'}",
		   "a link from s2 to s1: no port is left; a switch has up to 16 ports more than "
		   "its scenario uses, at most 64 in all");
	is_refused("{'ask': 'add-host', 'name': 'n', 'switch': 's1'}",
		   "a link from n to s1: no port is left; a switch has up to 16 ports more than "
		   "its scenario uses, at most 64 in all");
	ck_assert_ptr_null(plan_node_find(&plan, "n"));
	is_refused("{'ask': 'add-switch', 'name': 'n', 'neighbours': ['s2']}",
		   "a link from n to s2: no port is left; a switch has up to 16 ports more than "
		   "its scenario uses, at most 64 in all");
	ck_assert_ptr_null(plan_node_find(&plan, "n"));
}

/* ---- leaving ---- */

TEST(live_remove__the_last_host_and_switch)
{
	is_refused("{'ask': 'remove', 'node': 's2'}",
		   "host B is connected to s2: remove the host first");
	leaves("B");
	is_refused("{'ask': 'remove', 'node': 'A'}",
		   "A is the last host; 'heddle down t' ends the fabric");
	leaves("A");
	leaves("s1");
	is_refused("{'ask': 'remove', 'node': 's2'}",
		   "s2 is the last switch; 'heddle down t' ends the fabric");
}

TEST(live_remove__which_link)
{
	is_refused("{'ask': 'remove', 'node': 's3'}", "fabric t has no node 's3' - did you mean "
						      "'s1'?; 'heddle ps t' lists them");
	is_refused("{'ask': 'remove', 'node': 's1', 'port': 's2'}",
		   "s1 has 2 links to s2: name the number of a port");
	is_refused("{'ask': 'remove', 'node': 's1', 'port': 'B'}",
		   "s1 has no port 'B'; it has p0 A, p1 s2, p2 s2");
	is_refused("{'ask': 'remove', 'node': 'B', 'port': 's2'}",
		   "this is the only link of its host: remove the host, or take the link down");
	is_refused("{'ask': 'show', 'node': 's1', 'table': 'port', 'port': 's2'}",
		   "s1 has 2 links to s2: name the number of a port");
}

/* SC-5: what another machine still has */
TEST(live_remove__link_between_machines)
{
	const struct plan_link *link = &plan.links[plan.link_count - 1];

	for (uint32_t i = 0; i < plan.link_count; i++)
		if (!plan.links[i].vacant && plan.nodes[plan.links[i].node_b].kind == NODE_SWITCH)
			link = &plan.links[i];
	ck_assert_str_eq(plan.nodes[link->node_a].name, "s1");
	plan.nodes[link->node_a].ports[link->port_a].medium = MEDIUM_TUNNEL;
	plan.nodes[link->node_b].ports[link->port_b].medium = MEDIUM_TUNNEL;
	is_refused("{'ask': 'remove', 'node': 's1', 'port': '2'}",
		   "the link leads to another machine: take it down instead");
	leaves("A");
	is_refused("{'ask': 'remove', 'node': 's1'}",
		   "s1 has a link to s2 on another machine, which cannot be removed");
}

/* the same of an interface beside eth0, and of its host */
TEST(live_remove__interface_on_another_machine)
{
	const struct node_config *further;

	one_live_end();
	one_live_begin("name: t\nrun: {duration: 100us}\ntopology:\n  switches: [s1, s2]\n"
		       "  hosts: {A: {switch: s1, interfaces: [{switch: s2}]}, B: s2}\n"
		       "  links: [[s1, s2]]\n");
	further = plan_node_find(&plan, "A.eth1");
	ck_assert_ptr_nonnull(further);
	plan.nodes[further->index].ports[0].medium = MEDIUM_TUNNEL;
	is_refused("{'ask': 'remove', 'node': 'A.eth1'}",
		   "A.eth1 has a link to s2 on another machine, which cannot be removed");
	is_refused("{'ask': 'remove', 'node': 'A'}",
		   "A.eth1 has a link to s2 on another machine, which cannot be removed");
}

/* ---- sentences ---- */

/* what is no text for JSON is refused with another sentence */
TEST(live_refuse__no_utf8)
{
	json_t *body = live_refuse("host %s", "\xff");

	ck_assert_uint_eq(json_object_size(body), 1);
	ck_assert_str_eq(json_string_value(json_object_get(body, "error")),
			 "the request cannot be answered: it is not valid UTF-8, or memory is "
			 "short");
	json_decref(body);
}

/* of what is asked from inside of a host */
TEST(live_change__programs_of_hosts)
{
	live.asker.inside = true;
	is_refused("{'ask': 'add-host', 'name': 'n', 'switch': 's1', 'network': '/dev/null'}",
		   "attaching a network is refused to programs inside of a host: use 'heddle' of "
		   "the machine");
	live.asker.inside = false;
	is_refused("{'ask': 'add-host', 'name': 'n', 'switch': 's1', 'network': '/no/such'}",
		   "cannot open /no/such: No such file or directory");
	is_refused("{'ask': 'add-host', 'name': 'n', 'switch': 's1', 'network': '/dev/null'}",
		   "/dev/null is no network namespace");
}
