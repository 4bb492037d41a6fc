#include "orchestrator/results/event_row.h"

#include <inttypes.h>
#include <string.h>

enum events_format events_format_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && (!strcmp(dot, ".jsonl") || !strcmp(dot, ".ndjson") || !strcmp(dot, ".json"))
		       ? EVENTS_JSON_LINES
		       : EVENTS_CSV;
}

void event_row_head(enum events_format format, FILE *out)
{
	if (format == EVENTS_CSV)
		fputs("at_ps,node,port,peer,event,class,source,destination,detail,value\n", out);
}

static void row_csv(const struct event_row *row, FILE *out)
{
	fprintf(out, "%" PRIu64 ",%s,%u,%s,%s,", row->at_ps, row->node, row->port, row->peer,
		row->event);
	if (row->traffic_class)
		fputs(row->traffic_class, out);
	fprintf(out, ",%s,%s,", row->source, row->destination);
	if (row->detail_word)
		fputs(row->detail_word, out);
	else if (row->detail_name[0])
		fprintf(out, "%" PRIu32, row->detail);
	fputc(',', out);
	if (row->value_name[0])
		fprintf(out, "%" PRIu64, row->value);
	fputc('\n', out);
}

static void row_json(const struct event_row *row, FILE *out)
{
	fprintf(out, "{\"at_ps\":%" PRIu64 ",\"node\":\"%s\",\"port\":%u,\"peer\":\"%s\",",
		row->at_ps, row->node, row->port, row->peer);
	fprintf(out, "\"event\":\"%s\"", row->event);
	if (row->traffic_class)
		fprintf(out, ",\"class\":\"%s\"", row->traffic_class);
	if (row->source[0])
		fprintf(out, ",\"source\":\"%s\"", row->source);
	if (row->destination[0])
		fprintf(out, ",\"destination\":\"%s\"", row->destination);
	if (row->detail_word)
		fprintf(out, ",\"%s\":\"%s\"", row->detail_name, row->detail_word);
	else if (row->detail_name[0])
		fprintf(out, ",\"%s\":%" PRIu32, row->detail_name, row->detail);
	if (row->value_name[0])
		fprintf(out, ",\"%s\":%" PRIu64, row->value_name, row->value);
	fputs("}\n", out);
}

void event_row_write(const struct event_row *row, enum events_format format, FILE *out)
{
	if (format == EVENTS_CSV)
		row_csv(row, out);
	else
		row_json(row, out);
}

void event_row_interrupted(uint64_t end_ps, enum events_format format, FILE *out)
{
	fprintf(out,
		format == EVENTS_CSV ? "# interrupted=true end_ps=%" PRIu64 "\n"
				     : "{\"interrupted\":true,\"end_ps\":%" PRIu64 "}\n",
		end_ps);
}
