#include "orchestrator/operate/capture_report.h"

#include "orchestrator/base/json_member.h"
#include "orchestrator/command/client.h"

void capture_report_add(struct capture_report *report, const struct capture_frame *frame)
{
	struct capture_seen *seen = frame->inbound ? &report->received : &report->sent;

	seen->all.frames++;
	seen->all.bytes += frame->wire_bytes;
	seen->packets += frame->kind == RECORD_PACKET;
	seen->ack_frames += frame->kind == RECORD_ACKS;
}

static json_t *direction_json(const struct capture_seen *seen, const json_t *end)
{
	uint64_t other = seen->all.frames - seen->packets - seen->ack_frames;
	json_t *json = json_pack("{s:I, s:I, s:I, s:I, s:I}", "frames",
				 (json_int_t)seen->all.frames, "bytes", (json_int_t)seen->all.bytes,
				 "packets", (json_int_t)seen->packets, "ack_frames",
				 (json_int_t)seen->ack_frames, "other_frames", (json_int_t)other);

	if (end)
		json_object_update(json, (json_t *)end);
	return json;
}

json_t *capture_report_json(const struct capture_report *report, const char *link,
			    const json_t *end)
{
	return json_pack("{s:s, s:o, s:o}", "link", link, "sent",
			 direction_json(&report->sent, json_object_get(end, "sent")), "received",
			 direction_json(&report->received, json_object_get(end, "received")));
}

/* @number frames of a kind, if there are any */
static void kind_print(const json_t *direction, const char *key, const char *name,
		       const char **between, FILE *out)
{
	json_int_t number = member_number(direction, key);

	if (!number)
		return;
	fprintf(out, "%s%lld %s", *between, (long long)number, name);
	*between = ", ";
}

static void direction_print(const json_t *json, const char *name, FILE *out)
{
	const json_t *direction = json_object_get(json, name);
	json_int_t frames = member_number(direction, "frames"),
		   bytes = member_number(direction, "bytes"),
		   missed_frames = member_number(direction, "missed_frames"),
		   missed_bytes = member_number(direction, "missed_bytes");
	const char *between = " (";

	fprintf(out, "  %-8s  %lld frames, %lld bytes", name, (long long)frames, (long long)bytes);
	kind_print(direction, "packets", "packets", &between, out);
	kind_print(direction, "ack_frames", "ACK frames", &between, out);
	kind_print(direction, "other_frames", "others", &between, out);
	if (frames)
		fputc(')', out);
	if (missed_frames)
		fprintf(out, "; missed %lld frames, %lld bytes", (long long)missed_frames,
			(long long)missed_bytes);
	if (json_object_get(direction, "counted_frames"))
		fprintf(out, "; counted %lld, %lld",
			(long long)member_number(direction, "counted_frames"),
			(long long)member_number(direction, "counted_bytes"));
	fputc('\n', out);
}

void capture_report_print(const json_t *json, FILE *out)
{
	direction_print(json, "sent", out);
	direction_print(json, "received", out);
}
