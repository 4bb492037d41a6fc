/*  rankd/run/member: a rank other than rank 0, from its start to its end. The test is rank 0: it
 *  sends the plan and packets for nodes, and reads what they write, what they answer, and why the
 *  rank fails (SC-4, TB-22, TB-23). */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tests/unit/rankd/one_rank.h"

#define FAILED 4 /* exit status */
#define NO_PLACE UINT32_MAX
#define WATCHDOG_NS 100000000u

static uint64_t worker_build(void)
{
	size_t bytes;
	int fd = open(worker_program, O_RDONLY);
	struct stat stat;
	void *at;
	uint64_t build;

	ck_assert_int_eq(fstat(fd, &stat), 0);
	bytes = (size_t)stat.st_size;
	at = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	build = XXH3_64bits(at, bytes) | 1;
	munmap(at, bytes);
	close(fd);
	return build;
}

static void setup(void)
{
	static char name[] = "rankd";
	char *const arguments[] = { name, NULL };

	programs_make();
	plan_make();
	plan->build = worker_build();
	ranks_begin(1, RANKS);
	rank_start(arguments, STDERR_FILENO);
}

static void teardown(void)
{
	rank_kill();
	ranks_end();
	free(plan);
}

TEST_GROUP(member, .setup = setup, .teardown = teardown, .setup_once = programs_begin,
	   .teardown_once = programs_end);

static void plan_send(void)
{
	uint64_t length = plan->bytes;

	ranks_send(RANKS_SHARE, 0, NULL, &length, sizeof(length));
	ranks_send(RANKS_SHARE, 0, NULL, plan, length);
}

/* the rank with its workers is there */
static void begin(void)
{
	plan_send();
	letter_comes(LETTER_NEXT, 0);
	ck_assert_uint_eq(letter.head.number, 0);
	ck_assert_uint_eq(letter.head.place, NO_PLACE);
}

static void packet_send(uint32_t place, const char *text)
{
	letter_send(0, (struct letter_head){ .kind = LETTER_CONTROL, .place = place }, NULL, text);
}

/* the node at @place has done what @text says, and answers */
static void node_does(uint32_t place, const char *text)
{
	packet_send(place, text);
	letter_comes(LETTER_CONTROL, 0);
	ck_assert_uint_eq(letter.head.place, place);
	ck_assert_str_eq(letter_text(), text);
}

static void end_send(uint32_t at_once)
{
	letter_send(0, (struct letter_head){ .kind = LETTER_END, .index = at_once }, NULL, "");
}

/* it says why it fails, and waits for the end */
static void fails(const char *why)
{
	letter_comes(LETTER_FAILED, 0);
	ck_assert_str_eq(letter_text(), why);
	end_send(1);
	ck_assert_int_eq(rank_status(), FAILED);
}

/* ---- start ---- */

TEST(member__starts_and_leaves)
{
	begin();
	end_send(0);
	letter_comes(LETTER_LEFT, 0);
	ck_assert_uint_gt(letter.head.number, 0); /* CPU time of the workers */
	ck_assert(ranks_letter(&item));
	ck_assert_uint_eq(item.kind, RANKS_END);
	ck_assert_int_eq(rank_status(), 0);
}

TEST(member__ends_at_once)
{
	begin();
	end_send(1);
	ck_assert_int_eq(rank_status(), FAILED);
	ck_assert(!ranks_letter(&item));
}

TEST(member__a_plan_that_is_too_long)
{
	uint64_t length = (1u << 30) + 1;

	ranks_send(RANKS_SHARE, 0, NULL, &length, sizeof(length));
	fails("there is not enough memory");
	ck_assert_uint_eq(letter.head.place, NO_PLACE);
	ck_assert_uint_eq(letter.head.number, 0);
}

TEST(member__a_plan_of_another_number_of_ranks)
{
	plan->rank_count = RANKS - 1;
	plan_send();
	fails("it is for another number of ranks");
}

TEST(member__another_build)
{
	plan->build ^= 2;
	plan_send();
	fails("its workerd is not that of rank 0: install the same Heddle on all machines");
}

TEST(member__no_workerd)
{
	unlink(worker_program);
	plan_send();
	fails("its workerd is not that of rank 0: install the same Heddle on all machines");
}

