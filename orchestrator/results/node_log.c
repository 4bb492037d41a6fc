#include "orchestrator/results/node_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ERRNO_MAX 4096u
#define READ_BYTES 8192u /* at a time */
#define LOOKS_MAX 8u     /* at counters that change meanwhile */

_Static_assert(sizeof(struct trace_entry) <= NODE_LOG_ENTRY_MAX &&
		       sizeof(struct series_entry) <= NODE_LOG_ENTRY_MAX,
	       "a copy takes any entry");

/* The counters of @log at one moment, although its node may run. */
static struct page_log log_now(const struct page_log *log)
{
	struct page_log now = { .filed = __atomic_load_n(&log->filed, __ATOMIC_ACQUIRE) };

	for (uint32_t look = 0; look < LOOKS_MAX; look++) {
		uint64_t before = now.filed;

		now.count = __atomic_load_n(&log->count, __ATOMIC_ACQUIRE);
		now.filed = __atomic_load_n(&log->filed, __ATOMIC_ACQUIRE);
		if (now.filed == before)
			break;
		now.count = now.filed;
	}
	now.error = __atomic_load_n(&log->error, __ATOMIC_RELAXED);
	if (now.error) /* the ring is not what follows the file */
		now.count = now.filed;
	return now;
}

int node_log_refresh(struct node_log *log)
{
	struct page_log now;
	struct stat status;

	if (!log->log)
		return 0;
	now = log_now(log->log);
	if (fstat(log->fd, &status))
		return -errno;
	if (now.error && now.filed <= log->at) {
		log->count = log->at;
		return now.error < ERRNO_MAX ? -(int)now.error : -EIO;
	}
	if (now.filed > (uint64_t)status.st_size / log->entry_bytes || now.count < now.filed ||
	    now.count - now.filed > log->ring_entries || now.filed < log->filed ||
	    now.count < log->at) {
		log->count = log->at;
		return -EBADMSG;
	}
	if (now.filed != log->filed)
		log->read_from = UINT64_MAX;
	log->filed = now.filed;
	log->count = now.count;
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
	log->read_from = UINT64_MAX;
	return node_log_refresh(log);
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

static const void *entry_filed(struct node_log *log)
{
	uint64_t each = READ_BYTES / log->entry_bytes, from = log->at / each * each;

	if (from != log->read_from) {
		memset(log->read, 0, READ_BYTES);
		(void)!pread(log->fd, log->read, READ_BYTES, (off_t)(from * log->entry_bytes));
		log->read_from = from;
	}
	return log->read + (log->at - from) * log->entry_bytes;
}

/* Is the copy of the present entry whole, although its node may run? It writes over a place of its
 * ring only when the ring is in its file; while that is written, the ring is full and rests. */
static bool copy_is_whole(const struct node_log *log)
{
	uint64_t count = __atomic_load_n(&log->log->count, __ATOMIC_RELAXED);

	return count < log->at + log->ring_entries ||
	       (count == log->at + log->ring_entries &&
		__atomic_load_n(&log->log->filed, __ATOMIC_ACQUIRE) <= log->at &&
		!__atomic_load_n(&log->log->error, __ATOMIC_ACQUIRE));
}

const void *node_log_entry(struct node_log *log)
{
	uint64_t filed;

	if (log->at >= log->count)
		return NULL;
	if (log->at < log->filed)
		return entry_filed(log);
	memcpy(log->present, log->ring + log->at % log->ring_entries * log->entry_bytes,
	       log->entry_bytes);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (copy_is_whole(log))
		return log->present;
	filed = __atomic_load_n(&log->log->filed, __ATOMIC_ACQUIRE);
	/* its file has an error, which the next refresh tells */
	if (filed <= log->at) {
		log->count = log->at;
		return NULL;
	}
	/* the file has more than at the last refresh: what follows is read from there, in parts */
	log->filed = filed;
	log->read_from = UINT64_MAX;
	return entry_filed(log);
}

void node_log_close(struct node_log *log)
{
	free(log->read);
	*log = (struct node_log){ 0 };
}
