/*  write_whole - all the bytes to a file, however many each write() takes. */
#ifndef HEDDLE_NODES_BASE_WRITE_WHOLE_H
#define HEDDLE_NODES_BASE_WRITE_WHOLE_H

#include <stddef.h>

/** write_whole() - writes the @length @bytes to @fd.
 *  Return: how many are written; errno says why if that is less than @length. */
size_t write_whole(int fd, const void *bytes, size_t length);

#endif
