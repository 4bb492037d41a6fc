/*  waiting - the packets that wait at an output, by flow: table "waiting" of kinds in which flows
 *  share queues.
 *
 *  A row stands for the packets of one flow in one queue, from one input. A generated flow is known
 *  by its source and its slot there; other frames by the hosts of their MAC addresses. */
#ifndef HEDDLE_SWITCHD_COMMON_WAITING_H
#define HEDDLE_SWITCHD_COMMON_WAITING_H

#include <stdint.h>
#include <stdio.h>

#include "switchd/common/packet.h"
#include "switchd/common/switch.h"

#define WAITING_LINES_MAX 4096u /* of an output; what is left has one row, without a flow */

/* columns of switch_table.header, after the port */
#define WAITING_COLUMNS                                                                      \
	"class:text\tlevel\tsource:host\tdestination:host\tslot\tinput_port:port\tpackets\t" \
	"bytes\n"

struct waiting_line {
	uint32_t source, destination; /* ADDRESS_NO_HOST: not known */
	uint32_t slot;                /* of a generated flow; UINT32_MAX */
	uint8_t traffic_class, level, in_port;
	uint64_t packets, bytes;
};

struct waiting {
	struct waiting_line *lines; /* NULL: memory is short, nothing is counted */
	uint16_t *chains;           /* by hash: line + 1; 0: free */
	uint32_t count;
};

/** waiting_init() - no packets. Allocates: for `show` only. waiting_print() is due. */
void waiting_init(struct waiting *waiting);

/** waiting_add() - the packets of @queue, each of @level and with @bytes_of of it. O(packets). */
void waiting_add(struct waiting *waiting, const struct packet_queue *queue, uint32_t level,
		 uint32_t (*bytes_of)(const struct packet *packet));

/** waiting_print() - prints the rows of output @port of @sw to @out, then frees @waiting. */
void waiting_print(struct waiting *waiting, const struct switch_shell *sw, uint32_t port,
		   FILE *out);

#endif
