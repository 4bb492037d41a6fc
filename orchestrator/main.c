/*  heddle - runs a whole fabric on one machine: every switch a process, every NIC a process
 *  (TB-10).
 *
 *  Each command has a function in cmd_*.c, with its name and the following words as arguments, like
 *  main(). Exit statuses: exit_status.h. Commands on running fabrics: client.h. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "nodes/base/version.h"
#include "orchestrator/base/exit_status.h"
#include "orchestrator/base/markdown.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/cli/cmd_calibrate.h"
#include "orchestrator/cli/cmd_check.h"
#include "orchestrator/cli/cmd_export.h"
#include "orchestrator/cli/cmd_gen.h"
#include "orchestrator/cli/cmd_import.h"
#include "orchestrator/cli/cmd_list.h"
#include "orchestrator/cli/cmd_schema.h"
#include "orchestrator/cli/cmd_show.h"
#include "orchestrator/cli/cmd_view.h"
#include "orchestrator/command/command.h"
#include "orchestrator/command/complete.h"
#include "orchestrator/command/man_page.h"
#include "orchestrator/course/cmd_lab.h"
#include "orchestrator/manager/manager_process.h"
#include "orchestrator/operate/cmd_add.h"
#include "orchestrator/operate/cmd_attach.h"
#include "orchestrator/operate/cmd_capture.h"
#include "orchestrator/operate/cmd_down.h"
#include "orchestrator/operate/cmd_exec.h"
#include "orchestrator/operate/cmd_faults.h"
#include "orchestrator/operate/cmd_image.h"
#include "orchestrator/operate/cmd_link.h"
#include "orchestrator/operate/cmd_load.h"
#include "orchestrator/operate/cmd_log.h"
#include "orchestrator/operate/cmd_metrics.h"
#include "orchestrator/operate/cmd_mpirun.h"
#include "orchestrator/operate/cmd_outside.h"
#include "orchestrator/operate/cmd_ping_all.h"
#include "orchestrator/operate/cmd_prompt.h"
#include "orchestrator/operate/cmd_ps.h"
#include "orchestrator/operate/cmd_remove.h"
#include "orchestrator/operate/cmd_save.h"
#include "orchestrator/operate/cmd_set.h"
#include "orchestrator/operate/cmd_start.h"
#include "orchestrator/operate/cmd_top.h"
#include "orchestrator/operate/cmd_up.h"
#include "orchestrator/run/cmd_run.h"
#include "orchestrator/run/cmd_test.h"
#include "orchestrator/scenario/parameter_text.h"
#include "orchestrator/tunnel/tunnel_process.h"

static int cmd_help(int argc, char **argv), schema(int argc, char **argv);

static const struct command commands[] = {
	{ "run", cmd_run, "run the workloads of a scenario and print the result" },
	{ "test", cmd_test, "run scenarios beside each other; their expectations are tests" },
	{ "check", cmd_check, "check a scenario without starting anything" },
	{ "show", cmd_show, "print the plan of a scenario, or a table of a running node" },
	{ "list", cmd_list, "list the scenarios that come with heddle" },
	{ "calibrate", cmd_calibrate, "measure what this machine carries under the real clock" },
	{ "gen", cmd_gen, "write a scenario with a generated topology" },
	{ "import", cmd_import, "write a topology of containerlab as a scenario" },
	{ "export", cmd_export, "write the result, tables or events of a recording" },
	{ "lab", cmd_lab, "labs of a course, with checks; points of congestion controls" },
	{ "up", cmd_up, "start a fabric under the real clock, with hosts for real programs" },
	{ "down", cmd_down, "end a running fabric" },
	{ "ps", cmd_ps, "list running fabrics, their nodes, cost and fidelity" },
	{ "top", cmd_top, "watch a running fabric: traffic, links, cost, lateness" },
	{ "capture", cmd_capture, "frames of a link of a running fabric, for Wireshark" },
	{ "metrics", cmd_metrics, "counters of a running fabric, for Prometheus" },
	{ "view", cmd_view, "show a recording, or a running fabric, as a page in a browser" },
	{ "prompt", cmd_prompt, "commands and programs in hosts, line by line" },
	{ "exec", cmd_exec, "run a program in a host of a running fabric" },
	{ "shell", cmd_shell, "a shell in a host of a running fabric" },
	{ "ping-all", cmd_ping_all, "does every host of a running fabric reach every other one?" },
	{ "mpirun", cmd_mpirun, "an Open MPI job over the hosts of a running fabric" },
	{ "log", cmd_log, "what the start commands of a host have printed" },
	{ "outside", cmd_outside, "connect a host of a running fabric to the machine's network" },
	{ "image", cmd_image, "list and remove the unpacked images of hosts" },
	{ "start", cmd_start, "start a dead node of a running fabric again" },
	{ "set", cmd_set, "change a parameter of a running node" },
	{ "add", cmd_add, "add a host, a switch or a link to a running fabric" },
	{ "attach", cmd_attach,
	  "make an existing container or network namespace a host of a running fabric" },
	{ "remove", cmd_remove, "remove a host, a switch or a link from a running fabric" },
	{ "link", cmd_link, "list, change, take down and bring up links of a running fabric" },
	{ "save", cmd_save, "write a running fabric, with all changes, as a scenario" },
	{ "load", cmd_load, "list, start and stop the workloads of a running fabric" },
	{ "faults", cmd_faults, "list, start and stop the faults of a running fabric" },
	{ "schema", schema, "what --json of a command prints, as JSON Schema" },
	{ "help", cmd_help, "explain a command, or keys of a scenario" },
};

#ifndef HEDDLE_COMMIT
#define HEDDLE_COMMIT "" /* the Makefile has it */
#endif

