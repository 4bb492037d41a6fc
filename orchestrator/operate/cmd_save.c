/*  cmd_save - `heddle save`: a running fabric with all changes as a scenario (DU-6). */
#include "orchestrator/operate/cmd_save.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/base/output_names.h"
#include "orchestrator/command/client.h"
#include "orchestrator/plan/plan_real.h"

static const struct command_words words = {
	"save",
	"usage: heddle save [-f FABRIC] [FILE | -]\n"
	"       heddle save FABRIC FILE\n"
	"Writes a running fabric as a scenario, to standard output if no file is given: every "
	"switch, host\n"
	"and link as it is now, with what was added, removed and changed by 'heddle link'. Links "
	"that are\n"
	"down become faults at 0s. All else is copied from the scenario that 'heddle up' was "
	"given, with\n"
	"--set applied. What 'heddle set' has changed is said in comments.\n",
	"exit status: 0 saved, 1 saved, but 'heddle check' refuses it, since it names what was\n"
	"removed, 2 wrong usage or no such fabric, 4 no answer, or it cannot be written\n",
	.options = client_options,
	.option_count = 1,
	OPERANDS("file", 0, 2),
};

/* the folder of file @out, absolute; the current one for standard output */
static void folder_find(const char *out, char folder[PATH_MAX])
{
	char *copy = strdup(out ? out : ".");
	const char *name = copy && out ? dirname(copy) : ".";

	if (!realpath(name, folder))
		folder[0] = 0;
	free(copy);
}

/* says what `heddle check` has against @text */
static int text_check(const char *name, const char *text)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario = { 0 };
	struct plan plan = { 0 };
	int error = scenario_read_memory(name, text, strlen(text), NULL, 0, &scenario, &errors)
			    ?: plan_make_real(&scenario, &plan, &errors);

	scenario_errors_print(&errors, stderr);
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	if (!error)
		return CLIENT_FINE;
	options_wrong("save", "it is saved, but has to be mended");
	return CLIENT_REFUSED;
}

/* @out NULL: standard output */
static int text_write(const char *out, const char *text)
{
	struct atomic_file file;
	int error = out ? atomic_file_open(&file, out) : atomic_file_stdout(&file);

	if (!error) {
		fputs(text, file.stream);
		error = atomic_file_commit(&file);
	}
	if (!error)
		return CLIENT_FINE;
	options_wrong("save", "cannot write %s: %s", out ? out : "to standard output",
		      atomic_file_why(error));
	return CLIENT_FAILED;
}

int cmd_save(int argc, char **argv)
{
	struct client_words request = { 0 };
	char folder[PATH_MAX];
	const char *fabric, *out;
	json_t *answer, *ask;
	int count, status = options_read(&words, argc, argv, &request, &count);

	if (status >= 0)
		return status;
	if (count == 2 && request.fabric)
		return options_wrong("save", "one file is expected beside -f %s", request.fabric);
	fabric = count == 2 ? argv[1] : request.fabric;
	out = count && !output_is_stdout(argv[count]) ? argv[count] : NULL;
	folder_find(out, folder);
	ask = json_pack("{s:s}", "ask", "save");
	status = client_text_put("save", ask, "folder", folder);
	if (status) {
		json_decref(ask);
		return status;
	}
	status = client_fetch("save", fabric, ask, &answer)
			 ?: text_write(out, member_text(answer, "text"))
			 ?: text_check(out ? out : "standard output", member_text(answer, "text"));
	json_decref(answer);
	return status;
}
