#include "orchestrator/hosts/outside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/descriptor_message.h"
#include "orchestrator/hosts/netlink.h"

#define PROGRAM "slirp4netns"
#define TUN_DEVICE "/dev/net/tun" /* which the program opens */
#define PREFIX_BITS 24u
#define NETWORK "198.19.255.0/24"
#define MTU "1500"    /* that of most networks outside */
#define READY_MS 5000 /* a program that has no interface by then is ended */
#define ANSWER_MS 8000
#define END_MS 2000
/* exit statuses, as of a shell */
#define NO_RIGHT 126
#define NOT_INSTALLED 127

/* descriptors of the connector, and of a program */
enum { CONNECTOR_REQUESTS = 3, CONNECTOR_DEATHS };
enum { PROGRAM_NET = 3, PROGRAM_EXIT, PROGRAM_READY, PROGRAM_FDS };

enum request_kind { REQUEST_CONNECT, REQUEST_DISCONNECT };

/* with the descriptors of the host's namespaces */
struct request {
	enum request_kind kind;
	uint32_t host;
};

struct answer {
	int error;
	pid_t pid;
	char why[OUTSIDE_WHY_MAX];
};

/* a program, as the connector sees it */
struct connection {
	uint32_t host;
	pid_t pid;   /* 0: free */
	int pid_fd;  /* readable when it has ended */
	int exit_fd; /* it ends when this closes */
	int said_fd; /* what it writes to standard error */
};

static struct connection connections[OUTSIDE_HOSTS_MAX]; /* of the connector only */

static _Noreturn void connector_run(pid_t daemon);

static bool readable(int fd, int milliseconds)
{
	struct pollfd polled = { fd, POLLIN, 0 };
	int count;

	do
		count = poll(&polled, 1, milliseconds);
	while (count < 0 && errno == EINTR);
	return count > 0;
}

/* ---- the daemon's side ---- */

static int pair_make(int pair[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) ? -errno : 0;
}

/* in the new process: descriptors other than its two ends are closed */
static _Noreturn void connector_become(int requests_fd, int deaths_fd, pid_t daemon)
{
	/* first away from the places that they are to have */
	int requests = fcntl(requests_fd, F_DUPFD, 10), deaths = fcntl(deaths_fd, F_DUPFD, 10);
	int null_fd = open("/dev/null", O_RDWR);

	for (int fd = 0; fd <= 2; fd++)
		dup2(null_fd, fd);
	dup3(requests, CONNECTOR_REQUESTS, O_CLOEXEC);
	dup3(deaths, CONNECTOR_DEATHS, O_CLOEXEC);
	close_range(CONNECTOR_DEATHS + 1, ~0u, 0);
	connector_run(daemon);
}

int outside_open(struct outside_connector *connector)
{
	const pid_t self = getpid();
	int requests[2], deaths[2];
	int error = pair_make(requests);

	*connector = OUTSIDE_CONNECTOR_NONE;
	if (error)
		return error;
	error = pair_make(deaths);
	if (error) {
		close(requests[0]);
		close(requests[1]);
		return error;
	}
	connector->pid = fork();
	if (!connector->pid)
		connector_become(requests[1], deaths[1], self);
	error = connector->pid < 0 ? -errno : 0;
	close(requests[1]);
	close(deaths[1]);
	connector->fd = requests[0];
	connector->deaths_fd = deaths[0];
	if (error) {
		connector->pid = 0;
		outside_close(connector);
	}
	return error;
}

