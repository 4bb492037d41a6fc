/*  orchestrator/cli/top_text: what `heddle top` prints of an answer (TB-8, TB-10). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/cli/top_text.h"
#include "tests/testing.h"

/* the text for a fabric of one switch with @limited limited flows, and a NIC with equal counters */
/* takes @fabric; to be freed */
static char *text_of(json_t *fabric)
{
	static char *text;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(fabric);
	top_text_print(fabric, 0, out);
	fclose(out);
	json_decref(fabric);
	return text;
}

static json_t *flow_channels(int limited)
{
	return json_pack("{s:s, s:[{s:s, s:s, s:i, s:f, s:f}, {s:s, s:s, s:i}], s:{s:s}}", "fabric",
			 "two", "nodes", "kind", "switch", "name", "s1", "limited", limited,
			 "eca_acks_per_s", limited * 10.0, "stops_per_s", 0.0, "kind", "nic",
			 "name", "h1", "limited", limited, "fidelity", "verdict", "faithful");
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
