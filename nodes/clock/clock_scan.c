#include "nodes/clock/clock_scan.h"

#include <stdbool.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static node_time_t load(const _Atomic node_time_t *time)
{
	return atomic_load_explicit(time, memory_order_relaxed);
}

/* one cache line; most inboxes are empty in most windows, and their lines stay unwritten. Return:
 * its earliest */
static node_time_t merge_line(_Atomic node_time_t *own_next, _Atomic node_time_t *inbox_next)
{
	node_time_t earliest = NODE_TIME_NEVER;

	for (uint32_t i = 0; i < CLOCK_SCAN_LANES; i++) {
		node_time_t own = load(&own_next[i]), inbox = load(&inbox_next[i]);

		if (inbox != NODE_TIME_NEVER)
			inbox = atomic_exchange_explicit(&inbox_next[i], NODE_TIME_NEVER,
							 memory_order_relaxed);
		if (inbox < own) {
			own = inbox;
			atomic_store_explicit(&own_next[i], own, memory_order_relaxed);
		}
		earliest = node_time_min(earliest, own);
	}
	return earliest;
}

static node_time_t merge_plain(_Atomic node_time_t *own_next, _Atomic node_time_t *inbox_next,
			       uint32_t node_count)
{
	node_time_t earliest = NODE_TIME_NEVER;

	for (uint32_t i = 0; i < node_count; i += CLOCK_SCAN_LANES)
		earliest = node_time_min(earliest, merge_line(&own_next[i], &inbox_next[i]));
	return earliest;
}

/* from node @first on */
static uint32_t list_rest(const _Atomic node_time_t *own_next, uint32_t first, uint32_t node_count,
			  node_time_t end, uint32_t *nodes)
{
	uint32_t listed = 0;

	for (uint32_t i = first; i < node_count; i++)
		if (load(&own_next[i]) < end)
			nodes[listed++] = i;
	return listed;
}

static uint32_t list_plain(const _Atomic node_time_t *own_next, uint32_t node_count,
			   node_time_t end, uint32_t *nodes)
{
	return list_rest(own_next, 0, node_count, end, nodes);
}

#if defined(__x86_64__)

#define AVX2 __attribute__((target("avx2")))

/* AVX2 compares signed numbers only: with the top bit flipped they order as the unsigned ones do */
AVX2 static inline __m256i load_ordered(const _Atomic node_time_t *times)
{
	return _mm256_xor_si256(_mm256_load_si256((const __m256i *)(const void *)times),
				_mm256_set1_epi64x(INT64_MIN));
}

AVX2 static inline __m256i lesser(__m256i a, __m256i b)
{
	return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

AVX2 static node_time_t merge_avx2(_Atomic node_time_t *own_next, _Atomic node_time_t *inbox_next,
				   uint32_t node_count)
{
	const __m256i never = _mm256_set1_epi64x(INT64_MAX);
	__m256i least = never;
	_Alignas(32) int64_t lane[4];
	node_time_t earliest = NODE_TIME_NEVER;

	for (uint32_t i = 0; i < node_count; i += CLOCK_SCAN_LANES) {
		__m256i empty = _mm256_and_si256(
			_mm256_cmpeq_epi64(load_ordered(&inbox_next[i]), never),
			_mm256_cmpeq_epi64(load_ordered(&inbox_next[i + 4]), never));

		if (_mm256_movemask_epi8(empty) != -1) {
			earliest =
				node_time_min(earliest, merge_line(&own_next[i], &inbox_next[i]));
			continue;
		}
		least = lesser(least,
			       lesser(load_ordered(&own_next[i]), load_ordered(&own_next[i + 4])));
	}
	_mm256_store_si256((__m256i *)lane, least);
	for (int i = 0; i < 4; i++)
		earliest = node_time_min(earliest, (node_time_t)lane[i] ^ (node_time_t)INT64_MIN);
	return earliest;
}

AVX2 static uint32_t list_avx2(const _Atomic node_time_t *own_next, uint32_t node_count,
			       node_time_t end, uint32_t *nodes)
{
	const __m256i limit = _mm256_set1_epi64x((int64_t)(end ^ (node_time_t)INT64_MIN));
	uint32_t listed = 0, i = 0;

	/* the padding is no node, even if one has written to it */
	for (; i + 4 <= node_count; i += 4) {
		__m256i before = _mm256_cmpgt_epi64(limit, load_ordered(&own_next[i]));
		unsigned set = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(before));

		for (; set; set &= set - 1)
			nodes[listed++] = i + (uint32_t)__builtin_ctz(set);
	}
	return listed + list_rest(own_next, i, node_count, end, nodes + listed);
}

#define HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define merge_avx2 merge_plain
#define list_avx2 list_plain
#define HAS_AVX2 false
#endif

node_time_t clock_scan_merge(_Atomic node_time_t *own_next, _Atomic node_time_t *inbox_next,
			     uint32_t node_count)
{
	return HAS_AVX2 ? merge_avx2(own_next, inbox_next, node_count)
			: merge_plain(own_next, inbox_next, node_count);
}

uint32_t clock_scan_list(const _Atomic node_time_t *own_next, uint32_t node_count, node_time_t end,
			 uint32_t *nodes)
{
	return HAS_AVX2 ? list_avx2(own_next, node_count, end, nodes)
			: list_plain(own_next, node_count, end, nodes);
}
