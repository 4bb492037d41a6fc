/*  nodes/clock/clock_pages: nodes read the state and time of the real clock, and cannot write them
 *  (TB-23). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/clock/clock_pages.h"
#include "nodes/config/config.h"
#include "tests/testing.h"

#define NODES 9u

static struct clock_pages own, joined;
static struct clock clock_;
static int fd;

static void setup(void)
{
	ck_assert_int_eq(clock_pages_make(&own, NODES, &fd), 0);
	clock_init(own.page, NODES, NODE_US);
	own.page->epoch_ns = 77;
	ck_assert_int_eq(clock_pages_join(&joined, fd), 0);
	ck_assert_int_eq(clock_attach(&clock_, joined.page, joined.bytes), 0);
}

static void teardown(void)
{
	clock_pages_free(&own);
	clock_pages_free(&joined);
	clock_pages_free(&joined);
	close(fd);
}

TEST_GROUP(clock_pages, .setup = setup, .teardown = teardown);

TEST(clock_pages_join__one_head_for_both)
{
	struct clock makers;

	ck_assert_int_eq(clock_attach(&makers, own.page, own.bytes), 0);
	ck_assert_uint_eq(clock_.page->epoch_ns, 77);
	ck_assert_uint_eq(clock_.node_count, NODES);
	atomic_store(&own.page->state, CLOCK_RUNNING);
	ck_assert_uint_eq(atomic_load(&clock_.page->state), CLOCK_RUNNING);
}

/* All words that a node can write are its own: no other node reads or writes them. */
TEST(clock_pages_join__no_word_is_shared)
{
	struct clock makers;

	ck_assert_int_eq(clock_attach(&makers, own.page, own.bytes), 0);
	memset((char *)joined.page + CLOCK_HEAD_BYTES, 0xff, joined.bytes - CLOCK_HEAD_BYTES);
	for (uint32_t i = 0; i < NODES; i++) {
		ck_assert_uint_eq(atomic_load(&makers.asleep[i]), 0);
		ck_assert_uint_eq(atomic_load(&makers.own_next[i]), 0);
	}
}

TEST(clock_pages_join__rejects_what_is_too_small)
{
	struct clock_pages pages;
	int small = memfd_create("small", 0);

	ck_assert_int_eq(ftruncate(small, 64), 0);
	ck_assert_int_eq(clock_pages_join(&pages, small), -EINVAL);
	ck_assert_int_eq(ftruncate(small, CLOCK_HEAD_BYTES), 0);
	ck_assert_int_eq(clock_pages_join(&pages, small), -EINVAL); /* the index of no node */
	ck_assert_ptr_null(pages.page);
	close(small);
	ck_assert_int_eq(clock_pages_join(&pages, small), -EBADF); /* nor what is no file */
	ck_assert_ptr_null(pages.page);
}

/* a node writes to the head, in a process of its own: the write ends this process, not the
 * fabric */
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
	/* a sanitizer exits where the signal would kill */
	ck_assert(!WIFEXITED(status) || WEXITSTATUS(status));
	ck_assert_uint_eq(atomic_load(&own.page->state), CLOCK_STOPPED);
	ck_assert_uint_eq(own.page->epoch_ns, 77);
}

/* not even deliberately, with the descriptor that it was given */
TEST(clock_pages__the_head_cannot_be_made_writable)
{
	char path[64];
	int again;

	ck_assert_int_eq(mprotect(joined.page, CLOCK_HEAD_BYTES, PROT_READ | PROT_WRITE), -1);
	ck_assert_ptr_eq(mmap(NULL, CLOCK_HEAD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0),
			 MAP_FAILED);
	ck_assert_int_eq((int)pwrite(fd, "xx", 2, 0), -1);
	ck_assert_int_eq(ftruncate(fd, 0), -1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDWR);
	ck_assert_ptr_eq(mmap(NULL, CLOCK_HEAD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, again, 0),
			 MAP_FAILED);
	close(again);
	own.page->epoch_ns = 78; /* the process that made it may */
	ck_assert_uint_eq(clock_.page->epoch_ns, 78);
}

/* a fabric may have NODE_COUNT_MAX nodes, and no more */
TEST(clock_attach__most_nodes)
{
	size_t bytes = (clock_bytes(NODE_COUNT_MAX + 1) + 4095) / 4096 * 4096;
	struct clock_page *most = aligned_alloc(4096, bytes);
	struct clock attached;

	ck_assert_ptr_nonnull(most);
	for (uint32_t more = 0; more < 2; more++) {
		memset(most, 0, bytes);
		clock_init(most, NODE_COUNT_MAX + more, NODE_US);
		ck_assert_int_eq(clock_attach(&attached, most, bytes), more ? -EINVAL : 0);
	}
	free(most);
}

/* a file of this process may have so many bytes only: what was made so far is closed */
TEST(clock_pages_make__cannot_be)
{
	const struct rlimit limit = { CLOCK_HEAD_BYTES - 1, CLOCK_HEAD_BYTES - 1 };
	struct clock_pages pages;
	int none;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(clock_pages_make(&pages, NODES, &none), -EFBIG);
	ck_assert_ptr_null(pages.page);
}
