#include "orchestrator/operate/observe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/base/human.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/command/client.h"
#include "orchestrator/results/fidelity.h"

#define COUNTER_MAX 1000000000000000000 /* 31 years in ns; sums of a few stay within 64 bits */

/* ---- two answers ---- */

/* the node of @answer with the name of @node; NULL: there is none, or it was another process */
static const json_t *node_before(const json_t *answer, const json_t *node)
{
	const json_t *nodes = json_object_get(answer, "nodes"), *other;
	size_t i;

	json_array_foreach (nodes, i, other) {
		if (!strcmp(member_text(other, "name"), member_text(node, "name")))
			return member_number(other, "pid") == member_number(node, "pid") ? other
											 : NULL;
	}
	return NULL;
}

/* the earlier state of @port; NULL if it has another link now */
static const json_t *port_before(const json_t *node, const json_t *port)
{
	const json_t *ports = json_object_get(node, "ports"), *other;
	size_t i;

	json_array_foreach (ports, i, other) {
		if (member_number(other, "port") == member_number(port, "port"))
			return strcmp(member_text(other, "peer"), member_text(port, "peer"))
				       ? NULL
				       : other;
	}
	return NULL;
}

/* a counter; since it may be from a file with any content: 0 if it is negative, at most
 * COUNTER_MAX */
static json_int_t counter(const json_t *object, const char *key)
{
	json_int_t value = member_number(object, key);

	return value < 0 ? 0 : value < COUNTER_MAX ? value : COUNTER_MAX;
}

/* the interval between two answers; 0 if they are the same one */
static double passed_ns_of(const json_t *later, const json_t *before)
{
	return fmax(0, (double)(counter(later, "uptime_ns") - counter(before, "uptime_ns")));
}

/* CPU time is the machine's, all other times are the fabric's */
static double dilation_of(const json_t *fabric)
{
	return fmax(1, (double)counter(fabric, "dilation"));
}

/* how much counter @key has grown; one that is less than before has restarted from 0 */
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

/* the time in which @node used what its CPU time has grown by since @then; a process that is newer
 * than that has used it since its own start, which is before that of the fabric's clock */
static double cost_ns_of(const json_t *node, const json_t *then, double passed_ns)
{
	return then || !json_object_get(node, "uptime_ns") ? passed_ns
							   : (double)counter(node, "uptime_ns");
}

void observe_cost(json_t *later, const json_t *before)
{
	double passed_ns = passed_ns_of(later, before), longest_ns = passed_ns;
	double factor = 100 / dilation_of(later);
	json_t *nodes = json_object_get(later, "nodes"), *node;
	size_t i;

	json_array_foreach (nodes, i, node) {
		const json_t *then = node_before(before, node);
		double node_ns = cost_ns_of(node, then, passed_ns);

		rate_put(node, "cpu_percent", growth(node, then, "cpu_ns"), factor, node_ns);
		longest_ns = before ? passed_ns : fmax(longest_ns, node_ns);
	}
	rate_put(later, "cpu_percent", growth(later, before, "cpu_ns"), factor, longest_ns);
}

/* ---- traffic ---- */

/* the rate at which a counter grows */
struct traffic_rate {
	const char *counter, *rate;
	double factor;
};

static const struct traffic_rate port_rates[] = { { "tx_bytes", "tx_bps", 8e9 },
						  { "rx_bytes", "rx_bps", 8e9 },
						  { "tx_busy_ns", "tx_percent", 100 } };
static const struct traffic_rate node_rates[] = { { "sent_packets", "sent_pps", 1e9 },
						  { "sent_bytes", "sent_bps", 8e9 },
						  { "received_packets", "received_pps", 1e9 },
						  { "received_bytes", "received_bps", 8e9 },
						  { "dropped_packets", "dropped_pps", 1e9 },
						  { "eca_acks", "eca_acks_per_s", 1e9 },
						  { "stops", "stops_per_s", 1e9 } };
/* of nodes of a fabric of kind roce only (live_roce.h) */
static const struct traffic_rate roce_rates[] = { { "marked", "marked_per_s", 1e9 },
						  { "pauses", "pauses_per_s", 1e9 },
						  { "cnps", "cnps_per_s", 1e9 } };

static void rates_put(json_t *later, const json_t *before, const struct traffic_rate *rates,
		      size_t count, double passed_ns)
{
	for (size_t r = 0; r < count; r++)
		rate_put(later, rates[r].rate, growth(later, before, rates[r].counter),
			 rates[r].factor, passed_ns);
}

