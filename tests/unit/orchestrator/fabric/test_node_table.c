/*  orchestrator/fabric/node_table: every kind of cell as text and as JSON; whatever a node may
 *  write (SE-8, TB-9, TB-23). */
#include <string.h>

#include "nodes/stats/trace.h"
#include "orchestrator/fabric/node_table.h"
#include "orchestrator/scenario/scenario.h"
#include "tests/testing.h"

/* hosts x, y and z: 0, 1, 2. Ports of a: x, y, b; of b: z, a. Fabric addresses 1, 2 */
#define LINE                                                                         \
	"name: t\nrun: {duration: 100us}\n"                                          \
	"topology: {switches: [a, b], hosts: {x: a, y: a, z: b}, links: [[a, b]]}\n" \
	"workloads: [{name: w, pattern: pairs, pairs: [[x, z]], size: 1kB}]\n"

static struct plan plan;
static struct node_table table;

static void set_up(void)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;

	ck_assert_int_eq(
		scenario_read_memory("t.yaml", LINE, strlen(LINE), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	scenario_free(&scenario);
}

static void tear_down(void)
{
	node_table_free(&table);
	plan_free(&plan);
}

TEST_GROUP(node_table, .setup = set_up, .teardown = tear_down);

/* what switch a writes */
static void read_text(const char *text)
{
	char *copy = strdup(text);

	node_table_free(&table);
	ck_assert_int_eq(node_table_read(&plan, 0, copy, &table), 0);
	free(copy);
}

static void text_expect(const char *text)
{
	char *found = NULL;
	size_t length;
	FILE *out = open_memstream(&found, &length);

	node_table_print(&table, out);
	fclose(out);
	ck_assert_str_eq(found, text);
	free(found);
}

static void json_expect(const char *rows)
{
	json_t *object = node_table_json(&table, "a", "t");
	char *found = json_dumps(json_object_get(object, "rows"),
				 JSON_COMPACT | JSON_REAL_PRECISION(NODE_TABLE_DIGITS));

	ck_assert_str_eq(json_string_value(json_object_get(object, "node")), "a");
	ck_assert_str_eq(json_string_value(json_object_get(object, "table")), "t");
	ck_assert_str_eq(found, rows);
	free(found);
	json_decref(object);
}

TEST(node_table__ports_have_their_peers)
{
	read_text("port:port\tn\tfollow_port:port\tports:ports\twaits_for:ports\n"
		  "0\t7\t2\t1 2\t-\n1\t12\t\t-\t2\n");
	text_expect("port  peer   n  follow_port  follow_peer  ports  peers  waits_for  "
		    "waits_for_peers\n"
		    "p0    x      7  p2           b            p1 p2  y b    -          -\n"
		    "p1    y     12  -            -            -      -      p2         b\n");
	json_expect("[{\"port\":0,\"peer\":\"x\",\"n\":7,\"follow_port\":2,\"follow_peer\":\"b\","
		    "\"ports\":[1,2],\"peers\":[\"y\",\"b\"],\"waits_for\":[],"
		    "\"waits_for_peers\":[]},"
		    "{\"port\":1,\"peer\":\"y\",\"n\":12,\"follow_port\":null,"
		    "\"follow_peer\":null,\"ports\":[],\"peers\":[],\"waits_for\":[2],"
		    "\"waits_for_peers\":[\"b\"]}]");
	/* the node writes them itself */
	read_text("port:port\tpeer:text\n2\tc\n");
	text_expect("port  peer\np2    c\n");
}

TEST(node_table__nodes_and_workloads_have_names)
{
	read_text("a:host\tb:edge\tc:switch\td:lid\te:workload\n1\t2.0\t2\t3\t0\n"
		  "3\t9.9\t7\t4\t5\n");
	text_expect("a  b    c  d  e\ny  z    b  z  w\n3  9.9  7  4  5\n");
	json_expect("[{\"a\":\"y\",\"b\":\"z\",\"c\":\"b\",\"d\":\"z\",\"e\":\"w\"},"
		    "{\"a\":\"3\",\"b\":\"9.9\",\"c\":\"7\",\"d\":\"4\",\"e\":\"5\"}]");
}

TEST(node_table__addresses_in_names_of_flows)
{
	static const char *const flows[][2] = {
		{ "hpc class 0 from 02:48:00:00:00:01 1 > 3", "hpc class 0 from x x > z" },
		{ "ipv4 class 1 10.0.0.2 > 10.0.0.1 protocol 6 ports 1 > 2",
		  "ipv4 class 1 y > x protocol 6 ports 1 > 2" },
		{ "ipv6 class 0 fd48::3 > fd48::4", "ipv6 class 0 z > fd48::4" },
		{ "layer-2 class 0 to 02:48:00:00:00:09", "layer-2 class 0 to 02:48:00:00:00:09" },
		{ "10.9.9.9", "10.9.9.9" },
	};
	char text[128];

	for (size_t i = 0; i < sizeof(flows) / sizeof(flows[0]); i++) {
		snprintf(text, sizeof(text), "flow:flow\n%s\n", flows[i][0]);
		read_text(text);
		ck_assert_str_eq(node_table_cell(&table, 0, "flow"), flows[i][1]);
	}
}

TEST(node_table__numbers_times_and_flags)
{
	read_text("n\tx\tat_us:ps\tyes:flag\tv:any\tw:any\n"
		  "-5\t0.25\t1234567\t1\t3\tblue\n18446744073709551615\t-\t\t0\t\t\n");
	text_expect("                   n     x  at_us  yes  v  w\n"
		    "                  -5  0.25  1.234  yes  3  blue\n"
		    "18446744073709551615     -      -  no   -  -\n");
	json_expect("[{\"n\":-5,\"x\":0.25,\"at_us\":1.234567,\"yes\":true,\"v\":3,"
		    "\"w\":\"blue\"},{\"n\":1.84467440737096e19,\"x\":null,\"at_us\":null,"
		    "\"yes\":false,\"v\":null,\"w\":null}]");
	ck_assert_int_eq(node_table_number(&table, 0, "at_us"), 1234567);
	ck_assert_int_eq(node_table_number(&table, 1, "x"), 0);
	ck_assert_ptr_null(node_table_cell(&table, 0, "none"));
	ck_assert_ptr_null(node_table_cell(&table, 2, "n"));
}

TEST(node_table__facts)
{
	json_t *object;

	read_text("=limit\t5\n=too_long:flag\t1\nn\n1\n=free\t-\n");
	text_expect("limit 5, too_long yes, free -\nn\n1\n");
	object = node_table_json(&table, "a", "t");
	ck_assert_int_eq(json_integer_value(json_object_get(object, "limit")), 5);
	ck_assert(json_is_true(json_object_get(object, "too_long")));
	ck_assert(json_is_null(json_object_get(object, "free")));
	json_decref(object);
}

/* fewer cells, more cells, no columns, other bytes, more columns than there may be, no text */
TEST(node_table__whatever_a_node_writes)
{
	static const char bytes[] = "n:text\np\xff\x1b[0m\tq\n\n";
	char wide[4096] = "";

	read_text("n\tm\n1\n1\t2\t3\n\t\n");
	json_expect("[{\"n\":1,\"m\":null},{\"n\":1,\"m\":2},{\"n\":null,\"m\":null}]");
	read_text(bytes);
	text_expect("n\np??[0m\n");
	read_text("");
	json_expect("[]");
	read_text("port:port\tn:nothing\n99\t\nx\ty\n");
	text_expect("port  peer  n\np99   -     -\n      -     y\n");
	for (unsigned i = 0; i < 200; i++)
		strcat(wide, "port:port\t");
	strcat(wide, "\n1\t2\n");
	read_text(wide);
	ck_assert_uint_eq(table.column_count, NODE_TABLE_COLUMNS_MAX);
	for (unsigned i = 0; i < 40; i++)
		strcpy(wide + 4 * i, "=a\n");
	read_text(wide);
	ck_assert_uint_le(table.fact_count, NODE_TABLE_FACTS_MAX);
}

TEST(node_table__trace_records)
{
	struct stats_page *page = calloc(1, stats_bytes(&plan.nodes[0]));

	stats_init(page, &plan.nodes[0]);
	trace(page, (struct trace_entry){ .at_ps = 1500000,
					  .kind = TRACE_DROP,
					  .port = 2,
					  .detail = 0,
					  .value = 77,
					  .source = 1,
					  .destination = 3 });
	ck_assert_int_eq(node_table_trace(&plan, 0, page, &table), 0);
	ck_assert_uint_eq(table.row_count, 1);
	ck_assert_str_eq(node_table_cell(&table, 0, "event"), "drop");
	ck_assert_str_eq(node_table_cell(&table, 0, "peer"), "b");
	ck_assert_str_eq(node_table_cell(&table, 0, "source"), "x");
	ck_assert_str_eq(node_table_cell(&table, 0, "destination"), "z");
	ck_assert_int_eq(node_table_number(&table, 0, "at_us"), 1500000);
	ck_assert_int_eq(node_table_number(&table, 0, "value"), 77);
	free(page);
}

/* names of flows that are too long are cut */
TEST(node_table__long_names_of_flows)
{
	char text[2048] = "flow:flow\n";
	const char *cell;

	for (unsigned i = 0; i < 200; i++)
		strcat(text, "10.0.0.1 ");
	strcat(text, "\n");
	read_text(text);
	cell = node_table_cell(&table, 0, "flow");
	ck_assert_ptr_nonnull(cell);
	ck_assert_uint_gt(strlen(cell), 100);
	ck_assert_uint_lt(strlen(cell), 512);
}

/* as many as are kept, and the rows after them */
TEST(node_table__many_facts)
{
	char text[1024] = "", line[32];

	for (unsigned i = 0; i < 2 * NODE_TABLE_FACTS_MAX; i++) {
		snprintf(line, sizeof(line), "=f%u\t%u\n", i, i);
		strcat(text, line);
	}
	strcat(text, "n\n5\n");
	read_text(text);
	ck_assert_uint_eq(table.fact_count, NODE_TABLE_FACTS_MAX);
	snprintf(line, sizeof(line), "%u", NODE_TABLE_FACTS_MAX - 1);
	ck_assert_str_eq(table.facts[NODE_TABLE_FACTS_MAX - 1].cell, line);
	ck_assert_int_eq(node_table_number(&table, 0, "n"), 5);
}
