/*  rankd/run/mirror: what a node has written since the last time goes to rank 0, and nothing else
 *  (SC-4). */
#include "rankd/link/transport.h"
#include "rankd/run/mirror.h"
#include "tests/unit/rankd/one_rank.h"

#define PART 4096u

static struct mirror mirror;

static void setup(void)
{
	ranks_begin(1, RANKS);
	mirror_init(&mirror);
}

static void teardown(void)
{
	mirror_fini(&mirror);
	ck_assert_int_eq(mirror.page_fd, -1);
	ck_assert_uint_eq(mirror.file_count, 0);
	ranks_end();
}

TEST_GROUP(mirror, .setup = setup, .teardown = teardown);

static void page_writes(const char *text, off_t at)
{
	ck_assert_int_eq(pwrite(mirror.page_fd, text, strlen(text), at), (ssize_t)strlen(text));
}

/* a part of the page of place 5 arrives: @length bytes at @at, that begin with @text */
static void part_comes(uint64_t at, uint32_t length, const char *text)
{
	letter_comes(LETTER_PAGE, 0);
	ck_assert_uint_eq(letter.head.place, 5);
	ck_assert_uint_eq(letter.head.number, at);
	ck_assert_uint_eq(letter.head.bytes, length);
	ck_assert_mem_eq(letter.bytes, text, strlen(text));
}

static void file_comes(uint32_t index, uint32_t length, char first)
{
	letter_comes(LETTER_FILE, 0);
	ck_assert_uint_eq(letter.head.place, 5);
	ck_assert_uint_eq(letter.head.index, index);
	ck_assert_uint_eq(letter.head.bytes, length);
	ck_assert_int_eq(letter.bytes[0], first);
}

static void sends(void)
{
	ck_assert_int_eq(mirror_send(&mirror, 5), 0);
}

TEST(mirror_send__an_empty_one)
{
	sends();
	ck_assert_int_ge(mirror_page(&mirror, PAGE_BYTES), 0);
	ck_assert_int_ge(mirror_file(&mirror), 0);
	sends();
	ck_assert(ranks_is_silent());
}

TEST(mirror_page__is_sealed_memory)
{
	struct stat stat;
	int fd = mirror_page(&mirror, PAGE_BYTES);

	ck_assert_int_eq(fd, mirror.page_fd);
	ck_assert_int_eq(fstat(fd, &stat), 0);
	ck_assert_int_eq(stat.st_size, PAGE_BYTES);
	ck_assert(fcntl(fd, F_GET_SEALS) & F_SEAL_SHRINK);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
}

TEST(mirror_send__parts_that_have_changed)
{
	mirror_page(&mirror, 3 * PART);
	page_writes("one", 0);
	page_writes("three", 2 * PART);
	sends();
	part_comes(0, PART, "one");
	part_comes(2 * PART, PART, "three");
	sends();
	ck_assert(ranks_is_silent());
	page_writes("3", 2 * PART);
	page_writes("one", 0); /* as it was */
	sends();
	part_comes(2 * PART, PART, "3hree");
	ck_assert(ranks_is_silent());
}

/* a page of 10 000 bytes ends with a part of 1808 */
TEST(mirror_send__the_last_part_is_short)
{
	mirror_page(&mirror, PAGE_BYTES);
	page_writes("x", PAGE_BYTES - 1);
	sends();
	part_comes(2 * PART, PAGE_BYTES - 2 * PART, "");
	ck_assert_int_eq(letter.bytes[letter.head.bytes - 1], 'x');
	ck_assert(ranks_is_silent());
}

/* zeros where there was something are a change */
TEST(mirror_send__zeros)
{
	static const char zeros[PART];

	mirror_page(&mirror, PART);
	page_writes("x", 7);
	sends();
	part_comes(0, PART, "");
	ck_assert_int_eq(pwrite(mirror.page_fd, zeros, 8, 0), 8);
	sends();
	part_comes(0, PART, "");
	ck_assert_mem_eq(letter.bytes, zeros, PART);
}

TEST(mirror_send__what_is_appended)
{
	int first = mirror_file(&mirror), second = mirror_file(&mirror);

	ck_assert_int_eq(write(second, "abc", 3), 3);
	sends();
	file_comes(1, 3, 'a');
	ck_assert_int_eq(write(first, "x", 1), 1);
	ck_assert_int_eq(write(second, "de", 2), 2);
	sends();
	file_comes(0, 1, 'x');
	file_comes(1, 2, 'd');
	sends();
	ck_assert(ranks_is_silent());
}

/* the page comes before the files, and a long file in parts */
TEST(mirror_send__a_long_file)
{
	static char text[2 * LETTER_PART_BYTES + 1];
	int fd = mirror_file(&mirror);

	mirror_page(&mirror, PART);
	page_writes("page", 0);
	memset(text, 'a', LETTER_PART_BYTES);
	memset(text + LETTER_PART_BYTES, 'b', LETTER_PART_BYTES);
	text[2 * LETTER_PART_BYTES] = 'c';
	ck_assert_int_eq(write(fd, text, sizeof(text)), sizeof(text));
	sends();
	part_comes(0, PART, "page");
	file_comes(0, LETTER_PART_BYTES, 'a');
	file_comes(0, LETTER_PART_BYTES, 'b');
	file_comes(0, 1, 'c');
	ck_assert(ranks_is_silent());
}

TEST(mirror_file__has_no_name_and_a_limit)
{
	for (uint32_t i = 0; i < MIRROR_FILES_MAX; i++) {
		int fd = mirror_file(&mirror);
		struct stat stat;

		ck_assert_int_ge(fd, 0);
		ck_assert_int_eq(fstat(fd, &stat), 0);
		ck_assert_uint_eq(stat.st_nlink, 0);
		ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	}
	ck_assert_int_eq(mirror_file(&mirror), -EMFILE);
	ck_assert_uint_eq(mirror.file_count, MIRROR_FILES_MAX);
}

/* a folder that takes no files: memory does */
TEST(mirror_file__without_folder)
{
	int fd;

	setenv("TMPDIR", "/proc/self/none", 1);
	fd = mirror_file(&mirror);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "x", 1), 1);
	sends();
	file_comes(0, 1, 'x');
}

TEST(mirror_file__in_tmpdir)
{
	char folder[] = "/tmp/heddle-test-XXXXXX", path[64], target[PATH_MAX] = "";
	ssize_t length;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	setenv("TMPDIR", folder, 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", mirror_file(&mirror));
	length = readlink(path, target, sizeof(target) - 1);
	ck_assert_int_gt(length, 0);
	ck_assert_int_eq(strncmp(target, folder, strlen(folder)), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}

/* it waits while more than 64 letters are in flight */
TEST(mirror_send__waits_while_many_letters_are_in_flight)
{
	int fd = mirror_file(&mirror);

	ranks_in_flight(100);
	ck_assert_int_eq(write(fd, "x", 1), 1);
	sends();
	ck_assert_uint_eq(transport_sending(), 63);
	file_comes(0, 1, 'x');
}

TEST(mirror_send__a_file_that_is_closed)
{
	int fd = mirror_file(&mirror);

	close(fd);
	ck_assert_int_eq(mirror_send(&mirror, 5), -EBADF);
	mirror.file_count = 0;
}

TEST(mirror_fini__closes)
{
	int page = mirror_page(&mirror, PART), file = mirror_file(&mirror);

	mirror_fini(&mirror);
	ck_assert_int_eq(fcntl(page, F_GETFD), -1);
	ck_assert_int_eq(fcntl(file, F_GETFD), -1);
}
