/*  rankd/run/root: rank 0's part, from the orchestrator's first message to the end. The test is the
 *  orchestrator, with the clock and worker 0, and the other ranks (SC-4, TB-22, TB-23). */
#include "tests/unit/rankd/one_rank.h"

#define LOST 1 /* exit status */
#define NO_PLACE UINT32_MAX
#define REMOTE 4u /* nodes of other ranks: places 8, 9, 16, 24 */

static const uint32_t remote[REMOTE] = { 8, 9, 16, 24 };

static int control, nodes[REMOTE];                 /* the orchestrator's ends */
static int clock_fd, places_fd, rings_fd, plan_fd; /* of the message */
static struct clock clock_;
static uint8_t *rings;
static struct control_message message;

static void pair_make(int *ours, int *theirs)
{
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	*ours = ends[0];
	*theirs = ends[1];
}

static void memories_make(void)
{
	void *clock_page, *places_page, *rings_memory;

	clock_fd = memory_of(clock_bytes(WORKERS), &clock_page);
	places_fd = memory_of(places_bytes(WORKERS, PLACES), &places_page);
	rings_fd = memory_of(plan->rings_bytes, &rings_memory);
	rings = rings_memory;
	clock_init(clock_page, WORKERS, LOOKAHEAD);
	ck_assert_int_eq(clock_attach(&clock_, clock_page, clock_bytes(WORKERS)), 0);
	places_init(places_page, WORKERS, PLACES);
	for (uint32_t i = 0; i < RINGS; i++)
		ring_init((struct ring_page *)(rings + rank_plan_rings(plan)[i].at), RING_BYTES_MIN,
			  224);
}

static void setup(void)
{
	static char name[] = "rankd", loop[] = "--loop=auto", parent[40];
	char *const arguments[] = { name, loop, parent, NULL };
	int end;

	snprintf(parent, sizeof(parent), "--parent=%d", (int)getpid());
	programs_make();
	plan_make();
	memories_make();
	pair_make(&control, &end);
	ranks_begin(0, RANKS);
	rank_start(arguments, end);
	close(end);
	message = (struct control_message){ 0 };
}

static void teardown(void)
{
	rank_kill();
	ranks_end();
	free(plan);
}

TEST_GROUP(root, .setup = setup, .teardown = teardown, .setup_once = programs_begin,
	   .teardown_once = programs_end);

static void plan_keep(size_t bytes)
{
	plan_fd = memfd_create("plan", MFD_CLOEXEC);
	ck_assert_int_eq(write(plan_fd, plan, bytes), (ssize_t)bytes);
}

static void work_send(uint32_t fd_count)
{
	struct worker_share share = { .first_place = 8, .node_count = REMOTE };
	struct control_message work = { .kind = CONTROL_WORK,
					.worker = &share,
					.fds = { clock_fd, places_fd, rings_fd, plan_fd, plan_fd },
					.fd_count = fd_count };

	ck_assert_int_eq(control_send(control, &work), 0);
}

/* the control sockets of @count nodes more, from node @first */
static void sockets_send(uint32_t first, uint32_t count)
{
	struct control_message adopt = { .kind = CONTROL_ADOPT, .fd_count = count };

	for (uint32_t i = 0; i < count; i++)
		pair_make(&nodes[(first + i) % REMOTE], &adopt.fds[i]);
	ck_assert_int_eq(control_send(control, &adopt), 0);
	for (uint32_t i = 0; i < count; i++)
		close(adopt.fds[i]);
}

static void shares_come(void)
{
	struct rank_plan *shared = (void *)item.bytes;
	uint64_t length;

	ck_assert(ranks_letter(&item));
	ck_assert_uint_eq(item.kind, RANKS_SHARE);
	memcpy(&length, item.bytes, sizeof(length));
	ck_assert_uint_eq(length, plan->bytes);
	ck_assert(ranks_letter(&item));
	ck_assert_uint_eq(item.length, plan->bytes);
	ck_assert_uint_ne(shared->build, 0); /* that of workerd */
	shared->build = plan->build;
	ck_assert_mem_eq(shared, plan, plan->bytes);
}

static void begin(void)
{
	plan_keep(plan->bytes);
	work_send(4);
	sockets_send(0, 3);
	sockets_send(3, 1);
	shares_come();
}

