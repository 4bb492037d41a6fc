/*  orchestrator/operate/observe: two answers of a daemon give rates and a verdict (TB-8, TB-10). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/json_member.h"
#include "orchestrator/command/client.h"
#include "orchestrator/operate/observe.h"
#include "tests/testing.h"

static json_t *before, *later;

/* one switch and one NIC after @seconds; the switch has had @turns turns, 50 us late each */
static json_t *answer(int seconds, int turns)
{
	json_t *fabric = json_pack(
		"{s:I, s:I, s:[{s:s, s:s, s:i, s:b, s:I, s:i, s:I, s:i, s:i, s:i, s:i, s:{s:i}, "
		"s:[{s:i, s:i, "
		"s:I, s:I}]},"
		" {s:s, s:s, s:i, s:b, s:i}]}",
		"uptime_ns", (json_int_t)seconds * 1000000000, "cpu_ns",
		(json_int_t)seconds * 250000000, "nodes", "kind", "switch", "name", "s1", "pid",
		100, "readable", 1, "cpu_ns", (json_int_t)seconds * 200000000, "sent_packets",
		1000 * seconds, "sent_bytes", (json_int_t)1000000 * seconds, "dropped_packets",
		3 * seconds, "links_absorb_ns", 10000, "buffers_bridge_ns", 400000,
		"lateness_max_ns", 50000, "lateness_counts", "57343", turns, "ports", "port", 0,
		"link", 0, "tx_bytes", (json_int_t)1000000 * seconds, "tx_busy_ns",
		(json_int_t)1000000 * seconds, "kind", "nic", "name", "h1", "pid", 101, "readable",
		1, "cpu_ns", 0);

	ck_assert_ptr_nonnull(fabric);
	return fabric;
}

static json_t *node(const char *key)
{
	return json_object_get(json_array_get(json_object_get(later, "nodes"), 0), key);
}

static const char *verdict(void)
{
	return member_text(json_object_get(later, "fidelity"), "verdict");
}

static void setup(void)
{
	before = answer(10, 1000);
	later = answer(12, 1500);
}

static void teardown(void)
{
	json_decref(before);
	json_decref(later);
}

TEST_GROUP(observe, .setup = setup, .teardown = teardown);

TEST(observe_cost__share_of_a_core)
{
	observe_cost(later, before);
	ck_assert_double_eq_tol(json_real_value(json_object_get(later, "cpu_percent")), 25, 1e-9);
	ck_assert_double_eq_tol(json_real_value(node("cpu_percent")), 20, 1e-9);
}

/* SC-8: CPU time is the machine's: 2 s of a fabric that is dilated ten times take 20 s */
TEST(observe_cost__share_of_a_core_when_dilated)
{
	json_object_set_new(later, "dilation", json_integer(10));
	observe_cost(later, before);
	ck_assert_double_eq_tol(json_real_value(json_object_get(later, "cpu_percent")), 2.5, 1e-9);
	ck_assert_double_eq_tol(json_real_value(node("cpu_percent")), 2, 1e-9);
}

/* its processes are older than the fabric's clock, which waits until all are ready */
TEST(observe_cost__from_the_start_of_processes)
{
	json_object_set_new(json_array_get(json_object_get(later, "nodes"), 0), "uptime_ns",
			    json_integer(15000000000));
	observe_cost(later, NULL);
	ck_assert_double_eq_tol(json_real_value(json_object_get(later, "cpu_percent")), 20, 1e-9);
	ck_assert_double_eq_tol(json_real_value(node("cpu_percent")), 16, 1e-9);
}

/* one that has started again */
TEST(observe_cost__of_a_new_process)
{
	json_t *first = json_array_get(json_object_get(later, "nodes"), 0);

	json_object_set_new(first, "pid", json_integer(200));
	json_object_set_new(first, "uptime_ns", json_integer(500000000));
	json_object_set_new(first, "cpu_ns", json_integer(100000000));
	observe_cost(later, before);
	ck_assert_double_eq_tol(json_real_value(node("cpu_percent")), 20, 1e-9);
}

