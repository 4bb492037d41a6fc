#include "orchestrator/recording/recording_export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/ensure.h"
#include "orchestrator/base/atomic_file.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/recording/recording_samples.h"
#include "orchestrator/results/results_csv.h"
#include "orchestrator/results/samples_csv.h"

#define SUMMARY "summary.txt"
#define NAME_MAX_BYTES 32u
#define TABLES_MAX 16u

struct table {
	char name[NAME_MAX_BYTES];
	struct atomic_file file;
};

struct export
{
	struct recording_reader *reader;
	const struct recording_outputs *outputs;
	struct recording_found *found;
	struct recording_samples samples;
	/* all tables, open until the recording has proved to be whole */
	struct table tables[TABLES_MAX];
	uint32_t table_count;
};

static int output_failed(struct export *export, const char *what, const char *name, int error)
{
	why_say(&export->reader->why, 0, "cannot write %s%s: %s", what, name,
		atomic_file_why(error));
	return error;
}

static int text_write(struct export *export, FILE *out, const void *bytes, size_t length)
{
	errno = 0;
	if (!out || fwrite(bytes, 1, length, out) == length)
		return 0;
	return output_failed(export, "the output", "", errno ? -errno : -EIO);
}

/* ---- events ---- */

/* of node @node + 1; "": none */
static const char *node_name(const struct plan *plan, uint32_t node)
{
	return node ? plan->nodes[node - 1].name : "";
}

/* slice_visitor.event */
static void event_write(void *context, const struct event *event)
{
	const struct export *export = context;
	const struct recording_heading *heading = &export->reader->heading;
	const struct recording_kind *kind = &heading->kinds[event->kind];
	const struct node_config *node = &heading->plan.nodes[event->node];

	export->found->event_count++;
	if (!export->outputs->events || !kind->name)
		return;
	event_row_write(
		&(const struct event_row){
			.at_ps = event->at_ps,
			.value = event->value,
			.port = event->port,
			.detail = event->detail,
			.node = node->name,
			.peer = node->ports[event->port].peer_name,
			.event = kind->name,
			.traffic_class = kind->has_class ? plan_class_name(&heading->plan,
									   event->traffic_class)
							 : NULL,
			.source = node_name(&heading->plan, event->source),
			.destination = node_name(&heading->plan, event->destination),
			.detail_name = kind->detail,
			.value_name = kind->value,
			.detail_word =
				json_string_value(json_array_get(kind->words, event->detail)) },
		export->outputs->format, export->outputs->events);
}

/* ---- slices ---- */

/* slice_visitor.span */
static void span_take(void *context, node_time_t from_ps, node_time_t to_ps,
		      const node_time_t *samples, uint32_t count)
{
	struct export *export = context;

	export->found->slice_count++;
	export->found->sample_count += count;
	if (export->outputs->csv)
		recording_samples_span(&export->samples, from_ps, to_ps, samples, count);
}

/* slice_visitor.change */
static void change_take(void *context, const struct slice_key *key, uint32_t sample, uint64_t value)
{
	struct export *export = context;

	if (export->outputs->csv)
		recording_samples_change(&export->samples, key, sample, value);
}

static int slice_export(struct export *export)
{
	const struct slice_visitor visitor = {
		.context = export, .span = span_take, .change = change_take, .event = event_write
	};
	int error;

	recording_samples_allow(&export->samples, export->reader->offset);
	error = recording_read_slice(export->reader, &visitor);
	if (error || !export->outputs->csv)
		return error;
	recording_samples_end(&export->samples);
	_Static_assert(RECORDING_VALUES_ANY == 134217728 && RECORDING_VALUES_RATIO == 2048,
		       "the message says it");
	if (export->samples.error == -EFBIG)
		return recording_wrong(
			export->reader,
			"the tables of samples would have more than 134217728 values and 2048 for "
			"each byte of the file up to here; no run leaves such a file");
	return export->samples.error
		       ? output_failed(export, "a file for samples", "", export->samples.error)
		       : 0;
}

static int flows_export(struct export *export)
{
	const struct pack *content = &export->reader->content;
	int error;

	if (!export->outputs->csv)
		return 0;
	error = recording_samples_flows(&export->samples, (const char *)content->bytes,
					content->length);
	return error == -EINVAL ? recording_wrong(export->reader, "it is no list of flows")
	       : error          ? output_failed(export, "flows", "", error)
				: 0;
}

/* ---- tables ---- */

/* is it a table that stands in recordings as text? */
static bool is_table(const char *name)
{
	for (unsigned i = 0; results_csv_name(i); i++)
		if (!strcmp(results_csv_name(i), name))
			return !results_csv_of_samples(i);
	return false;
}

