/*  orchestrator/fabric/link_drain: which end of a failed link is notified of what, and when (FC-15,
 *  FC-26). The test writes the pages of the switches. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/fabric/link_drain.h"
#include "tests/testing.h"

#define LEAF_SPINE                                                                                \
	"name: t\nrun: {duration: 100us}\n"                                                       \
	"topology: {switches: [a, b, c], hosts: {A: a, B: b}, links: [[a, b], [b, c], [c, a]]}\n" \
	"workloads: [{name: w, pattern: permutation, shift: 1, size: 1KiB, arrival: closed}]\n"
#define NODES_MAX 8u

static struct plan plan;
static struct stats_page *pages[NODES_MAX];
static struct link_drain link_drain;

/* the notifications, in order */
static struct {
	uint32_t node, port;
	struct channel_set left;
} told[16];
static uint32_t told_count;
static int answer;

static int settle(void *owner, uint32_t node, uint32_t port, const struct channel_set *left)
{
	ck_assert_ptr_eq(owner, &told);
	ck_assert_uint_lt(told_count, 16);
	told[told_count].node = node;
	told[told_count].port = port;
	told[told_count++].left = *left;
	return answer;
}

static const struct stats_page *page(void *owner, uint32_t node)
{
	(void)owner;
	return pages[node];
}

static void open_with(const char *fabric)
{
	const struct link_drain_fabric callbacks = { .owner = &told,
						     .report_left = settle,
						     .page = page };
	struct scenario scenario = { 0 };
	struct scenario_errors errors = { 0 };
	char text[1024];
	int error;

	snprintf(text, sizeof(text), "%s%s", LEAF_SPINE, fabric);
	error = scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors);
	ck_assert_msg(!error && !plan_make(&scenario, &plan, &errors), "%s",
		      errors.count ? errors.texts[0] : "");
	scenario_free(&scenario);
	ck_assert_uint_le(plan.node_count, NODES_MAX);
	for (uint32_t i = 0; i < plan.node_count; i++) {
		pages[i] = calloc(1, stats_bytes(&plan.nodes[i]));
		stats_init(pages[i], &plan.nodes[i]);
	}
	ck_assert_int_eq(link_drain_init(&link_drain, &plan, &callbacks), 0);
	told_count = 0;
	answer = 0;
}

static void tear_down(void)
{
	for (uint32_t i = 0; i < plan.node_count; i++)
		free(pages[i]);
	link_drain_fini(&link_drain);
	plan_free(&plan);
}

/* the link between @a and @b, from @a's end */
static uint32_t link_of(uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < plan.link_count; i++)
		if (plan.links[i].node_a == a && plan.links[i].node_b == b)
			return i;
	ck_abort();
	return 0;
}

static struct channel_set *left_at(uint32_t node, uint32_t port)
{
	return &stats_port(pages[node], port)->left;
}

TEST_GROUP(link_drain, .teardown = tear_down);

/* each end is notified once of what is left at the other end; an end without waiting flows is not
 * read again */
TEST(link_drain_look__notifies_each_end_once)
{
	const struct plan_link *link;
	uint32_t index;

	open_with("");
	index = link_of(0, 1);
	link = &plan.links[index];
	channel_set_add(left_at(1, link->port_b), 5);
	channel_set_add(left_at(1, link->port_b), 70);
	link_drain_begin(&link_drain, index, false, false, NODE_US);
	ck_assert_int_eq(link_drain_look(&link_drain, 3 * NODE_US), 0);
	ck_assert_uint_eq(told_count, 2);
	ck_assert(told[0].node == 0 && told[0].port == link->port_a &&
		  channel_set_count(&told[0].left) == 2);
	ck_assert(channel_set_has(&told[0].left, 5) && channel_set_has(&told[0].left, 70));
	ck_assert(told[1].node == 1 && told[1].port == link->port_b &&
		  !channel_set_count(&told[1].left));
	ck_assert_int_eq(link_drain_look(&link_drain, 5 * NODE_US), 0);
	ck_assert_uint_eq(told_count, 2); /* nothing new */
	channel_set_remove(left_at(1, link->port_b), 5);
	ck_assert_int_eq(link_drain_look(&link_drain, 7 * NODE_US), 0);
	ck_assert_uint_eq(told_count, 3);
	ck_assert(told[2].node == 0 && !channel_set_has(&told[2].left, 5) &&
		  channel_set_has(&told[2].left, 70));
	ck_assert_uint_ne(link_drain_next_at(&link_drain, 7 * NODE_US), NODE_TIME_NEVER);
	channel_set_remove(left_at(1, link->port_b), 70);
	ck_assert_int_eq(link_drain_look(&link_drain, 9 * NODE_US), 0);
	ck_assert_uint_eq(told_count, 4);
	ck_assert_uint_eq(link_drain_next_at(&link_drain, 9 * NODE_US), NODE_TIME_NEVER);
	ck_assert_int_eq(link_drain_look(&link_drain, 11 * NODE_US), 0);
	ck_assert_uint_eq(told_count, 4);
}

