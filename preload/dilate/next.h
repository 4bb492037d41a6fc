/*  next - the function of the C library that one of this library replaces. */
#ifndef HEDDLE_PRELOAD_DILATE_NEXT_H
#define HEDDLE_PRELOAD_DILATE_NEXT_H

#include <stdatomic.h>

/** dilate_next() - function @name of the C library, looked up once into @slot. A library without it
 *  ends the program. */
void *dilate_next(_Atomic(void *) *slot, const char *name);

/* the function of the C library with the same name as the one defined here */
#define NEXT(name)                                             \
	({                                                     \
		static _Atomic(void *) slot_;                  \
		(__typeof__(&name))dilate_next(&slot_, #name); \
	})

#endif
