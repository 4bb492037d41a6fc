/*  scenario_packet - the largest packet of a workload: what is given, what fits the links, and for
 *  RoCEv2 a path MTU (TB-12, RC-4).
 *
 *  A message in RoCEv2 is cut into packets that carry exactly one path MTU, all but the last: 256,
 *  512, 1024, 2048 or 4096 bytes. `path-mtu` sets it; else it is the largest that fits into
 *  `packet` or, as in Linux (iboe_get_mtu()), into the MTU of the links. Other frames carry what
 *  `packet` leaves. plan_workload.c checks whether the given values fit the links. */
#include "orchestrator/scenario/scenario_packet.h"

#include "nodes/base/number.h"
#include "nodes/wire/frame.h"

#define PACKET_BYTES_DEFAULT 4096u /* of frames that have no path MTU */

/* the least MTU of the links that @workload's packets may use */
static uint32_t mtu_of_links(const struct scenario *scenario,
			     const struct scenario_workload *workload)
{
	uint32_t mtu_bytes = UINT32_MAX;

	for (uint32_t i = 0; i < workload->sender_count; i++)
		mtu_bytes = number_min32(mtu_bytes,
					 scenario->hosts[workload->senders[i]].link.mtu_bytes);
	for (uint32_t i = 0; i < workload->receiver_count; i++)
		mtu_bytes = number_min32(mtu_bytes,
					 scenario->hosts[workload->receivers[i]].link.mtu_bytes);
	for (uint32_t i = 0; i < scenario->link_count; i++)
		mtu_bytes = number_min32(mtu_bytes, scenario->links[i].settings.mtu_bytes);
	return mtu_bytes;
}

static void roce_complete(struct reader *reader, const struct yaml_node *node,
			  struct scenario_workload *workload)
{
	const struct yaml_node *packet = yaml_find(node, "packet");
	uint32_t room_bytes =
		packet ? workload->packet_bytes : mtu_of_links(reader->scenario, workload);
	uint32_t path_mtu = workload->path_mtu;

	if (!path_mtu)
		path_mtu = frame_payload_max(workload->frame, room_bytes);
	if (!path_mtu && packet)
		key_refuse(reader, packet,
			   "a packet of %u bytes is too small for the smallest path MTU of RoCEv2: "
			   "%u at least",
			   room_bytes, frame_bytes_of(workload->frame, FRAME_PATH_MTU_MIN));
	else if (!path_mtu)
		key_refuse(reader, node,
			   "links with an MTU of %u bytes are too small for the smallest path MTU "
			   "of RoCEv2: %u at least",
			   room_bytes, frame_bytes_of(workload->frame, FRAME_PATH_MTU_MIN));
	else if (packet && frame_bytes_of(workload->frame, path_mtu) > workload->packet_bytes)
		key_refuse(reader, packet,
			   "a packet of %u bytes is too small for a path-mtu of %u: %u at least",
			   workload->packet_bytes, path_mtu,
			   frame_bytes_of(workload->frame, path_mtu));
	else
		workload->packet_bytes = frame_bytes_of(workload->frame, path_mtu);
}

void scenario_packet_complete(struct reader *reader, const struct yaml_node *node,
			      struct scenario_workload *workload)
{
	const struct yaml_node *packet = yaml_find(node, "packet"),
			       *path_mtu = yaml_find(node, "path-mtu");

	if (frame_is_roce(workload->frame)) {
		roce_complete(reader, node, workload);
		return;
	}
	if (path_mtu && yaml_find(node, "frame"))
		key_refuse(reader, path_mtu, "'path-mtu' belongs to frame roce or roce-ipv6");
	if (!packet)
		workload->packet_bytes = PACKET_BYTES_DEFAULT;
	if (!frame_payload_max(workload->frame, workload->packet_bytes) ||
	    workload->packet_bytes < frame_bytes_min(workload->frame))
		key_refuse(reader, packet ? packet : node,
			   "a packet of %u bytes is too small for data: %u at least",
			   workload->packet_bytes, frame_bytes_of(workload->frame, 1));
}
