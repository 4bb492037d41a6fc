#include "rankd/run/rank.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "rankd/link/transport.h"

int rank_map(struct rank_memory *memory, int fd)
{
	struct stat stat;

	memory->fd = fd;
	if (fstat(fd, &stat))
		return -errno;
	memory->memory =
		mmap(NULL, (size_t)stat.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory->memory == MAP_FAILED) {
		memory->memory = NULL;
		return -errno;
	}
	memory->bytes = (size_t)stat.st_size;
	return 0;
}

static void memory_free(struct rank_memory *memory)
{
	if (memory->memory)
		munmap(memory->memory, memory->bytes);
	if (memory->fd >= 0)
		close(memory->fd);
	*memory = (struct rank_memory){ .fd = -1 };
}

int rank_join(struct rank *rank, const char **why)
{
	struct windows *windows = &rank->windows;
	struct places places;
	struct clock clock;
	int error;

	*why = windows->crossing.why;
	snprintf(windows->crossing.why, sizeof(windows->crossing.why),
		 "the clock or the rings are not those of the plan");
	if (clock_attach(&clock, rank->clock.memory, rank->clock.bytes) ||
	    places_attach(&places, rank->places.memory, rank->places.bytes) ||
	    clock.node_count != rank->plan->worker_count ||
	    places.page->place_count != rank->plan->place_count ||
	    places.page->worker_count != rank->plan->worker_count ||
	    rank->rings.bytes < rank->plan->rings_bytes)
		return -EINVAL;
	error = clock_gate_init(&windows->gate, &clock);
	for (uint32_t w = 0; w < clock.node_count; w++)
		if (!rank_is_here(rank, w))
			atomic_store(&clock.own_next[w], NODE_TIME_NEVER);
	if (!error)
		error = crossing_init(&windows->crossing, rank->plan, rank->rank,
				      &windows->gate.clock, &places, rank->rings.memory);
	if (!error)
		error = transport_neighbours(windows->crossing.neighbours,
					     windows->crossing.neighbour_count);
	if (error == -ENOMEM)
		*why = "there is not enough memory";
	windows->root = !rank->rank;
	return error;
}

void rank_end(struct rank *rank)
{
	crossing_fini(&rank->windows.crossing);
	clock_gate_fini(&rank->windows.gate);
	memory_free(&rank->clock);
	memory_free(&rank->places);
	memory_free(&rank->rings);
	free(rank->plan);
}

uint64_t rank_build(char *path, size_t path_max)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct stat stat;
	uint64_t build = 0;
	void *bytes;
	int fd;

	if (length <= 0)
		return 0;
	self[length] = 0;
	*(strrchr(self, '/') + 1) = 0;
	if (snprintf(path, path_max, "%sworkerd", self) >= (int)path_max)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	bytes = fstat(fd, &stat) ? MAP_FAILED
				 : mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes != MAP_FAILED) {
		build = XXH3_64bits(bytes, (size_t)stat.st_size) | 1;
		munmap(bytes, (size_t)stat.st_size);
	}
	close(fd);
	return build;
}

int rank_letter(uint32_t to, enum letter_kind kind, uint32_t place, uint32_t index, uint64_t number,
		const void *bytes, uint32_t length)
{
	struct letter_head head = {
		.kind = kind, .place = place, .index = index, .number = number, .bytes = length
	};
	size_t letter_bytes;
	void *letter = letter_write(&head, NULL, bytes, &letter_bytes);
	int error = letter ? transport_send(to, letter, letter_bytes) : -ENOMEM;

	free(letter);
	return error;
}