TEST(member__a_workerd_that_does_not_start)
{
	int fd;

	unlink(worker_program);
	fd = open(worker_program, O_CREAT | O_WRONLY, 0600);
	ck_assert_int_eq(write(fd, "text", 4), 4);
	close(fd);
	plan->build = worker_build();
	plan_send();
	fails("cannot start its workers: Permission denied");
	ck_assert_uint_eq(letter.head.place, NO_PLACE);
}

/* ---- packets ---- */

static void configure(uint32_t place)
{
	uint64_t sizes[2] = { PAGE_BYTES, 0 };

	letter_send(0, (struct letter_head){ .kind = LETTER_CONTROL, .place = place, .fds = 2 },
		    sizes, "configure");
	letter_comes(LETTER_CONTROL, 0);
	ck_assert_uint_eq(letter.head.place, place);
}

TEST(member__packets_of_all_nodes)
{
	begin();
	node_does(8, "a");
	node_does(9, "b");
	node_does(16, "c");
	end_send(0);
	letter_comes(LETTER_LEFT, 0);
	ck_assert(ranks_letter(&item));
	ck_assert_int_eq(rank_status(), 0);
}

/* what a node wrote comes before its answer; what workers wrote last, before the end */
TEST(member__page_and_files_are_sent)
{
	begin();
	configure(9);
	packet_send(9, "page 4096");
	letter_comes(LETTER_PAGE, 0);
	ck_assert_uint_eq(letter.head.place, 9);
	ck_assert_uint_eq(letter.head.number, 4096);
	ck_assert_uint_eq(letter.head.bytes, 4096);
	ck_assert_mem_eq(letter.bytes, "page 4096", 9);
	letter_comes(LETTER_CONTROL, 0);
	packet_send(9, "file x");
	letter_comes(LETTER_FILE, 0);
	ck_assert_uint_eq(letter.head.place, 9);
	ck_assert_uint_eq(letter.head.index, 0);
	ck_assert_str_eq(letter_text(), "file x");
	letter_comes(LETTER_CONTROL, 0);
	end_send(0);
	letter_comes(LETTER_FILE, 0);
	ck_assert_str_eq(letter_text(), "bye");
	letter_comes(LETTER_LEFT, 0);
	ck_assert_int_eq(ranks_letter(&item), true);
	ck_assert_int_eq(rank_status(), 0);
}

/* the earliest event here is sent if it has changed, before the answer; workers 1 and 2 are due */
TEST(member__next_event_changes)
{
	begin();
	node_does(8, "next 700"); /* the other is due at 0, as before */
	packet_send(16, "next 900");
	letter_comes(LETTER_NEXT, 0);
	ck_assert_uint_eq(letter.head.number, 700);
	letter_comes(LETTER_CONTROL, 0);
	node_does(16, "next 900");
	packet_send(16, "next 600");
	letter_comes(LETTER_NEXT, 0);
	ck_assert_uint_eq(letter.head.number, 600);
}

/* a worker that sleeps is woken after each packet of its node, which it may have read before */
TEST(member__wakes_a_worker)
{
	begin();
	node_does(16, "sleep 1");
	packet_send(16, "sleeps ?");
	letter_comes(LETTER_CONTROL, 0);
	packet_send(16, "sleeps ?");
	letter_comes(LETTER_CONTROL, 0);
	ck_assert_str_eq(letter_text(), "sleeps 0");
}

/* a node whose worker has closed the socket: its packets have no receiver, and the rank goes on */
TEST(member__a_closed_socket)
{
	begin();
	packet_send(9, "close");
	packet_send(9, "lost");
	node_does(8, "a");
	node_does(16, "b");
}

TEST(member__what_is_no_letter)
{
	begin();
	ranks_send(RANKS_LETTER, 0, NULL, "junk", 4);
	fails("did not understand what rank 0 has sent");
}

TEST(member__a_letter_of_another_rank)
{
	begin();
	letter_send(2, (struct letter_head){ .kind = LETTER_RUN }, NULL, "");
	fails("did not understand what rank 0 has sent");
}

TEST(member__a_packet_for_a_node_of_another_rank)
{
	begin();
	packet_send(24, "a");
	fails("did not understand what rank 0 has sent");
}

TEST(member__a_second_page)
{
	begin();
	configure(8);
	letter_send(0, (struct letter_head){ .kind = LETTER_CONTROL, .place = 8, .fds = 1 },
		    (uint64_t[]){ 8192 }, "configure");
	fails("did not understand what rank 0 has sent");
}

