/*  switch_links - links of a switch that go down, come up or change: node_ops of every kind.
 *
 *  A new link is in ports_coming first. It starts once nothing of the former link at its port is in
 *  use; until then the port is not up, and records wait in the ring (link.held). */
#ifndef HEDDLE_SWITCHD_COMMON_SWITCH_LINKS_H
#define HEDDLE_SWITCHD_COMMON_SWITCH_LINKS_H

#include "switchd/common/switch.h"

/** switch_link_down(), switch_link_up(), switch_link_set() - node_ops. */
void switch_link_down(void *dataplane, uint32_t port, node_time_t now);
void switch_link_up(void *dataplane, uint32_t port, node_time_t now);
void switch_link_set(void *dataplane, uint32_t port);

/** switch_links_start() - links of ports_coming that may start do so. O(ports). */
void switch_links_start(struct switch_shell *sw, node_time_t now);

#endif
