/*  prefetch - prefetches cache lines that are used soon.
 *
 *  Most memory of a node of a large fabric is in no cache of its core. An address that is known
 *  early, such as that of the next record of a ring, is prefetched, and the work before its use
 *  hides the wait. A prefetch has no other effect, whatever the address. Source: ours, measured
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
