/*  cmd_view - `heddle view RECORDING|FABRIC`: the page of a recording, or of a running fabric
 *  (SE-4).
 *
 *  Of a recording this process is the server: it reads the file, writes nothing, and ends with
 *  Ctrl-C. */
#include "orchestrator/cli/cmd_view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/cli/view_option.h"
#include "orchestrator/view/view_server.h"

#define RECORDING_BEGIN "heddle recording 1\n"
#define RECORDING_END "heddle end\n"
#define LOOK_NS 250000000ull /* how often the end of a recording that grows is looked for */

enum { EXIT_FINE = 0, EXIT_FAILED = 4 };

struct view {
	struct view_listen listen;
};

/* ---- recordings ---- */

/* does the recording have its end? */
static bool recording_complete(int fd)
{
	char end[sizeof(RECORDING_END) - 1];
	struct stat file;

	return !fstat(fd, &file) && file.st_size > (off_t)sizeof(end) &&
	       pread(fd, end, sizeof(end), file.st_size - (off_t)sizeof(end)) == sizeof(end) &&
	       !memcmp(end, RECORDING_END, sizeof(end));
}

/* opens the recording at @path; -1, told */
static int recording_open(const char *path)
{
	char begin[sizeof(RECORDING_BEGIN) - 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		options_wrong("view", "cannot read %s: %s", path, strerror(errno));
		return -1;
	}
	if (pread(fd, begin, sizeof(begin), 0) != sizeof(begin) ||
	    memcmp(begin, RECORDING_BEGIN, sizeof(begin)) != 0) {
		options_wrong("view",
			      "%s is no recording: 'heddle run SCENARIO --record %s' writes "
			      "one",
			      path, path);
		descriptor_close(&fd);
	}
	return fd;
}

/* serves until Ctrl-C */
static void serve(struct view_shelf *shelf, unsigned id, int fd)
{
	bool growing = true;

	do {
		if (growing && recording_complete(fd)) {
			view_shelf_state(shelf, id, VIEW_COMPLETE, NULL);
			growing = false;
		}
	} while (!interrupt_wait(growing ? LOOK_NS : UINT64_MAX));
}

static int recording_view(const struct view *view, const char *path)
{
	struct view_server_options options = { .listen = view->listen.address,
					       .port = view->listen.port,
					       .mode = "recording" };
	char why[VIEW_TEXT_MAX], url[VIEW_URL_MAX];
	const char *slash = strrchr(path, '/');
	struct view_server *server;
	struct view_shelf shelf;
	int fd = recording_open(path), own;
	unsigned id;

	if (fd < 0)
		return OPTIONS_EXIT_USAGE;
	own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	view_shelf_init(&shelf);
	id = view_shelf_add(&shelf, own, slash ? slash + 1 : path, NULL, NULL, NULL);
	server = view_server_start(&options, &shelf, why);
	if (server) {
		view_server_url(server, url);
		fprintf(stderr, "view: %s\n", url);
		serve(&shelf, id, fd);
		view_server_stop(server);
	} else {
		options_wrong("view", "%s", why);
	}
	view_shelf_fini(&shelf);
	descriptor_close(&fd);
	return server ? EXIT_FINE : OPTIONS_EXIT_USAGE;
}

/* ---- command ---- */

static const struct option_row options[] = {
	OPTION_TAKE("--listen", "ADDRESS:PORT", offsetof(struct view, listen), option_listen, NULL,
		    "listen there instead of a free port of 127.0.0.1; with the address of a "
		    "network\n"
		    "card every browser with the token can read: only where you trust the network"),
};

static const struct command_words words = {
	"view",
	"usage: heddle view RECORDING [--listen ADDRESS:PORT]\n"
	"Serves a recording as a page in a browser, and prints its address with a token. Ends "
	"with Ctrl-C.\n",
	"exit status: 0 fine, 2 wrong usage, no such recording, or no such address to listen on\n",
	OPTIONS(options),
	OPERANDS("recording", 1, 1),
};

int cmd_view(int argc, char **argv)
{
	struct view view = { .listen = { .address = VIEW_LISTEN_OWN } };
	int count, status = options_read(&words, argc, argv, &view, &count);

	if (status >= 0)
		return status;
	interrupt_catch();
	return recording_view(&view, argv[1]);
}
