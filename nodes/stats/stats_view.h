/*  stats_view - a node's statistics page as another process reads it, without trust in the node
 *  (TB-13, TB-23).
 *
 *  The node may write anything into its page at any time, also between a reader's check and its
 *  use. So the reader has a mapping of its own. The layout (magic, sizes, offsets) is private
 *  memory, computed from the node's configuration. The counters and tables after it are the node's,
 *  read-only. So whatever stats_port() and the others return is inside the mapping. The node's own
 *  layout is only compared, to detect a page that is wrong.
 *  Not covered: the values of counters. Code that uses one as a limit or an index checks a copy. */
#ifndef HEDDLE_NODES_STATS_STATS_VIEW_H
#define HEDDLE_NODES_STATS_STATS_VIEW_H

#include "nodes/stats/stats.h"

struct stats_view {
	/* ours in its first STATS_HEAD_BYTES; NULL: not mapped. Writing is an error. */
	struct stats_page *page;
	const uint8_t *their_head; /* as the node has it, changes at any time */
	const uint8_t *memory;     /* of the mapping: their_head, then page */
	size_t bytes;              /* of the mapping */
};

/** stats_view_map() - @view of the page of a node configured as @config.
 *  @fd its memory, of stats_bytes() at least and sealed against shrinking; borrowed, may be closed
 *  afterwards.
 *  Return: 0 or -errno (@view is then not mapped). */
int stats_view_map(struct stats_view *view, int fd, const struct node_config *config);

/** stats_view_unmap() - may be called twice, and for a view that is all zero. */
void stats_view_unmap(struct stats_view *view);

/** stats_view_check() - is the node's layout the one it was given, and are its tables no fuller
 *  than they can be?
 *  Return: 0; -EINVAL: the node has destroyed its page, or there is none. What it says about counts
 *  holds for this moment. */
int stats_view_check(const struct stats_view *view);

#endif
