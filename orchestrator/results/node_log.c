#include "orchestrator/results/node_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ERRNO_MAX 4096u
#define READ_BYTES 8192u /* at a time */

int node_log_refresh(struct node_log *log, bool running)
{
	struct page_log now;
	struct stat status;

	if (!log->log)
		return 0;
	/* once: the node may write it */
	memcpy(&now, log->log, sizeof(now));
	__atomic_signal_fence(__ATOMIC_ACQ_REL);
	if (fstat(log->fd, &status))
		return -errno;
	/* after an error the ring is not what follows the file */
	if (running || now.error)
		now.count = now.filed;
	if (now.filed > (uint64_t)status.st_size / log->entry_bytes || now.count < now.filed ||
	    now.count - now.filed > log->ring_entries || now.filed < log->filed ||
	    now.count < log->at) {
		log->count = log->at;
		return -EBADMSG;
	}
	log->filed = now.filed;
	log->count = now.count;
	log->read_from = UINT64_MAX;
	return now.error < ERRNO_MAX ? -(int)now.error : -EIO;
}

static int log_open(struct node_log *log, const struct page_log *page_log, const void *ring, int fd)
{
	log->read = calloc(1, READ_BYTES);
	if (!log->read)
		return -ENOMEM;
	log->log = page_log;
	log->ring = ring;
	log->fd = fd;
	return node_log_refresh(log, false);
}

int node_log_events(struct node_log *log, const struct node_log_source *source)
{
	const struct stats_page *page = source->page;

	*log = (struct node_log){ .ring_entries = STATS_TRACE_MAX,
				  .entry_bytes = sizeof(struct trace_entry) };
	if (source->fd < 0)
		return 0;
	if (!page)
		return -EBADMSG;
	return log_open(log, &page->trace, stats_trace((struct stats_page *)page, 0), source->fd);
}

int node_log_series(struct node_log *log, const struct node_log_source *source)
{
	const struct stats_page *page = source->page;

	*log = (struct node_log){ .ring_entries = STATS_SERIES_MAX,
				  .entry_bytes = sizeof(struct series_entry) };
	if (source->fd < 0)
		return 0;
	if (!page || !page->series_max)
		return -EBADMSG;
	return log_open(log, &page->series, stats_series((struct stats_page *)page, 0), source->fd);
}

const void *node_log_entry(struct node_log *log)
{
	uint64_t each = READ_BYTES / log->entry_bytes, from = log->at / each * each;

	if (log->at >= log->count)
		return NULL;
	if (log->at >= log->filed)
		return log->ring + log->at % log->ring_entries * log->entry_bytes;
	if (from != log->read_from) {
		memset(log->read, 0, READ_BYTES);
		(void)!pread(log->fd, log->read, READ_BYTES, (off_t)(from * log->entry_bytes));
		log->read_from = from;
	}
	return log->read + (log->at - from) * log->entry_bytes;
}

void node_log_close(struct node_log *log)
{
	free(log->read);
	*log = (struct node_log){ 0 };
}
