/*  Fuzzes nodes/clock/clock (TB-7, TB-23): the page of the virtual clock, which every node may
 *  write, as the orchestrator and other nodes read it.
 *
 *  Input: a byte for the number of nodes, then steps: 1 byte what, 2 bytes where, 8 bytes a value.
 *  A step writes to the page, as a node with a fault would, or calls what opens windows. Whatever
 *  the page has, a call ends, stays inside of the page, and names each node at most once. The
 *  windows may be nonsense then: the watchdog ends such a run. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/clock/clock.h"

#define NODES_MAX 40u
#define STEP_BYTES 11u

enum step {
	STEP_WRITE,
	STEP_WRITE_HEAD,
	STEP_ATTACH,
	STEP_RESUME,
	STEP_FINISH,
	STEPS,
};

struct memory {
	struct clock_page *page; /* as long as it must be, and no longer */
	size_t bytes;
	struct clock clock;
	uint32_t *wake;
};

static void memory_make(struct memory *memory, uint32_t nodes)
{
	memory->bytes = clock_bytes(nodes);
	memory->page = aligned_alloc(64, memory->bytes);
	memory->wake = malloc(nodes * sizeof(*memory->wake));
	if (!memory->page || !memory->wake)
		abort();
	memset(memory->page, 0, memory->bytes);
	clock_init(memory->page, nodes, 1000);
	if (clock_attach(&memory->clock, memory->page, memory->bytes))
		abort();
}

static void woken_check(const struct memory *memory, uint32_t count)
{
	assert(count <= memory->clock.node_count);
	for (uint32_t i = 0; i < count; i++) {
		assert(memory->wake[i] < memory->clock.node_count);
		assert(!i || memory->wake[i] > memory->wake[i - 1]);
	}
}

/* a node that joins reads what the page says of itself */
static void join(const struct memory *memory)
{
	struct clock joined;

	if (clock_attach(&joined, memory->page, memory->bytes))
		return;
	assert(joined.node_count && clock_bytes(joined.node_count) <= memory->bytes);
	clock_earliest(&joined);
}

/* a node aborts itself if its next event is inside of the window that it finishes */
static void finish(const struct memory *memory, uint32_t node, node_time_t next)
{
	node_time_t end = atomic_load(&memory->page->end_ps);

	node %= memory->clock.node_count;
	clock_takes_part(&memory->clock, node);
	woken_check(memory,
		    clock_finish(&memory->clock, node, next < end ? end : next, memory->wake));
}

static void step_apply(const struct memory *memory, const uint8_t *step)
{
	uint32_t where = step[1] | (uint32_t)step[2] << 8;
	uint64_t value;

	memcpy(&value, step + 3, sizeof(value));
	switch (step[0] % STEPS) {
	case STEP_WRITE: /* after the head */
		where = CLOCK_HEAD_BYTES + 8 * where % (memory->bytes - CLOCK_HEAD_BYTES);
		memcpy((char *)memory->page + where, &value, sizeof(value));
		break;
	case STEP_WRITE_HEAD:
		memcpy((char *)memory->page + 8 * where % sizeof(*memory->page), &value,
		       sizeof(value));
		break;
	case STEP_ATTACH:
		join(memory);
		break;
	case STEP_RESUME:
		woken_check(memory, clock_resume(&memory->clock, value, memory->wake));
		break;
	case STEP_FINISH:
		finish(memory, where, value);
		break;
	}
	clock_now(&memory->clock);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory memory;

	if (!size)
		return 0;
	memory_make(&memory, 1 + data[0] % NODES_MAX);
	for (size_t at = 1; at + STEP_BYTES <= size; at += STEP_BYTES)
		step_apply(&memory, data + at);
	free(memory.page);
	free(memory.wake);
	return 0;
}
