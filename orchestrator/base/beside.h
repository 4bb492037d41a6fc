/*  beside - the files that Heddle consists of beside this program. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_BESIDE_H
#define HEDDLE_ORCHESTRATOR_BASE_BESIDE_H

#include <stddef.h>

/** beside_find() - the file @name in the folder of this program, or where `make install` puts it.
 *  @mode  as of access(2).  @path  filled.
 *  Return: 0 or -ENOENT. */
int beside_find(const char *name, int mode, char *path, size_t path_max);

#endif
