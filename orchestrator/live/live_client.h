/*  live_client - the connections of commands to the daemon: requests and answers (DU-3, TB-24).
 *
 *  A client sends a line, and is answered, one request after the other. A line of LIVE_REQUEST_MAX
 *  bytes without an end is answered with an error, and the rest of it is discarded. The daemon
 *  never waits for a client: what is not there yet, or is not taken, is left until the socket is
 *  ready. There are LIVE_CLIENTS_MAX places. If all are taken, the client that has been silent for
 *  longest makes place, once that is a second: none can keep others from ending the fabric. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_CLIENT_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_CLIENT_H

#include "orchestrator/live/live.h"
#include "orchestrator/live/live_request.h"

/* a connection: requests are answered one after the other */
struct live_client {
	int fd;            /* -1: free */
	uint64_t heard_ns; /* when it last sent or received */
	char *in;
	size_t in_length;
	bool skipping; /* until the end of a request that was too long */
	char *out;     /* the answer that is being sent; NULL: none */
	size_t out_length, out_sent;
	/* sent with its first byte; duplicates, since a host may leave before that */
	int fds[LIVE_FDS_MAX];
	unsigned fd_count;
	struct live_asker asker;
	uint32_t capture_id; /* live_capture.h; 0: none */
};

struct live_clients {
	struct live *live;
	struct live_client all[LIVE_CLIENTS_MAX];
	/* no descriptor is left for another client: the listener is not to be polled for a while */
	bool accept_paused;
	int asking_fd; /* of the client whose request is being answered; -1: none */
};

void live_clients_init(struct live_clients *clients, struct live *live);

/** live_client_accept() - another client of @listener, which is ready, unless its user may not ask
 *  or there is no place. */
void live_client_accept(struct live_clients *clients, int listener);

/** live_client_serve() - @client is ready: receives, answers, sends, and closes it if it has gone.
 *  @events of poll(). */
void live_client_serve(struct live_clients *clients, struct live_client *client, short events);

/** live_clients_watch() - captures of clients that have gone end; clients are closed whose node has
 *  died. */
void live_clients_watch(struct live_clients *clients);

/** live_clients_close() - closes all. */
void live_clients_close(struct live_clients *clients);

#endif