TEST(observe_traffic__rates)
{
	observe_traffic(later, before);
	ck_assert_double_eq_tol(json_real_value(node("sent_pps")), 1000, 1e-9);
	ck_assert_double_eq_tol(json_real_value(node("sent_bps")), 8e6, 1e-3);
	ck_assert_double_eq_tol(json_real_value(node("dropped_pps")), 3, 1e-9);
	ck_assert_double_eq_tol(
		json_real_value(json_object_get(json_array_get(node("ports"), 0), "tx_percent")),
		0.1, 1e-9);
}

/* EC-2: congestion reported since the first answer */
TEST(observe_traffic__congestion)
{
	json_object_set_new(json_array_get(json_object_get(before, "nodes"), 0), "eca_acks",
			    json_integer(100));
	json_object_set_new(json_array_get(json_object_get(later, "nodes"), 0), "eca_acks",
			    json_integer(400));
	observe_traffic(later, before);
	ck_assert_double_eq_tol(json_real_value(node("eca_acks_per_s")), 150, 1e-9);
	ck_assert_double_eq_tol(json_real_value(node("stops_per_s")), 0, 1e-9);
}

/* another process of the same name counts from 0 */
TEST(observe_traffic__restarted_node)
{
	json_object_set_new(json_array_get(json_object_get(before, "nodes"), 0), "pid",
			    json_integer(99));
	observe_traffic(later, before);
	ck_assert_double_eq_tol(json_real_value(node("sent_pps")), 6000, 1e-9);
}

TEST(observe_traffic__node_that_has_joined)
{
	json_array_clear(json_object_get(before, "nodes"));
	observe_traffic(later, before);
	ck_assert_double_eq_tol(json_real_value(node("sent_pps")), 6000, 1e-9);
}

TEST(observe_traffic__no_time_passed)
{
	observe_traffic(later, later);
	ck_assert_double_eq_tol(json_real_value(node("sent_pps")), 0, 1e-9);
}

TEST(observe_fidelity__of_the_interval)
{
	json_t *fidelity;

	observe_fidelity(later, before);
	fidelity = json_object_get(later, "fidelity");
	ck_assert_str_eq(verdict(), "valid-for-rates");
	ck_assert_str_eq(member_text(fidelity, "node"), "s1");
	ck_assert_int_eq(member_number(fidelity, "interval_ns"), 2000000000);
	ck_assert_int_eq(member_number(fidelity, "lateness_p50_ns"), 50000);
	ck_assert_int_eq(member_number(fidelity, "lateness_p99_ns"), 50000);
	ck_assert_int_eq(member_number(fidelity, "lateness_max_ns"), 50000);
	ck_assert_int_eq(member_number(fidelity, "added_delay_ns"), 40000);
	ck_assert_int_eq(member_number(fidelity, "stalled_ns"), 0);
}

TEST(observe_fidelity__idle_interval_is_valid)
{
	json_decref(before);
	before = answer(10, 1500);
	observe_fidelity(later, before);
	ck_assert_str_eq(verdict(), "valid");
	ck_assert_ptr_null(json_object_get(json_object_get(later, "fidelity"), "node"));
}

TEST(observe_fidelity__whole_life_without_a_first_answer)
{
	observe_fidelity(later, NULL);
	ck_assert_str_eq(verdict(), "valid-for-rates");
	ck_assert_int_eq(member_number(json_object_get(later, "fidelity"), "interval_ns"),
			 12000000000);
}

/* ports of s1 in @fabric: how long data of each peer waited */
static void held_up(json_t *fabric, json_int_t first_ns, json_int_t second_ns)
{
	json_object_set_new(json_array_get(json_object_get(fabric, "nodes"), 0), "ports",
			    json_pack("[{s:i, s:s, s:I}, {s:i, s:s, s:I}]", "port", 0, "peer", "h1",
				      "peers_waited_ns", first_ns, "port", 1, "peer", "s2",
				      "peers_waited_ns", second_ns));
}

/* it was late once by 1 s, far beyond its buffers */
static void late_once(json_t *fabric)
{
	json_object_set_new(json_array_get(json_object_get(fabric, "nodes"), 0), "lateness_counts",
			    json_pack("{s:i}", "1073741823", 1));
	json_object_set_new(json_array_get(json_object_get(fabric, "nodes"), 0), "lateness_max_ns",
			    json_integer(1000000000));
}

