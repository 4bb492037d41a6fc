/*  Fuzzes what reads recordings (SE-3): `heddle export`, from files that anyone may have made.
 *
 *  Input: 1 byte how; then
 *    0  a file
 *    1  the content of a slice of a fabric with a switch and two hosts
 *    2  blocks that follow the head of such a fabric, each 1 byte kind, 2 bytes length, content;
 *       they are compressed here
 *  A reader ends, stays inside of its memory, and prints no number that was not checked. */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/recording/recording_export.h"
#include "orchestrator/recording/recording_samples.h"
#include "orchestrator/results/samples_csv.h"

static const char head[] =
	"{\"format\":1,\"kind\":\"roce\",\"classes\":[\"a\",\"b\"],\"lanes\":1,\"nodes\":["
	"{\"name\":\"s\",\"type\":\"switch\",\"ports\":[{\"peer\":1},{\"peer\":2},null]},"
	"{\"name\":\"h1\",\"type\":\"host\",\"ports\":[{\"peer\":0}]},"
	"{\"name\":\"h2\",\"type\":\"host\",\"ports\":[{\"peer\":0}]}],"
	"\"series\":[{\"id\":0,\"name\":\"queue_bytes\",\"of\":\"port\"},"
	"{\"id\":1,\"name\":\"class_queue_bytes\",\"of\":\"class\"},"
	"{\"id\":2,\"name\":\"flow_sent_bytes\",\"of\":\"flow\"},"
	"{\"id\":3,\"name\":\"unknown\",\"of\":\"lane\"}],"
	"\"events\":[{\"id\":1,\"name\":\"drop\",\"detail\":\"reason\",\"value\":\"bytes\","
	"\"has_class\":true,\"words\":[\"x\",\"y\"]}]}";

static const char flows[] = "[{\"node\":1,\"index\":0,\"destination\":2,\"class\":0,"
			    "\"workload\":\"w\",\"connection\":0}]";

static FILE *out;

static void samples_print(struct recording_samples *samples, const struct plan *plan)
{
	struct node_log_source *sources = recording_samples_sources(samples);

	if (sources) {
		samples_csv_ports(plan, sources, out);
		samples_csv_flows(plan, sources, out);
	}
	free(sources);
}

/* all samples of a file as tables; what is allowed is less, so that an input takes milliseconds */
static void tables(struct recording_reader *reader)
{
	struct recording_samples samples;
	const struct slice_visitor visitor = { .context = &samples,
					       .span = recording_samples_span,
					       .change = recording_samples_change };
	int error = recording_samples_init(&samples, &reader->heading);

	while (!error && recording_next(reader) == 1) {
		recording_samples_allow(&samples, reader->offset);
		samples.values_max >>= 10;
		if (reader->kind == RECORDING_DATA && !recording_read_slice(reader, &visitor))
			recording_samples_end(&samples);
		if (reader->kind == RECORDING_FLOW)
			recording_samples_flows(&samples, (const char *)reader->content.bytes,
						reader->content.length);
		error = samples.error;
	}
	if (!error)
		samples_print(&samples, &reader->heading.plan);
	recording_samples_fini(&samples);
}

static void whole(const uint8_t *bytes, size_t length)
{
	struct recording_outputs outputs = { .json = out, .text = out, .events = out };
	struct recording_reader reader;
	struct recording_found found;
	FILE *in = length ? fmemopen((void *)bytes, length, "r") : NULL;

	if (!in)
		return;
	if (!recording_open(&reader, in))
		recording_export(&reader, &outputs, &found);
	recording_close(&reader);
	rewind(in);
	if (!recording_open(&reader, in))
		tables(&reader);
	recording_close(&reader);
	fclose(in);
}

static void slice(const uint8_t *bytes, size_t length)
{
	struct recording_heading heading;
	struct recording_samples samples;
	struct why why;

	if (recording_heading_read(&heading, head, strlen(head), &why) ||
	    recording_samples_init(&samples, &heading) ||
	    recording_samples_flows(&samples, flows, strlen(flows)))
		abort();
	recording_samples_allow(&samples, length);
	const struct slice_visitor visitor = { .context = &samples,
					       .span = recording_samples_span,
					       .change = recording_samples_change };

	if (!slice_read(bytes, length, &heading.limits, &visitor, &why)) {
		recording_samples_end(&samples);
		samples_print(&samples, &heading.plan);
	}
	recording_samples_fini(&samples);
	recording_heading_free(&heading);
}

static void blocks(const uint8_t *bytes, size_t length)
{
	static const char kinds[][5] = { "DATA", "FLOW", "RSLT", "TABL", "DONE", "INDX", "XXXX" };
	struct pack file = { 0 };

	pack_bytes(&file, RECORDING_HEAD, RECORDING_HEAD_BYTES);
	recording_block_pack("HEAD", head, strlen(head), &file);
	while (length >= 3) {
		size_t part = (size_t)(bytes[1] | bytes[2] << 8);

		part = part < length - 3 ? part : length - 3;
		recording_block_pack(kinds[bytes[0] % 7], bytes + 3, part, &file);
		bytes += 3 + part;
		length -= 3 + part;
	}
	whole(file.bytes, file.length);
	pack_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!out)
		out = fopen("/dev/null", "w");
	if (!size)
		return 0;
	if (data[0] % 3 == 0)
		whole(data + 1, size - 1);
	else if (data[0] % 3 == 1)
		slice(data + 1, size - 1);
	else
		blocks(data + 1, size - 1);
	return 0;
}
