/*  orchestrator/plan/congestion_text: `heddle check --congestion` prints every number of congestion
 *  control, for people and for programs (EC-1 ... EC-14). */
#include "orchestrator/plan/congestion_text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/testing.h"

static struct congestion_basis basis;
static struct congestion_config config;
static char *text;

static void setup(void)
{
	basis = (struct congestion_basis){ .rate_bps = 200000000000ull,
					   .rtt_ps = 3 * NODE_US,
					   .link_rtt_ps = 700 * NODE_NS,
					   .mtu_bytes = 1500 };
	config = (struct congestion_config){
		.eca = true,
		.lbf_thresh_units = 100,
		.lbf_shift = 4,
		.lpf_thresh = 9,
		.lpf_shift = 1,
		.dbf_thresh_units = 50,
		.dbf_shift = 3,
		.dbf_clk_cnt = 2000,
		.rate_limit = true,
		.limit_after_ack = true,
		.port_limit_units = 200,
		.slow_start = true,
		.slow_start_setting = 1,
		.headroom = true,
		.inputs = true,
		.inputs_shift = 2,
		.inputs_thresh_units = 30,
		.ecn = true,
		.ecn_eca = 5,
		.fgfc = true,
		.fgfc_pause_ps = 40 * NODE_US,
		.fgfc_credit_units = 25,
		.settings = { [0] = { .eca_min = 0,
				      .rate_bps = 100000000000ull,
				      .flow_extent_units = 1000,
				      .queue_extent_units = 500,
				      .high_units = 400,
				      .target_units = 300,
				      .drop_units = 600 },
			      [1] = { .eca_min = 7,
				      .rate_bps = 50000000000ull,
				      .flow_extent_units = 100,
				      .queue_extent_units = 50,
				      .high_units = 40,
				      .target_units = 30,
				      .drop_units = 60,
				      .limit_after_ack = true,
				      .byte_time_ps = 500,
				      .byte_time_scale = 3 } },
	};
}

static void teardown(void)
{
	free(text);
	text = NULL;
}

static void printed(void)
{
	size_t length;
	FILE *out = open_memstream(&text, &length);

	free(text);
	congestion_print(&basis, &config, out);
	fclose(out);
}

static void says(const char *line)
{
	ck_assert_msg(strstr(text, line), "'%s' is not in\n%s", line, text);
}

TEST_GROUP(congestion_text, .setup = setup, .teardown = teardown);

TEST(congestion_print__golden)
{
	printed();
	ck_assert_str_eq(text, "congestion    for hosts of 200.0 Gb/s, a round trip of 3.000"
			       " us, of one link 700.0 ns, frames of 1.500 kB\n"
			       "  detection   one more for every 4.096 kB above 25.60 kB,\n"
			       "              for every 2 packets above 9,\n"
			       "              for every 2.048 kB of growth within 2.000 us a"
			       "bove 12.80 kB\n"
			       "  limits      rate on, flow off, after ACK on, port 51.20 kB"
			       "\n"
			       "  slow start  setting 1\n"
			       "  headroom    on\n"
			       "  inputs      one more for every 1.024 kB of a flow's queue "
			       "above 7.680 kB\n"
			       "  ecn         a packet with CE counts as 5\n"
			       "  fgfc        pause of 40.00 us, credit of 6.400 kB\n"
			       "  setting  eca         rate  flow-extent  queue-extent      "
			       "  high      target        drop  a byte after an ACK\n"
			       "  0          0   100.0 Gb/s     256.0 kB      128.0 kB    10"
			       "2.4 kB    76.80 kB    153.6 kB  -\n"
			       "  1          7   50.00 Gb/s     25.60 kB      12.80 kB    10"
			       ".24 kB    7.680 kB    15.36 kB  4.000 ns\n");
}

TEST(congestion_print__all_off)
{
	config = (struct congestion_config){ .lpf_shift = 1 };
	printed();
	says("  detection   off\n  limits      rate off, flow off, after ACK off, port off\n"
	     "  slow start  off\n  headroom    off\n  fgfc        off\n  setting ");
	ck_assert_ptr_null(strstr(text, "ecn "));
	ck_assert_ptr_null(strstr(text, "inputs"));
}

/* a shift of 0 is one packet */
TEST(congestion_print__one_packet)
{
	config.lpf_shift = 0;
	printed();
	says("for every 1 packet above 9,\n");
}

TEST(congestion_json__every_number)
{
	json_t *json = congestion_json(&basis, &config);

	ck_assert_ptr_nonnull(json);
	text = json_dumps(json, JSON_COMPACT);
	for (char *quote = text; (quote = strchr(quote, '"'));)
		*quote = '\'';
	ck_assert_str_eq(text, "{'basis':{'rate_bps':200000000000,'rtt_ps':3000000,"
			       "'link_rtt_ps':700000,'mtu_bytes':1500},'eca':{'enabled':true,"
			       "'lbf_thresh_units':100,'lbf_shift':4,'lpf_thresh':9,"
			       "'lpf_shift':1,'dbf_thresh_units':50,'dbf_shift':3,"
			       "'dbf_clk_cnt':2000},'slow_start':true,'slow_start_setting':1,"
			       "'rate_limit':true,'flow_limit':false,'limit_after_ack':true,"
			       "'port_limit_units':200,'headroom':true,'fgfc':true,"
			       "'fgfc_pause_ps':40000000,'fgfc_credit_units':25,'inputs':true,"
			       "'inputs_thresh_units':30,'inputs_shift':2,'ecn':true,"
			       "'ecn_eca':5,"
			       "'settings':[{'eca_min':0,'rate_bps':100000000000,"
			       "'flow_extent_units':1000,'queue_extent_units':500,"
			       "'high_units':400,'target_units':300,'drop_units':600,"
			       "'limit_after_ack':false,'byte_time_ps':0,'byte_time_scale':0},"
			       "{'eca_min':7,'rate_bps':50000000000,'flow_extent_units':100,"
			       "'queue_extent_units':50,'high_units':40,'target_units':30,"
			       "'drop_units':60,'limit_after_ack':true,'byte_time_ps':500,"
			       "'byte_time_scale':3}]}");
	json_decref(json);
}

TEST(congestion_json__ecn_off)
{
	json_t *json;

	config.ecn = false;
	json = congestion_json(&basis, &config);
	ck_assert_int_eq(json_integer_value(json_object_get(json, "ecn_eca")), 0);
	json_decref(json);
}

/* ---- jansson's memory ---- */

#define PAGE 4096u

static unsigned before_failure; /* allocations that succeed; then one fails */

/* a page for each: jansson is not built with the sanitizers */
static void *page_alloc(size_t bytes)
{
	void *page;

	ck_assert_uint_le(bytes, PAGE);
	if (!before_failure--)
		return NULL;
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	return page;
}

/* what still uses it crashes */
static void page_free(void *page)
{
	if (page)
		ck_assert_int_eq(mprotect(page, PAGE, PROT_NONE), 0);
}

/* nothing is read that is gone, and nothing is missing in what is returned */
TEST(congestion_json__memory_is_short)
{
	json_t *whole = congestion_json(&basis, &config), *json = NULL;
	unsigned failures = 0;

	ck_assert_ptr_nonnull(whole);
	json_set_alloc_funcs(page_alloc, page_free);
	for (; !json; failures++) {
		before_failure = failures;
		json = congestion_json(&basis, &config);
	}
	ck_assert_uint_gt(failures, 50);
	ck_assert(json_equal(json, whole));
	json_decref(json);
	json_set_alloc_funcs(malloc, free);
	json_decref(whole);
}
