#include "rankd/link/letter.h"

#include <stdlib.h>
#include <string.h>

/* what a kind has */
static const struct letter_rule {
	bool root, member; /* ranks that may send it: 0, others */
	bool place;        /* of a node */
	bool bytes;
} rules[LETTER_KINDS] = {
	[LETTER_CONTROL] = { .root = true, .member = true, .place = true, .bytes = true },
	[LETTER_RUN] = { .root = true },
	[LETTER_END] = { .root = true },
	[LETTER_PAGE] = { .member = true, .place = true, .bytes = true },
	[LETTER_FILE] = { .member = true, .place = true, .bytes = true },
	[LETTER_NEXT] = { .member = true },
	[LETTER_STANDS] = { .member = true },
	[LETTER_FAILED] = { .member = true, .bytes = true },
	[LETTER_ALIVE] = { .member = true },
	[LETTER_LEFT] = { .member = true },
};

void *letter_write(struct letter_head *head, const uint64_t *fds, const void *bytes, size_t *length)
{
	size_t sizes = head->fds * sizeof(*fds);
	uint8_t *letter;

	head->magic = LETTER_MAGIC;
	*length = sizeof(*head) + sizes + head->bytes;
	letter = malloc(*length);
	if (!letter)
		return NULL;
	memcpy(letter, head, sizeof(*head));
	if (sizes)
		memcpy(letter + sizeof(*head), fds, sizes);
	if (head->bytes)
		memcpy(letter + sizeof(*head) + sizes, bytes, head->bytes);
	return letter;
}

bool letter_read(struct letter_read *letter, const uint8_t *from, size_t length, bool from_root,
		 uint32_t place_count)
{
	struct letter_head *head = &letter->head;
	const struct letter_rule *rule;
	size_t sizes;

	if (length < sizeof(*head))
		return false;
	memcpy(head, from, sizeof(*head));
	if (head->magic != LETTER_MAGIC || head->kind >= LETTER_KINDS)
		return false;
	rule = &rules[head->kind];
	if (!(from_root ? rule->root : rule->member) ||
	    (rule->place && head->place >= place_count) || (head->bytes && !rule->bytes) ||
	    head->fds > (head->kind == LETTER_CONTROL && from_root ? LETTER_FDS_MAX : 0) ||
	    (head->kind == LETTER_ALIVE && head->index >= LETTER_STATES))
		return false;
	sizes = head->fds * sizeof(letter->fds[0]);
	if (length != sizeof(*head) + sizes + head->bytes)
		return false;
	memcpy(letter->fds, from + sizeof(*head), sizes);
	letter->bytes = from + sizeof(*head) + sizes;
	return true;
}
