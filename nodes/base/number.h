/*  number - the smaller and the larger one of two numbers. */
#ifndef HEDDLE_NODES_BASE_NUMBER_H
#define HEDDLE_NODES_BASE_NUMBER_H

#include <stdint.h>

static inline uint64_t number_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t number_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint32_t number_min32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t number_max32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

#endif
