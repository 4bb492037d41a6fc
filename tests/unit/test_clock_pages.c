/*  nodes/clock_pages: nodes read the real clock's state and time, and cannot write them (TB-23).                     */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/clock_pages.h"
#include "tests/testing.h"

#define NODES 9u

static struct clock_pages own, joined;
static struct clock clock_;
static int fds[2];

static void setup(void)
{
	ck_assert_int_eq(clock_pages_make(&own, NODES, fds), 0);
	clock_init(own.page, NODES, NODE_US);
	own.page->epoch_ns = 77;
	ck_assert_int_eq(clock_pages_join(&joined, fds), 0);
	ck_assert_int_eq(clock_attach(&clock_, joined.page, joined.bytes), 0);
}

static void teardown(void)
{
	clock_pages_free(&own);
	clock_pages_free(&joined);
	clock_pages_free(&joined);
	close(fds[0]);
	close(fds[1]);
}

TEST_GROUP(clock_pages, .setup = setup, .teardown = teardown);

TEST(clock_pages_join__one_page_for_both)
{
	struct clock makers;

	ck_assert_int_eq(clock_attach(&makers, own.page, own.bytes), 0);
	ck_assert_uint_eq(clock_.page->epoch_ns, 77);
	ck_assert_uint_eq(clock_.node_count, NODES);
	atomic_store(&own.page->state, CLOCK_RUNNING);
	ck_assert_uint_eq(atomic_load(&clock_.page->state), CLOCK_RUNNING);
	for (uint32_t i = 0; i < NODES; i++) {
		atomic_store(&clock_.asleep[i], i + 1);
		atomic_store(&clock_.own_next[i], 2 * i);
		ck_assert_uint_eq(atomic_load(&makers.asleep[i]), i + 1);
		ck_assert_uint_eq(atomic_load(&makers.own_next[i]), 2 * i);
	}
}

TEST(clock_pages_join__too_small)
{
	struct clock_pages pages;
	int small[2] = { memfd_create("small", 0), fds[1] };

	ck_assert_int_eq(ftruncate(small[0], 64), 0);
	ck_assert_int_eq(clock_pages_join(&pages, small), -EINVAL);
	ck_assert_ptr_null(pages.page);
	close(small[0]);
}

/* the write of a node that ends the fabric, in a process of its own */
TEST(clock_pages__a_wild_write_kills_its_writer_alone)
{
	pid_t child = fork();
	int status;

	if (!child) {
		signal(SIGSEGV, SIG_DFL);
		atomic_store(&clock_.page->state, CLOCK_ENDED);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(!WIFEXITED(status) || WEXITSTATUS(status)); /* a sanitizer exits instead of the signal */
	ck_assert_uint_eq(atomic_load(&own.page->state), CLOCK_STOPPED);
	ck_assert_uint_eq(own.page->epoch_ns, 77);
}

/* nor on purpose, with the descriptor that it was handed */
TEST(clock_pages__the_head_cannot_be_made_writable)
{
	char path[64];
	int again;

	ck_assert_int_eq(mprotect(joined.page, CLOCK_HEAD_BYTES, PROT_READ | PROT_WRITE), -1);
	ck_assert_ptr_eq(mmap(NULL, CLOCK_HEAD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0), MAP_FAILED);
	ck_assert_int_eq((int)pwrite(fds[0], "xx", 2, 0), -1);
	ck_assert_int_eq(ftruncate(fds[0], 0), -1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	again = open(path, O_RDWR);
	ck_assert_ptr_eq(mmap(NULL, CLOCK_HEAD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, again, 0), MAP_FAILED);
	close(again);
	own.page->epoch_ns = 78; /* its maker may */
	ck_assert_uint_eq(clock_.page->epoch_ns, 78);
}
