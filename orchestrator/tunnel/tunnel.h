/*  tunnel - the tunnel process as the daemon of a fabric sees it: sockets, start, orders, news
 *  (SC-5). What it carries: tunnel_process.h. */
#ifndef HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_H
#define HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_H

#include <stdbool.h>
#include <sys/types.h>

#include "nodes/base/why.h"
#include "nodes/config/config.h"
#include "orchestrator/tunnel/tunnel_process.h"

#define TUNNEL_PORT "7117" /* UDP; ours, not assigned to anything */
#define TUNNEL_HOST_MAX 256u

/* one of --machines: NAME, NAME=ADDRESS or NAME=ADDRESS:PORT */
struct tunnel_address {
	char name[NODE_NAME_MAX];
	char host[TUNNEL_HOST_MAX]; /* a name or an address */
	char port[8];
};

struct tunnel_options {
	uint32_t machine_count, self; /* 0: the fabric is on this machine alone */
	struct tunnel_address machines[SCENARIO_MACHINES_MAX];
	uint8_t key[TUNNEL_KEY_BYTES];
	uint8_t digest[TUNNEL_DIGEST_BYTES];
};

struct tunnel {
	const struct tunnel_options *options; /* NULL: there is none */
	pid_t pid;                            /* 0: not started, or ended */
	pid_t pid_shown;
	int control, doorbell;              /* -1 */
	int sockets[SCENARIO_MACHINES_MAX]; /* until they are handed over; -1 */
	struct tunnel_page *page;           /* read-only; NULL */
	struct tunnel_news news[SCENARIO_MACHINES_MAX];
	char fate[64]; /* how it ended; "": it has not */
	/* tunnel_names.h */
	pid_t names_pid;   /* 0: none */
	int names;         /* orders to it; -1 */
	uint64_t names_ns; /* of the last ones */
};

#define TUNNEL_NODE_NAME_MAX (NODE_NAME_MAX + 8u)

/** tunnel_node_name() - the tunnel to @machine among the nodes of a fabric: "tunnel:b", which no
 *  node is called.   Return: @name. */
const char *tunnel_node_name(const char *machine, char name[TUNNEL_NODE_NAME_MAX]);

/** tunnel_address_read() - reads one word of --machines.   Return: false: it is none; @why says
 *  what was expected. */
bool tunnel_address_read(const char *text, struct tunnel_address *address, struct why *why);

/** tunnel_key_read() - the key in the file at @path: 64 hexadecimal digits, and perhaps a newline.
 *  Return: 0; -errno, with the reason in @why. */
int tunnel_key_read(const char *path, uint8_t key[TUNNEL_KEY_BYTES], struct why *why);

/** tunnel_init() - none; @options borrowed. */
void tunnel_init(struct tunnel *tunnel, const struct tunnel_options *options);

/** tunnel_connect() - a socket towards each other machine, in the network namespace of the caller.
 *  A name that is not known yet is an error of its own, since it may be later.
 *  Return: 0; -EAGAIN: @why names the machine whose address is not known; -errno, with @why. */
int tunnel_connect(struct tunnel *tunnel, struct why *why);

/** tunnel_start() - starts the process. @clock_fd of the clock page. @keep_user: privilege.h.
 *  Return: 0 or -errno; tunnel_end() in any case. */
int tunnel_start(struct tunnel *tunnel, int clock_fd, uint32_t link_count, bool keep_user);

/** tunnel_order() - sends @order with @count descriptors, which stay the caller's.
 *  Return: 0; -ESRCH: it does not run; -errno. */
int tunnel_order(struct tunnel *tunnel, const struct tunnel_order *order, const int *fds,
		 unsigned count);

/** tunnel_news_read() - takes the news that have come.   Return: true if there were any. */
bool tunnel_news_read(struct tunnel *tunnel);

/** tunnel_ended() - the process has ended with @status, of waitpid(): tunnel->fate says how. */
void tunnel_ended(struct tunnel *tunnel, int status);

/** tunnel_connected() - does it carry records to and from @machine? */
bool tunnel_connected(const struct tunnel *tunnel, uint32_t machine);

/** tunnel_end() - tells the other machines, and ends the process. Safe if there is none. */
void tunnel_end(struct tunnel *tunnel);

#endif
