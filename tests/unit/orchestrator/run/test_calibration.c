/*  orchestrator/run/calibration: what a machine carries, from what was measured, and its file
 *  (DU-5).
 *
 *  Over 1, 3 and 5 switches: 400, 200 and 100 thousand packets of 64 bytes, and half as many of
 *  4096. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/run/calibration.h"
#include "tests/testing.h"

static struct calibration machine;
static char folder[] = "/tmp/test_calibration_XXXXXX";

static void setup(void)
{
	machine = (struct calibration){
		.measured = true,
		.rest_p99_ns = 300000,
		.load_p99_ns = 1200000,
		.others_permille = 432,
		.paths = { { 400e3, 200e3 }, { 200e3, 100e3 }, { 100e3, 50e3 } }
	};
	calibration_here(&machine);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	setenv("XDG_CACHE_HOME", folder, 1);
}

static void teardown(void)
{
	char path[4096];

	ck_assert_int_eq(calibration_file(path, sizeof(path)), 0);
	unlink(path);
	*strrchr(path, '/') = 0;
	rmdir(path);
	rmdir(folder);
	strcpy(folder, "/tmp/test_calibration_XXXXXX");
}

TEST_GROUP(calibration, .setup = setup, .teardown = teardown);

TEST(calibration_bps__what_was_measured)
{
	ck_assert_double_eq_tol(calibration_bps(&machine, 1, 64), 400e3 * 64 * 8, 1);
	ck_assert_double_eq_tol(calibration_bps(&machine, 3, 4096), 100e3 * 4096 * 8, 1);
	ck_assert_double_eq_tol(calibration_bps(&machine, 5, 64), 100e3 * 64 * 8, 1);
}

/* the time of a packet: 7.5 us of 2080 bytes, in the middle between 5 and 10 us */
TEST(calibration_bps__between_the_lengths)
{
	ck_assert_double_eq_tol(calibration_bps(&machine, 3, 2080), 2080 * 8 / 7.5e-6, 1);
	/* 10 us and 2016 bytes more than 4096 */
	ck_assert_double_eq_tol(calibration_bps(&machine, 3, 6112), 6112 * 8 / 12.5e-6, 1);
}

/* 3.75 us over two switches, between 2.5 and 5; 20 us over ten, twice that over five */
TEST(calibration_bps__other_numbers_of_switches)
{
	ck_assert_double_eq_tol(calibration_bps(&machine, 2, 64), 64 * 8 / 3.75e-6, 1);
	ck_assert_double_eq_tol(calibration_bps(&machine, 10, 64), 64 * 8 / 20e-6, 1);
}

/* 3.2768 Gb/s over three switches: half of it, of eight hosts */
TEST(calibration_rate_bps__half_for_all_senders)
{
	ck_assert_uint_eq(calibration_rate_bps(&machine, 3, 4096, 1), 1000000000);
	ck_assert_uint_eq(calibration_rate_bps(&machine, 3, 4096, 8), 200000000);
	ck_assert_uint_eq(calibration_rate_bps(&machine, 3, 4096, 0), 1000000000);
	ck_assert_uint_eq(calibration_rate_bps(&machine, 3, 4096, 1000000), 1000000);
}

TEST(calibration_delay_ns__absorbs_lateness)
{
	static const uint64_t rows[][2] = { { 0, 1000000 },
					    { 200000, 1000000 },
					    { 1200000, 5000000 },
					    { 1300000, 10000000 },
					    { 900000000, 100000000 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		machine.load_p99_ns = rows[i][0];
		ck_assert_uint_eq(calibration_delay_ns(&machine), rows[i][1]);
	}
}

TEST(calibration_default__is_no_measurement)
{
	char text[160];

	calibration_default(&machine);
	ck_assert(!machine.measured);
	ck_assert_ptr_nonnull(strstr(calibration_source(&machine, text), "a guess"));
	ck_assert_uint_eq(calibration_rate_bps(&machine, 3, 4096, 4), 100000000);
	ck_assert_uint_eq(calibration_delay_ns(&machine), 10000000);
}

TEST(calibration_read__what_was_written)
{
	struct calibration back;
	json_t *json = calibration_json(&machine);

	ck_assert(calibration_read(json, &back));
	ck_assert_mem_eq(&back, &machine, sizeof(back));
	json_decref(json);
}

/* files of before do not have it */
TEST(calibration_source__says_that_others_ran)
{
	struct calibration back;
	json_t *json = calibration_json(&machine);
	char text[160];

	ck_assert_ptr_nonnull(strstr(calibration_source(&machine, text),
				     ", while other programs used up to 43 % of the cores"));
	json_object_del(json, "others_permille");
	ck_assert(calibration_read(json, &back));
	ck_assert_ptr_null(strstr(calibration_source(&back, text), "others"));
	json_decref(json);
}

static void refused(const char *key, json_t *value)
{
	struct calibration back;
	json_t *json = calibration_json(&machine);

	json_object_set_new(json, key, value);
	ck_assert_msg(!calibration_read(json, &back), "%s", key);
	json_decref(json);
}

static void accepted(const char *key, json_t *value)
{
	struct calibration back;
	json_t *json = calibration_json(&machine);

	json_object_set_new(json, key, value);
	ck_assert_msg(calibration_read(json, &back), "%s", key);
	json_decref(json);
}

TEST(calibration_read__limits)
{
	accepted("cores", json_integer(1));
	accepted("cores", json_integer(INT32_MAX - 1));
	refused("cores", json_integer(INT32_MAX));
	accepted("rest_lateness_p99_ns", json_integer(0));
	accepted("load_lateness_p99_ns", json_integer(1000000000000));
	refused("load_lateness_p99_ns", json_integer(1000000000001));
	refused("rest_lateness_p99_ns", json_integer(1000000000001));
	accepted("others_permille", json_integer(1000));
	accepted("others_permille", json_integer(0));
	machine.paths[2].large_pps = 1;
	accepted("version", json_integer(1));
	machine.paths[2].large_pps = 0.999;
	refused("version", json_integer(1));
	refused("kernel", json_null());
	refused("date", json_null());
}

TEST(calibration_json__for_programs)
{
	json_t *json = calibration_json(&machine), *path;

	ck_assert_int_eq(json_integer_value(json_object_get(json, "small_bytes")), 64);
	ck_assert_int_eq(json_integer_value(json_object_get(json, "large_bytes")), 4096);
	path = json_array_get(json_object_get(json, "paths"), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(path, "switches")), 3);
	ck_assert_double_eq(json_real_value(json_object_get(path, "large_bps")), 3276800000.0);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "paths")), 3);
	ck_assert_uint_eq(strlen(machine.date), strlen("2026-11-23T15:00:00Z"));
	ck_assert_int_eq(machine.date[19], 'Z');
	json_decref(json);
}

