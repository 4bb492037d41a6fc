/*  orchestrator/fabric/record_file, event_file, node_files: how often nodes sample; files that are
 *  not wanted or cannot be written; where the logs of nodes are (SE-2, SE-3). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/fabric/event_file.h"
#include "orchestrator/fabric/record_file.h"
#include "tests/descriptors.h"
#include "tests/said.h"
#include "tests/unit/orchestrator/fabric/written_page.h"

#define NODES 3u

static struct node_config configs[NODES] = { { .name = "s1", .kind = NODE_SWITCH },
					     { .name = "h1", .kind = NODE_NIC },
					     { .name = "h2", .kind = NODE_NIC } };
static struct plan plan = { .nodes = configs, .node_count = NODES, .switch_count = 1 };
static struct fabric_node nodes[NODES];
static struct fabric fabric = { .plan = &plan, .nodes = nodes };
static char folder[] = "/tmp/heddle-XXXXXX", path[64];
static struct why why;

static void set_up(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
	why.text[0] = 0;
}

static void tear_down(void)
{
	unlink(path);
	rmdir(folder);
}

/* ---- how often ---- */

static const struct {
	node_time_t duration_ps, sample_ps;
} samplings[] = {
	{ 0, NODE_US },
	{ 4096 * NODE_US - 1, NODE_US },
	{ 4096 * NODE_US, 2 * NODE_US },
	{ 8192 * NODE_US - 1, 2 * NODE_US },
	{ 8192 * NODE_US, 5 * NODE_US },
	{ 20480 * NODE_US - 1, 5 * NODE_US },
	{ 20480 * NODE_US, 10 * NODE_US },
	{ 40960 * NODE_US - 1, 10 * NODE_US },
	{ 40960 * NODE_US, 20 * NODE_US },
	{ 3600 * 1000 * NODE_MS, 1000 * NODE_MS },
};

TEST_RANGE(record_file_sample_ps__by_duration, 0, COUNT_OF(samplings))
{
	ck_assert_uint_eq(record_file_sample_ps(samplings[_i].duration_ps),
			  samplings[_i].sample_ps);
}

TEST_GROUP(record_file, .setup = set_up, .teardown = tear_down);

/* ---- files ---- */

TEST(record_file_open__not_wanted)
{
	struct record_file record;
	struct node_files none = { 0 };

	ck_assert_int_eq(record_file_open(&record, NULL, &why), 0);
	ck_assert(!record.wanted);
	ck_assert_int_eq(record_file_begin(&record, &fabric, NULL, &none, &none), 0);
	ck_assert(!record.begun);
	record_file_follow(&record, &fabric);
	record_file_result(&record, NULL, NULL, NULL);
	ck_assert_int_eq(record_file_end(&record, &fabric), 0);
	record_file_abort(&record);
}

TEST(record_file_open__aborted_leaves_no_file)
{
	struct record_file record;

	ck_assert_int_eq(record_file_open(&record, path, &why), 0);
	ck_assert(record.wanted && !record.begun);
	ck_assert_ptr_eq(record.out, record.file.stream);
	record_file_abort(&record);
	ck_assert_int_eq(access(path, F_OK), -1);
	ck_assert_ptr_null(record.out);
	record_file_abort(&record);
}

TEST(record_file_open__no_folder)
{
	struct record_file record;
	char expected[256];

	strcat(path, "/x/y");
	ck_assert_int_eq(record_file_open(&record, path, &why), -ENOENT);
	snprintf(expected, sizeof(expected), "cannot write the recording to %s: ", path);
	ck_assert_msg(!strncmp(why.text, expected, strlen(expected)), "%s", why.text);
	ck_assert_ptr_nonnull(strstr(why.text, strerror(ENOENT)));
	ck_assert(!record.wanted);
}

TEST(record_file_to__stream_of_the_caller)
{
	struct record_file record;

	record_file_to(&record, stdout);
	ck_assert(record.wanted && !record.begun);
	ck_assert_ptr_eq(record.out, stdout);
	record_file_abort(&record);
	ck_assert_int_ge(fileno(stdout), 0);
	ck_assert(!record.wanted);
}

TEST(event_file_open__not_wanted)
{
	struct event_file events;
	struct node_files none = { 0 };

	ck_assert_int_eq(event_file_open(&events, NULL, &why), 0);
	ck_assert(!events.wanted);
	ck_assert_int_eq(event_file_end(&events, &none, &fabric, true), 0);
}

TEST(event_file_open__no_folder)
{
	struct event_file events;
	char expected[256];

	strcat(path, "/x/e.jsonl");
	ck_assert_int_eq(event_file_open(&events, path, &why), -ENOENT);
	snprintf(expected, sizeof(expected), "cannot write the events to %s: ", path);
	ck_assert_msg(!strncmp(why.text, expected, strlen(expected)), "%s", why.text);
	ck_assert(!events.wanted);
	ck_assert_int_eq(events.format, EVENTS_JSON_LINES);
	event_file_abort(&events);
}

/* ---- logs of nodes ---- */

