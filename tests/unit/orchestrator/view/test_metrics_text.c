/*  orchestrator/view/metrics_text: names, units, types and labels of metrics (SE-14). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/results/statistics.h"
#include "orchestrator/view/metrics_text.h"
#include "tests/testing.h"

static const char answer[] =
	"{'fabric': 'f', 'uptime_ns': 1500000000, 'hosts': 2, 'kind': 'roce', 'deadlocks': [{}],"
	" 'fidelity_last_minute': {'verdict': 'not-valid'},"
	" 'fidelity': {'verdict': 'valid-for-rates', 'added_delay_ns': 7, 'stalled_percent': 0.25},"
	" 'nodes': [{'name': 'a\\\\\\\"\\n', 'kind': 'nic', 'state': 'dead', 'cpu_ns': 1,"
	"  'drops': {'no buffer': 3}, 'ports': [{'port': 0, 'peer': 's', 'down': true,"
	"  'congestion': {'limited': 4, 'eca_acks': 5}, 'paths': {'credit_wait_ps': 12},"
	"  'classes': [{'class': 'bulk', 'delay_ns_max': 9, 'marked': 8}]}]}]}";

static char *text_of(const char *quoted)
{
	char *json = strdup(quoted), *text;
	json_error_t why;
	json_t *fabric;

	for (char *at = json; (at = strchr(at, '\''));)
		*at = '"';
	fabric = json_loads(json, 0, &why);
	ck_assert_msg(fabric, "%s", why.text);
	text = metrics_text(fabric);
	ck_assert_ptr_nonnull(text);
	json_decref(fabric);
	free(json);
	return text;
}

static void has(const char *text, const char *line)
{
	ck_assert_msg(strstr(text, line), "'%s' is not there", line);
}

TEST(metrics_text__units_types_and_labels)
{
	char *text = text_of(answer);

	has(text, "\nheddle_fabric_hosts{fabric=\"f\"} 2\n");
	has(text, "heddle_fabric_uptime_seconds{fabric=\"f\"} 1.500000000\n");
	has(text, "heddle_fabric_fidelity{fabric=\"f\",verdict=\"valid-for-rates\"} 1\n");
	has(text, "heddle_fabric_fidelity_last_minute{fabric=\"f\",verdict=\"not-valid\"} 1\n");
	has(text, "heddle_fabric_fidelity{fabric=\"f\",verdict=\"valid\"} 0\n");
	has(text, "heddle_fabric_stalled_percent{fabric=\"f\"} 0.25\n");
	has(text, "heddle_fabric_deadlocks{fabric=\"f\"} 1\n");
	has(text, "heddle_node_running{fabric=\"f\",node=\"a\\\\\\\"\\n\",kind=\"nic\"} 0\n");
	has(text, "kind=\"nic\",reason=\"no buffer\"} 3\n");
	has(text, "kind=\"nic\",port=\"0\",peer=\"s\"} 1\n");
	has(text, "# TYPE heddle_port_limited gauge\n");
	has(text, "# TYPE heddle_port_eca_acks_total counter\n");
	has(text, "peer=\"s\"} 0.000000000012\n");
	has(text, "heddle_class_delay_max_seconds{");
	has(text, "class=\"bulk\"} 0.000000009\n");
	has(text, "# TYPE heddle_class_marked_total counter\n");
	free(text);
}

TEST(metrics_text__counters_that_json_leaves_out_are_0)
{
	char *text = text_of("{'fabric': 'f', 'nodes': [{'name': 'a', 'kind': 'switch',"
			     " 'ports': [{'port': 1, 'peer': 'b'}]}]}");

	has(text, "heddle_port_redirects_total{fabric=\"f\",node=\"a\",kind=\"switch\",port=\"1\","
		  "peer=\"b\"} 0\n");
	ck_assert_ptr_null(strstr(text, "pauses_sent"));
	free(text);
}

#define METRIC(name, type, help) "# HELP " name " " help "\n# TYPE " name " " type "\n"
#define OF_FABRIC(name, type, help, value) \
	METRIC("heddle_fabric_" name, type, help) "heddle_fabric_" name "{fabric=\"f\"} " value "\n"
#define VERDICT(name, verdict, value) \
	"heddle_fabric_" name "{fabric=\"f\",verdict=\"" verdict "\"} " value "\n"

/* clang-format off */
/* all of the fabric, in the order of the page */
static const char of_fabric[] =
	OF_FABRIC("uptime_seconds", "gauge", "since the fabric started", "1.000000500")
	OF_FABRIC("dilation", "gauge", "how many times slower fabric time runs", "2.5")
	OF_FABRIC("hosts", "gauge", "hosts", "2")
	OF_FABRIC("switches", "gauge", "switches", "0")
	OF_FABRIC("links", "gauge", "links", "7")
	OF_FABRIC("dead", "gauge", "nodes that have died", "2")
	OF_FABRIC("cpu_seconds_total", "counter", "CPU time of all processes", "12.000000000")
	OF_FABRIC("memory_bytes", "gauge", "memory of all processes", "0")
	OF_FABRIC("unfiltered_nodes", "gauge", "nodes without a filter of system calls", "0")
	OF_FABRIC("sweeps_total", "counter", "sweeps of the fabric manager", "3")
	OF_FABRIC("takeovers_total", "counter", "standby managers that became active", "1")
	METRIC("heddle_fabric_fidelity", "gauge", "1: the verdict since the start of the fabric")
	VERDICT("fidelity", "valid", "0")
	VERDICT("fidelity", "valid-for-rates", "0")
	VERDICT("fidelity", "not-valid", "0")
	VERDICT("fidelity", "unknown", "1")
	METRIC("heddle_fabric_fidelity_last_minute", "gauge", "1: the verdict of the last minute")
	OF_FABRIC("added_delay_seconds", "gauge",
		  "delay at a hop that was not configured, at most", "0.000000000")
	OF_FABRIC("stalled_percent", "gauge", "of the time in which links may have idled, at most",
		  "0")
	OF_FABRIC("lateness_p99_seconds", "gauge", "lateness of events, p99", "0.000000099")
	OF_FABRIC("active_seconds", "gauge", "time in which there was traffic", "0.000000000")
	OF_FABRIC("uncarried_bytes", "gauge", "offered while a node was too late, at most", "0")
	OF_FABRIC("host_overrun_frames", "gauge", "frames of hosts that their NICs did not take",
		  "0")
	OF_FABRIC("deadlocks", "gauge", "PFC deadlocks now", "0")
	METRIC("heddle_node_running", "gauge", "1: it runs; 0: it is dead or stopped")
	"heddle_node_running{fabric=\"f\",node=\"a\",kind=\"switch\"} 1\n"
	METRIC("heddle_node_uptime_seconds", "gauge", "since the node started")
	"heddle_node_uptime_seconds{fabric=\"f\",node=\"a\",kind=\"switch\"} 0.000000000\n"
	METRIC("heddle_node_cpu_seconds_total", "counter", "CPU time");
