/*  live_dilation - programs in hosts see the time of a dilated fabric (SC-8).
 *
 *  Each host has the library (preload/dilate/dilate.h) mounted at one place, whatever its files
 *  are. Its programs are started with LD_PRELOAD and the origin of time, which is the same for all
 *  hosts. Hosts with files for another C library than glibc (musl: Alpine) cannot load it: their
 *  programs have the machine's time. Programs in an attached container keep it too, unless
 *  `heddle exec` starts them. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_DILATION_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_DILATION_H

#include <jansson.h>

#include "orchestrator/live/live.h"

#define LIVE_DILATION_ORIGIN_MAX 96u

/** live_dilation_open() - finds the library, if the time of @live is dilated.
 *  Return: 0; -ENOENT: it is not beside heddle. */
int live_dilation_open(struct live *live);

/** live_dilation_reaches() - do programs of host @index see the fabric's time? */
bool live_dilation_reaches(const struct live *live, uint32_t index);

/** live_dilation_mount() - the mount that host @index needs, or false. */
bool live_dilation_mount(const struct live *live, uint32_t index, struct room_mount *mount);

/** live_dilation_origin() - the value of HEDDLE_DILATION.   Return: @text. */
const char *live_dilation_origin(const struct live *live, char text[LIVE_DILATION_ORIGIN_MAX]);

/** live_dilation_put() - adds "dilation" and "preload" to @answer, the environment of programs that
 *  are started in host @index. @own  it is a host of the fabric's own, not an attached one. */
void live_dilation_put(const struct live *live, uint32_t index, bool own, json_t *answer);

#endif
