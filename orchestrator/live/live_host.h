/*  live_host - the attached hosts of a running fabric: what each is to look like, its sockets, the
 *  names of all (TB-15). */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_HOST_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_HOST_H

#include <jansson.h>

#include "orchestrator/live/live.h"

/** live_host_spec() - what host @index is to look like from inside. @far_name holds its name in the
 *  fabric, and outlives it. */
struct host_net_spec live_host_spec(const struct plan *plan, uint32_t index,
				    char far_name[IFNAMSIZ]);

/** live_host_describe() - name, interface and addresses of host @index as JSON. */
json_t *live_host_describe(const struct live *live, uint32_t index);

/** live_hosts_write() - names and addresses of all hosts, into the file that hosts see as
 *  /etc/hosts; its path to @path.
 *  Return: 0 or -errno. */
int live_hosts_write(const struct live *live, char *path, size_t path_max);

/** live_host_make() - host @index in namespaces of its own. Return: 0, or -errno with the reason in
 *  @why. */
int live_host_make(struct live *live, uint32_t index, char *why, size_t why_max);

/** live_host_sockets() - packet sockets for the NIC of host @index, the caller's: makes the host if
 *  it is not there yet; a
 *  NIC that is started again gets fresh ones. Return: their number, or -errno with the reason in
 *  @why, if there is one. */
int live_host_sockets(struct live *live, uint32_t index, int fds[NIC_HOST_QUEUES_MAX], char *why,
		      size_t why_max);

/** live_host_end() - kills every program in the network of host @index, and takes the host away.
 *  One that was attached only loses its interface. */
void live_host_end(struct live *live, uint32_t index);

#endif
