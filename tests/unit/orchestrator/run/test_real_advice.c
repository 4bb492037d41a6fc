/*  orchestrator/run/real_advice: what a plan asks of the machine, and the warning if that is too
 *  much (DU-5).
 *
 *  Three switches in a row, a host at each; 200 Gb/s and 1 us as in any scenario, unless set. */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/plan_real.h"
#include "orchestrator/run/real_advice.h"
#include "tests/testing.h"

#define ROW                                                                              \
	"name: t\nrun: {duration: 1s}\n"                                                 \
	"topology: {switches: [s1, s2, s3], hosts: {A: s1, B: s2, C: s3}, links: [[s1, " \
	"s2], [s2, s3]]}\n"                                                              \
	"workloads: [{name: l, pattern: pairs, pairs: [[A, B], [C, B]], size: 64KiB}]\n"

static struct calibration machine;
static struct real_load load;
static char text[640];

/* what the scenario asks for, with @settings */
static void asks(bool programs, const char *const *settings, unsigned count)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	struct plan plan;

	ck_assert_int_eq(scenario_read_memory("t.yaml", ROW, strlen(ROW), settings, count,
					      &scenario, &errors),
			 0);
	ck_assert_int_eq(plan_make_traffic(&scenario, &plan, &errors), 0);
	load = real_load_of(&plan, programs);
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

/* 3.2768 Gb/s of the longest packets over three switches, late by 1.2 ms */
static void setup(void)
{
	machine = (struct calibration){
		.measured = true,
		.date = "2026-11-23T15:00:00Z",
		.load_p99_ns = 1200000,
		.paths = { { 400e3, 200e3 }, { 200e3, 100e3 }, { 100e3, 50e3 } }
	};
}

TEST_GROUP(real_advice, .setup = setup);

static bool advised(void)
{
	return real_advice(&machine, &load, text, sizeof(text));
}

TEST(real_load_of__paths_packets_and_senders)
{
	static const char *const settings[] = { "links.rate=1Gb/s", "links.delay=2ms" };

	asks(false, settings, 2);
	ck_assert_uint_eq(load.rate_bps, 1000000000);
	ck_assert_uint_ge(load.delay_ns, 2000000);
	ck_assert_uint_lt(load.delay_ns, 2001000);
	ck_assert_uint_eq(load.switches, 3);
	ck_assert_uint_eq(load.packet_bytes, 4096);
	ck_assert_uint_eq(load.senders, 2);
	asks(true, settings, 2);
	ck_assert_uint_eq(load.senders, 2);
}

TEST(real_advice__too_fast)
{
	static const char *const settings[] = { "links.delay=20ms" };

	asks(false, settings, 1);
	ck_assert(advised());
	ck_assert_msg(strstr(text, "some 3.277 Gb/s over 3 switches in all") != NULL, "%s", text);
	ck_assert_ptr_nonnull(strstr(text, "has measured on 2026-11-23"));
	ck_assert_ptr_nonnull(strstr(text, "the figures may not be valid"));
	ck_assert_ptr_nonnull(strstr(text, "--set links.rate=500Mb/s --set links.delay=5ms"));
}

TEST(real_advice__delays_too_short)
{
	static const char *const settings[] = { "links.rate=100Mb/s" };

	asks(false, settings, 1);
	ck_assert(advised());
	ck_assert_ptr_nonnull(strstr(text, "delays may be too long"));
	ck_assert_ptr_nonnull(strstr(text, "To be carried it needs --set links.delay=5ms"));
	ck_assert_ptr_null(strstr(text, "links.rate"));
}

/* SC-8: 200 Gb/s in 500 Mb/s, 1.35 us of delay and latency in 5 ms are too much; 100 us are not */
TEST(real_advice__suggests_a_dilation)
{
	static const char *const longer[] = { "links.delay=100us" };
	static const char *const dilated[] = { "links.delay=100us", "dilate=500" };

	asks(false, NULL, 0);
	ck_assert(advised());
	ck_assert_ptr_nonnull(strstr(text, " or --dilate 500 --set links.delay=10us"));
	asks(false, longer, 1);
	ck_assert(advised());
	ck_assert_ptr_nonnull(strstr(text, "links.delay=5ms or --dilate 500"));
	ck_assert_ptr_null(strstr(text, "500 --set"));
	asks(false, dilated, 2);
	ck_assert_msg(!advised(), "%s", text);
}

/* 1, 2, 5, 10, ... of 1 Gb/s, and of a delay of 5 ms; no more than 1000 */
TEST(real_advice__steps_of_dilation)
{
	static const struct {
		uint64_t rate_bps, delay_ns;
		const char *end;
	} rows[] = {
		{ 5000000000, 5000000, "links.delay=5ms or --dilate 5" },
		{ 5000000001, 5000000, "links.delay=5ms or --dilate 10" },
		{ 1000000000000, 5000000, "links.delay=5ms or --dilate 1000" },
		{ 1000000000001, 5000000, "links.delay=5ms" },
		{ 1000, 1000000, "links.delay=5ms or --dilate 5" },
		{ 1000, 999999, "links.delay=5ms or --dilate 10" },
		{ 1000, 5000, "links.delay=5ms or --dilate 1000" },
		{ 1000, 4999, "links.delay=5ms" },
		{ 1000000001, 0, "links.delay=5ms or --dilate 2 --set links.delay=2500us" },
		{ 1000000000, 0, "links.delay=5ms" },
		{ 20000000000, 2500000, "links.delay=5ms or --dilate 20" },
		{ 5000000000, 250000, "links.delay=5ms or --dilate 20" },
	};

	load = (struct real_load){
		.switches = 3, .packet_bytes = 4096, .senders = 1, .dilation = 1
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		load.rate_bps = rows[i].rate_bps;
		load.delay_ns = rows[i].delay_ns;
		ck_assert(advised());
		ck_assert_str_eq(strstr(text, "links.delay="), rows[i].end);
	}
}