/* the orchestrator is told why the run ends; all other ranks leave at once */
static void fails(const char *name, const char *why, uint32_t place)
{
	char text[100];

	ck_assert_int_eq(control_receive(control, &message, 1, text, sizeof(text)), 0);
	ck_assert_int_eq(message.kind, CONTROL_EVENT);
	ck_assert_int_eq(message.number, 1);
	ck_assert_str_eq(message.text, name);
	ck_assert_str_eq(message.text2, why);
	ck_assert_uint_eq(message.question, place);
	for (uint32_t rank = 1; rank < RANKS; rank++) {
		letter_comes(LETTER_END, rank);
		ck_assert_uint_eq(letter.head.index, 1);
	}
}

/* ... and this one, when the orchestrator does */
static void leaves_lost(void)
{
	close(control);
	ck_assert_int_eq(rank_status(), LOST);
	ck_assert(!ranks_letter(&item));
}

static void fails_lost(const char *name, const char *why)
{
	fails(name, why, NO_PLACE);
	leaves_lost();
}

/* it ends without a reason */
static void is_lost(void)
{
	ck_assert_int_eq(rank_status(), LOST);
	ck_assert(!ranks_letter(&item));
}

/* waits until *@time is @value, of a page that the rank writes */
static void becomes(const _Atomic uint64_t *time, uint64_t value)
{
	for (int i = 0; i < 60000 && atomic_load(time) != value; i++)
		usleep(1000);
	ck_assert_uint_eq(atomic_load(time), value);
}

/* ---- start ---- */

TEST(root__starts_and_leaves)
{
	begin();
	becomes(&clock_.own_next[1], 0);
	atomic_store(&clock_.page->state, CLOCK_ENDED);
	letter_comes(LETTER_END, 1);
	ck_assert_uint_eq(letter.head.index, 0);
	letter_comes(LETTER_END, 2);
	letter_send(2, (struct letter_head){ .kind = LETTER_LEFT }, NULL, "");
	letter_send(2, (struct letter_head){ .kind = LETTER_LEFT }, NULL, "");
	usleep(20000);
	ck_assert(ranks_is_silent()); /* it waits for rank 1 */
	letter_send(1, (struct letter_head){ .kind = LETTER_LEFT }, NULL, "");
	ck_assert(ranks_letter(&item));
	ck_assert_uint_eq(item.kind, RANKS_END);
	ck_assert_int_eq(rank_status(), 0);
}

/* workers of other ranks are never due, but for the first of each: its slot has the time of all */
TEST(root__times_of_other_ranks)
{
	begin();
	letter_send(1, (struct letter_head){ .kind = LETTER_NEXT, .number = 500 }, NULL, "");
	letter_send(2, (struct letter_head){ .kind = LETTER_NEXT, .number = 600 }, NULL, "");
	becomes(&clock_.own_next[3], 600);
	ck_assert_uint_eq(clock_.own_next[1], 500);
	ck_assert_uint_eq(clock_.own_next[2], NODE_TIME_NEVER);
	ck_assert_uint_eq(clock_.own_next[0], 0);
}

TEST(root__another_first_message)
{
	sockets_send(0, 1);
	is_lost();
}

/* three, and five */
TEST_RANGE(root__wrong_numbers_of_descriptors, 0, 2)
{
	plan_keep(plan->bytes);
	work_send(3 + 2 * (uint32_t)_i);
	is_lost();
}

TEST(root__no_orchestrator)
{
	close(control);
	is_lost();
}

TEST(root__a_plan_that_is_wrong)
{
	plan->rank_count = RANKS - 1;
	plan_keep(plan->bytes);
	work_send(4);
	fails_lost("rank 0 (test)", "it is for another number of ranks");
}

TEST(root__a_plan_that_is_too_short)
{
	plan_keep(plan->bytes - 8);
	work_send(4);
	fails_lost("rank 0 (test)", "it is no plan of ranks");
}

TEST(root__a_plan_without_head)
{
	plan_keep(8);
	work_send(4);
	fails_lost("rank 0 (test)", "it is no plan of ranks");
}

TEST(root__memory_that_is_empty)
{
	plan_keep(plan->bytes);
	rings_fd = memfd_create("empty", MFD_CLOEXEC);
	work_send(4);
	is_lost();
}

