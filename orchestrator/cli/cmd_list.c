#include "orchestrator/cli/cmd_list.h"

#include <jansson.h>
#include <limits.h>
#include <string.h>

#include "orchestrator/base/ready_folder.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/command/options.h"
#include "orchestrator/scenario/scenario.h"

struct list_options {
	const char *fabric, *with;
	bool variants, json;
};

#define AT(member) offsetof(struct list_options, member)

#define KIND(constant, word) { word, FABRIC_##constant },
static const struct option_word kinds[] = { FABRIC_KIND_ROWS(KIND){ 0 } };

static const struct option_row rows[] = {
	OPTION_TAKE("--fabric", "KIND", AT(fabric), NULL, kinds,
		    "only this kind of fabric: flow-channel, roce or port-group"),
	OPTION_TEXT("--with", "WORD", AT(with), "only those with WORD in name or line"),
	OPTION_FLAG("--variants", AT(variants),
		    "also the variants of each 'compare' section, for --variant and --only"),
	OPTION_FLAG("--json", AT(json), "as JSON"),
};

static const struct command_words words = {
	"list",
	"usage: heddle list [score | FOLDER] [options]\n"
	"Lists the scenarios that come with heddle, or those in FOLDER, a line each: name, kind "
	"of\n"
	"fabric, what it shows. 'heddle run FOLDER/NAME.yaml' runs one.\n",
	"",
	OPTIONS(rows),
	OPERANDS("folder", 0, 1),
};

/* the first line of @scenario's `about`, or its name */
static const char *line_of(const struct scenario *scenario)
{
	return scenario->about[0] ? scenario->about : scenario->name;
}

static bool wanted(const struct list_options *options, const struct scenario *scenario,
		   const char *name)
{
	if (options->fabric && strcmp(scenario_fabric_name[scenario->fabric], options->fabric) != 0)
		return false;
	return !options->with || strcasestr(name, options->with) ||
	       strcasestr(scenario->about, options->with);
}

static void text_put(const struct list_options *options, const struct scenario *scenario,
		     const char *name)
{
	const struct scenario_compare *compare = scenario->compare;

	printf("%-24s %-12s  %s\n", name, scenario_fabric_name[scenario->fabric],
	       line_of(scenario));
	for (uint32_t v = 0; options->variants && compare && v < compare->variant_count; v++)
		printf("%-24s   variant '%s'\n", "", compare->variants[v].name);
}

static int json_put(json_t *array, const struct scenario *scenario, const char *name,
		    const char *path)
{
	const struct scenario_compare *compare = scenario->compare;
	json_t *variants = json_array();

	for (uint32_t v = 0; compare && v < compare->variant_count; v++)
		json_array_append_new(variants, json_string(compare->variants[v].name));
	return json_array_append_new(
		array, json_pack("{s:o, s:o, s:s, s:s, s:o}", "name", utf8_json(name), "file",
				 utf8_json(path), "fabric", scenario_fabric_name[scenario->fabric],
				 "about", scenario->about, "variants", variants));
}

/* Return: 0 or an exit status, reported. @shown: so many are in the list */
static int list(const struct list_options *options, const struct ready_files *files, json_t *array,
		size_t *shown)
{
	int status = 0;

	for (size_t i = 0; i < files->count; i++) {
		struct scenario scenario = { 0 };
		struct scenario_errors errors = { 0 };
		char name[NAME_MAX + 1];
		int error = scenario_read_file(files->paths[i], NULL, 0, &scenario, &errors);

		ready_name(files->paths[i], name, sizeof(name));
		scenario_errors_print(&errors, stderr);
		if (error)
			status = EXIT_USAGE;
		else if (!wanted(options, &scenario, name))
			;
		else if (++*shown && !options->json)
			text_put(options, &scenario, name);
		else if (json_put(array, &scenario, name, files->paths[i]))
			status = options_wrong("list", "not enough memory");
		scenario_errors_free(&errors);
		scenario_free(&scenario);
	}
	return status;
}

/* the folder called @name: one of the caller's, or one below topologies/ */
static int folder_find(const char *name, char *folder, size_t folder_max)
{
	if (name && strchr(name, '/')) {
		snprintf(folder, folder_max, "%s", name);
		return 0;
	}
	if (!ready_folder(name ? name : "", folder, folder_max))
		return 0;
	snprintf(folder, folder_max, "%s", name ? name : "topologies");
	return 0;
}

int cmd_list(int argc, char **argv)
{
	struct list_options options = { 0 };
	struct ready_files files;
	char folder[PATH_MAX];
	size_t shown = 0;
	json_t *array;
	int count, error, status = options_read(&words, argc, argv, &options, &count);

	if (status >= 0)
		return status;
	error = folder_find(count ? argv[1] : NULL, folder, sizeof(folder));
	if (!error)
		error = ready_files_list(folder, &files);
	if (error && count && !strchr(argv[1], '/'))
		return options_wrong("list",
				     "no scenarios in %s: %s; --with %s lists those with "
				     "that word",
				     folder, strerror(-error), argv[1]);
	if (error)
		return options_wrong("list", "no scenarios in %s: %s", folder, strerror(-error));
	array = json_array();
	if (!options.json)
		printf("# %s\n", folder);
	status = list(&options, &files, array, &shown);
	if (!options.json && !status && !shown)
		printf("none\n");
	if (options.json && !status) {
		json_dumpf(array, stdout, JSON_INDENT(1));
		putchar('\n');
	}
	json_decref(array);
	ready_files_free(&files);
	return status;
}