static bool nameless(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_nlink == 0 &&
	       (fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

/* in memory, in the folder, in the folder above one that is not there, in memory again */
TEST_RANGE(node_files_open__without_a_name, 0, 4)
{
	struct stat above, status;
	struct node_files files;
	const char *places[] = { NULL, folder, path, "/proc/self/no/such" };

	stat(folder, &above);
	ck_assert_int_eq(node_files_open(&files, NODES, places[_i], &why), 0);
	ck_assert_uint_eq(files.count, NODES);
	for (uint32_t i = 0; i < NODES; i++) {
		ck_assert(nameless(node_files_of(&files, i)));
		fstat(node_files_of(&files, i), &status);
		if (_i == 1 || _i == 2)
			ck_assert_uint_eq(status.st_dev, above.st_dev);
		else
			ck_assert_uint_ne(status.st_dev, above.st_dev);
		for (uint32_t k = 0; k < i; k++)
			ck_assert_int_ne(files.fds[k], files.fds[i]);
	}
	ck_assert_int_eq(node_files_of(&files, NODES), -1);
	node_files_close(&files);
	ck_assert_int_eq(node_files_of(&files, 0), -1);
	node_files_close(&files);
}

/* a node that is vacant has no file; none of these has a page yet */
TEST(node_files_sources__by_node)
{
	struct node_files files;
	struct node_log_source *sources;

	configs[1].name[0] = 0;
	ck_assert_int_eq(node_files_open(&files, NODES, NULL, &why), 0);
	sources = node_files_sources(&files, &fabric);
	ck_assert_ptr_nonnull(sources);
	for (uint32_t i = 0; i < NODES; i++) {
		ck_assert_ptr_null(sources[i].page);
		ck_assert_int_eq(sources[i].fd, i == 1 ? -1 : files.fds[i]);
	}
	free(sources);
	node_files_close(&files);
}

/* what a node has destroyed cannot be read */
TEST(node_files_sources__destroyed_pages)
{
	struct node_files files;
	struct node_log_source *sources;
	int fds[NODES];

	ck_assert_int_eq(node_files_open(&files, NODES, NULL, &why), 0);
	for (uint32_t i = 0; i < NODES; i++)
		fds[i] = page_make(&nodes[i], &configs[i]);
	page_destroy(fds[1]);
	sources = node_files_sources(&files, &fabric);
	for (uint32_t i = 0; i < NODES; i++) {
		ck_assert_ptr_eq(sources[i].page, i == 1 ? NULL : nodes[i].stats);
		ck_assert_int_eq(sources[i].fd, files.fds[i]);
		page_drop(&nodes[i], fds[i]);
	}
	free(sources);
	node_files_close(&files);
}

/* those that could be opened are closed with the others */
TEST(node_files_open__too_few_descriptors)
{
	struct node_files files;
	struct rlimit limit;

	descriptors_left(2);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_max = limit.rlim_cur; /* else it is raised */
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(node_files_open(&files, 2, NULL, &why), 0);
	node_files_close(&files);
	ck_assert_int_eq(node_files_open(&files, NODES, NULL, &why), -EMFILE);
	ck_assert_str_eq(why.text,
			 "cannot open a file for each node: Too many open files (ulimit -n: "
			 "each node needs one)");
	ck_assert_uint_eq(files.count, 2);
	node_files_close(&files);
}

/* ---- event_file ---- */

/* the log of a node is not whole, or the place of the file has gone */
TEST_RANGE(event_file_end__fails, 0, 2)
{
	struct event_file events;
	struct node_files files;
	char expected[256];

	for (uint32_t i = 1 - (uint32_t)_i; i < NODES; i++)
		configs[i].name[0] = 0; /* they have left */
	ck_assert_int_eq(node_files_open(&files, NODES, NULL, &why), 0);
	ck_assert_int_eq(event_file_open(&events, path, &why), 0);
	if (_i)
		ck_assert_int_eq(mkdir(path, 0700), 0);
	said_begin();
	ck_assert_int_eq(event_file_end(&events, &files, &fabric, false), _i ? -EISDIR : -EBADMSG);
	said_end();
	if (_i) {
		snprintf(expected, sizeof(expected),
			 "heddle run: cannot write the events to %s: Is a directory\n", path);
		ck_assert_str_eq(said, expected);
		ck_assert_int_eq(rmdir(path), 0);
	} else {
		ck_assert_ptr_eq(strstr(said, "heddle run: the events of s1 are incomplete: "),
				 said);
		ck_assert_int_eq(access(path, F_OK), 0);
	}
	node_files_close(&files);
	ck_assert(!events.wanted);
}

TEST(event_file_abort__leaves_no_file)
{
	struct event_file events;

	ck_assert_int_eq(event_file_open(&events, path, &why), 0);
	ck_assert(events.wanted);
	event_file_abort(&events);
	ck_assert(!events.wanted);
	ck_assert_ptr_null(events.file.stream);
	ck_assert_int_eq(access(path, F_OK), -1);
	event_file_abort(&events);
}

TEST(event_file_open__not_wanted_or_not_possible)
{
	struct event_file events;
	struct node_files none = { 0 };

	ck_assert_int_eq(event_file_open(&events, NULL, &why), 0);
	ck_assert(!events.wanted);
	ck_assert_int_eq(event_file_end(&events, &none, &fabric, false), 0);
	ck_assert_int_lt(event_file_open(&events, "/no/such/folder", &why), 0);
	ck_assert(!events.wanted);
	ck_assert_ptr_nonnull(strstr(why.text, "cannot write the events to /no/such/folder: "));
}

/* a run without events; the last line says whether it was interrupted */
TEST_RANGE(event_file_end__without_events, 0, 2)
{
	struct event_file events;
	struct node_files none = { 0 };
	char text[256] = "";
	FILE *file;

	for (uint32_t i = 0; i < NODES; i++)
		configs[i].name[0] = 0; /* they have left */
	fabric.stopped_at_ps = 5000;
	ck_assert_int_eq(event_file_open(&events, path, &why), 0);
	event_file_end(&events, &none, &fabric, _i);
	ck_assert(!events.wanted);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	(void)!fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	ck_assert_msg(!strncmp(text, "at_ps,node,port,", 16), "%s", text);
	ck_assert_int_eq(strstr(text, "interrupted") != NULL, _i);
	ck_assert_int_eq(strstr(text, "5000") != NULL, _i);
}
