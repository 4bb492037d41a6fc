#include "orchestrator/fabric/node_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "nodes/base/bytes.h"
#include "nodes/stats/trace.h"
#include "nodes/wire/address.h"
#include "orchestrator/base/utf8.h"

#define CELL_TEXT_MAX 512u /* longer cells are cut; the longest are names of flows with a mask */

enum kind {
	KIND_NUMBER,
	KIND_TEXT,
	KIND_ANY,
	KIND_FLAG,
	KIND_PS,
	KIND_PORT,
	KIND_PORTS,
	KIND_HOST,
	KIND_EDGE,
	KIND_SWITCH,
	KIND_LID,
	KIND_WORKLOAD,
	KIND_FLOW,
	KIND_NAMES, /* added here: a list of names */
	KIND_ALONE,
};

static const char *const kind_name[] = {
	[KIND_NUMBER] = "",       [KIND_TEXT] = "text",   [KIND_ANY] = "any",
	[KIND_FLAG] = "flag",     [KIND_PS] = "ps",       [KIND_PORT] = "port",
	[KIND_PORTS] = "ports",   [KIND_HOST] = "host",   [KIND_EDGE] = "edge",
	[KIND_SWITCH] = "switch", [KIND_LID] = "lid",     [KIND_WORKLOAD] = "workload",
	[KIND_FLOW] = "flow",     [KIND_NAMES] = "names", [KIND_ALONE] = "alone",
};

static bool is_port(unsigned kind)
{
	return kind == KIND_PORT || kind == KIND_PORTS;
}

/* ---- names ---- */

/* the whole of @text as a number */
static bool number_of(const char *text, int64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoll(text, &end, 10);
	return end != text && !*end && !errno;
}

static const char *host_name(const struct plan *plan, int64_t host)
{
	return host >= 0 && host < plan->host_count
		       ? plan->nodes[plan_host_node(plan, (uint32_t)host)].name
		       : NULL;
}

static const struct node_config *switch_of(const struct plan *plan, int64_t address)
{
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (plan->nodes[i].switch_.fabric_address == address && !plan_vacant(plan, i))
			return &plan->nodes[i];
	return NULL;
}

static const char *peer_name(const struct node_config *node, int64_t port)
{
	return port >= 0 && port < node->port_count ? node->ports[port].peer_name : NULL;
}

/* "ADDRESS.PORT": what is connected there */
static const char *edge_name(const struct plan *plan, const char *cell)
{
	const struct node_config *node = switch_of(plan, strtoll(cell, NULL, 10));
	const char *dot = strchr(cell, '.');

	return node && dot ? peer_name(node, strtoll(dot + 1, NULL, 10)) : NULL;
}

/* the NIC that has @ip; else the one whose number it is an address of, which generated frames
 * have */
static const char *ip_name(const struct plan *plan, const struct ip_address *ip)
{
	uint8_t first[16];

	for (uint32_t i = 0; plan->hosts && i < plan->host_count; i++) {
		const struct host_interface *interface;

		if (plan_vacant(plan, plan_host_node(plan, i)))
			continue;
		interface = plan_host_interface(plan, i);
		for (uint32_t a = 0; a < interface->address_count; a++)
			if (ip_address_same(&interface->addresses[a].ip, ip))
				return host_name(plan, i);
	}
	if (ip->version == 4)
		return ip->bytes[0] == 10
			       ? host_name(plan, (int64_t)(bytes_get32(ip->bytes) & 0xffffff) - 1)
			       : NULL;
	address_ipv6(0, first);
	return memcmp(ip->bytes, first, 12)
		       ? NULL
		       : host_name(plan, (int64_t)bytes_get32(ip->bytes + 12) - 1);
}

/* the host with this address, of any form that flow_name_print() writes; NULL: it is none */
static const char *address_name(const struct plan *plan, const char *word)
{
	struct ip_address ip;
	uint8_t mac[6];
	unsigned byte[6];
	int end = 0;

	if (sscanf(word, "%2x:%2x:%2x:%2x:%2x:%2x%n", &byte[0], &byte[1], &byte[2], &byte[3],
		   &byte[4], &byte[5], &end) == 6 &&
	    !word[end]) {
		uint32_t host;

		for (unsigned i = 0; i < 6; i++)
			mac[i] = (uint8_t)byte[i];
		host = address_host_of_mac(mac);
		return host == ADDRESS_NO_HOST ? NULL : host_name(plan, host);
	}
	return !strchr(word, '/') && ip_address_parse(word, &ip) ? ip_name(plan, &ip) : NULL;
}

