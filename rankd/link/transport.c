#include "rankd/link/transport.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_MAX_BYTES 128

struct letter {
	struct letter *next;
	MPI_Request request;
	uint8_t bytes[];
};

struct neighbour {
	uint32_t rank;
	bool there; /* the message of this round */
	uint8_t *bytes;
	size_t length, room;
	MPI_Request request; /* of the message to it */
};

static MPI_Comm rounds, letters;
static struct letter *sending;
static uint32_t sending_count;
static struct neighbour *neighbours;
static uint32_t neighbour_count, arrived;
static MPI_Request minimum = MPI_REQUEST_NULL;
static uint64_t given[2], found[2];
static char (*names)[NAME_MAX_BYTES];

static void names_share(uint32_t rank, uint32_t rank_count)
{
	char host[64] = "", name[NAME_MAX_BYTES];

	gethostname(host, sizeof(host) - 1);
	snprintf(name, sizeof(name), "rank %u (%s, pid %d)", rank, host, (int)getpid());
	names = calloc(rank_count, sizeof(*names));
	if (!names)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Allgather(name, sizeof(name), MPI_CHAR, names, sizeof(name), MPI_CHAR, letters);
	for (uint32_t i = 0; i < rank_count; i++)
		names[i][NAME_MAX_BYTES - 1] = 0;
}

void transport_begin(uint32_t *rank, uint32_t *rank_count)
{
	int own, count;

	MPI_Init(NULL, NULL);
	MPI_Comm_dup(MPI_COMM_WORLD, &rounds);
	MPI_Comm_dup(MPI_COMM_WORLD, &letters);
	MPI_Comm_rank(MPI_COMM_WORLD, &own);
	MPI_Comm_size(MPI_COMM_WORLD, &count);
	*rank = (uint32_t)own;
	*rank_count = (uint32_t)count;
	names_share(*rank, *rank_count);
}

const char *transport_name(uint32_t rank)
{
	return names[rank];
}

/* forgets letters that have left */
static void letters_sweep(void)
{
	for (struct letter **at = &sending; *at;) {
		struct letter *letter = *at;
		int left;

		MPI_Test(&letter->request, &left, MPI_STATUS_IGNORE);
		if (!left) {
			at = &letter->next;
			continue;
		}
		*at = letter->next;
		free(letter);
		sending_count--;
	}
}

void transport_end(void)
{
	while (sending)
		letters_sweep();
	for (uint32_t i = 0; i < neighbour_count; i++)
		free(neighbours[i].bytes);
	free(names);
	free(neighbours);
	neighbours = NULL;
	neighbour_count = 0;
	MPI_Comm_free(&rounds);
	MPI_Comm_free(&letters);
	MPI_Finalize();
}

void transport_share(void *bytes, size_t length)
{
	const size_t part_max = 1u << 30;

	for (size_t at = 0; at < length; at += part_max)
		MPI_Bcast((uint8_t *)bytes + at,
			  (int)(length - at < part_max ? length - at : part_max), MPI_BYTE, 0,
			  letters);
}

/* ---- letters ---- */

int transport_send(uint32_t rank, const void *bytes, size_t length)
{
	struct letter *letter = malloc(sizeof(*letter) + length);

	if (!letter)
		return -ENOMEM;
	memcpy(letter->bytes, bytes, length);
	MPI_Isend(letter->bytes, (int)length, MPI_BYTE, (int)rank, 0, letters, &letter->request);
	letter->next = sending;
	sending = letter;
	sending_count++;
	return 0;
}

uint32_t transport_sending(void)
{
	letters_sweep();
	return sending_count;
}

/* Receives @message into the buffer *@bytes of *@size bytes, which is replaced if it is too small.
 * @length  filled.   Return: *@bytes */
static void *message_take(MPI_Message *message, const MPI_Status *status, uint8_t **bytes,
			  size_t *size, size_t *length)
{
	int count;

	MPI_Get_count(status, MPI_BYTE, &count);
	*length = (size_t)count;
	if (*size < *length) {
		free(*bytes);
		*size = *length;
		*bytes = malloc(*size);
		if (!*bytes)
			MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Mrecv(*bytes, count, MPI_BYTE, message, MPI_STATUS_IGNORE);
	return *bytes;
}

void *transport_receive(uint32_t *rank, size_t *length)
{
	MPI_Message message;
	MPI_Status status;
	uint8_t *bytes = NULL;
	size_t size = 0;
	int there;

	MPI_Improbe(MPI_ANY_SOURCE, 0, letters, &there, &message, &status);
	if (!there)
		return NULL;
	*rank = (uint32_t)status.MPI_SOURCE;
	return message_take(&message, &status, &bytes, &size, length);
}

/* ---- rounds ---- */

int transport_neighbours(const uint32_t *ranks, uint32_t count)
{
	neighbours = calloc(count, sizeof(*neighbours));
	if (!neighbours)
		return -ENOMEM;
	neighbour_count = count;
	for (uint32_t i = 0; i < count; i++)
		neighbours[i] = (struct neighbour){ .rank = ranks[i], .request = MPI_REQUEST_NULL };
	return 0;
}

void transport_round_begin(uint8_t *const *bytes, const size_t *length, const uint64_t times[2])
{
	arrived = 0;
	for (uint32_t i = 0; i < neighbour_count; i++) {
		struct neighbour *to = &neighbours[i];

		to->there = false;
		MPI_Isend(bytes[i], (int)length[i], MPI_BYTE, (int)to->rank, 0, rounds,
			  &to->request);
	}
	memcpy(given, times, sizeof(given));
	MPI_Iallreduce(given, found, 2, MPI_UINT64_T, MPI_MIN, rounds, &minimum);
}

static void neighbour_look(struct neighbour *from)
{
	MPI_Message message;
	MPI_Status status;
	int there;

	MPI_Improbe((int)from->rank, 0, rounds, &there, &message, &status);
	if (!there)
		return;
	message_take(&message, &status, &from->bytes, &from->room, &from->length);
	from->there = true;
	arrived++;
}

bool transport_round_done(uint64_t least[2])
{
	int agreed;

	for (uint32_t i = 0; i < neighbour_count && arrived < neighbour_count; i++)
		if (!neighbours[i].there)
			neighbour_look(&neighbours[i]);
	if (arrived < neighbour_count)
		return false;
	MPI_Test(&minimum, &agreed, MPI_STATUS_IGNORE);
	if (!agreed)
		return false;
	for (uint32_t i = 0; i < neighbour_count; i++) {
		int left;

		MPI_Test(&neighbours[i].request, &left, MPI_STATUS_IGNORE);
		if (!left)
			return false;
	}
	memcpy(least, found, sizeof(found));
	return true;
}

const uint8_t *transport_received(uint32_t i, size_t *length)
{
	*length = neighbours[i].length;
	return neighbours[i].bytes;
}