void outside_close(struct outside_connector *connector)
{
	int pid_fd = connector->pid > 0 ? pidfd_open(connector->pid, 0) : -1;

	descriptor_close(&connector->fd);
	descriptor_close(&connector->deaths_fd);
	/* it ends its programs, then itself; the signal is for one that is stopped */
	if (pid_fd >= 0)
		(void)readable(pid_fd, END_MS);
	descriptor_close(&pid_fd);
	if (connector->pid > 0 && !waitpid(connector->pid, NULL, WNOHANG)) {
		kill(connector->pid, SIGKILL);
		while (waitpid(connector->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	connector->pid = 0;
}

/* sends @request and waits for the answer. A connector that gives none is given up, since a later
 * answer would be taken for that of the next request */
static int ask(struct outside_connector *connector, const struct request *request, const int *fds,
	       unsigned fd_count, struct answer *answer)
{
	ssize_t sent = connector->fd < 0 ? -EPIPE
					 : descriptor_send(connector->fd, request, sizeof(*request),
							   fds, fd_count);

	if (sent > 0 &&
	    (!readable(connector->fd, ANSWER_MS) ||
	     recv(connector->fd, answer, sizeof(*answer), 0) != (ssize_t)sizeof(*answer)))
		sent = -EPIPE;
	if (sent > 0)
		return answer->error;
	descriptor_close(&connector->fd);
	snprintf(answer->why, sizeof(answer->why),
		 "the process that starts connections to the outside has ended: end the fabric "
		 "and start it again");
	return (int)sent;
}

int outside_connect(struct outside_connector *connector, uint32_t host, int net_fd, int user_fd,
		    pid_t *pid, struct why *why)
{
	const struct request request = { REQUEST_CONNECT, host };
	const int fds[2] = { net_fd, user_fd };
	struct answer answer = { 0 };
	int error = ask(connector, &request, fds, user_fd < 0 ? 1 : 2, &answer);

	*pid = answer.pid;
	return why_say(why, error, "%s", answer.why);
}

int outside_disconnect(struct outside_connector *connector, uint32_t host)
{
	const struct request request = { REQUEST_DISCONNECT, host };
	struct answer answer = { 0 };

	return ask(connector, &request, NULL, 0, &answer);
}

bool outside_death_next(struct outside_connector *connector, struct outside_death *death)
{
	ssize_t length;

	if (connector->deaths_fd < 0)
		return false;
	length = recv(connector->deaths_fd, death, sizeof(*death), MSG_DONTWAIT);
	if (length == (ssize_t)sizeof(*death))
		return true;
	if (length >= 0 || (errno != EAGAIN && errno != EINTR))
		descriptor_close(&connector->deaths_fd); /* the connector has ended */
	return false;
}

int outside_configure(int net_fd, int home_fd, bool *routed)
{
	static const uint8_t everywhere[4];
	struct in_addr address, gateway;
	struct netlink netlink;
	int error = netlink_open(&netlink, net_fd, home_fd), index;

	*routed = false;
	if (error)
		return error;
	inet_pton(AF_INET, OUTSIDE_ADDRESS, &address);
	inet_pton(AF_INET, OUTSIDE_GATEWAY, &gateway);
	index = netlink_index(&netlink, OUTSIDE_INTERFACE);
	error = (index < 0 ? index : netlink_link_up(&netlink, index, false))
			?: netlink_address_add(&netlink, index, AF_INET, &address, PREFIX_BITS)
			?: netlink_route_add(&netlink, index, AF_INET, everywhere, 0, &gateway);
	*routed = !error;
	netlink_close(&netlink);
	return error == -EEXIST ? 0 : error;
}

/* ---- a program ---- */

/* @fds of the program, all above PROGRAM_FDS; @user_fd the namespace to enter, or -1 */
static _Noreturn void program_become(const int fds[PROGRAM_FDS], int user_fd, int said_fd,
				     pid_t connector)
{
	char net[32], exit_fd[8], ready_fd[8];
	const char *arguments[] = { PROGRAM,
				    "--netns-type=path",
				    "--disable-host-loopback",
				    "--enable-sandbox",
				    "--enable-seccomp",
				    "--mtu=" MTU,
				    "--cidr=" NETWORK,
				    "-e",
				    exit_fd,
				    "-r",
				    ready_fd,
				    net,
				    OUTSIDE_INTERFACE,
				    NULL };

	snprintf(net, sizeof(net), "/proc/self/fd/%d", PROGRAM_NET);
	snprintf(exit_fd, sizeof(exit_fd), "%d", PROGRAM_EXIT);
	snprintf(ready_fd, sizeof(ready_fd), "%d", PROGRAM_READY);
	/* before the program: in it, it has the rights that its sandbox needs */
	if (user_fd >= 0 && setns(user_fd, CLONE_NEWUSER))
		_exit(NO_RIGHT);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != connector)
		_exit(1);
	dup2(said_fd, STDERR_FILENO);
	for (int fd = PROGRAM_NET; fd < PROGRAM_FDS; fd++)
		dup2(fds[fd], fd);
	close_range(PROGRAM_FDS, ~0u, 0);
	execvp(PROGRAM, (char *const *)(uintptr_t)arguments);
	_exit(errno == ENOENT ? NOT_INSTALLED : NO_RIGHT);
}

/* how @status says that a program ended, and the last line that it wrote to @said_fd */
static void fate_write(int status, int said_fd, char *text, size_t text_max)
{
	char said[1024], *line;
	ssize_t length = read(said_fd, said, sizeof(said) - 1), got;
	int used;

	while (length > 0 && (got = read(said_fd, said, sizeof(said) - 1)) > 0)
		length = got;
	said[length > 0 ? length : 0] = 0;
	while (length > 0 && said[length - 1] == '\n')
		said[--length] = 0;
	line = strrchr(said, '\n');
	line = line ? line + 1 : said;
	if (WIFSIGNALED(status))
		used = snprintf(text, text_max, "killed by signal %d", WTERMSIG(status));
	else
		used = snprintf(text, text_max, "exit status %d", WEXITSTATUS(status));
	if (line[0])
		snprintf(text + used, text_max - (size_t)used, ": %.150s", line);
}

/* ends the program, if it has not ended.  Return: its status */
static int program_end(struct connection *connection)
{
	int status = 0;

	kill(connection->pid, SIGKILL);
	while (waitpid(connection->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static void connection_free(struct connection *connection)
{
	descriptor_close(&connection->pid_fd);
	descriptor_close(&connection->exit_fd);
	descriptor_close(&connection->said_fd);
	*connection = (struct connection){ .pid_fd = -1, .exit_fd = -1, .said_fd = -1 };
}

/* ---- the connector ---- */

static struct connection *connection_find(uint32_t host)
{
	for (size_t i = 0; i < OUTSIDE_HOSTS_MAX; i++)
		if (connections[i].pid && connections[i].host == host)
			return &connections[i];
	return NULL;
}

static struct connection *connection_new(void)
{
	for (size_t i = 0; i < OUTSIDE_HOSTS_MAX; i++)
		if (!connections[i].pid)
			return &connections[i];
	return NULL;
}

/* waits until the program has written to its descriptor @ready_fd, or has ended */
static void ready_await(struct connection *connection, int ready_fd, struct answer *answer)
{
	char byte, fate[160];
	int status;

	if (readable(ready_fd, READY_MS) && read(ready_fd, &byte, 1) == 1) {
		answer->pid = connection->pid;
		return;
	}
	status = program_end(connection);
	answer->error = -EIO;
	fate_write(status, connection->said_fd, fate, sizeof(fate));
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_INSTALLED) {
		answer->error = -ENOENT;
		snprintf(answer->why, sizeof(answer->why),
			 PROGRAM " is not installed; as root: apt-get install " PROGRAM);
	} else if (access(TUN_DEVICE, R_OK | W_OK)) {
		snprintf(answer->why, sizeof(answer->why),
			 PROGRAM " needs " TUN_DEVICE ": %s; as root: %s", strerror(errno),
			 errno == ENOENT ? "modprobe tun" : "chmod 666 " TUN_DEVICE);
	} else {
		snprintf(answer->why, sizeof(answer->why), PROGRAM " does not run: %s", fate);
	}
	connection_free(connection);
}

/* @namespaces: net, and user or -1 */
static void program_start(struct connection *connection, uint32_t host, const int namespaces[2],
			  struct answer *answer)
{
	int ending[2] = { -1, -1 }, ready[2] = { -1, -1 }, said[2] = { -1, -1 };
	const pid_t self = getpid();

	/* a full pipe must not hold the program up: what it says then is lost */
	if (pipe2(ending, O_CLOEXEC) || pipe2(ready, O_CLOEXEC) ||
	    pipe2(said, O_CLOEXEC | O_NONBLOCK)) {
		answer->error = -errno;
	} else {
		const int fds[PROGRAM_FDS] = { [PROGRAM_NET] = fcntl(namespaces[0], F_DUPFD, 100),
					       [PROGRAM_EXIT] = fcntl(ending[0], F_DUPFD, 100),
					       [PROGRAM_READY] = fcntl(ready[1], F_DUPFD, 100) };

		*connection = (struct connection){ host, fork(), -1, ending[1], said[0] };
		if (!connection->pid)
			program_become(fds, namespaces[1], said[1], self);
		answer->error = connection->pid < 0 ? -errno : 0;
		for (int fd = PROGRAM_NET; fd < PROGRAM_FDS; fd++)
			close(fds[fd]);
	}
	descriptor_close(&ending[0]);
	descriptor_close(&ready[1]);
	descriptor_close(&said[1]);
	if (!answer->error) {
		connection->pid_fd = pidfd_open(connection->pid, 0);
		ready_await(connection, ready[0], answer);
	} else {
		snprintf(answer->why, sizeof(answer->why), "no process can be started: %s",
			 strerror(-answer->error));
		descriptor_close(&ending[1]);
		descriptor_close(&said[0]);
		*connection = (struct connection){ .pid_fd = -1, .exit_fd = -1, .said_fd = -1 };
	}
	descriptor_close(&ready[0]);
}

static void connect_host(uint32_t host, const int namespaces[2], struct answer *answer)
{
	struct connection *connection = connection_new();

	if (connection_find(host)) {
		answer->error = -EEXIST;
		snprintf(answer->why, sizeof(answer->why), "it is connected already");
	} else if (!connection) {
		answer->error = -ENOSPC;
		snprintf(answer->why, sizeof(answer->why), "%u hosts are connected, the most",
			 OUTSIDE_HOSTS_MAX);
	} else {
		program_start(connection, host, namespaces, answer);
	}
}

static void disconnect_host(uint32_t host, struct answer *answer)
{
	struct connection *connection = connection_find(host);

	answer->error = connection ? 0 : -ENOENT;
	if (!connection)
		return;
	program_end(connection);
	connection_free(connection);
}

static _Noreturn void connector_end(void)
{
	for (size_t i = 0; i < OUTSIDE_HOSTS_MAX; i++)
		if (connections[i].pid)
			program_end(&connections[i]);
	_exit(0);
}

static void request_serve(void)
{
	struct request request;
	struct answer answer = { 0 };
	int fds[2] = { -1, -1 };
	unsigned count = 2;

	if (descriptor_receive(CONNECTOR_REQUESTS, &request, sizeof(request), fds, &count) !=
	    (ssize_t)sizeof(request))
		connector_end(); /* the daemon has closed its end */
	if (request.kind == REQUEST_CONNECT)
		connect_host(request.host, fds, &answer);
	else
		disconnect_host(request.host, &answer);
	descriptor_close(&fds[0]);
	descriptor_close(&fds[1]);
	(void)!send(CONNECTOR_REQUESTS, &answer, sizeof(answer), MSG_NOSIGNAL);
}

static void death_report(struct connection *connection)
{
	struct outside_death death = { .host = connection->host, .pid = connection->pid };
	int status = program_end(connection);

	fate_write(status, connection->said_fd, death.fate, sizeof(death.fate));
	connection_free(connection);
	(void)!send(CONNECTOR_DEATHS, &death, sizeof(death), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static _Noreturn void connector_run(pid_t daemon)
{
	struct pollfd polled[OUTSIDE_HOSTS_MAX + 1];
	sigset_t none;

	prctl(PR_SET_NAME, "heddle-outside");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != daemon)
		_exit(0);
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (size_t i = 0; i < OUTSIDE_HOSTS_MAX; i++)
		connections[i] = (struct connection){ .pid_fd = -1, .exit_fd = -1, .said_fd = -1 };
	for (;;) {
		for (size_t i = 0; i < OUTSIDE_HOSTS_MAX; i++)
			polled[i] = (struct pollfd){ connections[i].pid_fd, POLLIN, 0 };
		polled[OUTSIDE_HOSTS_MAX] = (struct pollfd){ CONNECTOR_REQUESTS, POLLIN, 0 };
		if (poll(polled, OUTSIDE_HOSTS_MAX + 1, -1) < 0)
			continue;
		for (size_t i = 0; i < OUTSIDE_HOSTS_MAX; i++)
			if (polled[i].revents)
				death_report(&connections[i]);
		if (polled[OUTSIDE_HOSTS_MAX].revents)
			request_serve();
	}
}