/* @cell with the names of hosts for their addresses; of an HPC frame also for its endpoints, the
 * numbers at '>' */
static void flow_names(const struct plan *plan, const char *cell, char text[CELL_TEXT_MAX])
{
	bool hpc = !strncmp(cell, "hpc ", 4);
	char copy[CELL_TEXT_MAX], *rest = copy, *word, *before = NULL;
	size_t length = 0;

	snprintf(copy, sizeof(copy), "%s", cell);
	text[0] = 0;
	while ((word = strsep(&rest, " "))) {
		const char *name = address_name(plan, word);
		int64_t endpoint;

		if (hpc && ((rest && rest[0] == '>') || (before && !strcmp(before, ">"))) &&
		    number_of(word, &endpoint))
			name = host_name(plan, endpoint - 1);
		length += (size_t)snprintf(text + length, CELL_TEXT_MAX - length, "%s%s",
					   length ? " " : "", name ? name : word);
		if (length >= CELL_TEXT_MAX)
			return;
		before = word;
	}
}

/* @cell of @kind with names for numbers; in @text, or as it is */
static const char *named(const struct plan *plan, unsigned kind, const char *cell,
			 char text[CELL_TEXT_MAX])
{
	const char *name = NULL;
	int64_t number = -1;

	if (kind == KIND_FLOW) {
		flow_names(plan, cell, text);
		return text;
	}
	if (kind == KIND_EDGE)
		name = edge_name(plan, cell);
	else if (!number_of(cell, &number))
		return cell;
	else if (kind == KIND_HOST)
		name = host_name(plan, number);
	else if (kind == KIND_LID)
		name = host_name(plan, number - 1);
	else if (kind == KIND_SWITCH)
		name = switch_of(plan, number) ? switch_of(plan, number)->name : NULL;
	else if (kind == KIND_WORKLOAD)
		name = number >= 0 && number < plan->workload_count ? plan->workloads[number].name
								    : NULL;
	return name && name[0] ? name : cell;
}

/* the peers of ports @cell: their names, with blanks between */
static void peers_of(const struct node_config *node, const char *cell, char text[CELL_TEXT_MAX])
{
	size_t length = 0;
	char *end;

	text[0] = 0;
	for (const char *at = cell; length < CELL_TEXT_MAX; at = end) {
		long long port = strtoll(at, &end, 10);
		const char *name;

		if (end == at)
			return;
		name = peer_name(node, port);
		length += (size_t)snprintf(text + length, CELL_TEXT_MAX - length, "%s%s",
					   length ? " " : "", name && name[0] ? name : "-");
	}
}

/* ---- reading ---- */

static struct node_column column_read(char *word)
{
	struct node_column column = { .kind = KIND_NUMBER };
	char *kind = word;

	snprintf(column.name, sizeof(column.name), "%s", strsep(&kind, ":"));
	for (unsigned k = 0; kind && k < COUNT_OF(kind_name); k++)
		if (!strcmp(kind_name[k], kind))
			column.kind = k;
	return column;
}

/* the column of the peers of port column @port: "peer", "follow_peer", "peers", ... */
static struct node_column peer_column(const struct node_column *port)
{
	bool many = port->kind == KIND_PORTS;
	struct node_column column = { .kind = many ? KIND_NAMES : KIND_TEXT };
	const char *word = strstr(port->name, "port");
	int before = (int)(word ? word - port->name : 0);

	if (word)
		snprintf(column.name, sizeof(column.name), "%.*speer%s", before, port->name,
			 many ? "s" : "");
	else
		snprintf(column.name, sizeof(column.name), "%.38s_peer%s", port->name,
			 many ? "s" : "");
	return column;
}

static int column_index(const struct node_table *table, const char *name)
{
	for (uint32_t c = 0; c < table->column_count; c++)
		if (!strcmp(table->columns[c].name, name))
			return (int)c;
	return -1;
}