/* two links with waiting flows: what is left at one does not delay the other */
TEST(link_drain_look__links_do_not_wait_for_each_other)
{
	uint32_t ab, bc;

	open_with("");
	ab = link_of(0, 1);
	bc = link_of(1, 2);
	channel_set_add(left_at(1, plan.links[ab].port_b), 1);
	channel_set_add(left_at(2, plan.links[bc].port_b), 2);
	link_drain_begin(&link_drain, ab, false, false, 0);
	link_drain_begin(&link_drain, bc, false, false, 0);
	ck_assert_int_eq(link_drain_look(&link_drain, NODE_US), 0);
	ck_assert_uint_eq(told_count, 4);
	channel_set_remove(left_at(2, plan.links[bc].port_b), 2);
	ck_assert_int_eq(link_drain_look(&link_drain, 2 * NODE_US), 0);
	ck_assert_uint_eq(told_count, 5);
	ck_assert(told[4].node == 1 && told[4].port == plan.links[bc].port_a &&
		  !channel_set_count(&told[4].left));
}

/* a link fails again while flows wait: both ends are notified again, and it counts as one */
TEST(link_drain_begin__second_failure_notifies_again)
{
	uint32_t ab;

	open_with("");
	ab = link_of(0, 1);
	channel_set_add(left_at(1, plan.links[ab].port_b), 1);
	link_drain_begin(&link_drain, ab, false, false, 0);
	ck_assert_int_eq(link_drain_look(&link_drain, NODE_US), 0);
	link_drain_begin(&link_drain, ab, false, false, 2 * NODE_US);
	ck_assert_int_eq(link_drain_look(&link_drain, 3 * NODE_US), 0);
	ck_assert_uint_eq(told_count, 4);
	channel_set_remove(left_at(1, plan.links[ab].port_b), 1);
	ck_assert_int_eq(link_drain_look(&link_drain, 4 * NODE_US), 0);
	ck_assert_uint_eq(told_count, 5);
	ck_assert_uint_eq(link_drain_next_at(&link_drain, 4 * NODE_US), NODE_TIME_NEVER);
}

/* Real clock: a dead switch cannot be asked. Its peers are not notified until nothing is left of
 * what it sent. A switch that has left the fabric has nothing. */
TEST(link_drain_look__dead_peer_delays_its_peers)
{
	const struct plan_link *ab, *bc;

	open_with("");
	ab = &plan.links[link_of(0, 1)];
	bc = &plan.links[link_of(1, 2)];
	channel_set_add(left_at(2, bc->port_b), 9); /* b had forwarded it to c */
	channel_set_add(left_at(1, ab->port_b), 8); /* the page of b itself does not matter */
	link_drain_begin(&link_drain, link_of(0, 1), false, true, 0);
	link_drain_begin(&link_drain, link_of(1, 2), true, false, 0);
	ck_assert_int_eq(link_drain_look(&link_drain, NODE_US), 0);
	for (uint32_t i = 0; i < told_count; i++)
		ck_assert_uint_eq(told[i].node, 1);
	told_count = 0;
	channel_set_remove(left_at(2, bc->port_b), 9);
	ck_assert_int_eq(link_drain_look(&link_drain, 2 * NODE_US), 0);
	ck_assert_uint_eq(told_count, 3);
	ck_assert(told[0].node == 0 && told[0].port == ab->port_a &&
		  !channel_set_count(&told[0].left));
	ck_assert(told[2].node == 2 && told[2].port == bc->port_b &&
		  !channel_set_count(&told[2].left));
	ck_assert_uint_eq(link_drain_next_at(&link_drain, 2 * NODE_US), NODE_TIME_NEVER);
}