static void planned(const char *topology, struct plan *plan)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	char lines[512];

	snprintf(lines, sizeof(lines),
		 "name: t\nrun: {duration: 1s}\nlinks: {delay: 3us}\ntopology: %s\n", topology);
	ck_assert_int_eq(
		scenario_read_memory("t.yaml", lines, strlen(lines), NULL, 0, &scenario, &errors),
		0);
	ck_assert_int_eq(plan_make_traffic(&scenario, plan, &errors), 0);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

/* hosts of programs send, too; a ring is as long as half of it; what is vacant is not counted */
TEST(real_load_of__programs)
{
	struct plan plan;

	planned("{switches: [a, b, c, d], hosts: {A: a, B: b}, links: [[a, b], [b, c], [c, d], "
		"[d, a]]}",
		&plan);
	load = real_load_of(&plan, false);
	ck_assert_uint_eq(load.senders, 0);
	ck_assert_uint_eq(load.switches, 3);
	ck_assert_uint_eq(load.delay_ns, 3350);
	ck_assert_uint_eq(real_load_of(&plan, true).senders, 1);
	/* one link less: a row of four */
	plan.nodes[0].ports[1].vacant = true;
	plan.nodes[1].ports[1].vacant = true;
	ck_assert_uint_eq(real_load_of(&plan, false).switches, 4);
	plan_free(&plan);
	/* hosts are no switches */
	planned("{generate: star, hosts: 2}", &plan);
	ck_assert_uint_eq(real_load_of(&plan, false).switches, 1);
	plan_free(&plan);
}

/* no less than 1 Mb/s, also of half */
TEST(real_settings__slow_machine)
{
	load = (struct real_load){ .switches = 1, .packet_bytes = 4096, .senders = 1 };
	machine.paths[0] = (struct calibration_path){ 1, 1 };
	ck_assert_str_eq(real_settings(&machine, &load).rate, "1Mb/s");
	ck_assert_str_eq(real_settings(&machine, &load).half_rate, "1Mb/s");
	machine.paths[0] = (struct calibration_path){ 128, 128 };
	ck_assert_str_eq(real_settings(&machine, &load).rate, "2Mb/s");
	ck_assert_str_eq(real_settings(&machine, &load).half_rate, "1Mb/s");
	load.rate_bps = 5000000;
	load.dilation = 1;
	ck_assert(advised());
	ck_assert_msg(strstr(text, "carries some 4.194 Mb/s over 1 switch in all") != NULL, "%s",
		      text);
	load.rate_bps = 4194304; /* exactly what it carries; and no less delay than it is late */
	load.delay_ns = 1200000;
	ck_assert(!advised());
	load.delay_ns = 1199999;
	ck_assert(advised());
	load.dilation = 2;
	ck_assert(!advised());
}

/* a machine that is later than the longest delay that is suggested */
TEST(real_advice__nothing_more_to_suggest)
{
	static const char *const settings[] = { "links.rate=100Mb/s", "links.delay=100ms" };

	machine.load_p99_ns = 117400000;
	asks(false, settings, 2);
	ck_assert(!advised());
	asks(false, settings, 1);
	ck_assert(advised());
}

/* what is advised needs no advice */
TEST(real_advice__nothing_to_say)
{
	const struct real_settings advice = (asks(false, NULL, 0), real_settings(&machine, &load));
	char rate[64], delay[64];
	const char *const settings[] = { rate, delay };

	snprintf(rate, sizeof(rate), "links.rate=%s", advice.rate);
	snprintf(delay, sizeof(delay), "links.delay=%s", advice.delay);
	asks(false, settings, 2);
	ck_assert(!advised());
	ck_assert_str_eq(text, "");
}

TEST(real_settings__buffers_take_what_is_in_flight)
{
	struct real_settings settings;

	asks(false, NULL, 0);
	settings = real_settings(&machine, &load);
	ck_assert_str_eq(settings.rate, "500Mb/s");
	ck_assert_str_eq(settings.half_rate, "250Mb/s");
	ck_assert_str_eq(settings.delay, "5ms");
	/* 312.5 kB in flight, eight times, 64 times */
	ck_assert_str_eq(settings.buffer, "4096KiB");
	ck_assert_str_eq(settings.shared_buffer, "32768KiB");
	machine.load_p99_ns = 0;
	ck_assert_str_eq(real_settings(&machine, &load).buffer, "512KiB");
}