static bool has_column(char *const *words, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strncmp(words[i], name, strlen(name)) && strchr(":", words[i][strlen(name)]))
			return true;
	return false;
}

/* the words of @line between tabs. Return: their number */
static uint32_t words_of(char *line, char *words[NODE_TABLE_COLUMNS_MAX])
{
	uint32_t count = 0;

	while (line && count < NODE_TABLE_COLUMNS_MAX)
		words[count++] = strsep(&line, "\t");
	return count;
}

/* a table that is read */
struct reading {
	struct node_table *table;
	const struct plan *plan;
	const struct node_config *node;
	bool headed;
	bool peers[NODE_TABLE_COLUMNS_MAX]; /* the column has the peers of the one before it */
};

static void heading_read(struct reading *reading, char *line)
{
	struct node_table *table = reading->table;
	char *words[NODE_TABLE_COLUMNS_MAX];
	uint32_t count = words_of(line, words);
	bool peer = has_column(words, count, "peer");

	reading->headed = true;
	for (uint32_t i = 0; i < count && table->column_count < NODE_TABLE_COLUMNS_MAX; i++) {
		struct node_column column = column_read(words[i]);

		table->columns[table->column_count++] = column;
		if (!is_port(column.kind) || (peer && !strcmp(column.name, "port")) ||
		    table->column_count == NODE_TABLE_COLUMNS_MAX)
			continue;
		reading->peers[table->column_count] = true;
		table->columns[table->column_count++] = peer_column(&column);
	}
}

static int cell_put(char **cell, const char *text)
{
	*cell = NULL;
	if (!text || !text[0] || !strcmp(text, "-"))
		return 0;
	*cell = strdup(text);
	return *cell ? 0 : -ENOMEM;
}

static int row_read(struct reading *reading, char *line)
{
	struct node_table *table = reading->table;
	char *words[NODE_TABLE_COLUMNS_MAX], text[CELL_TEXT_MAX], **cells;
	uint32_t count = words_of(line, words), at = 0;
	size_t needed = (size_t)(table->row_count + 1) * table->column_count;
	int error = 0;

	if (needed > table->cells_max) {
		size_t more = 2 * needed + 64;

		cells = realloc(table->cells, more * sizeof(*cells));
		if (!cells)
			return -ENOMEM;
		table->cells = cells;
		table->cells_max = (uint32_t)more;
	}
	cells = table->cells + (size_t)table->row_count++ * table->column_count;
	memset(cells, 0, table->column_count * sizeof(*cells));
	for (uint32_t c = 0; c < table->column_count && !error; c++) {
		if (reading->peers[c] && at <= count) {
			peers_of(reading->node, words[at - 1], text);
			error = cell_put(&cells[c], text);
		} else if (at < count) {
			error = cell_put(&cells[c], named(reading->plan, table->columns[c].kind,
							  words[at], text));
			at++;
		}
	}
	return error;
}

static int fact_read(struct reading *reading, char *line)
{
	struct node_table *table = reading->table;
	struct node_fact *fact = &table->facts[table->fact_count];
	char *word = strsep(&line, "\t"), text[CELL_TEXT_MAX];

	if (table->fact_count == NODE_TABLE_FACTS_MAX)
		return 0;
	table->fact_count++;
	fact->column = column_read(word);
	return cell_put(&fact->cell,
			line ? named(reading->plan, fact->column.kind, line, text) : NULL);
}

int node_table_read(const struct plan *plan, uint32_t node, char *text, struct node_table *table)
{
	struct reading reading = { .table = table, .plan = plan, .node = &plan->nodes[node] };
	char *line;
	int error = 0;

	*table = (struct node_table){ 0 };
	utf8_mend(text);
	utf8_plain_lines(text);
	while (!error && (line = strsep(&text, "\n"))) {
		if (!line[0])
			continue;
		if (line[0] == '=')
			error = fact_read(&reading, line + 1);
		else if (!reading.headed)
			heading_read(&reading, line);
		else
			error = row_read(&reading, line);
	}
	if (error)
		node_table_free(table);
	return error;
}

