/*  prefetch - asks for cache lines that are used soon.
 *
 *  A node of a large fabric finds most of its memory in no cache of its core. What is known early,
 *  such as where the next record of a ring is, is asked for early, and the work before hides the
 *  wait. Asking has no other effect, whatever the address. Source: ours, measured
 *  (docs/performance.md, packet-hops as fabrics grow). */
#ifndef HEDDLE_NODES_BASE_PREFETCH_H
#define HEDDLE_NODES_BASE_PREFETCH_H

/** prefetch_read() - the line of @address will be read. */
static inline void prefetch_read(const void *address)
{
	__builtin_prefetch(address);
}

/** prefetch_write() - the line of @address will be written: no other core keeps a copy. gcc makes a
 *  read of __builtin_prefetch(address, 1) unless it builds for later processors than all of
 *  x86-64. */
static inline void prefetch_write(const void *address)
{
#ifdef __x86_64__
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)address));
#else
	__builtin_prefetch(address, 1);
#endif
}

#endif
