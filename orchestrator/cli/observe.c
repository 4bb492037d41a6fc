#include "orchestrator/cli/observe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/base/human.h"
#include "orchestrator/cli/client.h"
#include "orchestrator/results/fidelity.h"

#define COUNTER_MAX 1000000000000000000 /* 31 years in ns; sums of a few stay within 64 bits */

/* ---- two answers ---- */

/* the node of @answer with the name of @node; NULL if there was none, or another process */
static const json_t *node_before(const json_t *answer, const json_t *node)
{
	const json_t *nodes = json_object_get(answer, "nodes"), *other;
	size_t i;

	json_array_foreach(nodes, i, other)
	{
		if (!strcmp(client_text(other, "name"), client_text(node, "name")))
			return client_number(other, "pid") == client_number(node, "pid") ? other
											 : NULL;
	}
	return NULL;
}

/* the earlier state of @port; NULL if it has another link now */
static const json_t *port_before(const json_t *node, const json_t *port)
{
	const json_t *ports = json_object_get(node, "ports"), *other;
	size_t i;

	json_array_foreach(ports, i, other)
	{
		if (client_number(other, "port") == client_number(port, "port"))
			return strcmp(client_text(other, "peer"), client_text(port, "peer"))
				       ? NULL
				       : other;
	}
	return NULL;
}

/* a counter; since it may be from a file with any content: 0 if it is negative, at most
 * COUNTER_MAX */
static json_int_t counter(const json_t *object, const char *key)
{
	json_int_t value = client_number(object, key);

	return value < 0 ? 0 : value < COUNTER_MAX ? value : COUNTER_MAX;
}

/* 0 if the later answer is the earlier one */
static double passed_ns_of(const json_t *later, const json_t *before)
{
	return fmax(0, (double)(counter(later, "uptime_ns") - counter(before, "uptime_ns")));
}

/* how much counter @key has grown */
static double growth(const json_t *later, const json_t *before, const char *key)
{
	json_int_t now = counter(later, key), then = counter(before, key);

	return (double)(now < then ? now : now - then);
}

static void rate_put(json_t *later, const char *name, double growth_of, double factor,
		     double passed_ns)
{
	json_object_set_new(later, name,
			    json_real(passed_ns > 0 ? growth_of * factor / passed_ns : 0.0));
}

/* ---- cost ---- */

void observe_cost(json_t *later, const json_t *before)
{
	double passed_ns = passed_ns_of(later, before);
	json_t *nodes = json_object_get(later, "nodes"), *node;
	size_t i;

	rate_put(later, "cpu_percent", growth(later, before, "cpu_ns"), 100, passed_ns);
	json_array_foreach(nodes, i, node)
		rate_put(node, "cpu_percent", growth(node, node_before(before, node), "cpu_ns"),
			 100, passed_ns);
}

/* ---- traffic ---- */

static void ports_put(json_t *node, const json_t *before, double passed_ns)
{
	json_t *ports = json_object_get(node, "ports"), *port;
	size_t i;

	json_array_foreach(ports, i, port)
	{
		const json_t *then = port_before(before, port);

		rate_put(port, "tx_bps", growth(port, then, "tx_bytes"), 8e9, passed_ns);
		rate_put(port, "rx_bps", growth(port, then, "rx_bytes"), 8e9, passed_ns);
		rate_put(port, "tx_percent", growth(port, then, "tx_busy_ns"), 100, passed_ns);
	}
}

/* of nodes of a fabric of kind roce only (live_roce.h) */
static const struct {
	const char *counter, *rate;
} roce_rates[] = { { "marked", "marked_per_s" },
		   { "pauses", "pauses_per_s" },
		   { "cnps", "cnps_per_s" } };

void observe_traffic(json_t *later, const json_t *before)
{
	double passed_ns = passed_ns_of(later, before);
	json_t *nodes = json_object_get(later, "nodes"), *node;
	size_t i;

	json_array_foreach(nodes, i, node)
	{
		const json_t *then = node_before(before, node);

		rate_put(node, "sent_pps", growth(node, then, "sent_packets"), 1e9, passed_ns);
		rate_put(node, "sent_bps", growth(node, then, "sent_bytes"), 8e9, passed_ns);
		rate_put(node, "received_pps", growth(node, then, "received_packets"), 1e9,
			 passed_ns);
		rate_put(node, "received_bps", growth(node, then, "received_bytes"), 8e9,
			 passed_ns);
		rate_put(node, "dropped_pps", growth(node, then, "dropped_packets"), 1e9,
			 passed_ns);
		rate_put(node, "eca_acks_per_s", growth(node, then, "eca_acks"), 1e9, passed_ns);
		rate_put(node, "stops_per_s", growth(node, then, "stops"), 1e9, passed_ns);
		for (size_t r = 0;
		     r < COUNT_OF(roce_rates) && json_object_get(node, "paused_classes"); r++)
			rate_put(node, roce_rates[r].rate,
				 growth(node, then, roce_rates[r].counter), 1e9, passed_ns);
		ports_put(node, then, passed_ns);
	}
}

