/*  host_dilation - the environment and the settings of a host whose time is dilated (SC-8). */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_HOST_DILATION_H
#define HEDDLE_ORCHESTRATOR_HOSTS_HOST_DILATION_H

#include <stddef.h>
#include <stdint.h>

#include "orchestrator/hosts/namespace.h"

/* where a host of the fabric's own has the library */
#define HOST_DILATION_LIBRARY "/run/libheddle-dilate.so"
#define HOST_DILATION_PRELOAD "LD_PRELOAD"
#define HOST_DILATION_ORIGIN "HEDDLE_DILATION"

/** host_dilation_preload() - the value of LD_PRELOAD with @library before those of @before (NULL:
 *  none), each once.   Return: to be freed; NULL: no memory. */
char *host_dilation_preload(const char *library, const char *before);

/** host_dilation_sysctls() - Linux scales none of its timers: TCP retransmits after 200 ms of the
 *  machine's time at the earliest, which are 2 ms of a fabric dilated 100 times. And its buffers of
 *  4 and 6 MiB are less than fast links have in flight. Both are set for the network namespace that
 *  this process is in. Best effort: the first needs Linux 6.11.
 *  @dilation  2 and more. */
void host_dilation_sysctls(const struct fabric_namespaces *namespaces, uint32_t dilation);

#endif
