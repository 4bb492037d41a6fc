/*  memory - shared memory without a name (TB-2). */
#ifndef HEDDLE_NODES_PROCESS_MEMORY_H
#define HEDDLE_NODES_PROCESS_MEMORY_H

#include <stddef.h>

/** memory_make() - anonymous shared memory of @size bytes that cannot be resized.
 *  Return: its descriptor or -errno. */
int memory_make(const char *name, size_t size);

/** memory_make_with() - the same, beginning with the @head_size bytes at @head. */
int memory_make_with(const char *name, size_t size, const void *head, size_t head_size);

#endif
