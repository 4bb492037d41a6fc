/*  path_load - how loaded outputs are, as redirects compare them (FC-25): bytes that went out here
 *  (output_load.h), and in groups the flows that REROUTE ACKs reported downstream. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_PATH_LOAD_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_PATH_LOAD_H

#include "switchd/flow_channel/dataplane.h"

/** path_load_line() - what the input of flow @ref remembers of its redirects. Redirects must be
 *  configured. */
static inline struct redirect_line *path_load_line(const struct dataplane *dp, uint32_t ref)
{
	return TABLE_AT(dp->ports[flow_ref_port(ref)].redirects, flow_ref_id(ref));
}

/** path_load_groups() - are flows redirected in groups? Then each takes the others into account. */
static inline bool path_load_groups(const struct dataplane *dp)
{
	return dp->sw.config->switch_.routing.redirect &&
	       dp->sw.config->switch_.routing.redirect_group > 1;
}

/** path_load_reported() - do REROUTE ACKs carry the number of flows that share the link? In trees
 *  they name a port instead. */
static inline bool path_load_reported(const struct dataplane *dp)
{
	return path_load_groups(dp) && !dp->sw.config->switch_.routing.redirect_inputs;
}

/** path_load_window() - the number of the window of output loads that contains @now. */
uint64_t path_load_window(const struct dataplane *dp, node_time_t now);

/** path_load_bytes() - bytes that the link of @port carries within @time_ps. */
uint64_t path_load_bytes(const struct dataplane *dp, uint32_t port, node_time_t time_ps);

/** path_load_forwarded() - a packet of flow @ref, @frame_bytes long, goes out at @port: counts it.
 *  O(1). */
void path_load_forwarded(struct dataplane *dp, uint32_t port, uint32_t ref, uint32_t frame_bytes,
			 node_time_t now);

/** path_load_offer() - bytes that a flow would get at fabric port @port within a window of
 *  redirects, if it went there. O(1). */
uint64_t path_load_offer(const struct dataplane *dp, uint32_t port, node_time_t now);

/** path_load_present() - bytes that flow @ref gets at its output within a window. O(1). */
uint64_t path_load_present(const struct dataplane *dp, uint32_t ref, node_time_t now);

/** path_load_needs() - what a port has to offer if flow @ref is to leave its own for it. 0: nothing
 *  has gone out at its own for a window, so loads do not tell. O(1). */
uint64_t path_load_needs(const struct dataplane *dp, uint32_t ref, node_time_t now);

/** path_load_flows() - in groups: the number of flows that share an overloaded link downstream of
 *  output @port, from the latest REROUTE ACKs (FC-25). It fades by one in 16 redirect intervals.
 *  Return: 0 if none was reported lately. O(1). */
uint32_t path_load_flows(const struct dataplane *dp, uint32_t port, node_time_t now);

/** path_load_report() - @flows share an overloaded link downstream of @port. The ACKs of a group
 *  bring the same number one after the other: moves that the first ones caused stay counted. */
void path_load_report(struct dataplane *dp, uint32_t port, uint32_t flows, node_time_t now);

/** path_load_move() - flow @ref will move to @port: counts it for the next flows of its group. */
void path_load_move(struct dataplane *dp, uint32_t ref, uint32_t port, node_time_t now);

#endif