void node_table_free(struct node_table *table)
{
	for (size_t i = 0; i < (size_t)table->row_count * table->column_count; i++)
		free(table->cells[i]);
	for (uint32_t i = 0; i < table->fact_count; i++)
		free(table->facts[i].cell);
	free(table->cells);
	*table = (struct node_table){ 0 };
}

/* ---- trace records ---- */

static void entry_write(const struct node_config *node, const struct trace_entry *entry, FILE *out)
{
	const struct trace_row *row = trace_row(entry->kind);
	const char *word = trace_detail_word(entry->kind, entry->detail);

	fprintf(out, "%" PRIu64 "\t%s\t%u\t", entry->at_ps, row->name, entry->port);
	if (row->has_class && entry->traffic_class < node->class_count)
		fputs(node->classes[entry->traffic_class].name, out);
	fputc('\t', out);
	if (entry->source)
		fprintf(out, "%u", entry->source - 1);
	fputc('\t', out);
	if (entry->destination)
		fprintf(out, "%u", entry->destination - 1);
	fprintf(out, "\t%s\t", row->detail);
	if (word)
		fputs(word, out);
	else if (row->detail[0])
		fprintf(out, "%u", entry->detail);
	fprintf(out, "\t%s\t", row->value);
	if (row->value[0])
		fprintf(out, "%" PRIu64, (uint64_t)entry->value);
	fputc('\n', out);
}

int node_table_trace(const struct plan *plan, uint32_t node, const struct stats_page *page,
		     struct node_table *table)
{
	const struct trace_entry *ring =
		(const struct trace_entry *)((const char *)page + page->trace_offset);
	/* once: the node may write it */
	uint64_t end = __atomic_load_n(&page->trace.count, __ATOMIC_RELAXED);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int error = -ENOMEM;

	if (!out)
		return error;
	fputs("at_us:ps\tevent:text\tport:port\tclass:text\tsource:host\tdestination:host\t"
	      "detail_name:text\tdetail:any\tvalue_name:text\tvalue\n",
	      out);
	for (uint64_t at = end > STATS_TRACE_MAX ? end - STATS_TRACE_MAX : 0; at < end; at++) {
		struct trace_entry entry = ring[at % STATS_TRACE_MAX];

		/* the copy is what is checked, and what is used */
		__atomic_signal_fence(__ATOMIC_ACQ_REL);
		entry_write(&plan->nodes[node], &entry, out);
	}
	if (!fclose(out))
		error = node_table_read(plan, node, text, table);
	free(text);
	return error;
}

/* ---- text ---- */

/* @cell as people read it: in @text, or as it is */
static const char *shown(unsigned kind, const char *cell, char text[CELL_TEXT_MAX])
{
	size_t length = 0;
	int64_t number;
	char *end;

	if (!cell)
		return "-";
	switch (kind) {
	case KIND_FLAG:
		return strcmp(cell, "0") ? "yes" : "no";
	case KIND_PS:
		if (!number_of(cell, &number))
			return cell;
		snprintf(text, CELL_TEXT_MAX, "%" PRId64 ".%03" PRId64, number / (int64_t)NODE_US,
			 number % (int64_t)NODE_US / (int64_t)NODE_NS);
		return text;
	case KIND_PORT:
	case KIND_ALONE:
	case KIND_PORTS:
		text[0] = 0;
		for (const char *at = cell; length < CELL_TEXT_MAX; at = end) {
			long long port = strtoll(at, &end, 10);

			if (end == at)
				break;
			length += (size_t)snprintf(text + length, CELL_TEXT_MAX - length, "%sp%lld",
						   length ? " " : "", port);
		}
		return text;
	default:
		return cell;
	}
}

static bool to_the_right(unsigned kind)
{
	return kind == KIND_NUMBER || kind == KIND_PS;
}

static void facts_print(const struct node_table *table, FILE *out)
{
	char text[CELL_TEXT_MAX];

	for (uint32_t i = 0; i < table->fact_count; i++)
		fprintf(out, "%s%s %s", i ? ", " : "", table->facts[i].column.name,
			shown(table->facts[i].column.kind, table->facts[i].cell, text));
	if (table->fact_count)
		fputc('\n', out);
}

