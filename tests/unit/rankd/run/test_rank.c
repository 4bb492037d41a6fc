/*  rankd/run/rank: the memory that a rank joins must be that of its plan; which workers are of it,
 *  and of which build they are (SC-4). */
#include "tests/unit/rankd/one_rank.h"

#include "rankd/run/rank.h"

static struct rank rank;

static void setup(void)
{
	plan_make();
	ranks_begin(1, RANKS);
}

static void teardown(void)
{
	ranks_end();
}

TEST_GROUP(rank, .setup = setup, .teardown = teardown);

TEST(rank_map__what_cannot_be_mapped)
{
	struct rank_memory memory = { 0 };
	int fd = memfd_create("empty", MFD_CLOEXEC);

	ck_assert_int_eq(rank_map(&memory, fd), -EINVAL);
	ck_assert_int_eq(memory.fd, fd);
	ck_assert_ptr_null(memory.memory);
	close(fd);
	ck_assert_int_eq(rank_map(&memory, fd), -EBADF);
	fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	ck_assert_int_lt(rank_map(&memory, fd), 0);
	close(fd);
	free(plan);
}

TEST(rank_map__shares_the_memory)
{
	struct rank_memory memory = { 0 };
	void *at;
	int fd = memory_of(5000, &at);

	ck_assert_int_eq(rank_map(&memory, fd), 0);
	ck_assert_uint_eq(memory.bytes, 5000);
	memcpy(at, "text", 4);
	ck_assert_mem_eq(memory.memory, "text", 4);
	free(plan);
}

/* workers of other ranks are never due; those of this one are, at once */
TEST_RANGE(rank_join__whose_workers_are_due, 0, RANKS)
{
	rank_make(&rank, (uint32_t)_i);
	for (uint32_t w = 0; w < WORKERS; w++) {
		bool here = rank_plan_workers(plan)[w].rank == (uint32_t)_i;

		ck_assert_int_eq(rank_is_here(&rank, w), here);
		ck_assert_uint_eq(rank.windows.gate.clock.own_next[w], here ? 0 : NODE_TIME_NEVER);
	}
	ck_assert_int_eq(rank.windows.root, !_i);
	ck_assert_uint_eq(rank.windows.crossing.neighbour_count, _i ? 1 : 2);
	ck_assert_uint_eq(rank.windows.gate.clock.page->gated, 1);
	rank_end(&rank);
}

/* what differs from the plan */
enum { CLOCK_NONE, CLOCK_WORKERS, PLACES_NONE_, PLACES_WORKERS, PLACES_COUNT, RINGS_SHORT, DIFFER };

static struct rank_memory shared(size_t bytes)
{
	struct rank_memory memory = { 0 };
	void *at;

	ck_assert_int_eq(rank_map(&memory, memory_of(bytes, &at)), 0);
	return memory;
}

TEST_RANGE(rank_join__memory_of_another_plan, 0, DIFFER)
{
	uint32_t workers = WORKERS + (_i == CLOCK_WORKERS);
	uint32_t places_workers = WORKERS + (_i == PLACES_WORKERS);
	uint32_t places = PLACES + 8 * (_i == PLACES_COUNT);
	const char *why = "";

	rank = (struct rank){ .rank = 1, .rank_count = RANKS, .plan = plan };
	rank.clock = shared(clock_bytes(workers));
	rank.places = shared(places_bytes(places_workers, places));
	rank.rings = shared(plan->rings_bytes - (_i == RINGS_SHORT));
	if (_i != CLOCK_NONE)
		clock_init(rank.clock.memory, workers, LOOKAHEAD);
	if (_i != PLACES_NONE_)
		places_init(rank.places.memory, places_workers, places);
	ck_assert_int_eq(rank_join(&rank, &why), -EINVAL);
	ck_assert_str_eq(why, "the clock or the rings are not those of the plan");
	rank_end(&rank);
}

/* rings of this rank must be there, others need not */
TEST(rank_join__rings_that_are_none)
{
	const char *why = "";

	rank = (struct rank){ .rank = 1, .rank_count = RANKS, .plan = plan };
	rank.clock = shared(clock_bytes(WORKERS));
	rank.places = shared(places_bytes(WORKERS, PLACES));
	rank.rings = shared(plan->rings_bytes);
	clock_init(rank.clock.memory, WORKERS, LOOKAHEAD);
	places_init(rank.places.memory, WORKERS, PLACES);
	ring_init(rank.rings.memory, RING_BYTES_MIN, 224);
	ck_assert_int_eq(rank_join(&rank, &why), -EINVAL);
	ck_assert_str_eq(why, "ring 1 is none");
	rank_end(&rank);
}

TEST(rank_end__closes)
{
	int fds[3];

	rank_make(&rank, 1);
	fds[0] = rank.clock.fd;
	fds[1] = rank.places.fd;
	fds[2] = rank.rings.fd;
	rank_end(&rank);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(fcntl(fds[i], F_GETFD), -1);
	ck_assert_ptr_null(rank.rings.memory);
	ck_assert_int_eq(rank.clock.fd, -1);
}

/* beside the program of a test there is none */
TEST(rank_build__no_program)
{
	char path[PATH_MAX] = "", self[PATH_MAX] = "";

	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	strcpy(strrchr(self, '/'), "/workerd");
	ck_assert_uint_eq(rank_build(path, sizeof(path)), 0);
	ck_assert_str_eq(path, self);
	ck_assert_uint_eq(rank_build(path, strlen(self)), 0);
	free(plan);
}

TEST(rank_letter__is_sent)
{
	ck_assert_int_eq(rank_letter(0, LETTER_FAILED, 3, 4, 5, "reason", 6), 0);
	letter_comes(LETTER_FAILED, 0);
	ck_assert_uint_eq(letter.head.place, 3);
	ck_assert_uint_eq(letter.head.index, 4);
	ck_assert_uint_eq(letter.head.number, 5);
	ck_assert_uint_eq(letter.head.fds, 0);
	ck_assert_str_eq(letter_text(), "reason");
	free(plan);
}
