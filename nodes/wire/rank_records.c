#include "nodes/wire/rank_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t padded(uint32_t captured_bytes)
{
	return ((size_t)captured_bytes + 7) & ~(size_t)7;
}

/*  Return: 0, -ENOMEM, -EMSGSIZE */
static int room_make(struct rank_records *message, size_t more)
{
	size_t room = message->room ? message->room : 4096;
	uint8_t *bytes;

	if (message->length + more > RANK_RECORDS_BYTES_MAX)
		return -EMSGSIZE;
	while (room < message->length + more)
		room *= 2;
	if (room == message->room)
		return 0;
	bytes = realloc(message->bytes, room);
	if (!bytes)
		return -ENOMEM;
	message->bytes = bytes;
	message->room = room;
	return 0;
}

int rank_records_begin(struct rank_records *message, uint32_t window)
{
	struct rank_records_head head = { .magic = RANK_RECORDS_MAGIC, .window = window };
	int error;

	message->length = 0;
	error = room_make(message, sizeof(head));
	if (error)
		return error;
	memcpy(message->bytes, &head, sizeof(head));
	message->length = sizeof(head);
	return 0;
}

int rank_records_add(struct rank_records *message, uint32_t ring, const struct record *record,
		     const uint8_t *captured)
{
	struct rank_records_head *head;
	struct rank_record entry = { .ring = ring, .record = *record };
	size_t bytes = padded(record->captured_bytes);
	int error = room_make(message, sizeof(entry) + bytes);

	if (error)
		return error;
	memcpy(message->bytes + message->length, &entry, sizeof(entry));
	message->length += sizeof(entry);
	memcpy(message->bytes + message->length, captured, record->captured_bytes);
	memset(message->bytes + message->length + record->captured_bytes, 0,
	       bytes - record->captured_bytes);
	message->length += bytes;
	head = (struct rank_records_head *)message->bytes;
	head->bytes = (uint32_t)(message->length - sizeof(*head));
	head->records++;
	return 0;
}

void rank_records_free(struct rank_records *message)
{
	free(message->bytes);
	*message = (struct rank_records){ 0 };
}

bool rank_records_open(struct rank_records_read *read, const uint8_t *bytes, size_t length,
		       uint32_t window)
{
	struct rank_records_head head;

	if (length < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	*read = (struct rank_records_read){ .at = bytes + sizeof(head),
					    .left = length - sizeof(head),
					    .records = head.records };
	return head.magic == RANK_RECORDS_MAGIC && head.window == window &&
	       head.bytes == read->left;
}

int rank_records_next(struct rank_records_read *read, struct rank_record *record,
		      const uint8_t **captured)
{
	size_t bytes;

	if (!read->records)
		return read->left ? -EINVAL : 0;
	if (read->left < sizeof(*record))
		return -EINVAL;
	memcpy(record, read->at, sizeof(*record));
	bytes = padded(record->record.captured_bytes);
	if (record->record.captured_bytes > RING_CAPTURED_MAX ||
	    bytes > read->left - sizeof(*record))
		return -EINVAL;
	*captured = read->at + sizeof(*record);
	read->at += sizeof(*record) + bytes;
	read->left -= sizeof(*record) + bytes;
	read->records--;
	return 1;
}
