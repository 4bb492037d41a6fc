/*  rankd/run/root: rank 0 from the orchestrator's first message on: what nodes of other ranks send
 *  and get, letters that are wrong (SC-4, TB-23). Its clock: test_root_clock. */
#include "tests/unit/rankd/run/one_root.h"

TEST_GROUP(root, .setup = setup, .teardown = teardown, .setup_once = programs_begin,
	   .teardown_once = programs_end);

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

/* one file of the node at place 8, which rank 1 has: what it writes is written here */
static void file_comes(int fd)
{
	struct control_packet packet = { .bytes = (uint8_t *)"c", .length = 1, .fd_count = 1 };

	begin();
	packet.fds[0] = fd;
	ck_assert_int_eq(control_packet_send(nodes[0], &packet), 0);
	letter_comes(LETTER_CONTROL, 1);
	letter_send(1, (struct letter_head){ .kind = LETTER_FILE, .place = 8 }, NULL, "x");
}

/* the node has no error of it on its own machine, so the run ends and says why */
TEST(root__a_file_that_is_full)
{
	file_comes(open("/dev/full", O_WRONLY | O_CLOEXEC));
	fails("rank 0 (test)", "cannot write a file of this node: No space left on device", 8);
}

/* a reader that closes its end of a pipe wants no more: neither a signal nor the end */
TEST(root__a_pipe_without_a_reader)
{
	int pipe_fds[2];

	ck_assert_int_eq(pipe2(pipe_fds, O_CLOEXEC), 0);
	close(pipe_fds[0]);
	file_comes(pipe_fds[1]);
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
	struct why text;

	begin();
	ranks_send(RANKS_LETTER, 2, NULL, "junk", 4);
	fails("rank 2 (test)", no_letter, NO_PLACE);
	ranks_send(RANKS_LETTER, 1, NULL, "junk", 4);
	usleep(20000);
	ck_assert_int_eq(control_receive(control, &message, 0, &text), -EAGAIN);
	leaves_lost();
}
