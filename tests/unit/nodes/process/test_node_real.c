/*  nodes/process/node_main: a node process of the real clock waits for fabric time to begin, has
 *  turns, answers, and ends with the fabric (TB-1, TB-8, TB-23). */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "nodes/process/node_main.h"
#include "tests/unit/nodes/process/one_node.h"

static pid_t child;

/* the node as a process, which has told that it is ready; fabric time has not begun */
static void spawn(void)
{
	static const struct node_ops *const ops[FABRIC_KINDS] = { &toy_ops, &toy_ops, &toy_ops };
	int sockets[2], theirs;
	char parent[32], *arguments[] = { "toy", parent, "--loop=fallback", "--poll=0", NULL };

	testing_leaves();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	snprintf(parent, sizeof(parent), "--parent=%d", (int)getpid());
	control = fcntl(sockets[0], F_DUPFD_CLOEXEC, 100);
	theirs = fcntl(sockets[1], F_DUPFD_CLOEXEC, 100);
	close(sockets[0]);
	close(sockets[1]);
	child = fork();
	if (!child) {
		close(control);
		dup2(theirs, CONTROL_FD);
		close(theirs);
		_exit(node_main(4, arguments, NODE_SWITCH, ops));
	}
	close(theirs);
	ck_assert_int_eq(control_send(control, &message), 0);
	for (uint32_t i = 0; i < message.fd_count; i++)
		if (i != 2)
			close(message.fds[i]);
}

static void receive_waiting(enum control_kind kind)
{
	struct why why = { "" };

	message = (struct control_message){ 0 };
	ck_assert_msg(!control_receive(control, &message, 1, &why), "%s", why.text);
	ck_assert_msg(message.kind == kind, "kind %d: %s", message.kind, message.text);
}

static int status_of_child(void)
{
	int status;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

/* the answer to `show`, in message */
static void show(void)
{
	struct control_message request = { .kind = CONTROL_SHOW, .number = -1, .question = 9 };

	strcpy(request.text, "toys");
	ck_assert_int_eq(control_send(control, &request), 0);
	receive_waiting(CONTROL_ANSWER);
	ck_assert_uint_eq(message.question, 9);
	ck_assert_str_eq(message.body, "toys of -1");
	control_message_free(&message);
}

TEST(node_main__real_clock)
{
	uint64_t bell = 1;
	int doorbell;

	configuration_make(FABRIC_FLOW_CHANNEL);
	doorbell = message.fds[2];
	spawn();
	receive_waiting(CONTROL_READY);
	ck_assert_ptr_nonnull(strstr(message.text, "event loop"));
	control_message_free(&message);
	show(); /* also before fabric time begins */
	pages.page->epoch_ns = now_ns();
	atomic_store(&pages.page->state, CLOCK_RUNNING);
	ck_assert_int_eq(write(doorbell, &bell, sizeof(bell)), sizeof(bell));
	show();
	atomic_store(&pages.page->state, CLOCK_ENDED);
	ck_assert_int_eq(write(doorbell, &bell, sizeof(bell)), sizeof(bell));
	ck_assert_int_eq(status_of_child(), 0);
	close(doorbell);
}

TEST_RANGE(node_main__real_clock_and_the_orchestrator_is_gone, 0, 2)
{
	uint64_t bell = 1;
	int doorbell;

	configuration_make(FABRIC_FLOW_CHANNEL);
	doorbell = message.fds[2];
	spawn();
	receive_waiting(CONTROL_READY);
	control_message_free(&message);
	if (_i) {
		pages.page->epoch_ns = now_ns();
		atomic_store(&pages.page->state, CLOCK_RUNNING);
		ck_assert_int_eq(write(doorbell, &bell, sizeof(bell)), sizeof(bell));
		show();
	}
	close(control);
	ck_assert_int_eq(write(doorbell, &bell, sizeof(bell)), sizeof(bell));
	ck_assert_int_eq(status_of_child(), 1);
	close(doorbell);
}
