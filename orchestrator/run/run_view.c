#include "orchestrator/run/run_view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/nameless_file.h"

int run_view_open(struct run_view *view, struct run_options *options)
{
	*view = (struct run_view){ .file = -1, .wanted = options->view != RUN_VIEW_NONE };
	if (!view->wanted || options->record)
		return 0;
	view->file = nameless_file();
	if (view->file < 0)
		return options_wrong("run", "cannot make a file for the recording: %s",
				     strerror(errno));
	snprintf(view->path, sizeof(view->path), "/proc/self/fd/%d", view->file);
	options->record = view->path;
	return 0;
}

static json_t *settings_json(const struct run_options *options)
{
	json_t *settings = json_array();

	for (unsigned i = 0; i < options->settings.count; i++)
		json_array_append_new(settings, json_string(options->settings.texts[i]));
	return settings;
}

int run_view_start(struct run_view *view, const struct run_options *options, FILE *recording)
{
	const char *slash = strrchr(options->scenario, '/');
	struct view_service_options service = {
		.server = { .listen = options->listen.address,
			    .port = options->listen.port,
			    .mode = "run",
			    .lab = options->lab },
		.name = slash ? slash + 1 : options->scenario,
		.scenario = options->scenario,
		.shown = options->scenario,
		.variant = options->variant,
		.control = options->view == RUN_VIEW_CONTROL,
	};
	char url[VIEW_URL_MAX];
	struct why why;
	json_t *settings;
	char path[32];
	int error;

	if (!view->wanted)
		return 0;
	/* the same file, to be read; with --record it has a temporary name until it is complete */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(recording));
	service.recording = open(path, O_RDONLY | O_CLOEXEC);
	if (service.recording < 0)
		return options_wrong("run", "cannot read the recording: %s", strerror(errno));
	settings = settings_json(options);
	service.settings = settings;
	error = view_service_start(&view->service, &service, url, &why);
	json_decref(settings);
	close(service.recording);
	if (error)
		return options_wrong("run", "%s", why.text);
	fprintf(stderr, "view: %s\n", url);
	return 0;
}

void run_view_stay(struct run_view *view, const struct run_options *options, int status)
{
	bool failed = status == EXIT_USAGE || status == EXIT_NODE;

	if (!view->service.pid)
		return;
	view_service_state(&view->service, status == EXIT_INTERRUPTED ? VIEW_INTERRUPTED
					   : failed                   ? VIEW_FAILED
								      : VIEW_COMPLETE);
	if (status == EXIT_INTERRUPTED)
		return;
	if (!options->quiet)
		fprintf(stderr, "heddle run: the page stays until Ctrl-C\n");
	while (view_service_wait(&view->service, UINT64_MAX))
		continue;
}

void run_view_end(struct run_view *view)
{
	if (!view->wanted)
		return;
	view_service_end(&view->service);
	descriptor_close(&view->file);
}
