/*  orchestrator/view/metrics_text: names, units, types and labels of metrics (SE-14). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

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