/* *@out = the stream of table @name, which is maybe in several blocks */
static int table_find(struct export *export, const char *name, FILE **out)
{
	struct table *table = export->tables;
	int error;

	for (; table < export->tables + export->table_count; table++) {
		if (!strcmp(table->name, name)) {
			*out = table->file.stream;
			return 0;
		}
	}
	ENSURE(export->table_count, <, TABLES_MAX); /* there are fewer names */
	error = results_csv_open(&table->file, export->outputs->csv, name);
	if (error)
		return output_failed(export, "", name, error);
	strcpy(table->name, name);
	export->table_count++;
	*out = table->file.stream;
	return 0;
}

static int tables_commit(struct export *export)
{
	int error = 0;

	for (uint32_t i = 0; i < export->table_count && !error; i++) {
		error = atomic_file_commit(&export->tables[i].file);
		if (error)
			output_failed(export, "", export->tables[i].name, error);
	}
	return error;
}

static int table_export(struct export *export)
{
	const struct pack *content = &export->reader->content;
	const uint8_t *newline =
		content->length ? memchr(content->bytes, '\n', content->length) : NULL;
	size_t length = newline ? (size_t)(newline - content->bytes) : 0;
	char name[NAME_MAX_BYTES];
	FILE *out = NULL;
	int error = 0;

	if (!newline || !length || length >= sizeof(name) || memchr(content->bytes, 0, length))
		return recording_wrong(export->reader, "it does not begin with a name");
	memcpy(name, content->bytes, length);
	name[length] = 0;
	if (!strcmp(name, SUMMARY))
		out = export->outputs->text;
	else if (export->outputs->csv && is_table(name))
		error = table_find(export, name, &out);
	return error ? error : text_write(export, out, newline + 1, content->length - length - 1);
}

/* ---- the end ---- */

static int done_read(struct export *export)
{
	const struct pack *content = &export->reader->content;
	json_t *done = json_loadb((const char *)content->bytes, content->length, 0, NULL);
	const char *status = json_string_value(json_object_get(done, "status"));
	const char *failure = json_string_value(json_object_get(done, "failure"));

	snprintf(export->found->status, sizeof(export->found->status), "%s", status ? status : "");
	snprintf(export->found->failure, sizeof(export->found->failure), "%s",
		 failure ? failure : "");
	export->found->end_ps = (node_time_t)member_number(done, "end_ps");
	json_decref(done);
	return 0;
}

typedef int samples_csv_fn(const struct plan *plan, const struct node_log_source *samples,
			   FILE *out);

static int samples_write(struct export *export, const char *name,
			 const struct node_log_source *sources, samples_csv_fn *write)
{
	FILE *out;
	int error = table_find(export, name, &out);

	if (error)
		return error;
	error = write(&export->reader->heading.plan, sources, out);
	if (!error && !strcmp(export->found->status, "interrupted"))
		results_csv_interrupted(export->found->end_ps, out);
	return error ? output_failed(export, "", name, error) : 0;
}

/* the tables that follow from slices */
static int samples_export(struct export *export)
{
	struct node_log_source *sources;
	int error;

	if (!export->outputs->csv || !export->found->result)
		return 0;
	sources = recording_samples_sources(&export->samples);
	if (!sources)
		return output_failed(export, "samples", "", export->samples.error);
	error = samples_write(export, "samples.csv", sources, samples_csv_ports);
	if (!error)
		error = samples_write(export, "flow_samples.csv", sources, samples_csv_flows);
	free(sources);
	return error;
}

/* ---- all ---- */

static int block_export(struct export *export)
{
	const struct pack *content = &export->reader->content;

	switch (export->reader->kind) {
	case RECORDING_DATA:
		return slice_export(export);
	case RECORDING_FLOW:
		return flows_export(export);
	case RECORDING_RSLT:
		export->found->result = true;
		return text_write(export, export->outputs->json, content->bytes, content->length);
	case RECORDING_TABL:
		return table_export(export);
	case RECORDING_DONE:
		return done_read(export);
	case RECORDING_OTHER:
		break;
	}
	return 0;
}

int recording_export(struct recording_reader *reader, const struct recording_outputs *outputs,
		     struct recording_found *found)
{
	struct export export = { .reader = reader, .outputs = outputs, .found = found };
	int error = recording_samples_init(&export.samples, &reader->heading), more = 0;

	*found = (struct recording_found){ 0 };
	if (error)
		output_failed(&export, "samples", "", error);
	if (outputs->events)
		event_row_head(outputs->format, outputs->events);
	while (!error && (more = recording_next(reader)) == 1)
		error = block_export(&export);
	error = error ?: more ?: samples_export(&export) ?: tables_commit(&export);
	if (!error && outputs->events && !strcmp(found->status, "interrupted"))
		event_row_interrupted(found->end_ps, outputs->format, outputs->events);
	for (uint32_t i = 0; i < export.table_count; i++)
		atomic_file_abort(&export.tables[i].file);
	recording_samples_fini(&export.samples);
	return error;
}