/* further files are fine */
TEST(member__further_files)
{
	begin();
	configure(8);
	letter_send(0, (struct letter_head){ .kind = LETTER_CONTROL, .place = 8, .fds = 1 },
		    (uint64_t[]){ 0 }, "capture");
	letter_comes(LETTER_CONTROL, 0);
	ck_assert_str_eq(letter_text(), "capture");
}

TEST(member__a_page_that_is_too_long)
{
	begin();
	letter_send(0, (struct letter_head){ .kind = LETTER_CONTROL, .place = 8, .fds = 1 },
		    (uint64_t[]){ (1ull << 30) + 1 }, "configure");
	fails("did not understand what rank 0 has sent");
}

/* ---- the clock ---- */

/* the rank tells its earliest event @next in a round; the least of all is @least, the limit
 * @limit */
static void round_passes(uint64_t next, uint64_t least, uint64_t limit, uint32_t window)
{
	struct rank_records_head head = { .magic = RANK_RECORDS_MAGIC, .window = window };
	const struct rank_records_head *part = (const void *)item.bytes;

	ck_assert(ranks_round(&item));
	ck_assert_uint_eq(item.kind, RANKS_PART);
	ck_assert_uint_eq(item.rank, 0);
	ck_assert_uint_eq(item.length, sizeof(head));
	ck_assert_uint_eq(part->window, window);
	ck_assert(ranks_round(&item));
	ck_assert_uint_eq(item.kind, RANKS_ROUND);
	ck_assert_uint_eq(item.times[0], next);
	ck_assert_uint_eq(item.times[1], NODE_TIME_NEVER);
	ranks_send(RANKS_PART, 0, NULL, &head, sizeof(head));
	ranks_send(RANKS_ROUND, 0, (uint64_t[]){ least, limit }, NULL, 0);
}

static void run_send(void)
{
	letter_send(0, (struct letter_head){ .kind = LETTER_RUN }, NULL, "");
}

TEST(member__runs_and_stands)
{
	begin();
	configure(8);
	run_send();
	round_passes(0, 0, 5000, 0); /* a window from 0 to 1000 */
	round_passes(NODE_TIME_NEVER, 5000, 5000, 1);
	letter_comes(LETTER_STANDS, 0);
	ck_assert_uint_eq(letter.head.number, NODE_TIME_NEVER);
	/* its next event was told with that; packets pass again, and it runs again */
	node_does(8, "a");
	packet_send(8, "state ?");
	letter_comes(LETTER_CONTROL, 0);
	ck_assert_str_eq(letter_text(), "state 0"); /* CLOCK_STOPPED */
	packet_send(8, "next 7000");
	letter_comes(LETTER_NEXT, 0);
	ck_assert_uint_eq(letter.head.number, 7000);
	letter_comes(LETTER_CONTROL, 0);
	run_send();
	round_passes(7000, 8000, 8000, 2);
	letter_comes(LETTER_STANDS, 0);
	ck_assert_uint_eq(letter.head.number, 7000);
	end_send(0);
	letter_comes(LETTER_FILE, 0);
	letter_comes(LETTER_LEFT, 0);
	ck_assert(ranks_letter(&item));
	ck_assert_int_eq(rank_status(), 0);
}

/* letters of the time in which the clock ran, in their order: page and files only once it stands */
TEST(member__what_nodes_wrote_follows_the_run)
{
	begin();
	configure(8);
	packet_send(8, "file early");
	letter_comes(LETTER_FILE, 0);
	letter_comes(LETTER_CONTROL, 0);
	run_send();
	round_passes(0, 5000, 5000, 0);
	letter_comes(LETTER_STANDS, 0);
	ck_assert_uint_eq(letter.head.number, 0);
}

/* a packet for a node may come only while the clock stands */
TEST(member__a_packet_while_it_runs)
{
	begin();
	run_send();
	ck_assert(ranks_round(&item));
	ck_assert(ranks_round(&item));
	packet_send(8, "a");
	fails("did not understand what rank 0 has sent");
}

TEST(member__ends_at_once_while_it_runs)
{
	begin();
	run_send();
	ck_assert(ranks_round(&item));
	end_send(1);
	ck_assert_int_eq(rank_status(), FAILED);
}

/* a letter that follows is taken only when the clock runs */
TEST(member__ends_at_once_after_it_was_told_to_run)
{
	begin();
	run_send();
	end_send(1);
	ck_assert(ranks_round(&item));
	ck_assert_int_eq(rank_status(), FAILED);
}

