/*  bench_ring - records per second through nodes/base/ring between two processes on two cores
 *  (TB-2).
 *
 *  The producer writes records that fill two cache lines, as a generated 4 kB packet does, and
 *  publishes them in batches, as a window does; the consumer looks at the header and one line of
 *  each, and releases the space once per batch. Both spin: what is measured is the ring and the
 *  memory between the cores, nothing else. The time of a cache line from core to core and back,
 *  which the machine changes from run to run, is printed by bench_clock.
 *  Usage: bench_ring [records per measurement] */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodes/base/ring.h"

#define RUNS 5
#define DATA_BYTES (1u << 18)
#define CAPTURED_BYTES (2 * RING_LINE - (uint32_t)sizeof(struct record))

static uint64_t now_ns(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

/* this process goes to the @which-th core of @allowed */
static void pin(const cpu_set_t *allowed, unsigned which)
{
	cpu_set_t one;

	for (unsigned core = 0; core < CPU_SETSIZE; core++) {
		if (!CPU_ISSET(core, allowed) || which--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(core, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static void produce(struct ring_page *page, uint64_t records, uint32_t batch)
{
	struct ring_tx ring;

	if (ring_tx_attach(&ring, page, ring_bytes(DATA_BYTES)))
		_exit(1);
	for (uint64_t sent = 0; sent < records;) {
		struct record *record = ring_reserve(&ring, CAPTURED_BYTES);

		if (!record) {
			ring_publish(&ring);
			continue;
		}
		*record = (struct record){ .at_ps = sent,
					   .wire_bytes = 4096,
					   .captured_bytes = CAPTURED_BYTES,
					   .sequence = (uint32_t)sent,
					   .kind = RECORD_PACKET };
		memset(record_captured(record), (int)sent, CAPTURED_BYTES);
		ring_commit(&ring, CAPTURED_BYTES);
		if (!(++sent % batch) || sent == records)
			ring_publish(&ring);
	}
}

/*  Return: nanoseconds per record, from the first to the last */
static double consume(struct ring_page *page, uint64_t records)
{
	uint64_t taken = 0, sum = 0, start = 0;
	struct ring_rx ring;

	if (ring_rx_attach(&ring, page, ring_bytes(DATA_BYTES)))
		exit(1);
	while (taken < records) {
		struct record header;
		const uint8_t *bytes;
		uint64_t before = taken;

		ring_refresh(&ring);
		while ((bytes = ring_peek(&ring, &header))) {
			if (!taken++)
				start = now_ns();
			sum += bytes[CAPTURED_BYTES - 1] == (uint8_t)header.sequence;
			ring_pop(&ring, &header);
		}
		if (taken != before)
			ring_release(&ring);
		if (ring.broken)
			exit(1);
	}
	if (sum != records)
		exit(1);
	return (double)(now_ns() - start) / (double)records;
}

static double measure(const cpu_set_t *allowed, uint64_t records, uint32_t batch)
{
	size_t bytes = ring_bytes(DATA_BYTES);
	struct ring_page *page =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double ns;
	pid_t pid;

	if (page == MAP_FAILED)
		exit(1);
	ring_init(page, DATA_BYTES, RING_CAPTURED_MAX);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(allowed, 1);
		produce(page, records, batch);
		_exit(0);
	}
	ns = consume(page, records);
	waitpid(pid, NULL, 0);
	munmap(page, bytes);
	return ns;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static const uint32_t batches[] = { 1, 8, 32, 128 };
	uint64_t records = argc > 1 && atoll(argv[1]) > 0 ? (uint64_t)atoll(argv[1]) : 5000000;
	cpu_set_t allowed;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	if (CPU_COUNT(&allowed) < 2) {
		printf("bench_ring: two processes that spin need two cores\n");
		return 0;
	}
	pin(&allowed, 0);
	printf("%8s %14s %16s\n", "batch", "ns/record", "million/s (range)");
	for (unsigned i = 0; i < sizeof(batches) / sizeof(*batches); i++) {
		double ns[RUNS];

		for (int run = 0; run < RUNS; run++)
			ns[run] = measure(&allowed, records, batches[i]);
		qsort(ns, RUNS, sizeof(*ns), compare);
		printf("%8u %14.1f %10.1f (%.1f..%.1f)\n", batches[i], ns[RUNS / 2],
		       1e3 / ns[RUNS / 2], 1e3 / ns[RUNS - 1], 1e3 / ns[0]);
	}
	return 0;
}
