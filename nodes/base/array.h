/*  array - the number of elements of an array. */
#ifndef HEDDLE_NODES_BASE_ARRAY_H
#define HEDDLE_NODES_BASE_ARRAY_H

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