/* it waits for other ranks: it says that it lives, and for what it waits */
TEST(member__lives_while_it_waits)
{
	begin();
	run_send();
	ck_assert(ranks_round(&item));
	letter_comes(LETTER_ALIVE, 0);
	ck_assert_uint_eq(letter.head.index, LETTER_WAITS);
	ck_assert_uint_eq(letter.head.number, 0);
	ck_assert_uint_eq(letter.head.place, NO_PLACE);
}

TEST(member__lives_while_its_workers_work)
{
	begin();
	node_does(8, "hang");
	run_send();
	round_passes(0, 0, 5000, 0);
	letter_comes(LETTER_ALIVE, 0);
	ck_assert_uint_eq(letter.head.index, LETTER_WORKS);
	ck_assert_uint_eq(letter.head.number, 1);
}

TEST(member__records_that_are_wrong)
{
	begin();
	run_send();
	ck_assert(ranks_round(&item));
	ck_assert(ranks_round(&item));
	ranks_send(RANKS_PART, 0, NULL, "junk", 4);
	ranks_send(RANKS_ROUND, 0, (uint64_t[]){ 0, 5000 }, NULL, 0);
	letter_comes(LETTER_FAILED, 0);
	ck_assert_ptr_nonnull(strstr(letter_text(), "rank 0"));
	ck_assert_uint_eq(letter.head.place, NO_PLACE);
}

/* ---- workers that fail ---- */

/* worker @worker fails with @why while it ran @place */
static void worker_fails(uint32_t worker, uint32_t place, const char *why)
{
	fails(why);
	ck_assert_uint_eq(letter.head.index, worker);
	ck_assert_uint_eq(letter.head.place, place);
	ck_assert_uint_gt(letter.head.number, 1);
	ck_assert_uint_ne(letter.head.number, (uint64_t)getpid());
}

TEST(member__a_worker_that_leaves)
{
	begin();
	packet_send(9, "exit 3");
	worker_fails(1, 9, "left with status 3");
}

TEST(member__a_worker_that_leaves_without_error)
{
	begin();
	packet_send(16, "exit 0");
	worker_fails(2, 16, "left with status 0");
}

TEST(member__a_worker_that_is_killed)
{
	begin();
	packet_send(8, "kill 9");
	worker_fails(1, 8, "was killed by signal 9 (Killed)");
}

TEST(member__a_worker_that_makes_a_wrong_system_call)
{
	begin();
	packet_send(8, "kill 31");
	worker_fails(1, 8,
		     "was killed by signal 31 (it made a system call that nodes may not make)");
}

TEST(member__a_worker_that_dies_in_a_window)
{
	begin();
	node_does(16, "die");
	run_send();
	round_passes(0, 0, 5000, 0);
	worker_fails(2, 16, "was killed by signal 9 (Killed)");
}

TEST(member__a_worker_that_fails_as_it_leaves)
{
	begin();
	node_does(9, "last 3");
	end_send(0);
	worker_fails(1, 9, "left with status 3");
}

TEST(member__a_worker_that_stays_stopped)
{
	plan->watchdog_ns = WATCHDOG_NS;
	begin();
	packet_send(16, "kill 19");
	worker_fails(2, 16, "was stopped by a signal and has not continued for 0.1 s");
}

TEST(member__a_worker_that_hangs)
{
	plan->watchdog_ns = WATCHDOG_NS;
	begin();
	node_does(16, "hang");
	run_send();
	round_passes(0, 0, 5000, 0);
	letter_comes(LETTER_FAILED, 0);
	ck_assert_msg(!strncmp(letter_text(), "hangs: it has not finished window 1 for ", 40), "%s",
		      letter_text());
	ck_assert_uint_eq(letter.head.index, 2);
	ck_assert_uint_eq(letter.head.place, 16);
	end_send(1);
	ck_assert_int_eq(rank_status(), FAILED);
}

TEST(member__a_worker_that_loops)
{
	plan->watchdog_ns = 10000000;
	begin();
	node_does(16, "spin");
	run_send();
	round_passes(0, 0, 5000, 0);
	letter_comes(LETTER_FAILED, 0);
	ck_assert_msg(!strncmp(letter_text(),
			       "is in an endless loop: it has not finished window 1 for ", 56),
		      "%s", letter_text());
	ck_assert_uint_eq(letter.head.index, 2);
	end_send(1);
	ck_assert_int_eq(rank_status(), FAILED);
}
