#include "orchestrator/cli/cmd_import.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/base/input_file.h"
#include "orchestrator/base/output_names.h"
#include "orchestrator/command/options.h"
#include "orchestrator/scenario/containerlab_text.h"

enum { IMPORT_FINE, IMPORT_LEFT_OUT, IMPORT_USAGE, IMPORT_FAILED = 4 };

struct import {
	const char *out;
	bool no_images;
};

#define AT(member) offsetof(struct import, member)

static const struct option_row rows[] = {
	{ "--out", 'o', "FILE", "the scenario; standard output if not given", AT(out), NULL, NULL,
	  NULL, NULL },
	OPTION_FLAG("--no-images", AT(no_images),
		    "leaves images out: the hosts have the files of this machine"),
};

static const struct command_words words = {
	"import",
	"usage: heddle import FILE [-o SCENARIO] [--no-images]\n"
	"Writes a topology of containerlab as a scenario. Nodes of kind linux become hosts, those\n"
	"of kind bridge switches, links between nodes switches with two ports; image, exec, env,\n"
	"binds, user, cmd, memory, sysctls and the management addresses are kept. What cannot be\n"
	"imported is named with its line, here and in the scenario. FILE - is standard input.\n"
	"  heddle import lab.clab.yml | heddle up -\n",
	"exit status: 0 all is imported, 1 something is left out, 2 wrong usage or file, 4 it\n"
	"cannot be written\n",
	OPTIONS(rows),
	OPERANDS("file", 1, 1),
};

/* the folder of @path with a '/' at its end; @folder PATH_MAX + 2 bytes */
static void folder_find(const char *path, char *folder)
{
	char copy[PATH_MAX], full[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", path);
	if (!realpath(dirname(copy), full))
		strcpy(full, ".");
	snprintf(folder, PATH_MAX + 2, "%s/", full);
}

/* A scenario beside the file keeps relative paths; any other has them absolute. */
static void folder_choose(const char *path, const char *out, char *folder)
{
	char of_out[PATH_MAX + 2];

	folder_find(path, folder);
	folder_find(out ? out : INPUT_STDIN, of_out);
	if (out && !output_is_stdout(out) && !strcmp(folder, of_out))
		folder[0] = 0;
}

static int scenario_write(struct containerlab *lab, const struct import *import, const char *path)
{
	struct containerlab_options options = { .no_images = import->no_images };
	bool to_stdout = !import->out || output_is_stdout(import->out);
	struct atomic_file file;
	char folder[PATH_MAX + 2];
	int error = to_stdout ? atomic_file_stdout(&file) : atomic_file_open(&file, import->out);

	folder_choose(path, import->out, folder);
	options.folder = folder;
	if (!error)
		error = atomic_file_end(&file, containerlab_text(lab, &options, file.stream));
	if (!error)
		return IMPORT_FINE;
	options_wrong("import", "cannot write %s: %s",
		      to_stdout ? "to standard output" : import->out, atomic_file_why(error));
	return IMPORT_FAILED;
}

/* names what is left out */
static int left_out_print(const struct containerlab *lab)
{
	unsigned count = lab->left_out.count;

	scenario_errors_print(&lab->left_out, stderr);
	if (count)
		fprintf(stderr, "heddle import: %u part%s of %s %s left out\n", count,
			count == 1 ? "" : "s", lab->file, count == 1 ? "is" : "are");
	return count ? IMPORT_LEFT_OUT : IMPORT_FINE;
}

int cmd_import(int argc, char **argv)
{
	struct import import = { 0 };
	struct containerlab lab;
	struct scenario_errors errors = { 0 };
	int count, error, status = options_read(&words, argc, argv, &import, &count);
	const char *name;
	size_t length;
	char *text;

	if (status >= 0)
		return status;
	name = input_file_is_stdin(argv[1]) ? "standard input" : argv[1];
	text = input_file_read(argv[1], SCENARIO_BYTES_MAX, &length);
	if (!text || length > SCENARIO_BYTES_MAX) {
		options_wrong("import", "%s cannot be read: %s", name,
			      text ? "it has more than 4 MiB" : strerror(errno));
		free(text);
		return IMPORT_USAGE;
	}
	error = containerlab_read(name, text, length, &lab, &errors);
	scenario_errors_print(&errors, stderr);
	status = !error             ? scenario_write(&lab, &import, argv[1])
		 : error == -EINVAL ? IMPORT_USAGE
				    : IMPORT_FAILED;
	if (!status)
		status = left_out_print(&lab);
	containerlab_free(&lab);
	scenario_errors_free(&errors);
	free(text);
	return status;
}
