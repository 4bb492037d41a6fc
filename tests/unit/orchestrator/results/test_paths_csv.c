/*  orchestrator/results/paths_csv: a row for each output that a flow takes at a switch (SE-1); what
 *  nodes write is not trusted (TB-23). */
#include <sys/mman.h>
#include <unistd.h>

#include "orchestrator/results/paths_csv.h"
#include "tests/unit/orchestrator/results/three_hosts.h"

#define HEAD "source,destination,class,workload,connection,at_ps,node,port,peer\n"

static struct node_log_source sources[NODES];
static char *text;

static void setup(void)
{
	set_up();
	for (uint32_t i = 0; i < NODES; i++) {
		sources[i] = (struct node_log_source){ pages[i], memfd_create("events", 0) };
		trace_file(pages[i], sources[i].fd);
	}
}

static void teardown(void)
{
	for (uint32_t i = 0; i < NODES; i++)
		close(sources[i].fd);
	free(text);
	tear_down();
}

/* s1 takes an output for flow @slot of h1 to h0 */
static struct trace_entry path(node_time_t at_ps, uint32_t slot)
{
	return (struct trace_entry){ .at_ps = at_ps,
				     .kind = TRACE_PATH,
				     .port = 0,
				     .source = 2,
				     .destination = 1,
				     .detail = slot };
}

static void rows(const char *expected)
{
	size_t length;
	FILE *out = open_memstream(&text, &length);

	ck_assert_int_eq(paths_csv_write(&plan, pages, sources, out), 0);
	fclose(out);
	ck_assert_str_eq(text, expected);
}

TEST_GROUP(paths_csv, .setup = setup, .teardown = teardown);

TEST(paths_csv_write__names)
{
	flow_add(1, 0, 1, 5, 5);
	stats_flow_tx(pages[2], 0)->connection = 3;
	trace(pages[0], path(5000, 0));
	trace(pages[0], path(6000, 1)); /* a flow that its source knows no more of */
	stats_flow_tx(pages[2], 1)->workload_index = 2;
	rows(HEAD "h1,h0,best,second,3,5000,s1,0,h0\n"
		  "h1,h0,best,,0,6000,s1,0,h0\n");
}

TEST(paths_csv_write__numbers_out_of_range)
{
	struct trace_entry entry = path(1, 4); /* flows_max is 4 */

	trace(pages[0], entry);
	entry = path(2, 0);
	entry.kind = TRACE_HOLE;
	trace(pages[0], entry);
	entry = path(3, 0);
	entry.port = HOSTS;
	trace(pages[0], entry);
	entry = path(4, 0);
	entry.source = 0;
	trace(pages[0], entry);
	entry = path(5, 0);
	entry.source = HOSTS + 1;
	trace(pages[0], entry);
	entry = path(6, 0);
	entry.destination = 0;
	trace(pages[0], entry);
	entry = path(7, 0);
	entry.destination = HOSTS + 1;
	trace(pages[0], entry);
	entry = path(8, 0);
	entry.traffic_class = 1;
	trace(pages[0], entry);
	entry = path(9, 0);
	entry.source = entry.destination = HOSTS;
	entry.port = HOSTS - 1;
	trace(pages[0], entry);
	rows(HEAD "h1,h0,best,,,1,s1,0,h0\n"
		  "h2,h2,best,first,0,9,s1,2,h2\n");
}

TEST(paths_csv_write__no_logs)
{
	size_t length;
	FILE *out = open_memstream(&text, &length);

	ck_assert_int_lt(paths_csv_write(&plan, pages, NULL, out), 0);
	fclose(out);
	ck_assert_str_eq(text, HEAD);
}
