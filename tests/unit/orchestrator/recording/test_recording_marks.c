/*  orchestrator/recording/recording_marks: the levels at which a node acts (SE-3). One switch with
 *  two hosts; each level has a value of its own. */
#include "orchestrator/recording/recording_marks.h"

#include <string.h>

#include "tests/testing.h"

static struct port_config ports[3];
static struct node_config nodes[2];
static struct plan plan;

static void set_up(void)
{
	memset(ports, 0, sizeof(ports));
	memset(nodes, 0, sizeof(nodes));
	ports[2].vacant = true;
	for (uint32_t p = 0; p < 2; p++)
		ports[p] = (struct port_config){ .rate_bps = 100000000000, .mtu_bytes = 1500 };
	nodes[0] = (struct node_config){
		.kind = NODE_SWITCH, .port_count = 3, .ports = ports, .class_count = 2
	};
	nodes[1] = nodes[0];
	nodes[1].kind = NODE_NIC; /* a host has no marks */
	plan = (struct plan){ .node_count = 2, .switch_count = 1, .nodes = nodes };
}

/* the value of mark @name of @port, and of @traffic_class unless that is -1; 0: there is none */
static int64_t mark(const json_t *marks, int port, int traffic_class, const char *name)
{
	size_t i;
	json_t *row;

	json_array_foreach (marks, i, row) {
		const json_t *class = json_object_get(row, "class");

		if (json_integer_value(json_object_get(row, "port")) == port &&
		    (traffic_class < 0 ? json_is_null(class)
				       : json_integer_value(class) == traffic_class) &&
		    !strcmp(json_string_value(json_object_get(row, "name")), name))
			return json_integer_value(json_object_get(row, "value"));
	}
	return 0;
}

TEST_GROUP(recording_marks, .setup = set_up);

TEST(recording_marks_json__roce)
{
	json_t *marks;

	nodes[0].fabric = FABRIC_ROCE;
	nodes[0].roce.pfc = true;
	nodes[0].roce.classes[0] = (struct roce_class_config){ .lossless = true,
							       .ecn = true,
							       .kmin_bytes = 5000,
							       .kmax_bytes = 9000,
							       .xoff_bytes = 30000,
							       .xon_offset_bytes = 4000,
							       .queue_bytes_max = 77 };
	nodes[0].roce.classes[1] =
		(struct roce_class_config){ .queue_bytes_max = 60000, .xoff_bytes = 88 };
	nodes[1].roce = nodes[0].roce;
	marks = recording_marks_json(&plan);
	for (int port = 0; port < 2; port++) {
		ck_assert_int_eq(mark(marks, port, 0, "kmin"), 5000);
		ck_assert_int_eq(mark(marks, port, 0, "kmax"), 9000);
		ck_assert_int_eq(mark(marks, port, 0, "xoff"), 30000);
		ck_assert_int_eq(mark(marks, port, 0, "xon"), 26000);
		ck_assert_int_eq(mark(marks, port, 0, "queue"), 0); /* it pauses before */
		ck_assert_int_eq(mark(marks, port, 1, "queue"), 60000);
		ck_assert_int_eq(mark(marks, port, 1, "kmin"), 0);
		ck_assert_int_eq(mark(marks, port, 1, "xoff"), 0);
	}
	ck_assert_uint_eq(json_array_size(marks), 2 * 5);
	json_decref(marks);
}

/* without PFC a lossless class drops as others do */
TEST(recording_marks_json__roce_without_pfc)
{
	json_t *marks;

	nodes[0].fabric = FABRIC_ROCE;
	nodes[0].roce.classes[0] = (struct roce_class_config){ .lossless = true,
							       .xoff_bytes = 30000,
							       .queue_bytes_max = 70000 };
	marks = recording_marks_json(&plan);
	ck_assert_int_eq(mark(marks, 0, 0, "queue"), 70000);
	ck_assert_int_eq(mark(marks, 0, 0, "xoff"), 0);
	json_decref(marks);
}

TEST(recording_marks_json__buffers)
{
	json_t *marks;

	ports[1].buffer_units = 100;
	ports[1].stop_units = 80;
	nodes[0].port_group.fecn = true;
	nodes[0].port_group.fecn_units = 33;
	nodes[0].fabric = FABRIC_FLOW_CHANNEL;
	marks = recording_marks_json(&plan);
	ck_assert_int_eq(mark(marks, 1, -1, "stop"), 80);
	ck_assert_int_eq(mark(marks, 1, -1, "buffer"), 100);
	ck_assert_uint_eq(json_array_size(marks), 2);
	json_decref(marks);
	nodes[0].fabric = FABRIC_PORT_GROUP;
	marks = recording_marks_json(&plan);
	ck_assert_int_eq(mark(marks, 0, -1, "fecn"), 33);
	ck_assert_int_eq(mark(marks, 1, -1, "fecn"), 33);
	json_decref(marks);
	nodes[0].port_group.fecn = false;
	marks = recording_marks_json(&plan);
	ck_assert_int_eq(mark(marks, 1, -1, "fecn"), 0);
	ck_assert_uint_eq(json_array_size(marks), 2);
	json_decref(marks);
}
