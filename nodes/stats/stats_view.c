#include "nodes/stats/stats_view.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* what precedes the spare bytes of the head */
#define LAYOUT_BYTES (offsetof(struct stats_page, series_max) + sizeof(uint32_t))

int stats_view_map(struct stats_view *view, int fd, const struct node_config *config)
{
	size_t page_bytes = stats_bytes(config), bytes = STATS_HEAD_BYTES + page_bytes;
	uint8_t *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *counters;
	int error;

	*view = (struct stats_view){ 0 };
	if (memory == MAP_FAILED)
		return -errno;
	counters = memory + 2ul * STATS_HEAD_BYTES;
	stats_init((struct stats_page *)(memory + STATS_HEAD_BYTES), config);
	if (mmap(memory, STATS_HEAD_BYTES, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED ||
	    mmap(counters, page_bytes - STATS_HEAD_BYTES, PROT_READ, MAP_SHARED | MAP_FIXED, fd,
		 STATS_HEAD_BYTES) == MAP_FAILED ||
	    mprotect(memory + STATS_HEAD_BYTES, STATS_HEAD_BYTES, PROT_READ)) {
		error = -errno;
		munmap(memory, bytes);
		return error;
	}
	*view = (struct stats_view){ .page = (struct stats_page *)(memory + STATS_HEAD_BYTES),
				     .their_head = memory,
				     .memory = memory,
				     .bytes = bytes };
	return 0;
}

void stats_view_unmap(struct stats_view *view)
{
	if (view->memory)
		munmap((void *)view->memory, view->bytes);
	*view = (struct stats_view){ 0 };
}

int stats_view_check(const struct stats_view *view)
{
	const struct stats_page *page = view->page;

	if (!page || memcmp(view->their_head, page->head, LAYOUT_BYTES) != 0)
		return -EINVAL;
	if (page->flow_tx_count > page->flows_max || page->flow_rx_count > page->flows_max ||
	    page->message_count > page->messages_max)
		return -EINVAL;
	return 0;
}
