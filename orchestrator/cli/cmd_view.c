/*  cmd_view - `heddle view RECORDING|FABRIC`: the page of a recording, or of a running fabric
 *  (SE-4).
 *
 *  The server is a process beside this one (view_service.h). A recording is read, and nothing is
 *  written. Of a fabric this process queries the daemon and writes a recording without a name. Both
 *  end with Ctrl-C. */
#include "orchestrator/cli/cmd_view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/command/client.h"
#include "orchestrator/command/view_option.h"
#include "orchestrator/operate/observe.h"
#include "orchestrator/recording/recording_read.h"
#include "orchestrator/view/fabric_recording.h"
#include "orchestrator/view/metrics_text.h"
#include "orchestrator/base/nameless_file.h"
#include "orchestrator/view/view_service.h"

#define RECORDING_BEGIN "heddle recording 1\n"
#define RECORDING_END "heddle end\n"
#define SAMPLE_NS 500000000ull /* how often a fabric is queried */
#define LOOK_NS 250000000ull   /* how often the end of a recording that grows is looked for */

struct view {
	struct view_listen listen;
	const char *fabric; /* NULL: the only one */
	bool control, json;
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
static int recording_find(const char *path)
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

/* what a fork of a recording needs, from its head */
struct source {
	struct recording_reader reader;
	FILE *in;
	char path[64]; /* of a file with the text of the scenario */
	int text;      /* its descriptor */
};

static const json_t *scenario_of(const struct source *source)
{
	return json_object_get(source->reader.heading.json, "scenario");
}

/* Reads the head of the recording at @path: a fork is a run of the scenario that is in it.
 * Return: 0 or an exit status, reported. source_close() in any case. */
static int source_open(struct source *source, const char *path)
{
	const char *text;

	*source = (struct source){ .text = -1 };
	source->in = fopen(path, "re");
	if (!source->in)
		return options_wrong("view", "cannot read %s: %s", path, strerror(errno));
	if (recording_open(&source->reader, source->in))
		return options_wrong("view", "%s: %s", path, source->reader.why.text);
	text = member_text(scenario_of(source), "text");
	if (!text[0] || strcmp(member_text(source->reader.heading.json, "clock"), "virtual") != 0)
		return options_wrong("view",
				     "no run of %s can be repeated: it has no scenario, or "
				     "was under the real clock",
				     path);
	source->text = nameless_file();
	if (source->text < 0 || write(source->text, text, strlen(text)) != (ssize_t)strlen(text))
		return options_wrong("view", "cannot make a file for the scenario: %s",
				     strerror(errno));
	snprintf(source->path, sizeof(source->path), "/proc/%d/fd/%d", (int)getpid(), source->text);
	return 0;
}

static void source_close(struct source *source)
{
	if (source->in) {
		recording_close(&source->reader);
		fclose(source->in);
	}
	descriptor_close(&source->text);
}

/* serves until Ctrl-C */
static void recording_attend(const struct view_service *service, int fd)
{
	bool growing = true;

	do {
		if (growing && recording_complete(fd)) {
			view_service_state(service, VIEW_COMPLETE);
			growing = false;
		}
	} while (view_service_wait(service, growing ? LOOK_NS : UINT64_MAX));
}

static void address_print(const struct view *view, const char *url)
{
	printf(view->json ? "{\"url\": \"%s\"}\n" : "view: %s\n", url);
	fflush(stdout);
}

static int recording_serve(const struct view *view, const char *path, int fd,
			   const struct source *source)
{
	const char *slash = strrchr(path, '/');
	struct view_service_options options = {
		.server = { .listen = view->listen.address,
			    .port = view->listen.port,
			    .mode = "recording" },
		.recording = fd,
		.name = slash ? slash + 1 : path,
	};
	char url[VIEW_URL_MAX];
	struct why why;
	struct view_service service;

	if (source) {
		options.scenario = source->path;
		options.shown = member_text(scenario_of(source), "file");
		options.variant =
			json_string_value(json_object_get(scenario_of(source), "variant"));
		options.settings = json_object_get(scenario_of(source), "settings");
		options.control = true;
	}
	if (view_service_start(&service, &options, url, &why))
		return options_wrong("view", "%s", why.text);
	address_print(view, url);
	recording_attend(&service, fd);
	view_service_end(&service);
	return CLIENT_FINE;
}

static int recording_view(const struct view *view, const char *path)
{
	struct source source = { .text = -1 };
	int fd = recording_find(path), status = 0;

	if (fd < 0)
		return EXIT_USAGE;
	if (view->control)
		status = source_open(&source, path);
	if (!status)
		status = recording_serve(view, path, fd, view->control ? &source : NULL);
	source_close(&source);
	descriptor_close(&fd);
	return status;
}

/* ---- fabrics ---- */

/* the answer of the daemon, with the verdict since the start. Return: as client_ask() */
static int fabric_look(struct client *client, json_t **answer)
{
	int status = client_ask(client, json_pack("{s:s}", "ask", "ps"), answer, NULL, NULL);

	if (!status)
		observe_fidelity(*answer, NULL);
	return status;
}

/* view_server_options.metrics, in the process of the server: over a connection of its own */
static char *metrics_answer(void *owner, struct why *why)
{
	json_t *answer;
	char *text = NULL;

	if (!client_fetch("view", owner, json_pack("{s:s}", "ask", "ps"), &answer)) {
		observe_fidelity(answer, NULL);
		text = metrics_text(answer);
		json_decref(answer);
	}
	if (!text)
		why_say(why, 0, "The fabric does not run, or does not answer.");
	return text;
}

/* records until Ctrl-C or the end of the fabric. Return: 0 or an exit status, reported */
static int fabric_record(struct client *client, struct fabric_recording *recording,
			 const struct view_service *service)
{
	bool full = false;

	while (view_service_wait(service, SAMPLE_NS)) {
		json_t *answer = NULL;
		int error = 0;

		if (full)
			continue;
		if (fabric_look(client, &answer))
			return CLIENT_FAILED;
		error = fabric_recording_add(recording, answer);
		json_decref(answer);
		if (error == -EFBIG)
			fprintf(stderr, "heddle view: the recording is as long as it may be; "
					"start again for a new one\n");
		else if (error)
			return options_wrong("view", "cannot write the recording: %s",
					     strerror(-error));
		full = error == -EFBIG;
	}
	return CLIENT_FINE;
}

/* serves what is recorded of the fabric of @client in file @out */
static int fabric_serve(const struct view *view, struct client *client, const json_t *answer,
			FILE *out)
{
	struct view_service_options options = {
		.server = { .listen = view->listen.address,
			    .port = view->listen.port,
			    .mode = "fabric",
			    .owner = client->fabric,
			    .metrics = metrics_answer },
		.recording = fileno(out),
		.name = client->fabric,
	};
	char url[VIEW_URL_MAX];
	struct why why;
	struct fabric_recording recording;
	struct view_service service;
	int status, error = fabric_recording_begin(&recording, answer, SAMPLE_NS * NODE_NS, out);

	if (!error)
		error = fabric_recording_add(&recording, answer);
	if (error) {
		status = options_wrong("view", "cannot write the recording: %s", strerror(-error));
	} else if (view_service_start(&service, &options, url, &why)) {
		status = options_wrong("view", "%s", why.text);
		error = -1;
	} else {
		address_print(view, url);
		status = fabric_record(client, &recording, &service);
	}
	if (fabric_recording_end(&recording) && !error)
		error = -EIO;
	if (!error) {
		view_service_state(&service, VIEW_COMPLETE);
		if (status) /* the fabric has ended: what was seen stays */
			fprintf(stderr, "heddle view: the page stays until Ctrl-C\n");
		while (view_service_wait(&service, UINT64_MAX))
			continue;
		view_service_end(&service);
	}
	return status;
}

static int fabric_view(const struct view *view)
{
	struct client client;
	json_t *answer = NULL;
	FILE *out = NULL;
	int status = client_open(&client, "view", view->fabric);

	if (status)
		return status;
	status = fabric_look(&client, &answer);
	if (!status) {
		out = nameless_stream();
		if (out)
			status = fabric_serve(view, &client, answer, out);
		else
			status = options_wrong("view", "cannot make a file for the recording: %s",
					       strerror(errno));
	}
	if (out)
		fclose(out);
	json_decref(answer);
	client_close(&client);
	return status;
}

/* is @name a file, or can it be no fabric? */
static bool is_file(const char *name)
{
	return strpbrk(name, "/.") || !access(name, F_OK);
}

/* ---- command ---- */

static const struct option_row options[] = {
	CLIENT_FABRIC(offsetof(struct view, fabric)),
	OPTION_FLAG("--control", offsetof(struct view, control),
		    "of a recording: changes may be made; each is a run of its own"),
	OPTION_TAKE("--listen", "ADDRESS:PORT", offsetof(struct view, listen), option_listen, NULL,
		    "listen there instead of a free port of 127.0.0.1; with the address of a "
		    "network\n"
		    "card every browser with the token can read: only where you trust the network"),
	OPTION_FLAG("--json", offsetof(struct view, json), "the address, for programs"),
};

static const struct command_words words = {
	"view",
	"usage: heddle view [RECORDING | FABRIC] [--control] [--listen ADDRESS:PORT]\n"
	"Serves a recording, or what a running fabric does, as a page in a browser, and prints its "
	"address\n"
	"with a token. A name with '/' or '.', or of a file, is a recording. Ends with Ctrl-C.\n",
	"exit status: 0 fine, 2 wrong usage, no such recording or fabric, or no such address to "
	"listen on,\n"
	"             4 the fabric has ended or does not answer\n",
	OPTIONS(options),
	OPERANDS("recording or fabric", 0, 1),
};

int cmd_view(int argc, char **argv)
{
	struct view view = { .listen = { .address = VIEW_LISTEN_OWN } };
	int count, status = options_read(&words, argc, argv, &view, &count);

	if (status >= 0)
		return status;
	if (count && view.fabric)
		return options_wrong("view", "two things to show, '%s' and '%s'; give one",
				     view.fabric, argv[1]);
	interrupt_catch();
	if (count && is_file(argv[1]))
		return recording_view(&view, argv[1]);
	if (view.control)
		return options_wrong("view",
				     "--control is for recordings: a fabric that is up cannot "
				     "be repeated");
	view.fabric = count ? argv[1] : view.fabric;
	return fabric_view(&view);
}
