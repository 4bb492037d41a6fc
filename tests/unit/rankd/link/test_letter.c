/*  rankd/link/letter: which rank may send which letter, and how long it is (SC-4, TB-23). */
#include <stdlib.h>
#include <string.h>

#include "rankd/link/letter.h"
#include "tests/testing.h"

static struct letter_read read_back;

static bool passes(struct letter_head head, const uint64_t *fds, const char *bytes, bool from_root)
{
	size_t length;
	void *letter;
	bool fine;

	head.bytes = (uint32_t)strlen(bytes);
	letter = letter_write(&head, fds, bytes, &length);
	ck_assert_ptr_nonnull(letter);
	fine = letter_read(&read_back, letter, length, from_root, 10);
	ck_assert(!letter_read(&read_back, letter, length - 1, from_root, 10));
	if (fine)
		ck_assert(letter_read(&read_back, letter, length, from_root, 10));
	ck_assert(!fine || !memcmp(read_back.bytes, bytes, head.bytes));
	free(letter);
	return fine;
}

TEST(letter_read__a_packet_with_descriptors)
{
	uint64_t fds[2] = { 8192, 0 };
	struct letter_head head = { .kind = LETTER_CONTROL, .place = 9, .fds = 2 };

	ck_assert(passes(head, fds, "packet", true));
	ck_assert_uint_eq(read_back.fds[0], 8192);
	ck_assert(!passes(head, fds, "packet", false));
	head.fds = 1; /* a member has none to send, and no other letter either */
	ck_assert(!passes(head, fds, "packet", false));
	ck_assert(!passes((struct letter_head){ .kind = LETTER_END, .fds = 1 }, fds, "", true));
	head.fds = 0;
	ck_assert(passes(head, NULL, "packet", false));
	head.place = 10;
	ck_assert(!passes(head, NULL, "packet", false));
}

TEST(letter_read__who_sends_what)
{
	for (uint32_t kind = 0; kind < LETTER_KINDS; kind++) {
		struct letter_head head = { .kind = kind };
		bool root = kind == LETTER_RUN || kind == LETTER_END;

		ck_assert(passes(head, NULL, "", root));
		if (kind != LETTER_CONTROL)
			ck_assert(!passes(head, NULL, "", !root));
	}
	ck_assert(!passes((struct letter_head){ .kind = LETTER_KINDS }, NULL, "", false));
}

TEST(letter_read__bytes_only_where_there_may_be_some)
{
	ck_assert(passes((struct letter_head){ .kind = LETTER_PAGE }, NULL, "x", false));
	ck_assert(!passes((struct letter_head){ .kind = LETTER_LEFT }, NULL, "x", false));
	ck_assert(!passes((struct letter_head){ .kind = LETTER_RUN }, NULL, "x", true));
	ck_assert(!passes((struct letter_head){ .kind = LETTER_ALIVE, .index = LETTER_STATES },
			  NULL, "", false));
}
