#include "switchd/flow_channel/path_load.h"

#define REPORT_INTERVALS 16 /* redirect_interval's, after which a number of flows fades by one */
/* windows of an output load in an interval: single frames must not matter; the time that a flow
 * takes to move is about four windows */
#define WINDOWS 4u
#define GAIN_PARTS 8u /* a flow moves for an eighth more than it has */

/* ---- bytes ---- */

static node_time_t window_ps(const struct dataplane *dp)
{
	node_time_t window_ps = dp->sw.config->switch_.routing.redirect_interval_ps / WINDOWS;

	return window_ps ? window_ps : 1;
}

uint64_t path_load_window(const struct dataplane *dp, node_time_t now)
{
	return (uint64_t)(now / window_ps(dp));
}

uint64_t path_load_bytes(const struct dataplane *dp, uint32_t port, node_time_t time_ps)
{
	return (uint64_t)((unsigned __int128)dp->sw.config->ports[port].rate_bps *
			  (uint64_t)time_ps / 8 / NODE_S);
}

void path_load_forwarded(struct dataplane *dp, uint32_t port, uint32_t ref, uint32_t frame_bytes,
			 node_time_t now)
{
	struct port *out = &dp->ports[port];

	if (dp->sw.config->switch_.routing.redirect && out->kind == PORT_FABRIC)
		output_load_add(&out->fabric.output_load, &path_load_line(dp, ref)->count,
				FABRIC_HEADER_BYTES + frame_bytes + FRAME_FCS_BYTES +
					out->link->gap_bytes,
				path_load_window(dp, now));
}

uint64_t path_load_offer(const struct dataplane *dp, uint32_t port, node_time_t now)
{
	const struct output_load *out = &dp->ports[port].fabric.output_load;
	uint64_t full_bytes = path_load_bytes(dp, port, window_ps(dp)),
		 window = path_load_window(dp, now);

	if (path_load_groups(dp))
		return output_load_share(out, full_bytes, window, now);
	return output_load_offer(out, full_bytes, window, now);
}

uint64_t path_load_present(const struct dataplane *dp, uint32_t ref, node_time_t now)
{
	uint32_t port = flow_of(dp->ifcts, ref)->follow_port;
	const struct output_load *out = &dp->ports[port].fabric.output_load;
	const struct output_load_count *count = &path_load_line(dp, ref)->count;

	return output_load_present(out, count, path_load_bytes(dp, port, window_ps(dp)),
				   path_load_window(dp, now), now);
}

uint64_t path_load_needs(const struct dataplane *dp, uint32_t ref, node_time_t now)
{
	uint64_t present = path_load_present(dp, ref, now);

	return present ? present + present / GAIN_PARTS + 1 : 0;
}

/* ---- in groups: flows that share a link downstream ---- */

uint32_t path_load_flows(const struct dataplane *dp, uint32_t port, node_time_t now)
{
	const struct redirect_told *told = &dp->ports[port].fabric.told;
	node_time_t faded =
		(now - told->at_ps) /
		(REPORT_INTERVALS * dp->sw.config->switch_.routing.redirect_interval_ps);

	return told->flows > faded ? told->flows - (uint32_t)faded : 0;
}

void path_load_report(struct dataplane *dp, uint32_t port, uint32_t flows, node_time_t now)
{
	struct redirect_told *told = &dp->ports[port].fabric.told;

	if (told->flows &&
	    now - told->at_ps < dp->sw.config->switch_.routing.redirect_interval_ps / 2)
		return;
	*told = (struct redirect_told){ .at_ps = now, .flows = flows };
}

void path_load_move(struct dataplane *dp, uint32_t ref, uint32_t port, node_time_t now)
{
	struct redirect_told *from = &dp->ports[flow_of(dp->ifcts, ref)->follow_port].fabric.told;
	struct redirect_told *to = &dp->ports[port].fabric.told;

	from->flows -= from->flows > 0;
	if (!path_load_flows(dp, port, now))
		*to = (struct redirect_told){ .at_ps = now };
	to->flows++;
}