/* shorter packets than were measured take no less time; no rate is above 100 Gb/s */
TEST(calibration_bps__ends)
{
	ck_assert_double_eq_tol(calibration_bps(&machine, 3, 32), 32 * 8 / 5e-6, 1);
	machine.paths[0] = (struct calibration_path){ 1e9, 1e9 };
	ck_assert_uint_eq(calibration_rate_bps(&machine, 1, 4096, 1), 100000000000);
	machine.paths[0] = (struct calibration_path){ 1, 1 };
	ck_assert_uint_eq(calibration_rate_bps(&machine, 1, 4096, 1), 1000000);
	machine.load_p99_ns = 25000000;
	ck_assert_uint_eq(calibration_delay_ns(&machine), 100000000);
	machine.load_p99_ns = 250000;
	ck_assert_uint_eq(calibration_delay_ns(&machine), 1000000);
}

/* a file may hold anything */
TEST(calibration_read__trusts_nothing)
{
	struct calibration back;
	json_t *other = json_array();

	ck_assert(!calibration_read(other, &back));
	json_decref(other);
	refused("version", json_integer(2));
	refused("cores", json_integer(0));
	refused("machine", json_integer(1));
	refused("load_lateness_p99_ns", json_integer(-1));
	refused("others_permille", json_integer(1001));
	refused("others_permille", json_integer(-1));
	refused("paths", json_array());
	refused("paths", json_pack("[{s:f}, {}, {}]", "small_pps", 1e5));
	refused("paths", json_pack("[{s:f, s:f}, {s:f, s:f}, {s:f, s:f}]", "small_pps", 1e5,
				   "large_pps", 1e5, "small_pps", 1e5, "large_pps", 1e5,
				   "small_pps", 0.0, "large_pps", 1e5));
}

/* writes the file */
static void keep(void)
{
	json_t *json = calibration_json(&machine);
	char path[4096];

	ck_assert_int_eq(calibration_file(path, sizeof(path)), 0);
	*strrchr(path, '/') = 0;
	mkdir(path, 0700);
	path[strlen(path)] = '/';
	ck_assert_int_eq(json_dump_file(json, path, 0), 0);
	json_decref(json);
}

TEST(calibration_load__of_this_machine)
{
	struct calibration back;

	calibration_load(&back);
	ck_assert(!back.measured);
	keep();
	calibration_load(&back);
	ck_assert(back.measured);
	ck_assert_double_eq_tol(back.paths[1].large_pps, 100e3, 1e-3);
}

/* another kernel or number of cores carries something else */
TEST(calibration_load__not_of_another_machine)
{
	struct calibration back;

	machine.cores++;
	keep();
	calibration_load(&back);
	ck_assert(!back.measured);
	machine.cores--;
	strcpy(machine.kernel, "another");
	keep();
	calibration_load(&back);
	ck_assert(!back.measured);
}

TEST(calibration_file__needs_a_home)
{
	char path[4096];

	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", "/home/x", 1);
	ck_assert_int_eq(calibration_file(path, sizeof(path)), 0);
	ck_assert_str_eq(path, "/home/x/.cache/heddle/calibration.json");
	unsetenv("HOME");
	ck_assert_int_lt(calibration_file(path, sizeof(path)), 0);
	setenv("XDG_CACHE_HOME", folder, 1);
}
