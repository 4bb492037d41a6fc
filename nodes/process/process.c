#include "nodes/process/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "nodes/control/control.h"
#include "nodes/process/node_report.h"
#include "nodes/process/privilege.h"
#include "nodes/process/syscall_filter.h"

static bool loop_parse(const char *text, enum event_loop_kind *kind)
{
	for (int k = 0; k < EVENT_LOOP_KINDS; k++) {
		if (strcmp(text, event_loop_name[k]) != 0)
			continue;
		*kind = (enum event_loop_kind)k;
		return true;
	}
	return false;
}

/*  Return: true if @argv is complete and without mistakes */
static bool arguments_parse(int argc, char **argv, struct process_arguments *arguments)
{
	*arguments = (struct process_arguments){ .core = -1 };
	for (int i = 1; i < argc; i++) {
		char *equals = strchr(argv[i], '='), *number = equals ? equals + 1 : argv[i];
		char *end = number;

		if (!strncmp(argv[i], "--parent=", 9))
			arguments->parent = (pid_t)strtol(number, &end, 10);
		else if (!strncmp(argv[i], "--core=", 7))
			arguments->core = (int)strtol(number, &end, 10);
		else if (!strncmp(argv[i], "--poll=", 7))
			arguments->poll_ns = strtoull(number, &end, 10);
		else if (!strncmp(argv[i], "--loop=", 7) &&
			 loop_parse(number, &arguments->loop_kind))
			continue;
		else if ((arguments->keep_user = !strcmp(argv[i], "--keep-user")))
			continue;
		if (end == number || *end)
			return false;
	}
	return arguments->parent > 0;
}

int process_begin(int argc, char **argv, struct process_arguments *arguments)
{
	if (!arguments_parse(argc, argv, arguments)) {
		fprintf(stderr,
			"%s is started by heddle: --parent=PID [--loop=auto|io_uring|fallback] "
			"[--core=N] [--poll=NS] [--keep-user]\n",
			argv[0]);
		return PROCESS_WRONG;
	}
	/* the parent may have died before the kernel was told to watch it */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != arguments->parent)
		return PROCESS_LOST;
	return PROCESS_FINE;
}

void process_keep_on(void)
{
	signal(SIGTERM, SIG_IGN);
}

int process_confine(const struct process_arguments *arguments, enum clock_kind clock,
		    bool writes_files, bool *unfiltered)
{
	int error;

	if (clock == CLOCK_REAL)
		prctl(PR_SET_TIMERSLACK,
		      1ul); /* ns; the kernel's own choice is 50 us, several links long */
	else
		process_keep_on();
	if (!writes_files)
		privilege_files();
	error = privilege_drop(arguments->parent, arguments->keep_user);
	if (error == -ESRCH)
		return PROCESS_LOST;
	if (error) {
		node_fail("its privileges cannot be given up: %s", strerror(-error));
		return PROCESS_WRONG;
	}
	/* where there is none, the rest must do; the orchestrator says so */
	*unfiltered = syscall_filter_wanted() && syscall_filter_apply();
	return PROCESS_FINE;
}

int process_ready(int socket, bool unfiltered, const char *loop_text)
{
	struct control_message message = { .kind = CONTROL_READY, .number = unfiltered };

	snprintf(message.text, sizeof(message.text), "%s", loop_text);
	return control_send(socket, &message);
}
