/*  orchestrator/operate/top_text: what `heddle top` prints of an answer (TB-8, TB-10). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/operate/top_text.h"
#include "tests/testing.h"

/* the text for a fabric of one switch with @limited limited flows, and a NIC with equal counters */
/* takes @fabric; to be freed */
static char *text_on(json_t *fabric, const struct screen *screen)
{
	static char *text;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(fabric);
	top_text_print(fabric, screen, out);
	fclose(out);
	json_decref(fabric);
	return text;
}

static char *text_of(json_t *fabric)
{
	const struct screen pipe = { 0 };

	return text_on(fabric, &pipe);
}

static json_t *flow_channels(int limited)
{
	return json_pack("{s:s, s:[{s:s, s:s, s:i, s:f, s:f}, {s:s, s:s, s:i}], s:{s:s}}", "fabric",
			 "two", "nodes", "kind", "switch", "name", "s1", "limited", limited,
			 "eca_acks_per_s", limited * 10.0, "stops_per_s", 0.0, "kind", "nic",
			 "name", "h1", "limited", limited, "fidelity", "verdict", "valid");
}

/* EC-5: counters of switches only; NICs have no input flows */
TEST(top_text_print__congestion)
{
	char *text = text_of(flow_channels(7));

	ck_assert_ptr_nonnull(strstr(
		text,
		"\ncongestion 7 flows limited, 0 metered, 0 paused at their source; 70 ACK_ECA/s"));
	free(text);
}

TEST(top_text_print__no_congestion)
{
	char *text = text_of(flow_channels(0));

	ck_assert_ptr_null(strstr(text, "congestion"));
	ck_assert_ptr_nonnull(strstr(text, "\nswitch  s1 "));
	free(text);
}

/* RC-1, RC-5: kind roce: pauses, marks and deadlocks; none in another kind */
TEST(top_text_print__roce)
{
	json_t *fabric = json_pack(
		"{s:s, s:s, s:[{s:s, s:i, s:i, s:f, s:f}, {s:s, s:f, s:i, s:i}], s:[{s:s}, {s:s}]}",
		"fabric", "two", "kind", "roce", "nodes", "kind", "switch", "paused_classes", 3,
		"xoff_classes", 2, "marked_per_s", 50.0, "pauses_per_s", 7.0, "kind", "nic",
		"cnps_per_s", 20.0, "in_error", 1, "paused_classes", 9, "deadlocks", "text",
		"s1 -> s2 -> s1, class a: ...", "text", "s3 -> s4 -> s3");
	char *text = text_of(fabric);

	ck_assert_ptr_nonnull(strstr(
		text,
		"\nroce       3 outputs paused, 2 inputs above XOFF; 50 marked/s, 20 CNPs/s, 7 "
		"pauses/s; 1 queue pairs in ERROR\n"));
	ck_assert_ptr_nonnull(
		strstr(text, "\ndeadlock   s1 -> s2 -> s1, class a: ...; and 1 more\n"));
	free(text);
	text = text_of(flow_channels(7));
	ck_assert_ptr_null(strstr(text, "roce"));
	ck_assert_ptr_null(strstr(text, "deadlock"));
	free(text);
}

/* a line of four nodes with three links, of which link 1 is the busiest; in @lines lines, 0: all */
static char *line_of_four(unsigned lines)
{
	static const char answer[] =
		"{'fabric': 'four', 'uptime_ns': 5000000000, 'cpu_percent': 12.5, 'memory_bytes': "
		"2000000, 'dead': 2,"
		" 'nodes': ["
		"{'kind': 'nic', 'name': 'h1', 'sent_pps': 10.0, 'received_pps': 1.0, 'sent_bps': "
		"1e6, 'dropped_pps': 2.0, 'ports': [{'link': 0, 'peer': 's1', 'rate_bps': "
		"1000000000, 'tx_bps': 1e6, 'tx_percent': 5.0, 'lost_packets': 3}]},"
		"{'kind': 'switch', 'name': 's1', 'sent_pps': 30.0, 'received_pps': 30.0, "
		"'dropped_pps': 4.0, 'ports': [{'link': 0, 'peer': 'h1', 'tx_bps': 2e6, "
		"'tx_percent': 10.0, 'lost_packets': 4, 'rate_bps': 1000000000}, {'link': 1, "
		"'peer': 's2', 'rate_bps': 1000000000, 'tx_bps': 1e8, 'tx_percent': 10.5, 'down': "
		"true}]},"
		"{'kind': 'switch', 'name': 's2', 'sent_pps': 20.0, 'received_pps': 20.0, 'ports': "
		"[{'link': 1, 'peer': 's1', 'tx_bps': 5e8, 'tx_percent': 50.0}, {'link': 2, "
		"'peer': 'h2', 'rate_bps': 1000000000, 'tx_bps': 0.0, 'tx_percent': 10.0}]},"
		"{'kind': 'nic', 'name': 'h2', 'received_pps': 7.0, 'received_bps': 3e6, 'ports': "
		"[{'link': 2, 'peer': 's2', 'tx_percent': 1.0}]}]}";
	const struct screen screen = { .terminal = lines, .columns = 80, .lines = lines + 1 };
	static char *text;
	char json[sizeof(answer)];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	json_t *fabric;

	strcpy(json, answer);
	for (char *quote = json; (quote = strchr(quote, '\''));)
		*quote = '"';
	fabric = json_loads(json, 0, NULL);
	ck_assert_ptr_nonnull(fabric);
	top_text_print(fabric, &screen, out);
	fclose(out);
	json_decref(fabric);
	return text;
}

