/*  written_page - the statistics page of a node, in memory that the test writes as the node
 *  would. */
#ifndef HEDDLE_TESTS_UNIT_ORCHESTRATOR_FABRIC_WRITTEN_PAGE_H
#define HEDDLE_TESTS_UNIT_ORCHESTRATOR_FABRIC_WRITTEN_PAGE_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "orchestrator/fabric/fabric.h"
#include "tests/testing.h"

/* Return: the memory; page_drop() later */
static inline int page_make(struct fabric_node *node, const struct node_config *config)
{
	struct stats_page *made = calloc(1, stats_bytes(config));
	ssize_t bytes = (ssize_t)stats_bytes(config);
	int fd = memfd_create("page", MFD_CLOEXEC);

	stats_init(made, config);
	ck_assert_int_eq(write(fd, made, (size_t)bytes), bytes);
	free(made);
	ck_assert_int_eq(stats_view_map(&node->view, fd, config), 0);
	node->stats = node->view.page;
	return fd;
}

static inline void page_drop(struct fabric_node *node, int fd)
{
	stats_view_unmap(&node->view);
	close(fd);
}

/* writes a number to @place of the page */
static inline void page_write(const struct fabric_node *node, int fd, const void *place,
			      uint64_t value)
{
	off_t at = (const uint8_t *)place - (const uint8_t *)node->stats;

	ck_assert_int_eq(pwrite(fd, &value, sizeof(value), at), sizeof(value));
}

/* ... so that it cannot be read any more */
static inline void page_destroy(int fd)
{
	static const uint8_t wrong[STATS_HEAD_BYTES];

	ck_assert_int_eq(pwrite(fd, wrong, sizeof(wrong), 0), sizeof(wrong));
}

#endif
