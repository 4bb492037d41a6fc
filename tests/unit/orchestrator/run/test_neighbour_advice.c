/*  orchestrator/run/neighbour_advice: how many neighbours hosts have, and what is said if the
 *  kernel keeps fewer (DU-5). */
#include "orchestrator/run/neighbour_advice.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/plan_real.h"
#include "tests/testing.h"

static char text[NEIGHBOUR_ADVICE_MAX];

TEST_GROUP(neighbour_advice);

/* of the hosts of @topology, the value of that key */
static uint64_t count_of(const char *topology)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	struct plan plan;
	uint64_t count;
	char file[1024];

	snprintf(file, sizeof(file), "name: t\nrun: {duration: 1s}\ntopology: %s\n", topology);
	ck_assert_int_eq(
		scenario_read_memory("t.yaml", file, strlen(file), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make_traffic(&scenario, &plan, &errors), 0);
	count = neighbour_count(&plan);
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	return count;
}

TEST(neighbour_count__each_host_has_all_others)
{
	ck_assert_uint_eq(count_of("{generate: star, hosts: 1}"), 0);
	ck_assert_uint_eq(count_of("{generate: star, hosts: 32}"), 992);
	ck_assert_uint_eq(count_of("{generate: star, hosts: 33}"), 1056);
}

TEST(neighbour_count__of_its_subnets)
{
	ck_assert_uint_eq(
		count_of("{switches: [s], hosts: {\n"
			 "  a: {switch: s, addresses: [10.1.0.1/24]},\n"
			 "  b: {switch: s, addresses: [10.1.0.2/24, 'fd01::2/64']},\n"
			 "  c: {switch: s, addresses: [10.1.0.3/24],\n"
			 "      interfaces: [{switch: s, addresses: [10.2.0.3/24]}, s]},\n"
			 "  d: {switch: s, addresses: [10.2.0.4/24]}}}"),
		3 * 2 + 2 * 1);
}

TEST(neighbours_kept__of_a_file)
{
	FILE *file;

	ck_assert_uint_eq(neighbours_kept("/no/such/file"), NEIGHBOURS_KEPT);
	ck_assert_uint_eq(neighbours_kept("/dev/null"), NEIGHBOURS_KEPT);
	file = tmpfile();
	ck_assert_ptr_nonnull(file);
	fputs("4096\n", file);
	fflush(file);
	snprintf(text, sizeof(text), "/proc/self/fd/%d", fileno(file));
	ck_assert_uint_eq(neighbours_kept(text), 4096);
	fclose(file);
}

TEST(neighbour_advice__all_are_kept)
{
	ck_assert(!neighbour_advice(1024, 1024, text, sizeof(text)));
	ck_assert_str_eq(text, "");
}

TEST(neighbour_advice__more_than_are_kept)
{
	ck_assert(neighbour_advice(16256, 1024, text, sizeof(text)));
	ck_assert_ptr_nonnull(strstr(text, "they have 16256 neighbours (ARP), and the kernel of "
					   "this machine keeps 1024 for all hosts together"));
	ck_assert_ptr_nonnull(strstr(text, "sysctl -w net.ipv4.neigh.default.gc_thresh2=32768 "
					   "net.ipv4.neigh.default.gc_thresh3=32768"));
	ck_assert(neighbour_advice(UINT32_MAX, 1024, text, sizeof(text)));
	ck_assert_ptr_nonnull(strstr(text, "net.ipv6")); /* the sentence is complete */
}