/* several switches died at once, and what is left of one waits for the other: the wait ends */
TEST(link_drain_look__wait_is_bounded)
{
	open_with("");
	channel_set_add(left_at(0, plan.links[link_of(0, 1)].port_a), 9);
	link_drain_begin(&link_drain, link_of(0, 1), false, true, NODE_US);
	ck_assert_int_eq(link_drain_look(&link_drain, LINK_DRAIN_PATIENCE_PS), 0);
	ck_assert(told_count == 1 && told[0].node == 1); /* it may have been started again */
	ck_assert_int_eq(link_drain_look(&link_drain, LINK_DRAIN_PATIENCE_PS + NODE_US), 0);
	ck_assert(told_count == 2 && told[1].node == 0 && !channel_set_count(&told[1].left));
	/* their packets have left */
	channel_set_remove(left_at(0, plan.links[link_of(0, 1)].port_a), 9);
	ck_assert_int_eq(link_drain_look(&link_drain, LINK_DRAIN_PATIENCE_PS + NODE_US), 0);
	ck_assert_uint_eq(link_drain_next_at(&link_drain, LINK_DRAIN_PATIENCE_PS + NODE_US),
			  NODE_TIME_NEVER);
}

/* a link was removed from the plan: its ends are still notified */
TEST(link_drain_look__removed_link_is_notified)
{
	struct plan_link was;
	uint32_t ab;

	open_with("");
	ab = link_of(0, 1);
	was = plan.links[ab];
	channel_set_add(left_at(1, was.port_b), 4);
	link_drain_begin(&link_drain, ab, false, false, 0);
	plan.links[ab] = (struct plan_link){ .vacant = true };
	ck_assert_int_eq(link_drain_look(&link_drain, NODE_US), 0);
	ck_assert(told_count == 2 && told[0].node == 0 && told[0].port == was.port_a &&
		  channel_set_has(&told[0].left, 4));
	link_drain_begin(&link_drain, ab, false, false, NODE_US); /* a vacant place is no link */
	free(pages[1]);
	pages[1] = NULL;
	ck_assert_int_eq(link_drain_look(&link_drain, 2 * NODE_US), 0);
	ck_assert(told_count == 3 && told[2].node == 0 && !channel_set_count(&told[2].left));
}

/* no flow waits for a host's link, nor in a fabric without order */
TEST(link_drain_begin__no_flow_waits)
{
	open_with("");
	for (uint32_t i = 0; i < plan.link_count; i++)
		if (plan.links[i].node_b >= plan.switch_count ||
		    plan.links[i].node_a >= plan.switch_count)
			link_drain_begin(&link_drain, i, false, false, 0);
	ck_assert_uint_eq(link_drain_next_at(&link_drain, 0), NODE_TIME_NEVER);
	tear_down();
	open_with("fabric: roce\n");
	for (uint32_t i = 0; i < plan.link_count; i++)
		link_drain_begin(&link_drain, i, false, false, 0);
	ck_assert_uint_eq(link_drain_next_at(&link_drain, 0), NODE_TIME_NEVER);
}

/* The first look is soon after the failure. Later ones are rarer the longer nothing happens: a wait
 * of an hour takes few looks. */
TEST(link_drain_next_at__looks_become_rarer)
{
	node_time_t now = NODE_US, next;
	uint32_t looks = 0;

	open_with("");
	channel_set_add(left_at(1, plan.links[link_of(0, 1)].port_b), 1);
	link_drain_begin(&link_drain, link_of(0, 1), false, false, now);
	while (now < 3600 * NODE_S) {
		next = link_drain_next_at(&link_drain, now);
		ck_assert(next >= now + 2 * NODE_US &&
			  next <= now + node_time_max(2 * NODE_US, now / 8));
		now = next;
		ck_assert_int_eq(link_drain_look(&link_drain, now), 0);
		looks++;
	}
	ck_assert_uint_lt(looks, 250);
	channel_set_add(left_at(1, plan.links[link_of(0, 1)].port_b), 2);
	ck_assert_int_eq(link_drain_look(&link_drain, now), 0);
	ck_assert_uint_eq(link_drain_next_at(&link_drain, now), now + 2 * NODE_US);
}

TEST(link_drain_look__failed_node_is_an_error)
{
	open_with("");
	answer = -EIO;
	link_drain_begin(&link_drain, link_of(0, 1), false, false, 0);
	ck_assert_int_eq(link_drain_look(&link_drain, NODE_US), -EIO);
	ck_assert_uint_eq(told_count, 1);
}