/* clang-format on */

TEST(metrics_text__of_the_fabric)
{
	char *text = text_of(
		"{'fabric': 'f', 'uptime_ns': 1000000500, 'dilation': 2.5, 'hosts': 2, 'links': 7,"
		" 'dead': ['x', 'y'], 'cpu_ns': 12000000000, 'manager': {'sweeps': 3, 'takeovers':"
		" 1}, 'fidelity': {'verdict': 'unknown', 'lateness_p99_ns': 99}, 'nodes': [{'name':"
		" 'a', 'kind': 'switch', 'state': 'running'}]}");

	text[strlen(of_fabric)] = 0;
	ck_assert_str_eq(text, of_fabric);
	free(text);
}

/* rows of the registry that have a metric */
static size_t rows_of(const struct statistics *list, enum statistic_group group)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += list->rows[i].group == group && list->rows[i].unit != STATISTIC_MOMENT;
	return count;
}

/* Each family once, with the lines of its port or node below its type. */
static size_t families_of(const char *text)
{
	static char names[512][96], copy[1 << 17];
	char *rest = strncpy(copy, text, sizeof(copy) - 1), *line, type[16];
	size_t count = 0;

	while ((line = strsep(&rest, "\n")) && *line) {
		size_t length = strlen(names[count ? count - 1 : 0]);

		if (sscanf(line, "# TYPE %95s %15s", names[count], type) == 2) {
			char *end = strstr(names[count], "_total");

			ck_assert_int_eq(!strcmp(type, "counter"), end && !end[6]);
			for (size_t i = 0; i < count; i++)
				ck_assert_str_ne(names[i], names[count]);
			count++;
		} else if (*line != '#') {
			ck_assert_msg(!strncmp(line, names[count - 1], length) &&
					      line[length] == '{',
				      "%s", line);
		}
	}
	return count;
}

TEST_RANGE(metrics_text__each_family_once, 0, 2)
{
	char *text = text_of(_i ? answer : "{'fabric': 'f', 'manager': {}, 'fidelity': {}}");
	size_t rows = rows_of(&port_statistics, STATISTIC_CONGESTION) +
		      rows_of(&port_statistics, STATISTIC_PATHS);

	if (_i)
		rows += 6 + rows_of(&port_statistics, STATISTIC_PAUSE) +
			rows_of(&class_statistics, STATISTIC_BASIC) - 2;
	/* fabric, manager, verdicts, fidelity, deadlocks; running, nodes, drops; ports */
	ck_assert_uint_eq(families_of(text), 9 + 2 + 2 + 6 + 1 + 1 + 21 + 1 + 15 + rows);
	ck_assert_ptr_null(strstr(text, "_first"));
	free(text);
}
