#include "switchd/common/waiting.h"

#include <inttypes.h>
#include <stdlib.h>

#include "nodes/wire/address.h"

#define NO_SLOT UINT32_MAX
#define CHAINS (2 * WAITING_LINES_MAX) /* half of them are free */

void waiting_init(struct waiting *waiting)
{
	*waiting = (struct waiting){ .lines = calloc(WAITING_LINES_MAX, sizeof(*waiting->lines)),
				     .chains = calloc(CHAINS, sizeof(*waiting->chains)) };
	if (waiting->lines && waiting->chains)
		return;
	free(waiting->lines);
	free(waiting->chains);
	*waiting = (struct waiting){ 0 };
}

/* whose packet it is */
static struct waiting_line line_of(const struct packet *packet, uint32_t level)
{
	struct waiting_line line = { .slot = NO_SLOT,
				     .traffic_class = packet->traffic_class,
				     .level = (uint8_t)level,
				     .in_port = packet->in_port };
	struct frame_payload payload;

	line.destination = address_host_of_mac(packet->bytes);
	line.source = address_host_of_mac(packet->bytes + 6);
	if (!frame_payload_read(packet->bytes, packet_first_bytes(packet), packet->frame_bytes,
				&payload)) {
		line.source = payload.source;
		line.slot = payload.flow_slot;
	}
	return line;
}

static bool same(const struct waiting_line *a, const struct waiting_line *b)
{
	return a->source == b->source && a->destination == b->destination && a->slot == b->slot &&
	       a->traffic_class == b->traffic_class && a->level == b->level &&
	       a->in_port == b->in_port;
}

/* the line of @key, a new one if there is none */
static struct waiting_line *line_find(struct waiting *waiting, const struct waiting_line *key)
{
	uint64_t hash = (((uint64_t)key->source << 32 | key->destination) ^
			 (uint64_t)key->slot << 16 ^ (uint64_t)key->in_port << 8 ^ key->level) *
			0x9e3779b97f4a7c15u;
	uint32_t at = (uint32_t)(hash >> 40) % CHAINS;

	for (; waiting->chains[at]; at = (at + 1) % CHAINS)
		if (same(&waiting->lines[waiting->chains[at] - 1], key))
			return &waiting->lines[waiting->chains[at] - 1];
	if (waiting->count == WAITING_LINES_MAX) {
		struct waiting_line *last = &waiting->lines[WAITING_LINES_MAX - 1];

		last->source = last->destination = ADDRESS_NO_HOST;
		last->slot = NO_SLOT;
		return last;
	}
	waiting->lines[waiting->count] = *key;
	waiting->chains[at] = (uint16_t)++waiting->count;
	return &waiting->lines[waiting->count - 1];
}

void waiting_add(struct waiting *waiting, const struct packet_queue *queue, uint32_t level,
		 uint32_t (*bytes_of)(const struct packet *packet))
{
	if (!waiting->lines)
		return;
	for (const struct packet *packet = queue->head; packet; packet = packet->next) {
		struct waiting_line key = line_of(packet, level), *line = line_find(waiting, &key);

		line->packets++;
		line->bytes += bytes_of(packet);
		if (packet == queue->tail)
			break;
	}
}

static void host_print(uint32_t host, FILE *out)
{
	if (host != ADDRESS_NO_HOST)
		fprintf(out, "%" PRIu32, host);
	fputc('\t', out);
}

void waiting_print(struct waiting *waiting, const struct switch_shell *sw, uint32_t port, FILE *out)
{
	for (uint32_t i = 0; i < waiting->count; i++) {
		const struct waiting_line *line = &waiting->lines[i];

		fprintf(out, "%" PRIu32 "\t%s\t%u\t", port,
			sw->config->classes[line->traffic_class].name, line->level);
		host_print(line->source, out);
		host_print(line->destination, out);
		host_print(line->slot, out); /* UINT32_MAX too: none */
		fprintf(out, "%u\t%" PRIu64 "\t%" PRIu64 "\n", line->in_port, line->packets,
			line->bytes);
	}
	free(waiting->lines);
	free(waiting->chains);
}
