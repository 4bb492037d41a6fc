#include "orchestrator/manager/manager_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "nodes/control/control.h"
#include "nodes/process/privilege.h"
#include "orchestrator/manager/manager_message.h"

#define EXIT_LOST 1
#define EXIT_WRONG 2

/* the socket to the process that owns the fabric */
struct keeper {
	int fd;
	int error; /* why it failed; 0: it works */
};

/* reports an invalid message, after which the manager ends */
static void why_tell(const char *why)
{
	if (why[0])
		fprintf(stderr,
			"heddle " MANAGER_COMMAND ": the daemon has sent an invalid message: %s\n",
			why);
}

static int receive(struct keeper *keeper, struct manager_message *message)
{
	struct why why;

	keeper->error = manager_receive(keeper->fd, message, &why);
	why_tell(why.text);
	return keeper->error;
}

static int exchange(void *owner, struct manager_question *questions, uint32_t count)
{
	struct keeper *keeper = owner;
	struct manager_message message;
	struct why why = { "" };

	keeper->error = manager_questions_send(keeper->fd, MANAGER_QUESTION, questions, count);
	for (uint32_t i = 0; i < count && !keeper->error; i++) {
		if (receive(keeper, &message))
			break;
		keeper->error = manager_answer_take(&message, questions, count, i, &why);
		manager_message_free(&message);
	}
	why_tell(why.text);
	return keeper->error;
}

/* until the socket fails: if that happens within a sweep, its result is not sent */
static void serve(struct keeper *keeper, struct fabric_manager *manager)
{
	struct manager_message message, report = { .kind = MANAGER_REPORT };

	while (!receive(keeper, &message) && message.kind == MANAGER_SWEEP) {
		report.error = fabric_manager_sweep(manager);
		report.report = manager->last;
		if (keeper->error || manager_send(keeper->fd, &report))
			break;
	}
}

int manager_process_run(int argc, char **argv)
{
	struct keeper keeper = { .fd = CONTROL_FD };
	struct fabric_manager manager = { .wire = { .exchange = exchange, .owner = &keeper } };
	pid_t parent = argc >= 2 ? (pid_t)strtol(argv[1], NULL, 10) : 0;
	struct manager_message hello;

	if (parent <= 0) {
		fprintf(stderr, "heddle " MANAGER_COMMAND
				" is started by the daemon of a fabric: 'heddle up'\n");
		return EXIT_WRONG;
	}
	if (privilege_drop(parent, argc > 2) || receive(&keeper, &hello))
		return EXIT_LOST;
	if (hello.kind == MANAGER_HELLO) {
		manager.node_count = hello.node_count;
		manager.request = hello.request;
		serve(&keeper, &manager);
	}
	manager_message_free(&hello);
	return EXIT_LOST;
}
