#include "switchd/common/switch_show.h"

#include <errno.h>
#include <string.h>

#include "nodes/node/show_text.h"
#include "switchd/common/switch.h"

const char *switch_port_state(const struct switch_shell *sw, uint32_t port)
{
	const struct port_config *config = &sw->config->ports[port];

	if (*sw->ports_up >> port & 1)
		return config->kind == PORT_EDGE ? "edge" : "fabric";
	return config->vacant ? "vacant" : "down";
}

void switch_show_routes(const void *dataplane, int port, FILE *out)
{
	const struct route_table *routes = ((const struct switch_shell *)dataplane)->routes;

	(void)port;
	fputs("dest:switch\tports:ports\n", out);
	for (uint32_t a = 0; a < routes->address_count; a++) {
		const struct route *route = &routes->routes[a];
		uint64_t ports = 0;

		if (!route->port_count)
			continue;
		for (uint32_t i = 0; i < route->port_count; i++)
			ports |= 1ull << route->ports[i];
		fprintf(out, "%u\t", a);
		show_text_ports(ports, out);
		fputc('\n', out);
	}
}

static bool has_rows(const struct switch_shell *sw, const struct switch_table *table, uint32_t port)
{
	return table->vacant_ports || *sw->ports_up >> port & 1 || !sw->config->ports[port].vacant;
}

static void table_print(const struct switch_shell *sw, const struct switch_table *table, int port,
			FILE *out)
{
	if (table->head)
		table->head(sw, port, out);
	if (table->header)
		fputs(table->header, out);
	for (uint32_t p = 0; table->rows && p < sw->port_count; p++)
		if (port == (int)p || (port < 0 && has_rows(sw, table, p)))
			table->rows(sw, p, out);
}

#define FRAME_LONGEST (1u << 16) /* lengths in headers are below it */

/* the bytes of @hex.  Return: their number; 0: it is not hexadecimal, or too long */
static uint32_t hex_read(const char *hex, uint8_t bytes[FRAME_HEADERS_MAX])
{
	uint32_t count = 0;
	unsigned byte;
	int end;

	for (; count < FRAME_HEADERS_MAX && *hex; hex += 2) {
		if (sscanf(hex, "%2x%n", &byte, &end) != 1 || end != 2)
			return 0;
		bytes[count++] = (uint8_t)byte;
	}
	return *hex ? 0 : count; /* a parser checks what is not there */
}

static int output_show(const struct switch_shell *sw, const char *hex, FILE *out)
{
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t count = hex_read(hex, bytes);
	struct frame_fields fields;
	int port;

	if (!count || frame_parse(bytes, count, FRAME_LONGEST, &fields))
		return -EINVAL;
	port = sw->ops->output_of(sw, &fields);
	fputs("port:port\n", out);
	if (port >= 0)
		fprintf(out, "%d\n", port);
	return 0;
}

int switch_show(void *dataplane, const char *name, int port, node_time_t now, FILE *out)
{
	struct switch_shell *sw = dataplane;
	const struct switch_table *table = sw->ops->tables;

	if (port < -1 || port >= (int)sw->port_count)
		return -EINVAL;
	sw->shown_ps = node_time_max(now, sw->stats->now_ps);
	if (sw->ops->output_of && !strncmp(name, SWITCH_SHOW_OUTPUT, strlen(SWITCH_SHOW_OUTPUT)))
		return output_show(sw, name + strlen(SWITCH_SHOW_OUTPUT), out);
	for (; table->name; table++)
		if (!strcmp(table->name, name)) {
			table_print(sw, table, port, out);
			return 0;
		}
	for (table = sw->ops->tables; table->name; table++)
		fprintf(out, "%s ", table->name);
	fprintf(out, "trace\n");
	return -ENOENT;
}
