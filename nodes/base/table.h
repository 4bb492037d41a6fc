/*  table - memory for large tables: zeroed, aligned to cache lines, and real only where it is
 *  touched. A switch may use 2048 channels at each of 64 ports, and pays for those that it uses
 *  (TB-13). */
#ifndef HEDDLE_NODES_BASE_TABLE_H
#define HEDDLE_NODES_BASE_TABLE_H

#include <stddef.h>

/** table_alloc() - @count items of @size bytes, all zero, page-aligned. Return: NULL if memory is
 *  short. */
void *table_alloc(size_t count, size_t size);

/** table_free() - releases what table_alloc() gave for the same @count and @size; NULL is fine. */
void table_free(void *table, size_t count, size_t size);

#endif