/* a peer was started again, so its counters begin at 0 */
TEST(observe_fidelity__restarted_peer)
{
	json_object_del(json_array_get(json_object_get(before, "nodes"), 0), "lateness_counts");
	late_once(later);
	held_up(before, 3000000000, 2000000000);
	held_up(later, 0, 2500000000);
	observe_fidelity(later, before);
	/* 0.5 s of 2 s */
	ck_assert_double_eq_tol(json_real_value(node("stalled_percent")), 25, 1e-3);
}

/* for a node that has joined in the interval, its own lifetime counts */
TEST(observe_fidelity__node_that_has_joined)
{
	json_array_clear(json_object_get(before, "nodes"));
	json_object_set_new(json_array_get(json_object_get(later, "nodes"), 0), "uptime_ns",
			    json_integer(1000000000));
	late_once(later);
	held_up(later, 500000000, 0);
	observe_fidelity(later, before);
	ck_assert_double_eq_tol(json_real_value(node("stalled_percent")), 50, 1e-3);
}

TEST(observe_fidelity__unreadable_page_is_unknown)
{
	json_object_set_new(json_array_get(json_object_get(later, "nodes"), 1), "readable",
			    json_false());
	observe_fidelity(later, before);
	ck_assert_str_eq(verdict(), "unknown");
	ck_assert_str_eq(member_text(json_object_get(later, "fidelity"), "node"), "h1");
}

/* a file for --since may hold anything */
TEST(observe_fidelity__rejects_what_is_no_answer)
{
	json_t *empty = json_object(), *list = json_array();

	observe_cost(later, list);
	observe_traffic(later, list);
	observe_fidelity(later, list);
	ck_assert_str_eq(verdict(), "valid-for-rates");
	observe_fidelity(empty, NULL);
	json_decref(empty);
	json_decref(list);
}

/* the printed text contains the verdict */
TEST(observe_fidelity_print__has_the_verdict)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	observe_fidelity(later, before);
	observe_fidelity_print(later, out);
	fclose(out);
	ck_assert_ptr_nonnull(
		strstr(text, "fidelity   valid for rates; delays up to 40.00 us too long\n"));
	ck_assert_ptr_nonnull(strstr(text, "s1 was late by p50 50.00 us"));
	free(text);
}

/* the advice for a fabric that is not valid depends on its use of the cores while it was active */
static void advises(double cores_used, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	json_object_set_new(later, "cpu_ns", json_integer((json_int_t)(2.5e9 + cores_used * 2e9)));
	observe_fidelity(later, before);
	ck_assert_str_eq(verdict(), "not-valid");
	observe_fidelity_print(later, out);
	fclose(out);
	ck_assert_msg(strstr(text, expected), "'%s' is not in: %s", expected, text);
	free(text);
}

TEST(observe_fidelity_print__advice_depends_on_use_of_cores)
{
	json_object_set_new(json_array_get(json_object_get(later, "nodes"), 0), "active_ns",
			    json_integer(2000000000));
	json_object_del(json_array_get(json_object_get(before, "nodes"), 0), "lateness_counts");
	late_once(later);
	held_up(later, 1000000000, 0);
	advises(0.1, "other programs had the rest");
	advises((double)sysconf(_SC_NPROCESSORS_ONLN), "it needs more");
}

/* a minute ago: what was bad before does not count */
static json_t *bad_before(int turns_before)
{
	json_t *ago = answer(10, turns_before);

	json_object_del(ago, "cpu_ns");
	late_once(later);
	held_up(later, 1000000000, 0);
	late_once(ago);
	held_up(ago, 1000000000, 0);
	json_object_set_new(later, "minute_ago", ago);
	observe_fidelity(later, NULL);
	return json_object_get(later, "fidelity_last_minute");
}

TEST(observe_fidelity__last_minute)
{
	const json_t *minute = bad_before(1500);

	ck_assert_str_eq(verdict(), "not-valid");
	ck_assert_str_eq(member_text(minute, "verdict"), "valid");
	ck_assert_int_eq(member_number(minute, "interval_ns"), 2000000000);
	ck_assert_ptr_null(json_object_get(minute, "active_cores"));
	ck_assert_ptr_null(json_object_get(later, "minute_ago"));
	/* figures of nodes are those since the start */
	ck_assert_int_eq(json_integer_value(node("lateness_max_ns")), 1000000000);
}