void observe_traffic(json_t *later, const json_t *before)
{
	double passed_ns = passed_ns_of(later, before);
	json_t *nodes = json_object_get(later, "nodes"), *node, *port;
	size_t i, p;

	json_array_foreach (nodes, i, node) {
		const json_t *then = node_before(before, node);

		rates_put(node, then, node_rates, COUNT_OF(node_rates), passed_ns);
		if (json_object_get(node, "paused_classes"))
			rates_put(node, then, roce_rates, COUNT_OF(roce_rates), passed_ns);
		json_array_foreach (json_object_get(node, "ports"), p, port)
			rates_put(port, port_before(then, port), port_rates, COUNT_OF(port_rates),
				  passed_ns);
	}
}

/* ---- deadlocks ---- */

void observe_deadlocks_print(const json_t *fabric, FILE *out)
{
	const json_t *deadlocks = json_object_get(fabric, "deadlocks");
	size_t count = json_array_size(deadlocks);

	if (!count)
		return;
	fprintf(out, "deadlock   %s", member_text(json_array_get(deadlocks, 0), "text"));
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

	json_object_foreach (counts, end_ns, count) {
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

/* how long data of the peer at @port of @node has waited; the peer may have been restarted */
static uint64_t peer_waited_ns(const json_t *before, const json_t *port)
{
	return (uint64_t)growth(port, port_before(before, port), "peers_waited_ns");
}

static uint64_t peers_waited_ns(const json_t *node, const json_t *before)
{
	const json_t *ports = json_object_get(node, "ports"), *port;
	double sum_ns = 0;
	size_t i;

	json_array_foreach (ports, i, port)
		sum_ns += (double)peer_waited_ns(before, port);
	return (uint64_t)fmin(sum_ns, COUNTER_MAX);
}

/* data that @node has not carried in time */
static double uncarried_bytes(const json_t *node, const json_t *before,
			      const struct fidelity *judged)
{
	const json_t *ports = json_object_get(node, "ports"), *port;
	double sum = 0;
	size_t i;

	json_array_foreach (ports, i, port)
		sum += (double)fidelity_uncarried_bytes(
			judged, peer_waited_ns(before, port), (uint64_t)counter(port, "rate_bps"),
			(uint64_t)growth(port, port_before(before, port), "rx_bytes"));
	return sum;
}

/* frames that the host of @node has sent and its NIC has not taken */
static double overrun_frames(const json_t *node, const json_t *before)
{
	return growth(json_object_get(node, "drops"), json_object_get(before, "drops"),
		      stats_drop_name[DROP_HOST_OVERRUN]);
}

static struct fidelity node_judge(const json_t *node, const json_t *before, double passed_ns)
{
	struct lateness_stats later = lateness_read(node), earlier = lateness_read(before);
	struct fidelity_limits limits = { .made_up_ns = limit_read(node, "links_absorb_ns"),
					  .bridged_ns = limit_read(node, "buffers_bridge_ns"),
					  .last = !strcmp(member_text(node, "kind"), "nic") };
	struct fidelity judged;

	if (before)
		later = fidelity_since(&later, &earlier);
	else if (json_object_get(node, "uptime_ns") &&
		 (double)counter(node, "uptime_ns") < passed_ns)
		/* it is younger than the interval */
		passed_ns = (double)counter(node, "uptime_ns");
	/* idle time says nothing about lateness under load */
	if (json_object_get(node, "active_ns"))
		passed_ns = fmin(passed_ns, growth(node, before, "active_ns"));
	judged =
		fidelity_judge(&later, &limits, peers_waited_ns(node, before), (uint64_t)passed_ns);
	judged.lost_frames = (uint64_t)growth(node, before, "lost_frames");
	return judged;
}

static void judged_put(json_t *object, const struct fidelity *judged)
{
	member_put(object, "lateness_p50_ns", judged->p50_ns);
	member_put(object, "lateness_p99_ns", judged->p99_ns);
	member_put(object, "lateness_max_ns", judged->max_ns);
	member_put(object, "added_delay_ns", judged->added_ns);
	json_object_set_new(object, "stalled_percent", json_real(judged->stalled_ppm / 1e4));
	member_put(object, "stalled_ns", judged->stalled_ns);
}

/* all nodes of a fabric in an interval */
struct judgement {
	const json_t *unreadable; /* a node; NULL: none */
	const json_t *cut;        /* a tunnel whose machine is not there; NULL: none */
	const json_t *worst_node; /* NULL: nothing has happened */
	struct fidelity worst;
	double interval_ns, active_ns;
	double cpu_ns; /* as fabric time: a busy core uses as much of it as passes */
	double uncarried_bytes, overrun_frames;
	bool cpu_known; /* "minute_ago" has none */
};

/* adds @node to @all */
static void node_add(struct judgement *all, const json_t *node, const json_t *before,
		     const struct fidelity *judged)
{
	if (!json_is_true(json_object_get(node, "readable")))
		all->unreadable = node;
	all->active_ns = fmax(all->active_ns, growth(node, before, "active_ns"));
	all->uncarried_bytes = fmax(all->uncarried_bytes, uncarried_bytes(node, before, judged));
	all->overrun_frames += overrun_frames(node, before);
	if (!strcmp(member_text(node, "kind"), "tunnel") &&
	    strcmp(member_text(node, "state"), "connected") != 0)
		all->cut = node;
	if ((!judged->events && !judged->lost_frames) ||
	    (all->worst_node && !fidelity_worse(judged, &all->worst)))
		return;
	all->worst = *judged;
	all->worst_node = node;
}

/* @show: each node gets its own part */
static struct judgement fabric_judge(json_t *later, const json_t *before, bool show)
{
	struct judgement all = { .interval_ns = passed_ns_of(later, before),
				 .cpu_ns = growth(later, before, "cpu_ns") / dilation_of(later),
				 .cpu_known = !before || json_object_get(before, "cpu_ns") };
	json_t *nodes = json_object_get(later, "nodes"), *node;
	size_t i;

	json_array_foreach (nodes, i, node) {
		const json_t *then = node_before(before, node);
		struct fidelity judged = node_judge(node, then, all.interval_ns);

		node_add(&all, node, then, &judged);
		if (show)
			judged_put(node, &judged);
	}
	return all;
}

static void verdict_put(json_t *fidelity, const char *verdict, const char *reason,
			const char *words)
{
	json_object_set_new(fidelity, "verdict", json_string(verdict));
	json_object_set_new(fidelity, "reason", json_string(reason));
	json_object_set_new(fidelity, "words", json_string(words));
}

/* what is missing with the machine beyond tunnel @node, and what depends on it */
static void cut_put(const json_t *fabric, const json_t *node, json_t *fidelity)
{
	const json_t *machines = json_object_get(fabric, "machines"), *machine, *names, *name;
	const char *wanted = strchr(member_text(node, "name"), ':');
	char words[FIDELITY_WORDS_MAX] = "", what[FIDELITY_WORDS_MAX - 32] = "";
	size_t m, i, used;

	if (!strcmp(member_text(node, "state"), "dead"))
		used = (size_t)snprintf(what, sizeof(what), "the tunnel process is dead (%s)",
					member_text(node, "fate"));
	else
		used = (size_t)snprintf(what, sizeof(what), "machine %s is not there (%s)",
					wanted ? wanted + 1 : "", member_text(node, "state"));
	json_array_foreach (machines, m, machine) {
		names = json_object_get(machine, "links");
		if (!wanted || strcmp(member_text(machine, "name"), wanted + 1) != 0)
			continue;
		json_array_foreach (names, i, name)
			used += used < sizeof(what)
					? (size_t)snprintf(what + used, sizeof(what) - used, "%s%s",
							   i ? ", " : ": no link ",
							   json_string_value(name))
					: 0;
	}
	fidelity_words(&(struct fidelity){ 0 }, FIDELITY_MACHINE, what, words);
	verdict_put(fidelity, fidelity_verdict_name[FIDELITY_NOT_VALID],
		    fidelity_reason_name[FIDELITY_MACHINE], words);
}

/* the verdict of @fabric, and the node that it names */
static void judgement_put(const json_t *fabric, const struct judgement *all, json_t *fidelity)
{
	const json_t *node = all->unreadable ? all->unreadable
			     : all->cut      ? all->cut
					     : all->worst_node;
	enum fidelity_reason reason = fidelity_reason_of(&all->worst);
	char words[FIDELITY_WORDS_MAX];

	if (node)
		json_object_set(fidelity, "node", json_object_get(node, "name"));
	if (all->unreadable) {
		snprintf(words, sizeof(words), "unknown: the statistics page of %s is invalid",
			 member_text(node, "name"));
		verdict_put(fidelity, FIDELITY_UNKNOWN_NAME, "", words);
	} else if (all->cut) {
		cut_put(fabric, all->cut, fidelity);
	} else if (!node) {
		verdict_put(fidelity, fidelity_verdict_name[FIDELITY_VALID], "",
			    "valid: nothing has happened");
	} else {
		fidelity_words(&all->worst, reason, member_text(node, "name"), words);
		verdict_put(fidelity, fidelity_verdict_name[fidelity_verdict_of(&all->worst)],
			    fidelity_reason_name[reason], words);
	}
}

static json_t *fidelity_json(const json_t *fabric, const struct judgement *all)
{
	json_t *fidelity = json_object();

	judgement_put(fabric, all, fidelity);
	member_put(fidelity, "interval_ns", (uint64_t)all->interval_ns);
	if (all->unreadable || !all->worst_node)
		return fidelity;
	judged_put(fidelity, &all->worst);
	member_put(fidelity, "active_ns", (uint64_t)all->active_ns);
	if (all->cpu_known)
		json_object_set_new(
			fidelity, "active_cores",
			json_real(all->active_ns > 0 ? all->cpu_ns / all->active_ns : 0.0));
	json_object_set_new(fidelity, "cores", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	member_put(fidelity, "uncarried_bytes", (uint64_t)fmin(all->uncarried_bytes, COUNTER_MAX));
	member_put(fidelity, "host_overrun_frames",
		   (uint64_t)fmin(all->overrun_frames, COUNTER_MAX));
	json_object_set(fidelity, "links_absorb_ns",
			json_object_get(all->worst_node, "links_absorb_ns"));
	json_object_set(fidelity, "buffers_bridge_ns",
			json_object_get(all->worst_node, "buffers_bridge_ns"));
	return fidelity;
}

void observe_fidelity(json_t *later, const json_t *before)
{
	const json_t *minute_ago = json_object_get(later, "minute_ago");
	struct judgement all;

	if (!before && minute_ago) {
		/* before the nodes get theirs: it replaces what is read here */
		all = fabric_judge(later, minute_ago, false);
		json_object_set_new(later, "fidelity_last_minute", fidelity_json(later, &all));
	}
	json_object_del(later, "minute_ago");
	all = fabric_judge(later, before, true);
	json_object_set_new(later, "fidelity", fidelity_json(later, &all));
}

/* ---- text ---- */

static void verdict_print(const json_t *fabric, FILE *out)
{
	const json_t *minute = json_object_get(fabric, "fidelity_last_minute");
	const char *words = member_text(json_object_get(fabric, "fidelity"), "words");

	if (!minute) {
		fprintf(out, "fidelity   %s\n", words);
		return;
	}
	fprintf(out, "fidelity   since the start  %s\n", words);
	fprintf(out, "           last minute      %s\n", member_text(minute, "words"));
}

/* the interval; the latest node, its lateness, and what its links and buffers absorb */
static void lateness_print(const json_t *fidelity, FILE *out)
{
	char p50[HUMAN_TEXT_MAX], p99[HUMAN_TEXT_MAX], max[HUMAN_TEXT_MAX], limit[HUMAN_TEXT_MAX],
		interval[HUMAN_TEXT_MAX], active[HUMAN_TEXT_MAX];

	fprintf(out, "           in %s", client_time(fidelity, "interval_ns", interval));
	if (!json_object_get(fidelity, "lateness_p50_ns")) {
		fputc('\n', out);
		return;
	}
	fprintf(out, ", %s of it with traffic; %s was late by p50 %s, p99 %s, max %s",
		client_time(fidelity, "active_ns", active), member_text(fidelity, "node"),
		client_time(fidelity, "lateness_p50_ns", p50),
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

/* load that was offered and not carried, or not in time */
static void offered_print(const json_t *fidelity, FILE *out)
{
	json_int_t bytes = member_number(fidelity, "uncarried_bytes"),
		   frames = member_number(fidelity, "host_overrun_frames");
	char late[HUMAN_TEXT_MAX];

	if (!bytes && !frames)
		return;
	fprintf(out,
		"           offered but not carried: up to %s in time, for a late node; %lld "
		"frames between hosts and NICs\n",
		human_bytes((uint64_t)bytes, late), (long long)frames);
}

/* Too little CPU time has two causes with different remedies. If the fabric itself used less than
 * half of the cores while it was active, other programs had the rest (ours). */
static void advice_print(const json_t *fidelity, FILE *out)
{
	double used = json_real_value(json_object_get(fidelity, "active_cores"));
	int cores = (int)member_number(fidelity, "cores");

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

	verdict_print(fabric, out);
	lateness_print(fidelity, out);
	if (!strcmp(member_text(fidelity, "reason"), fidelity_reason_name[FIDELITY_MACHINE]) ||
	    !strcmp(member_text(fidelity, "reason"), fidelity_reason_name[FIDELITY_LOSSES]))
		return; /* more CPU time is no remedy */
	if (strcmp(member_text(fidelity, "verdict"), fidelity_verdict_name[FIDELITY_NOT_VALID]) !=
	    0)
		return;
	offered_print(fidelity, out);
	advice_print(fidelity, out);
}