TEST(root__the_clock_of_another_fabric)
{
	void *page;

	plan_keep(plan->bytes);
	clock_fd = memory_of(clock_bytes(WORKERS + 1), &page);
	clock_init(page, WORKERS + 1, LOOKAHEAD);
	work_send(4);
	fails_lost("rank 0 (test)", "the clock or the rings are not those of the plan");
}

TEST(root__a_ring_that_is_none)
{
	plan_keep(plan->bytes);
	memset(rings + rank_plan_rings(plan)[4].at, 0, RING_LINE);
	work_send(4);
	fails_lost("rank 0 (test)", "ring 4 is none");
}

TEST(root__too_many_sockets)
{
	plan_keep(plan->bytes);
	work_send(4);
	sockets_send(0, 3);
	sockets_send(3, 2);
	is_lost();
}

TEST(root__no_sockets)
{
	plan_keep(plan->bytes);
	work_send(4);
	sockets_send(0, 0);
	is_lost();
}

TEST(root__another_message_than_sockets)
{
	plan_keep(plan->bytes);
	work_send(4);
	work_send(3);
	is_lost();
}

/* ---- packets ---- */

static int page_fd, file_fd;

/* sends what a node at remote[@node] is configured with: a file, a page, a file */
static void configure(uint32_t node)
{
	struct control_packet packet = { .bytes = (uint8_t *)"configure", .length = 9 };
	void *page;

	page_fd = memory_of(PAGE_BYTES, &page);
	file_fd = memfd_create("file", MFD_CLOEXEC);
	packet.fds[0] = memfd_create("first", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	packet.fds[1] = page_fd;
	packet.fds[2] = file_fd;
	packet.fd_count = 3;
	ck_assert_int_eq(control_packet_send(nodes[node], &packet), 0);
}

static void configured(uint32_t node, uint32_t rank)
{
	configure(node);
	letter_comes(LETTER_CONTROL, rank);
	ck_assert_uint_eq(letter.head.place, remote[node]);
	ck_assert_uint_eq(letter.head.fds, 3);
	ck_assert_uint_eq(letter.fds[0], 0);
	ck_assert_uint_eq(letter.fds[1], PAGE_BYTES);
	ck_assert_uint_eq(letter.fds[2], 0);
	ck_assert_str_eq(letter_text(), "configure");
}

/* what arrives for node @node is @text */
static void node_gets(uint32_t node, const char *text)
{
	struct control_packet packet;

	ck_assert_int_eq(control_packet_receive(nodes[node], &packet, 1), 0);
	ck_assert_uint_eq(packet.length, strlen(text));
	ck_assert_mem_eq(packet.bytes, text, packet.length);
	control_packet_free(&packet);
}

TEST(root__packets_of_nodes_pass)
{
	static const uint32_t ranks[REMOTE] = { 1, 1, 1, 2 };
	struct control_packet packet = { .bytes = (uint8_t *)"a", .length = 1 };

	begin();
	for (uint32_t i = 0; i < REMOTE; i++) {
		ck_assert_int_eq(control_packet_send(nodes[i], &packet), 0);
		letter_comes(LETTER_CONTROL, ranks[i]);
		ck_assert_uint_eq(letter.head.place, remote[i]);
		ck_assert_uint_eq(letter.head.fds, 0);
		ck_assert_str_eq(letter_text(), "a");
		letter_send(ranks[i],
			    (struct letter_head){ .kind = LETTER_CONTROL, .place = remote[i] },
			    NULL, "answer");
		node_gets(i, "answer");
	}
}

TEST(root__pages_and_files_are_filled)
{
	struct letter_head page = { .kind = LETTER_PAGE, .place = 24, .number = PAGE_BYTES - 4 };
	struct letter_head file = { .kind = LETTER_FILE, .place = 24, .index = 1 };
	char got[16] = "";

	begin();
	configured(3, 2);
	letter_send(2, page, NULL, "page");
	letter_send(2, file, NULL, "one ");
	letter_send(2, file, NULL, "two");
	file.index = 0; /* the first, of which nothing is read */
	letter_send(2, file, NULL, "other");
	letter_send(2, (struct letter_head){ .kind = LETTER_CONTROL, .place = 24 }, NULL, "ready");
	node_gets(3, "ready");
	ck_assert_int_eq(pread(page_fd, got, 8, PAGE_BYTES - 4), 4);
	ck_assert_str_eq(got, "page");
	ck_assert_int_eq(pread(file_fd, got, 15, 0), 7);
	ck_assert_str_eq(got, "one two");
}

/* a file that takes nothing is not the end */
TEST(root__a_file_that_is_full)
{
	struct control_packet packet = { .bytes = (uint8_t *)"c", .length = 1, .fd_count = 1 };

	begin();
	packet.fds[0] = open("/dev/full", O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(control_packet_send(nodes[0], &packet), 0);
	letter_comes(LETTER_CONTROL, 1);
	letter_send(1, (struct letter_head){ .kind = LETTER_FILE, .place = 8 }, NULL, "x");
	letter_send(1, (struct letter_head){ .kind = LETTER_CONTROL, .place = 8 }, NULL, "ready");
	node_gets(0, "ready");
}

/* sealed memory after the first is no page: its size is not told */
TEST(root__one_page)
{
	struct control_packet packet = { .bytes = (uint8_t *)"c", .length = 1, .fd_count = 2 };
	void *page;

	begin();
	packet.fds[0] = memory_of(4096, &page);
	packet.fds[1] = memory_of(8192, &page);
	ck_assert_int_eq(control_packet_send(nodes[0], &packet), 0);
	letter_comes(LETTER_CONTROL, 1);
	ck_assert_uint_eq(letter.fds[0], 4096);
	ck_assert_uint_eq(letter.fds[1], 0);
}

TEST(root__a_second_configuration)
{
	begin();
	configured(0, 1);
	configure(0);
	is_lost();
}

TEST_RANGE(root__descriptors_of_a_packet, 0, 2)
{
	struct control_packet packet = { .bytes = (uint8_t *)"c",
					 .length = 1,
					 .fd_count = LETTER_FDS_MAX + (uint32_t)_i };

	begin();
	for (uint32_t i = 0; i < packet.fd_count; i++)
		packet.fds[i] = clock_fd;
	ck_assert_int_eq(control_packet_send(nodes[0], &packet), 0);
	if (_i) {
		is_lost();
		return;
	}
	letter_comes(LETTER_CONTROL, 1);
	ck_assert_uint_eq(letter.head.fds, LETTER_FDS_MAX);
}

TEST(root__the_orchestrator_leaves)
{
	begin();
	close(control);
	is_lost();
}

/* ---- letters that are wrong ---- */

static const char no_letter[] = "sent what is no letter of a rank";

TEST(root__what_is_no_letter)
{
	begin();
	ranks_send(RANKS_LETTER, 2, NULL, "junk", 4);
	fails_lost("rank 2 (test)", no_letter);
}

TEST(root__a_letter_of_rank_0)
{
	begin();
	letter_send(0, (struct letter_head){ .kind = LETTER_NEXT }, NULL, "");
	fails_lost("rank 0 (test)", no_letter);
}

/* head of a letter of rank 1, after places 8 and 24 were configured, and its bytes */
static const struct {
	struct letter_head head;
	const char *text;
} wrong[] = {
	{ { .kind = LETTER_CONTROL, .place = 24 }, "of rank 2" },
	{ { .kind = LETTER_CONTROL, .place = 0 }, "of rank 0" },
	{ { .kind = LETTER_CONTROL, .place = 10 }, "of no node" },
	{ { .kind = LETTER_CONTROL, .place = PLACES }, "of no place" },
	{ { .kind = LETTER_PAGE, .place = 24 }, "of rank 2" },
	{ { .kind = LETTER_PAGE, .place = 9 }, "not configured" },
	{ { .kind = LETTER_PAGE, .place = 8, .number = PAGE_BYTES - 3 }, "long" },
	{ { .kind = LETTER_PAGE, .place = 8, .number = PAGE_BYTES + 1 }, "" },
	{ { .kind = LETTER_PAGE, .place = 8, .number = UINT64_MAX }, "x" },
	{ { .kind = LETTER_FILE, .place = 8, .index = 2 }, "a third one" },
	{ { .kind = LETTER_FILE, .place = 9 }, "not configured" },
	{ { .kind = LETTER_FILE, .place = 24 }, "of rank 2" },
};

TEST_RANGE(root__letters_that_are_wrong, 0, COUNT_OF(wrong))
{
	begin();
	configured(0, 1);
	configured(3, 2);
	letter_send(1, wrong[_i].head, NULL, wrong[_i].text);
	fails_lost("rank 1 (test)", no_letter);
}

/* ... only the first reason is told */
TEST(root__two_reasons)
{
	char text[100];

	begin();
	ranks_send(RANKS_LETTER, 2, NULL, "junk", 4);
	fails("rank 2 (test)", no_letter, NO_PLACE);
	ranks_send(RANKS_LETTER, 1, NULL, "junk", 4);
	usleep(20000);
	ck_assert_int_eq(control_receive(control, &message, 0, text, sizeof(text)), -EAGAIN);
	leaves_lost();
}

/* ---- ranks that fail ---- */

TEST(root__a_worker_that_failed)
{
	begin();
	letter_send(1,
		    (struct letter_head){
			    .kind = LETTER_FAILED, .place = 16, .index = 2, .number = 77 },
		    NULL, "hangs");
	fails("rank 1 (test), worker 2 (pid 77)", "hangs", 16);
	leaves_lost();
}

/* the last place, and the next one, which is none */
TEST_RANGE(root__the_place_of_a_worker_that_failed, 0, 2)
{
	struct letter_head head = {
		.kind = LETTER_FAILED, .place = PLACES - 1 + (uint32_t)_i, .index = 3, .number = 1
	};

	begin();
	letter_send(2, head, NULL, "left");
	fails("rank 2 (test), worker 3 (pid 1)", "left", _i ? NO_PLACE : PLACES - 1);
}

TEST(root__a_rank_that_failed)
{
	begin();
	letter_send(2, (struct letter_head){ .kind = LETTER_FAILED, .place = 8, .index = 3 }, NULL,
		    "has no memory");
	fails("rank 2 (test)", "has no memory", NO_PLACE);
}

/* ---- the clock ---- */

static void resume(node_time_t limit)
{
	uint32_t wake[WORKERS];

	ck_assert_uint_eq(clock_resume(&clock_, limit, wake), 0);
}

/* the rank sends @next and @limit in round @window; the least of all is @least */
static void round_plays(uint64_t next, uint64_t least, uint64_t limit, uint32_t window)
{
	struct rank_records_head head = { .magic = RANK_RECORDS_MAGIC, .window = window };

	for (uint32_t rank = 1; rank < RANKS; rank++) {
		ck_assert(ranks_round(&item));
		ck_assert_uint_eq(item.kind, RANKS_PART);
		ck_assert_uint_eq(item.rank, rank);
	}
	ck_assert(ranks_round(&item));
	ck_assert_uint_eq(item.kind, RANKS_ROUND);
	ck_assert_uint_eq(item.times[0], next);
	ck_assert_uint_eq(item.times[1], limit);
	ranks_send(RANKS_PART, 1, NULL, &head, sizeof(head));
	ranks_send(RANKS_PART, 2, NULL, &head, sizeof(head));
	ranks_send(RANKS_ROUND, 0, (uint64_t[]){ least, limit }, NULL, 0);
}

/* worker 0 waits for window @window, which ends at @end, and finishes it */
static void worker_plays(uint32_t window, node_time_t end, node_time_t next)
{
	uint32_t wake[WORKERS];

	for (int i = 0; i < 60000 && atomic_load(&clock_.page->window) != window; i++)
		usleep(1000);
	ck_assert_uint_eq(clock_.page->window, window);
	ck_assert_uint_eq(clock_.page->end_ps, end);
	clock_finish(&clock_, 0, next, wake);
}

static void stands(uint32_t rank, uint64_t next)
{
	letter_send(rank, (struct letter_head){ .kind = LETTER_STANDS, .number = next }, NULL, "");
}

static void stops(uint32_t count)
{
	for (int i = 0; i < 60000 && atomic_load(&clock_.page->stops) != count; i++)
		usleep(1000);
	ck_assert_uint_eq(clock_.page->stops, count);
	ck_assert(clock_stopped(&clock_));
}

static void runs(node_time_t limit)
{
	resume(limit);
	letter_comes(LETTER_RUN, 1);
	letter_comes(LETTER_RUN, 2);
}

TEST(root__runs_and_stands)
{
	begin();
	letter_send(1, (struct letter_head){ .kind = LETTER_NEXT, .number = 500 }, NULL, "");
	becomes(&clock_.own_next[1], 500);
	runs(5000);
	round_plays(0, 0, 5000, 0); /* other ranks have no time here while it runs */
	letter_send(1, (struct letter_head){ .kind = LETTER_NEXT, .number = 400 }, NULL, "");
	letter_send(1, (struct letter_head){ .kind = LETTER_CONTROL, .place = 8 }, NULL, "after");
	node_gets(0, "after");
	ck_assert_uint_eq(clock_.own_next[1], NODE_TIME_NEVER);
	worker_plays(1, 1000, 4500);
	round_plays(4500, 4500, 5000, 1);
	worker_plays(2, 5000, 6000);
	stands(2, 7000); /* it may be faster */
	round_plays(6000, 6000, 5000, 2);
	usleep(20000);
	ck_assert(!clock_stopped(&clock_)); /* rank 1 does not stand yet */
	stands(1, 8000);
	stops(1);
	ck_assert_uint_eq(clock_.own_next[1], 8000);
	ck_assert_uint_eq(clock_.own_next[3], 7000);
	ck_assert_uint_eq(clock_earliest(&clock_), 6000);
	/* and again */
	runs(6000);
	round_plays(6000, 6000, 6000, 3);
	usleep(20000);
	ck_assert(!clock_stopped(&clock_));
	stands(1, 8000);
	stands(2, 7000);
	stops(2);
}

TEST(root__records_that_are_wrong)
{
	begin();
	runs(5000);
	ck_assert(ranks_round(&item));
	ck_assert(ranks_round(&item));
	ck_assert(ranks_round(&item));
	ranks_send(RANKS_PART, 1, NULL, "junk", 4);
	ranks_send(RANKS_ROUND, 0, (uint64_t[]){ 0, 5000 }, NULL, 0);
	fails_lost("rank 0 (test)", "rank 1 sent no message of window 0");
}

TEST(root__a_rank_fails_while_the_clock_runs)
{
	begin();
	runs(5000);
	letter_send(1, (struct letter_head){ .kind = LETTER_FAILED }, NULL, "reason");
	fails_lost("rank 1 (test)", "reason");
}

/* rank @rank has sent nothing for five times the watchdog's time; how long exactly, the machine
 * decides */
static void is_silent(const char *name)
{
	char text[100];
	double seconds = 0;

	ck_assert_int_eq(control_receive(control, &message, 1, text, sizeof(text)), 0);
	ck_assert_str_eq(message.text, name);
	ck_assert_int_eq(sscanf(message.text2, "has sent no message for %lf s", &seconds), 1);
	ck_assert_double_ge(seconds, 0.25); /* as printed, 0.3 */
	ck_assert_uint_eq(message.question, NO_PLACE);
}

TEST(root__a_silent_rank_in_a_round)
{
	plan->watchdog_ns = 50000000;
	begin();
	runs(5000);
	is_silent("rank 1 (test)");
}

/* of two ranks, one stands */
TEST(root__a_silent_rank)
{
	uint64_t began_ns;

	plan->watchdog_ns = 50000000;
	begin();
	began_ns = windows_wall_ns();
	runs(5000);
	round_plays(0, 5000, 5000, 0);
	stands(1, 8000);
	if (windows_wall_ns() - began_ns > 50000000)
		return; /* this test was silent for too long itself */
	is_silent("rank 2 (test)");
}

/* ranks that wait say so, and none is lost */
TEST(root__ranks_that_say_that_they_live)
{
	uint64_t sent_ns;
	char text[100];

	plan->watchdog_ns = 50000000;
	begin();
	runs(5000);
	for (int i = 0; i < 40; i++) {
		sent_ns = windows_wall_ns();
		letter_send(1, (struct letter_head){ .kind = LETTER_ALIVE }, NULL, "");
		letter_send(2, (struct letter_head){ .kind = LETTER_ALIVE }, NULL, "");
		usleep(10000);
		if (windows_wall_ns() - sent_ns > 100000000)
			return; /* this test was silent for too long itself */
	}
	ck_assert_int_eq(control_receive(control, &message, 0, text, sizeof(text)), -EAGAIN);
}

/* without a watchdog none is; the test waits for longer than the shortest one would */
TEST(root__no_watchdog)
{
	begin();
	runs(5000);
	usleep(50000);
	round_plays(0, 5000, 5000, 0);
	stands(1, 8000);
	stands(2, 8000);
	stops(1);
}
