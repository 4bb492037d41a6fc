/*  fabric_start - starts one process per node and passes its descriptors: see fabric.h. Called by
 *  fabric.c only. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_START_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_START_H

#include "orchestrator/fabric/fabric.h"

/** fabric_clock_make() - makes and maps the clock page.
 *  Return: 0 or -errno. */
int fabric_clock_make(struct fabric *fabric);

/** fabric_clock_begin() - real clock: sets fabric time 0, shortly from now, and starts all nodes,
 *  which are ready. */
void fabric_clock_begin(struct fabric *fabric);

/** fabric_nodes_start() - starts every node and sends it its configuration.
 *  Return: 0; -EINTR if interrupted; else -errno, usually with the reason in fabric->failure. */
int fabric_nodes_start(struct fabric *fabric);

/* ---- for fabric_pack.c and fabric_ranks.c ---- */

/** fabric_start_process() - starts @program as @name, the process of the lead @node. @socket
 *  becomes its descriptor 3; borrowed. Return: 0 or -errno. */
int fabric_start_process(struct fabric *fabric, uint32_t node, const char *name,
			 const char *program, int socket);

/** fabric_start_socket() - the control socket of @node; *@end becomes the node's end, the caller's
 *  to close. Return: 0 or -errno. */
int fabric_start_socket(struct fabric *fabric, uint32_t node, int *end);

/** fabric_start_why() - -errno of a start in words. */
const char *fabric_start_why(int error);

/** fabric_start_send() - sends @message over @socket. While too many descriptors of this user are
 *  in flight, waits until nodes have received theirs; @node is not waited for. Return: 0 or -errno.
 *  */
int fabric_start_send(struct fabric *fabric, uint32_t node, int socket,
		      const struct control_message *message);

/* ---- for fabric_real.c ---- */

/** fabric_port_descriptors() - adds the descriptors of port @port of @node under the real clock
 *  (control.h) to @fds. They are made at the call for the first end of a link. Borrowed until
 *  fabric_link_release().
 *  Return: 0 or -errno. */
int fabric_port_descriptors(struct fabric *fabric, uint32_t node, uint32_t port, int *fds,
			    uint32_t *count);

/** fabric_link_release() - both ends of link @link have their descriptors: closes them here. */
void fabric_link_release(struct fabric *fabric, uint32_t link);

/** fabric_node_again() - starts the dead @node again and waits until it is ready.
 *  Return: 0; -errno with the reason in fabric->failure, and it may still run. */
int fabric_node_again(struct fabric *fabric, uint32_t node);

#endif
