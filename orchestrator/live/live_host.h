/*  live_host - the hosts of a running fabric: their settings, their sockets, the names of all
 *  (TB-15). */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_HOST_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_HOST_H

#include <jansson.h>

#include "nodes/base/why.h"
#include "orchestrator/live/live.h"

/* of the interface of a NIC, and of its end in the fabric */
struct live_host_names {
	char interface[IFNAMSIZ], far[IFNAMSIZ];
};

/** live_host_spec() - the interface and addresses of NIC @index, without routes. @names receives
 *  the names of its ends; the spec points to it, and to the plan. */
struct host_net_spec live_host_spec(const struct plan *plan, uint32_t index,
				    struct live_host_names *names);

/** live_host_describe() - name, interfaces and addresses of host @index as JSON. */
json_t *live_host_describe(const struct live *live, uint32_t index);

/** live_hosts_describe() - an array of all hosts that are there; empty while none has a network. */
json_t *live_hosts_describe(const struct live *live);

/** live_hosts_write() - writes names and addresses of all hosts into the file that is their
 *  /etc/hosts; its path to @path.
 *  Return: 0 or -errno. */
int live_hosts_write(const struct live *live, char *path, size_t path_max);

/** live_host_make() - makes host @index in namespaces of its own, or a further interface of a host
 *  (and that first, if it is not made).
 *  Return: 0, or -errno with the reason in @why. */
int live_host_make(struct live *live, uint32_t index, struct why *why);

/** live_host_attach() - gives namespace @network, borrowed, an interface called @interface into the
 *  fabric.  Return: as above. */
int live_host_attach(struct live *live, uint32_t index, int network, const char *interface,
		     struct why *why);

/** live_host_sockets() - packet sockets for the NIC of host @index, to be closed by the caller.
 *  Makes the host if necessary. A NIC that is restarted gets new sockets.
 *  Return: their number, or -errno, with the reason in @why if it is not empty. */
int live_host_sockets(struct live *live, uint32_t index, int fds[NIC_HOST_QUEUES_MAX],
		      struct why *why);

/** live_host_carriers() - each host's interface has a carrier if its link is up: it was not taken
 *  down, and switch and NIC live. A failure is noted in the log. One comparison for each host whose
 *  state is unchanged. */
void live_host_carriers(struct live *live);

/** live_host_end() - ends every program of host @index, and removes the host. An attached
 *  host only loses its interface, and so does one of which @index is a further interface. */
void live_host_end(struct live *live, uint32_t index);

#endif