static void cell_print(const struct node_table *table, uint32_t c, const char *cell, int width,
		       FILE *out)
{
	bool last = c + 1 == table->column_count;

	if (to_the_right(table->columns[c].kind))
		fprintf(out, "%*s", width, cell);
	else
		fprintf(out, "%-*s", last ? 0 : width, cell);
	fputs(last ? "\n" : "  ", out);
}

void node_table_print(const struct node_table *table, FILE *out)
{
	int width[NODE_TABLE_COLUMNS_MAX];
	char text[CELL_TEXT_MAX];

	facts_print(table, out);
	for (uint32_t c = 0; c < table->column_count; c++)
		width[c] = (int)strlen(table->columns[c].name);
	for (uint32_t r = 0; r < table->row_count; r++)
		for (uint32_t c = 0; c < table->column_count; c++) {
			const char *cell = table->cells[r * table->column_count + c];
			int length = (int)strlen(shown(table->columns[c].kind, cell, text));

			width[c] = length > width[c] ? length : width[c];
		}
	for (uint32_t c = 0; c < table->column_count; c++)
		cell_print(table, c, table->columns[c].name, width[c], out);
	for (uint32_t r = 0; r < table->row_count; r++)
		for (uint32_t c = 0; c < table->column_count; c++)
			cell_print(table, c,
				   shown(table->columns[c].kind,
					 table->cells[r * table->column_count + c], text),
				   width[c], out);
}

/* ---- JSON ---- */

/* the words of @cell, as numbers or as names */
static json_t *list_json(const char *cell, bool numbers)
{
	json_t *list = json_array();
	char copy[CELL_TEXT_MAX], *rest = copy, *word;

	snprintf(copy, sizeof(copy), "%s", cell ? cell : "");
	while ((word = strsep(&rest, " ")))
		if (word[0])
			json_array_append_new(list, numbers ? json_integer(strtoll(word, NULL, 10))
							    : json_string(word));
	return list;
}

/* NULL: it is no number */
static json_t *number_json(const char *cell)
{
	int64_t number;
	double real;
	char *end;

	if (number_of(cell, &number))
		return json_integer(number);
	real = strtod(cell, &end);
	return end != cell && !*end && real - real == 0 ? json_real(real) : NULL;
}

static json_t *cell_json(unsigned kind, const char *cell)
{
	json_t *value = NULL;
	int64_t number;

	if (kind == KIND_PORTS || kind == KIND_NAMES)
		return list_json(cell, kind == KIND_PORTS);
	if (!cell)
		return json_null();
	if (kind == KIND_FLAG)
		return json_boolean(strcmp(cell, "0"));
	if (kind == KIND_PS && number_of(cell, &number))
		return json_real((double)number / NODE_US);
	if (kind == KIND_NUMBER || kind == KIND_ANY || kind == KIND_PORT || kind == KIND_ALONE)
		value = number_json(cell);
	return value ? value : json_string(cell);
}

json_t *node_table_json(const struct node_table *table, const char *node, const char *name)
{
	json_t *object = json_object(), *rows = json_array();

	json_object_set_new(object, "node", json_string(node));
	json_object_set_new(object, "table", json_string(name));
	for (uint32_t i = 0; i < table->fact_count; i++)
		json_object_set_new(object, table->facts[i].column.name,
				    cell_json(table->facts[i].column.kind, table->facts[i].cell));
	for (uint32_t r = 0; r < table->row_count; r++) {
		json_t *row = json_object();

		for (uint32_t c = 0; c < table->column_count; c++)
			json_object_set_new(row, table->columns[c].name,
					    cell_json(table->columns[c].kind,
						      table->cells[r * table->column_count + c]));
		json_array_append_new(rows, row);
	}
	if (json_object_set_new(object, "rows", rows)) {
		json_decref(object);
		return NULL;
	}
	return object;
}

/* ---- cells ---- */

const char *node_table_cell(const struct node_table *table, uint32_t row, const char *column)
{
	int c = column_index(table, column);

	return c < 0 || row >= table->row_count
		       ? NULL
		       : table->cells[row * table->column_count + (uint32_t)c];
}

int64_t node_table_number(const struct node_table *table, uint32_t row, const char *column)
{
	const char *cell = node_table_cell(table, row, column);
	int64_t number;

	return cell && number_of(cell, &number) ? number : 0;
}
