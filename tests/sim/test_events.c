/*  Events of whole fabrics (SE-2): there are as many of each kind as the counters say, and their
 *  durations add up to those of the counters. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "orchestrator/results/events.h"
#include "tests/sim/sim.h"
#include "tests/testing.h"

static struct sim sim;
static struct node_log_source *sources;
static char *text;

/* runs a scenario with a file for each node */
static void simulate(const char *path, const char *const *settings)
{
	struct why why = { "" };
	size_t length;
	FILE *out;

	sim_open_file(&sim, path, settings);
	sources = calloc(sim.plan.node_count, sizeof(*sources));
	for (uint32_t i = 0; i < sim.plan.node_count; i++) {
		sources[i] =
			(struct node_log_source){ sim.nodes[i].stats, memfd_create("events", 0) };
		trace_file(sim.nodes[i].stats, sources[i].fd);
	}
	sim_run(&sim);
	out = open_memstream(&text, &length);
	ck_assert_int_eq(events_write(&sim.plan, sources, EVENTS_CSV, out, &why), 0);
	fclose(out);
}

static void end(void)
{
	for (uint32_t i = 0; i < sim.plan.node_count; i++)
		close(sources[i].fd);
	free(sources);
	free(text);
	sim_close(&sim);
}

/* how many events have @name, and the sum of their values; all rows are in the order of time */
static uint64_t count_of(const char *name, uint64_t *values)
{
	uint64_t count = 0, before = 0;

	*values = 0;
	for (const char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
		uint64_t at_ps = strtoull(line, NULL, 10);
		const char *field = line;

		ck_assert_uint_ge(at_ps, before);
		before = at_ps;
		for (uint32_t comma = 0; comma < 4; comma++)
			field = strchr(field, ',') + 1;
		if (strncmp(field, name, strlen(name)) != 0 || field[strlen(name)] != ',')
			continue;
		count++;
		for (uint32_t comma = 0; comma < 5; comma++)
			field = strchr(field, ',') + 1;
		*values += strtoull(field, NULL, 10);
	}
	return count;
}

static void check_events(const char *name, uint64_t count)
{
	uint64_t values;

	ck_assert_msg(count_of(name, &values) == count, "%s: %llu events, %llu counted", name,
		      (unsigned long long)count_of(name, &values), (unsigned long long)count);
}

static void check_values(const char *name, uint64_t sum)
{
	uint64_t values;

	count_of(name, &values);
	ck_assert_msg(values == sum, "%s: values add up to %llu, the counters to %llu", name,
		      (unsigned long long)values, (unsigned long long)sum);
}

struct counted {
	uint64_t drops, marked, cnps, cnps_received, started, complete, paused_ps;
	uint64_t packets, redirects, headroom_starts, headroom_stops, becns, credit_wait_ps, stops,
		stuck;
};

static void count_port(struct stats_page *page, uint32_t port, struct counted *sum)
{
	const struct port_stats *stats = stats_port(page, port);

	sum->packets += stats->rx_packets;
	sum->marked += stats->fecn_marked;
	sum->becns += stats->becns;
	sum->credit_wait_ps += stats->credit_wait_ps;
	sum->redirects += stats->redirects;
	sum->headroom_starts += stats->headroom_starts;
	sum->headroom_stops += stats->headroom_stops;
	sum->stops += stats->stops;
	for (uint32_t c = 0; stats_has_classes(page) && c < NODE_CLASSES_MAX; c++) {
		sum->marked += stats_class(page, port, c)->marked;
		sum->paused_ps += stats_class(page, port, c)->paused_ps;
		sum->stuck += stats_class(page, port, c)->stuck;
	}
}

static struct counted counted(void)
{
	struct counted sum = { 0 };

	for (uint32_t i = 0; i < sim.plan.node_count; i++) {
		struct stats_page *page = sim.nodes[i].stats;

		for (uint32_t reason = 0; reason < DROP_REASONS; reason++)
			sum.drops += page->drops[reason];
		for (uint32_t p = 0; p < page->port_count; p++)
			count_port(page, p, &sum);
		for (uint64_t f = 0; f < page->flow_tx_count; f++) {
			sum.started += stats_flow_tx(page, (uint32_t)f)->messages;
			sum.cnps_received += stats_flow_tx(page, (uint32_t)f)->cnps;
		}
		for (uint64_t f = 0; f < page->flow_rx_count; f++) {
			sum.complete += stats_flow_rx(page, (uint32_t)f)->messages;
			sum.cnps += stats_flow_rx(page, (uint32_t)f)->cnps;
		}
	}
	return sum;
}