/* ---- deadlocks ---- */

void observe_deadlocks_print(const json_t *fabric, FILE *out)
{
	const json_t *deadlocks = json_object_get(fabric, "deadlocks");
	size_t count = json_array_size(deadlocks);

	if (!count)
		return;
	fprintf(out, "deadlock   %s", client_text(json_array_get(deadlocks, 0), "text"));
	if (count > 1)
		fprintf(out, "; and %zu more", count - 1);
	fputc('\n', out);
}

/* ---- fidelity ---- */

/* the distribution that live_describe.c wrote */
static struct lateness_stats lateness_read(const json_t *node)
{
	struct lateness_stats lateness = { .max_ns = (uint64_t)counter(node, "lateness_max_ns") };
	json_t *counts = json_object_get(node, "lateness_counts"), *count;
	const char *end_ns;

	json_object_foreach(counts, end_ns, count)
	{
		json_int_t value = json_integer_value(count);
		uint64_t events = value < 0             ? 0
				  : value < COUNTER_MAX ? (uint64_t)value
							: COUNTER_MAX;

		lateness.count[stats_lateness_bucket(strtoull(end_ns, NULL, 10))] += events;
		lateness.events += events;
	}
	return lateness;
}

/* @key of the answer; UINT64_MAX if it is missing: no limit */
static uint64_t limit_read(const json_t *node, const char *key)
{
	return json_object_get(node, key) ? (uint64_t)counter(node, key) : UINT64_MAX;
}

/* Port by port: the peers count it, and each of them may have been restarted. */
static uint64_t peers_waited_ns(const json_t *node, const json_t *before)
{
	const json_t *ports = json_object_get(node, "ports"), *port;
	double sum_ns = 0;
	size_t i;

	json_array_foreach(ports, i, port) sum_ns +=
		growth(port, port_before(before, port), "peers_waited_ns");
	return (uint64_t)fmin(sum_ns, COUNTER_MAX);
}

static struct fidelity node_judge(const json_t *node, const json_t *before, double passed_ns)
{
	struct lateness_stats later = lateness_read(node), earlier = lateness_read(before);
	struct fidelity_limits limits = { .made_up_ns = limit_read(node, "links_absorb_ns"),
					  .bridged_ns = limit_read(node, "buffers_bridge_ns"),
					  .last = !strcmp(client_text(node, "kind"), "nic") };

	if (before)
		later = fidelity_since(&later, &earlier);
	else if (json_object_get(node, "uptime_ns") &&
		 (double)counter(node, "uptime_ns") < passed_ns)
		/* it is younger than the interval */
		passed_ns = (double)counter(node, "uptime_ns");
	/* idle time says nothing about lateness under load */
	if (json_object_get(node, "active_ns"))
		passed_ns = fmin(passed_ns, growth(node, before, "active_ns"));
	return fidelity_judge(&later, &limits, peers_waited_ns(node, before), (uint64_t)passed_ns);
}

static void judged_put(json_t *object, const struct fidelity *judged)
{
	json_object_set_new(object, "lateness_p50_ns", json_integer((json_int_t)judged->p50_ns));
	json_object_set_new(object, "lateness_p99_ns", json_integer((json_int_t)judged->p99_ns));
	json_object_set_new(object, "lateness_max_ns", json_integer((json_int_t)judged->max_ns));
	json_object_set_new(object, "added_delay_ns", json_integer((json_int_t)judged->added_ns));
	json_object_set_new(object, "stalled_percent", json_real(judged->stalled_ppm / 1e4));
}

