/*  orchestrator/live/live_fault: the faults of a scenario happen in a running fabric, happen
 *  again, and end (FC-26, DU-8). Each test waits until the daemon says which have happened.
 *
 *  A -- s1 -- s2 -- B, and a detour by s3. */
#include "tests/unit/orchestrator/whole_fabric.h"

#define NET                                                                       \
	"name: u\ntopology:\n  switches: [s1, s2, s3]\n  hosts: {A: s1, B: s2}\n" \
	"  links: [[s1, s2], [s1, s3], [s3, s2]]\nlinks: {rate: 100Mb/s, delay: 1ms}\nfaults:\n"

static void setup(void)
{
	fabric_setup();
	file_write("stays.yaml", NET "  - {at: 1us, link: [s1, s2]}\n");
	file_write("returns.yaml", NET "  - {at: 1us, link: [s1, s2], for: 1us}\n"
				       "  - {at: 1ms, switch: s3, for: 1us}\n");
}

TEST_GROUP(whole_faults, .setup_once = whole_begin, .teardown_once = whole_end, .setup = setup,
	   .teardown = whole_teardown);

/* what is said of the link from s1 to s2 */
static bool link_is(const char *state)
{
	ASSERT_STATUS("link|s1:s2", 0);
	return strstr(printed, state);
}

TEST(faults__one_that_stays)
{
	if (!up("up|stays.yaml|--hold"))
		return;
	ASSERT_STATUS("faults", 0);
	ASSERT_HAS(printed, "1 fault, 0 pauses; they wait for 'heddle faults start'\n");
	ASSERT_HAS(printed, "  waits  ");
	ASSERT_HAS(printed, "\n none\n");
	ck_assert(!link_is(" down"));
	ASSERT_STATUS("faults|start", 0);
	ASSERT_HAS(printed, "; the time line is at ");
	until("faults", " present ");
	ck_assert(link_is(" down"));
	ck_assert(file_has("run/u/log", "the faults and pauses start\n"));
	ck_assert(file_has("run/u/log", " fault 1: link s1:p"));
	ck_assert(!file_has("run/u/log", " returns\n"));
	ASSERT_STATUS("faults|stop", 0);
	ASSERT_HAS(printed, "they wait for 'heddle faults start'");
	ck_assert(!link_is(" down"));
	ck_assert(file_has("run/u/log", "the faults and pauses stop\n"));
	/* again, and ended by the next start */
	ASSERT_STATUS("faults|start", 0);
	until("faults", " present ");
	ck_assert(link_is(" down"));
	down();
}

/* what was taken down by hand is not the faults' to return; what they took down may be taken up */
TEST(faults__links_of_the_user)
{
	char *log;

	if (!up("up|returns.yaml|--hold"))
		return;
	ASSERT_STATUS("link|s1:s2|down", 0);
	ASSERT_STATUS("faults|start", 0);
	do
		ASSERT_STATUS("faults", 0);
	while (times(printed, " over ") < 2);
	ck_assert(link_is(" down"));
	log = file_read("run/u/log");
	ck_assert_uint_eq(times(log, "fault 1: "), 2);
	ck_assert_uint_eq(times(log, "fault 2: "), 2);
	ck_assert_uint_eq(times(log, " fails\n"), 2);
	ck_assert_uint_eq(times(log, " returns\n"), 2);
	free(log);
	ASSERT_STATUS("link|s1:s2|up", 0);
	/* they are all over, so they can be started again */
	ASSERT_STATUS("faults|start|--json", 0);
	do
		ASSERT_STATUS("faults", 0);
	while (times(printed, " over ") < 2);
	ck_assert(!link_is(" down"));
	down();
}

/* a link that joins in the place of a removed one has nothing of its faults: it stays up */
TEST(faults__of_a_link_that_was_removed_and_stays)
{
	if (!up("up|stays.yaml|--hold"))
		return;
	ASSERT_STATUS("remove|s1:s2", 0);
	ASSERT_STATUS("add|link|s1|s2", 0);
	ASSERT_STATUS("faults|start", 0);
	until("faults", " present ");
	ck_assert(!link_is(" down"));
	down();
}

TEST(faults__from_the_start_of_the_fabric)
{
	if (!up("up|stays.yaml"))
		return;
	until("faults", " present ");
	ASSERT_STATUS("link|s1:s2|up", 0);
	ASSERT_STATUS("faults|stop", 0);
	ck_assert(!link_is(" down"));
	down();
}