/* @before stands before @after in @text */
static void ordered(const char *text, const char *before, const char *after)
{
	const char *first = strstr(text, before), *second = strstr(text, after);

	ck_assert_msg(first && second && first < second, "'%s' before '%s' in\n%s", before, after,
		      text);
}

/* both ends of a link are one row; the busier end counts; then the lower number */
TEST(top_text_print__links)
{
	char *text = line_of_four(0);

	ordered(text, "\ns1:s2 ", "\nh1:s1 ");
	ordered(text, "\nh1:s1 ", "\ns2:h2 ");
	ck_assert_msg(strstr(text, "\ns1:s2                 1.000 Gb/s  100.0 Mb/s    10.5  500.0 "
				   "Mb/s    50.0         0         0  down\n") != NULL,
		      "%s", text);
	ck_assert_msg(strstr(text, "\nh1:s1                 1.000 Gb/s  1.000 Mb/s     5.0  2.000 "
				   "Mb/s    10.0         3         4\n") != NULL,
		      "%s", text);
	ck_assert_ptr_null(strstr(text, "more"));
	free(text);
}

/* the busiest first; what enters and leaves the fabric is that of NICs */
TEST(top_text_print__nodes_and_traffic)
{
	char *text = line_of_four(0);

	ordered(text, "switch  s1 ", "switch  s2 ");
	ordered(text, "switch  s2 ", "nic     h1 ");
	ordered(text, "nic     h1 ", "nic     h2 ");
	ck_assert_msg(strstr(text, "fabric     four, running for 5.000 s: 12.5 % of a core, 2.000 "
				   "MB of memory; 2 DEAD\n") != NULL,
		      "%s", text);
	ck_assert_msg(strstr(text,
			     "\ntraffic    1.000 Mb/s, 10 packets/s from hosts; 3.000 Mb/s, 8 "
			     "packets/s to hosts; 6 dropped/s\n") != NULL,
		      "%s", text);
	free(text);
}

/* a terminal with few lines: nodes have what the links leave, at least half */
TEST_RANGE(top_text_print__few_lines, 1, 40)
{
	char *text = line_of_four((unsigned)_i);
	int lines = 0;

	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	ck_assert_ptr_nonnull(strstr(text, "switch  s1 ")); /* the busiest, always */
	ck_assert_ptr_nonnull(strstr(text, "\ns1:s2 "));
	if (_i >= 22) {
		ck_assert_int_le(lines, _i);
		ck_assert_ptr_null(strstr(text, " more "));
	} else if (_i >= 14) {
		ck_assert_int_le(lines, _i + 1);
	}
	if (_i < 9) {
		ck_assert_msg(strstr(text, "... and 3 more nodes\n") != NULL, "%s", text);
		ck_assert_msg(strstr(text, "... and 2 more links\n") != NULL, "%s", text);
	}
	free(text);
}

/* a switch with a queue, a NIC with half of it, and the link between them */
static json_t *queues(void)
{
	return json_pack("{s:s, s:[{s:s, s:s, s:s, s:i, s:f, s:[{s:i, s:s, s:I, s:f, s:f}]},"
			 " {s:s, s:s, s:s, s:i, s:f, s:[{s:i, s:s, s:I, s:f, s:f}]}], s:{s:s}}",
			 "fabric", "two", "nodes", "kind", "switch", "name", "s1", "state",
			 "running", "queue_bytes", 8000, "cpu_percent", 2.0, "ports", "link", 0,
			 "peer", "h1", "rate_bps", (json_int_t)10000000000, "tx_bps", 5e9,
			 "tx_percent", 50.0, "kind", "nic", "name", "h1", "state", "running",
			 "queue_bytes", 4000, "cpu_percent", 1.0, "ports", "link", 0, "peer", "s1",
			 "rate_bps", (json_int_t)10000000000, "tx_bps", 1e6, "tx_percent", 0.01,
			 "fidelity", "verdict", "valid");
}

/* SE-8: a full bar is the largest queue, or the rate of the link */
TEST(top_text_print__bars)
{
	const struct screen screen = { .terminal = true, .columns = 80, .lines = 24 };
	char *text = text_on(queues(), &screen);

	ck_assert_ptr_nonnull(strstr(text, "8.000 kB ############  "));
	ck_assert_ptr_nonnull(strstr(text, "4.000 kB ######        "));
	ck_assert_ptr_nonnull(strstr(text, "s1:h1                 5.000 Gb/s ######       "));
	ck_assert_ptr_nonnull(strstr(text, " 1.000 Mb/s #            10.00 Gb/s"));
	ck_assert_ptr_null(strchr(text, '\033'));
	free(text);
}

TEST(top_text_print__bars_of_blocks)
{
	const struct screen screen = {
		.terminal = true, .colours = true, .utf8 = true, .columns = 40, .lines = 24
	};
	char *text = text_on(queues(), &screen);

	ck_assert_ptr_nonnull(strstr(text, "8.000 kB \033[33m████████████\033[0m"));
	/* four columns at least */
	ck_assert_ptr_nonnull(strstr(text, "5.000 Gb/s \033[32m██  \033[0m"));
	free(text);
}

TEST(top_text_print__no_bars_in_a_pipe)
{
	char *text = text_of(queues());

	ck_assert_ptr_null(strchr(text, '#'));
	ck_assert_ptr_nonnull(strstr(text, "8.000 kB"));
	free(text);
}
