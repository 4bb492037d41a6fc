#include "nicd/traffic/flow_packet.h"

uint32_t flow_headers_write(const struct flow_headers *headers, uint32_t frame_bytes,
			    const struct frame_payload *payload, uint8_t *bytes)
{
	const struct flow_spec *spec = headers->spec;
	struct frame_spec frame = {
		.kind = spec->shape.frame,
		.source = headers->source,
		.destination = spec->destination,
		.traffic_class = spec->traffic_class,
		.flow = headers->number,
		.frame_bytes = frame_bytes,
		.ecn_capable = headers->ecn_capable,
	};

	return frame_write(&frame, payload, bytes);
}
