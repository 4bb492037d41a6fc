/*  switch_show - the tables of a switch: node_ops.show of every kind, in the form of show_text.h
 *  (TB-9).
 *
 *  A kind lists its tables in switch_ops.tables. Which ports have rows, the order of the ports, and
 *  what an unknown table gives is the same for all kinds. */
#ifndef HEDDLE_SWITCHD_COMMON_SWITCH_SHOW_H
#define HEDDLE_SWITCHD_COMMON_SWITCH_SHOW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nodes/base/time.h"

struct switch_shell;

/* A table prints @head, then its header line, then the rows of the ports in their order. Each of
 * the three may be NULL. */
struct switch_table {
	const char *name;   /* NULL: the end of the list */
	const char *header; /* with its newline */
	/* the rows of @port */
	void (*rows)(const void *dataplane, uint32_t port, FILE *out);
	/* what is not sorted by port; @port as in switch_show() */
	void (*head)(const void *dataplane, int port, FILE *out);
	/* Ports that never had a link have rows too, although no single port was requested. */
	bool vacant_ports;
};

/* A table with one row: "output HEADERS", the output of a frame that begins with these bytes, as
 * hexadecimal digits. For programs that follow a flow; it is not in the list of tables. */
#define SWITCH_SHOW_OUTPUT "output "

/** switch_show() - node_ops.show. switch_shell.shown_ps becomes the fabric's time. */
int switch_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out);

/** switch_port_state() - "edge" or "fabric" if @port has a link in use, else "vacant" or "down". */
const char *switch_port_state(const struct switch_shell *sw, uint32_t port);

/** switch_show_routes() - switch_table.head of table "routes": destinations with their ports. For
 *  kinds with a route table (switch_shell.routes). */
void switch_show_routes(const void *dataplane, int port, FILE *out);

#endif
