#include "orchestrator/operate/exec_many.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/command/options.h"

#define LINE_MAX_BYTES 4096u

/* what a program writes to one of its two outputs */
struct stream {
	int fd; /* -1: at its end */
	size_t length;
	char line[LINE_MAX_BYTES];
};

struct seat {
	pid_t child; /* 0: free */
	size_t host;
	struct stream streams[2];
};

struct table {
	const struct exec_many *many;
	struct seat seats[EXEC_MANY_AT_A_TIME];
};

/* ---- a program ---- */

/* It ends with @parent, and its program with it: no program remains without a reader. */
static _Noreturn void child_run(const struct exec_many *many, pid_t parent, size_t host, int out,
				int error)
{
	int nothing = open("/dev/null", O_RDONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_USAGE);
	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(error, STDERR_FILENO) < 0)
		_exit(EXIT_USAGE);
	/* outputs of other programs, which must learn when their reader ends */
	close_range(STDERR_FILENO + 1, ~0u, 0);
	_exit(host_run(many->command, many->hosts->fabric, many->hosts->names[host], many->user,
		       many->argv, parent));
}

/* Return: 0 or -errno */
static int seat_take(struct table *table, struct seat *seat, size_t host)
{
	pid_t parent = getpid();
	int out[2], error[2], status;

	if (pipe2(out, O_CLOEXEC))
		return -errno;
	if (pipe2(error, O_CLOEXEC)) {
		status = -errno;
		close(out[0]);
		close(out[1]);
		return status;
	}
	seat->child = fork();
	if (!seat->child)
		child_run(table->many, parent, host, out[1], error[1]);
	status = seat->child < 0 ? -errno : 0;
	close(out[1]);
	close(error[1]);
	if (status) {
		seat->child = 0;
		close(out[0]);
		close(error[0]);
		return status;
	}
	seat->host = host;
	seat->streams[0].fd = out[0];
	seat->streams[1].fd = error[0];
	seat->streams[0].length = seat->streams[1].length = 0;
	return 0;
}

/* ---- its lines ---- */

static void line_end(const struct table *table, struct seat *seat, unsigned s)
{
	struct stream *stream = &seat->streams[s];

	stream->line[stream->length] = 0;
	table->many->line(seat->host, stream->line, s == 1, table->many->context);
	stream->length = 0;
}

static void stream_read(const struct table *table, struct seat *seat, unsigned s)
{
	struct stream *stream = &seat->streams[s];
	char bytes[4096];
	ssize_t length = read(stream->fd, bytes, sizeof(bytes));

	if (length < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	for (ssize_t i = 0; i < length; i++) {
		if (bytes[i] == '\n' || stream->length == LINE_MAX_BYTES - 1)
			line_end(table, seat, s);
		if (bytes[i] != '\n')
			stream->line[stream->length++] = bytes[i] ? bytes[i] : '?';
	}
	if (length > 0)
		return;
	if (stream->length)
		line_end(table, seat, s);
	close(stream->fd);
	stream->fd = -1;
}

/* both outputs are at their end: so is the program, or it has closed them */
static void seat_leave(const struct table *table, struct seat *seat)
{
	int status;

	while (waitpid(seat->child, &status, 0) < 0 && errno == EINTR)
		;
	table->many->ended(seat->host,
			   WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
			   table->many->context);
	seat->child = 0;
}

/* waits for output of any program.  Return: programs that are still there */
static unsigned seats_serve(struct table *table)
{
	/* open ones only: poll() refuses more than the limit of descriptors */
	struct pollfd polled[2 * EXEC_MANY_AT_A_TIME];
	unsigned streams[2 * EXEC_MANY_AT_A_TIME], count = 0, taken = 0;

	for (unsigned i = 0; i < 2 * EXEC_MANY_AT_A_TIME; i++) {
		const struct seat *seat = &table->seats[i / 2];

		if (!seat->child || seat->streams[i % 2].fd < 0)
			continue;
		polled[count] = (struct pollfd){ seat->streams[i % 2].fd, POLLIN, 0 };
		streams[count++] = i;
	}
	if (poll(polled, count, -1) < 0)
		return 1;
	for (unsigned k = 0; k < count; k++)
		if (polled[k].revents)
			stream_read(table, &table->seats[streams[k] / 2], streams[k] % 2);
	for (unsigned i = 0; i < EXEC_MANY_AT_A_TIME; i++) {
		struct seat *seat = &table->seats[i];

		if (seat->child && seat->streams[0].fd < 0 && seat->streams[1].fd < 0)
			seat_leave(table, seat);
		taken += seat->child != 0;
	}
	return taken;
}

int exec_many(const struct exec_many *many)
{
	static struct table table;
	size_t next = 0;
	unsigned taken = 0;
	int error = 0;

	table = (struct table){ .many = many };
	while (taken || (next < many->hosts->count && !error)) {
		for (unsigned i = 0; i < EXEC_MANY_AT_A_TIME && next < many->hosts->count && !error;
		     i++) {
			if (table.seats[i].child)
				continue;
			error = seat_take(&table, &table.seats[i], next);
			next += !error;
			taken += !error;
		}
		if (taken)
			taken = seats_serve(&table);
	}
	return error ? options_wrong(many->command, "no process for host %s: %s",
				     many->hosts->names[next], strerror(-error))
		     : 0;
}