/* what every kind of fabric has */
static struct counted check_common(void)
{
	struct counted sum = counted();

	check_events("drop", sum.drops);
	check_events("mark", sum.marked);
	check_events("cnp", sum.cnps + sum.becns);
	check_events("message_start", sum.started);
	check_events("message_end", sum.complete);
	return sum;
}

TEST_GROUP(events, .timeout_s = 120);

/* RoCE: marks, CNPs, pauses; the packets are drained, so each pause has ended */
TEST(events__roce)
{
	struct counted sum;

	simulate("topologies/pfc-spreading.yaml", (const char *const[]){ "run.drain=yes", NULL });
	sum = check_common();
	ck_assert_uint_gt(sum.marked, 1000);
	ck_assert_uint_gt(sum.paused_ps, 0);
	check_values("resume", sum.paused_ps);
	end();

	simulate("topologies/dcqcn-incast.yaml", NULL);
	sum = check_common();
	ck_assert_uint_gt(sum.cnps, 100);
	check_events("cnp_received", sum.cnps_received);
	end();
}

/* pauses that never end: their lengths are not known, but each is named */
TEST(events__roce_deadlock)
{
	struct counted sum;

	simulate("topologies/pfc-deadlock.yaml", NULL);
	sum = check_common();
	ck_assert_uint_gt(sum.stuck, 7);
	check_events("stuck", sum.stuck);
	end();
}

TEST(events__roce_drops)
{
	struct counted sum;

	simulate("topologies/pfc-spreading.yaml",
		 (const char *const[]){ "roce.pfc=no", "roce.buffer=300kB", NULL });
	sum = check_common();
	ck_assert_uint_gt(sum.drops, 100);
	end();
}

/* flow channels: hop credit, redirects, stops; a failing link drops what is on it */
TEST(events__flow_channels)
{
	struct counted sum;

	simulate("topologies/link-failure.yaml", NULL);
	sum = check_common();
	ck_assert_uint_gt(sum.drops, 0);
	ck_assert_uint_gt(sum.headroom_starts, 10);
	check_events("meter_start", sum.headroom_starts);
	check_events("meter_end", sum.headroom_stops);
	check_events("link_down", 2);
	check_events("link_up", 2);
	end();

	simulate("topologies/switch-failure.yaml", NULL);
	sum = check_common();
	ck_assert_uint_gt(sum.drops, 0);
	end();

	simulate("topologies/redirect.yaml", NULL);
	sum = check_common();
	ck_assert_uint_gt(sum.redirects, 0);
	check_events("redirect", sum.redirects);
	end();
}

TEST(events__flow_channel_stops)
{
	struct counted sum;

	simulate("topologies/parking-lot.yaml",
		 (const char *const[]){ "congestion.enabled=no", NULL });
	sum = check_common();
	ck_assert_uint_gt(sum.stops, 0);
	check_events("xoff", sum.stops);
	end();
}

TEST(events__port_groups)
{
	struct counted sum;

	simulate("topologies/port-group-incast.yaml", NULL);
	sum = check_common();
	ck_assert_uint_gt(sum.becns, 100);
	check_values("credit_wait", sum.credit_wait_ps);
	end();
}

/* every packet that a node received is one event, of its kind; nothing else changes */
TEST(events__packets)
{
	static const char *const scenarios[] = { "topologies/dcqcn-incast.yaml",
						 "topologies/permutation-16.yaml",
						 "topologies/port-group-incast.yaml" };
	const char *const without[] = { "run.duration=60us", "run.warmup=10us", NULL };
	const char *const with[] = { without[0], without[1], "run.packets=yes", NULL };
	static const char *const kinds[] = { "packet", "ack", "cnp_packet" };
	uint64_t packets, events, values, frames;

	for (unsigned i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		simulate(scenarios[i], with);
		packets = check_common().packets;
		events = 0;
		for (unsigned k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
			events += count_of(kinds[k], &values);
		ck_assert_uint_gt(events, 100);
		ck_assert_uint_eq(events, packets);
		frames = count_of("link_acks", &values);
		ck_assert_int_eq(frames > 0, i == 1);
		ck_assert_int_eq(count_of("credit", &values) > 0, i == 2);
		end();
		simulate(scenarios[i], without);
		ck_assert_uint_eq(check_common().packets, packets);
		ck_assert_uint_eq(count_of("packet", &values), 0);
		end();
	}
}
