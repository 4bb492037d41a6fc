/*  array_grow - space for one more element of an array on the heap, which doubles when it is
 *  full. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_ARRAY_GROW_H
#define HEDDLE_ORCHESTRATOR_BASE_ARRAY_GROW_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/** array_grow() - makes space for an element after the @count that an array has.
 *  @array  the address of the pointer to its first element, which may be NULL.
 *  @size   elements that fit, 0 before the first call.   @first  so many at first.
 *  @bytes  of an element.   Return: false: memory is short, and the array is as before. */
static inline bool array_grow(void *array, size_t count, size_t *size, size_t first, size_t bytes)
{
	size_t larger = *size ? 2 * *size : first;
	void *elements;

	if (count < *size)
		return true;
	memcpy(&elements, array, sizeof(elements));
	elements = realloc(elements, larger * bytes);
	if (!elements)
		return false;
	memcpy(array, &elements, sizeof(elements));
	*size = larger;
	return true;
}

#endif