TEST(observe_fidelity_print__both_verdicts)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	bad_before(1500);
	observe_fidelity_print(later, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "fidelity   since the start  NOT VALID: rates are"));
	ck_assert_ptr_nonnull(strstr(text, "\n           last minute      valid"));
	free(text);
}

/* an interval that a client asks for has no last minute */
TEST(observe_fidelity__interval_without_a_last_minute)
{
	json_object_set_new(later, "minute_ago", answer(11, 1500));
	observe_fidelity(later, before);
	ck_assert_ptr_null(json_object_get(later, "fidelity_last_minute"));
	ck_assert_ptr_null(json_object_get(later, "minute_ago"));
}

/* the time with traffic is that of the busiest node, whatever the worst one did */
TEST(observe_fidelity__time_of_the_fabric)
{
	json_t *nodes = json_object_get(later, "nodes");

	json_object_set_new(json_array_get(nodes, 0), "active_ns", json_integer(50000000));
	json_object_set_new(json_array_get(nodes, 1), "active_ns", json_integer(1900000000));
	observe_fidelity(later, before);
	ck_assert_int_eq(member_number(json_object_get(later, "fidelity"), "active_ns"),
			 1900000000);
}

/* 1 s too late, data waited for 0.5 s of it at 1 Gb/s; the NIC did not take 7 frames */
TEST(observe_fidelity__offered_but_not_carried)
{
	json_t *nodes = json_object_get(later, "nodes"), *fidelity;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	json_object_del(json_array_get(json_object_get(before, "nodes"), 0), "lateness_counts");
	late_once(later);
	held_up(later, 500000000, 0);
	json_object_set_new(json_array_get(node("ports"), 0), "rate_bps", json_integer(1000000000));
	json_object_set_new(json_array_get(node("ports"), 0), "rx_bytes", json_integer(100000000));
	json_object_set_new(json_array_get(nodes, 1), "drops",
			    json_pack("{s:i}", "host_overrun", 7));
	observe_fidelity(later, before);
	fidelity = json_object_get(later, "fidelity");
	ck_assert_int_eq(member_number(fidelity, "uncarried_bytes"), 62500000);
	ck_assert_int_eq(member_number(fidelity, "host_overrun_frames"), 7);
	observe_fidelity_print(later, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "offered but not carried: up to 62.50 MB in time, for a "
					   "late node; 7 frames between hosts and NICs"));
	free(text);
}

/* ---- several machines ---- */

static const char *cut_words(const char *state, const char *fate)
{
	json_array_append_new(json_object_get(later, "nodes"),
			      json_pack("{s:s, s:s, s:i, s:s, s:b, s:s}", "kind", "tunnel", "name",
					"tunnel:m2", "pid", 102, "state", state, "readable", 1,
					"fate", fate));
	json_object_set_new(later, "machines",
			    json_pack("[{s:s, s:[s]}, {s:s, s:[s, s]}]", "name", "m1", "links",
				      "s0-s1", "name", "m2", "links", "s1-s2", "s1-s3"));
	observe_fidelity(later, before);
	ck_assert_str_eq(member_text(json_object_get(later, "fidelity"), "node"), "tunnel:m2");
	return member_text(json_object_get(later, "fidelity"), "words");
}

/* the machine at the other end of a tunnel, and the links to it */
TEST(observe_fidelity__machine_that_is_not_there)
{
	ck_assert_str_eq(cut_words("silent", ""), "NOT VALID: machine m2 is not there (silent): no "
						  "link s1-s2, s1-s3");
	ck_assert_str_eq(verdict(), "not-valid");
}

TEST(observe_fidelity__tunnel_that_is_dead)
{
	ck_assert_str_eq(cut_words("dead", "signal 9"), "NOT VALID: the tunnel process is dead "
							"(signal 9): no link s1-s2, s1-s3");
}

TEST(observe_fidelity__tunnel_that_is_connected)
{
	json_array_append_new(json_object_get(later, "nodes"),
			      json_pack("{s:s, s:s, s:s, s:b}", "kind", "tunnel", "name",
					"tunnel:m2", "state", "connected", "readable", 1));
	observe_fidelity(later, before);
	ck_assert_str_ne(member_text(json_object_get(later, "fidelity"), "reason"), "machine");
}