void observe_fidelity(json_t *later, const json_t *before)
{
	double passed_ns = passed_ns_of(later, before);
	json_t *nodes = json_object_get(later, "nodes"), *node, *latest = NULL,
	       *fidelity = json_object();
	struct fidelity worst = { 0 };
	const json_t *unreadable = NULL;
	double active_ns = 0;
	size_t i;

	json_array_foreach(nodes, i, node)
	{
		struct fidelity judged = node_judge(node, node_before(before, node), passed_ns);

		if (!json_is_true(json_object_get(node, "readable")))
			unreadable = node;
		judged_put(node, &judged);
		if (judged.events && (!latest || fidelity_worse(&judged, &worst))) {
			worst = judged;
			latest = node;
			active_ns = growth(node, node_before(before, node), "active_ns");
		}
	}
	json_object_set_new(fidelity, "interval_ns", json_integer((json_int_t)passed_ns));
	if (unreadable) {
		json_object_set_new(fidelity, "verdict", json_string("unknown"));
		json_object_set(fidelity, "node", json_object_get(unreadable, "name"));
	} else {
		json_object_set_new(
			fidelity, "verdict",
			json_string(fidelity_verdict_name[fidelity_verdict_of(&worst)]));
	}
	if (latest && !unreadable) {
		json_object_set(fidelity, "node", json_object_get(latest, "name"));
		judged_put(fidelity, &worst);
		json_object_set_new(fidelity, "active_ns", json_integer((json_int_t)active_ns));
		json_object_set_new(fidelity, "active_cores",
				    json_real(active_ns > 0
						      ? growth(later, before, "cpu_ns") / active_ns
						      : 0.0));
		json_object_set_new(fidelity, "cores", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
		json_object_set(fidelity, "links_absorb_ns",
				json_object_get(latest, "links_absorb_ns"));
		json_object_set(fidelity, "buffers_bridge_ns",
				json_object_get(latest, "buffers_bridge_ns"));
	}
	json_object_set_new(later, "fidelity", fidelity);
}

/* ---- text ---- */

static void verdict_print(const json_t *fidelity, FILE *out)
{
	const char *verdict = client_text(fidelity, "verdict");
	char interval[HUMAN_TEXT_MAX], added[HUMAN_TEXT_MAX], active[HUMAN_TEXT_MAX];

	client_time(fidelity, "interval_ns", interval);
	if (!strcmp(verdict, "unknown"))
		fprintf(out, "fidelity   unknown: the statistics page of %s is invalid\n",
			client_text(fidelity, "node"));
	else if (!client_text(fidelity, "node")[0])
		fprintf(out, "fidelity   faithful: nothing has happened in %s\n", interval);
	else if (!strcmp(verdict, "overloaded"))
		fprintf(out,
			"fidelity   NOT FAITHFUL, results are not valid: overloaded for up to %.1f "
			"%% "
			"of %s active time, in %s\n",
			json_real_value(json_object_get(fidelity, "stalled_percent")),
			client_time(fidelity, "active_ns", active), interval);
	else if (!strcmp(verdict, "delayed"))
		fprintf(out,
			"fidelity   faithful but for up to %s of added delay at a hop, in %s\n",
			client_time(fidelity, "added_delay_ns", added), interval);
	else
		fprintf(out, "fidelity   faithful, in %s\n", interval);
}

/* the latest node, its lateness, and what its links and buffers absorb */
static void lateness_print(const json_t *fidelity, FILE *out)
{
	char p50[HUMAN_TEXT_MAX], p99[HUMAN_TEXT_MAX], max[HUMAN_TEXT_MAX], limit[HUMAN_TEXT_MAX];

	fprintf(out, "           %s was late by p50 %s, p99 %s, max %s",
		client_text(fidelity, "node"), client_time(fidelity, "lateness_p50_ns", p50),
		client_time(fidelity, "lateness_p99_ns", p99),
		client_time(fidelity, "lateness_max_ns", max));
	if (json_object_get(fidelity, "links_absorb_ns"))
		fprintf(out, "; its links absorb %s",
			client_time(fidelity, "links_absorb_ns", limit));
	if (json_object_get(fidelity, "buffers_bridge_ns"))
		fprintf(out, ", its buffers last %s",
			client_time(fidelity, "buffers_bridge_ns", limit));
	fputc('\n', out);
}

/* Too little CPU time has two causes with different remedies. If the fabric itself used less than
 * half of the cores while it was active, other programs had the rest (ours). */
static void advice_print(const json_t *fidelity, FILE *out)
{
	double used = json_real_value(json_object_get(fidelity, "active_cores"));
	int cores = (int)client_number(fidelity, "cores");

	fprintf(out, "           while active the fabric used %.2f of %d cores: ", used, cores);
	if (used < cores / 2.0)
		fprintf(out,
			"other programs had the rest. End them, then judge a\n"
			"           new interval: heddle ps --json > FILE, later heddle ps --since "
			"FILE\n");
	else
		fprintf(out,
			"it needs more. Set lower rates (heddle link NODE:PORT\n"
			"           set rate=...), or use fewer hosts, less load, more cores\n");
}

void observe_fidelity_print(const json_t *fabric, FILE *out)
{
	const json_t *fidelity = json_object_get(fabric, "fidelity");

	verdict_print(fidelity, out);
	if (json_object_get(fidelity, "lateness_p50_ns"))
		lateness_print(fidelity, out);
	if (!strcmp(client_text(fidelity, "verdict"), "overloaded"))
		advice_print(fidelity, out);
}
