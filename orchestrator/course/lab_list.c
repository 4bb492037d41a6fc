#include "orchestrator/course/lab_list.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "orchestrator/base/utf8.h"
#include "orchestrator/course/lab_open.h"
#include "orchestrator/lab/lab_folder.h"

struct list_options {
	bool json;
	const char *labs;
};

static const struct option_row rows[] = {
	OPTION_FLAG("--json", offsetof(struct list_options, json), "as JSON"),
	OPTION_TEXT("--labs", "DIR", offsetof(struct list_options, labs),
		    "the same as DIR alone, as other commands of labs have it"),
};

static const struct command_words words = {
	"lab list",
	"usage: heddle lab list [DIR] [options]\n"
	"Lists the labs that come with heddle, or those in DIR, a line each: number and name,\n"
	"minutes, what it is about. Begin one with 'heddle lab start NUMBER'.\n",
	"",
	OPTIONS(rows),
	OPERANDS("folder", 0, 1),
};

static int lab_put(const struct list_options *options, const char *folder, json_t *array)
{
	struct scenario_errors errors = { 0 };
	struct lab lab;
	int status = 0;

	if (lab_read(folder, &lab, &errors)) {
		scenario_errors_print(&errors, stderr);
		status = EXIT_USAGE;
	} else if (!options->json) {
		printf("%-28s %3" PRIu64 " min  %s\n", lab.name, lab.minutes, lab.about);
	} else {
		json_array_append_new(array, json_pack("{s:s, s:o, s:s, s:s, s:I}", "name",
						       lab.name, "folder", utf8_json(folder),
						       "title", lab.title, "about", lab.about,
						       "minutes", (json_int_t)lab.minutes));
	}
	scenario_errors_free(&errors);
	lab_free(&lab);
	return status;
}

int lab_list(int argc, char **argv)
{
	struct list_options options = { 0 };
	char folder[PATH_MAX], path[PATH_MAX + NAME_MAX + 2];
	struct lab_folders labs;
	json_t *array;
	int count, error, status = options_read(&words, argc, argv, &options, &count);

	if (status >= 0)
		return status;
	if (count && options.labs)
		return options_wrong("lab list", "give DIR or --labs DIR, not both");
	status = lab_labs_folder("lab list", count ? argv[1] : options.labs, folder);
	if (status)
		return status;
	error = lab_folders_list(folder, &labs);
	if (error)
		return options_wrong("lab list", "no labs in %s: %s", folder, strerror(-error));
	array = json_array();
	if (!options.json)
		printf("# %s\n", folder);
	for (size_t i = 0; i < labs.count; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, labs.names[i]);
		if (lab_put(&options, path, array))
			status = EXIT_USAGE;
	}
	if (options.json) {
		json_dumpf(array, stdout, JSON_INDENT(1));
		putchar('\n');
	} else if (!labs.count) {
		printf("none\n");
	}
	json_decref(array);
	lab_folders_free(&labs);
	return status;
}