#define COMMAND_COUNT COUNT_OF(commands)

static const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	}
	return NULL;
}

static void commands_list(FILE *out)
{
	fprintf(out, "usage: heddle COMMAND [arguments], or heddle --version\n\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
	fprintf(out, "\n'heddle help COMMAND' explains one, 'heddle help roce.dcqcn' keys of a "
		     "scenario,\n"
		     "'heddle help exit-status' what a command ends with,\n"
		     "'heddle help --man DIR' writes manual pages.\n"
		     "Start with: heddle run topologies/parking-lot.yaml\n"
		     "       or: heddle up topologies/two-racks.yaml\n");
}

static int unknown(const char *name)
{
	char hint[128];

	suggest_sentence(name, &commands[0].name, COMMAND_COUNT, sizeof(commands[0]), hint,
			 sizeof(hint));
	fprintf(stderr, "heddle: there is no command '%s'%s; 'heddle help' lists them\n", name,
		hint);
	return EXIT_USAGE;
}

static int unknown_key(const char *path)
{
	char hint[128];

	fprintf(stderr, "heddle: a scenario has no key '%s'%s; docs/scenario.md has them all\n",
		path, parameter_hint(path, hint, sizeof(hint)));
	return EXIT_USAGE;
}

static int man_pages(const char *folder)
{
	/* without help itself, the last one */
	int error = man_pages_write(commands, COMMAND_COUNT - 1, folder);

	if (!error)
		return 0;
	fprintf(stderr, "heddle help: cannot write manual pages to %s: %s\n", folder,
		strerror(-error));
	return EXIT_USAGE;
}

/* prints the help of the keys @path, without marks of Markdown.   Return: are there any? */
static bool keys_help(const char *path)
{
	char *text = NULL, *rest, *line;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	bool found = out && parameter_help(path, out);

	if (!out || fclose(out))
		return false;
	for (rest = text; (line = strsep(&rest, "\n")) && rest;) {
		markdown_inline(line, stdout);
		putchar('\n');
	}
	free(text);
	return found;
}

static int cmd_help(int argc, char **argv)
{
	const struct command *command;
	char help[] = "--help";
	char *arguments[] = { NULL, help, NULL };

	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		commands_list(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "exit-status")) {
		exit_status_print(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--man"))
		return man_pages(argc > 2 ? argv[2] : ".");
	command = command_find(argv[1]);
	if (!command && keys_help(argv[1]))
		return 0;
	if (!command)
		return strchr(argv[1], '.') ? unknown_key(argv[1]) : unknown(argv[1]);
	if (command->run == cmd_help) {
		commands_list(stdout);
		return 0;
	}
	arguments[0] = argv[1];
	return command->run(2, arguments);
}

static int schema(int argc, char **argv)
{
	/* without help itself, the last one */
	return cmd_schema(commands, COMMAND_COUNT - 1, argc, argv);
}

static int command_run(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		commands_list(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return cmd_help(1, argv + 1);
	if (!strcmp(argv[1], "--version")) {
		printf("heddle %s%s%s%s\n", HEDDLE_VERSION, *HEDDLE_COMMIT ? " (commit " : "",
		       HEDDLE_COMMIT, *HEDDLE_COMMIT ? ")" : "");
		return 0;
	}
	if (!strcmp(argv[1], COMPLETE_COMMAND))
		return complete(commands, COMMAND_COUNT, argc - 2, argv + 2);
	if (!strcmp(argv[1], TUNNEL_COMMAND))
		return tunnel_process_run(argc - 1, argv + 1);
	if (!strcmp(argv[1], MANAGER_COMMAND))
		return manager_process_run(argc - 1, argv + 1);
	command = command_find(argv[1]);
	return command ? command->run(argc - 1, argv + 1) : unknown(argv[1]);
}

/* if the caller has closed standard input or output, no other file may get their descriptors */
static void standard_descriptors_open(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	int status;

	standard_descriptors_open();
	/* a file that may not grow (ulimit -f) is an error of the write, with a message */
	signal(SIGXFSZ, SIG_IGN);
	status = command_run(argc, argv);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "heddle: cannot write to standard output\n");
		return status ? status : EXIT_USAGE;
	}
	return status;
}
