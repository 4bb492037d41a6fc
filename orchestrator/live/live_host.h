/*  live_host - the hosts of a running fabric: their settings, their sockets, the names of all
 *  (TB-15). */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_HOST_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_HOST_H

#include <jansson.h>

#include "orchestrator/live/live.h"

/** live_host_spec() - interface and addresses of host @index. @far_name receives the name of the
 *  NIC-side end; the spec points to it. */
struct host_net_spec live_host_spec(const struct plan *plan, uint32_t index,
				    char far_name[IFNAMSIZ]);

/** live_host_describe() - name, interface and addresses of host @index as JSON. */
json_t *live_host_describe(const struct live *live, uint32_t index);

/** live_hosts_write() - writes names and addresses of all hosts into the file that is their
 *  /etc/hosts; its path to @path.
 *  Return: 0 or -errno. */
int live_hosts_write(const struct live *live, char *path, size_t path_max);

/** live_host_make() - makes host @index in namespaces of its own.
 *  Return: 0, or -errno with the reason in @why. */
int live_host_make(struct live *live, uint32_t index, char *why, size_t why_max);

/** live_host_sockets() - packet sockets for the NIC of host @index, to be closed by the caller.
 *  Makes the host if necessary. A NIC that is restarted gets new sockets.
 *  Return: their number, or -errno, with the reason in @why if it is not empty. */
int live_host_sockets(struct live *live, uint32_t index, int fds[NIC_HOST_QUEUES_MAX], char *why,
		      size_t why_max);

/** live_host_end() - kills every program in the network namespace of host @index, and removes the
 *  host. An attached host only loses its interface. */
void live_host_end(struct live *live, uint32_t index);

#endif
