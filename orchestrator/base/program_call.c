#include "orchestrator/base/program_call.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/base/utf8.h"

#define ERROR_WORD "Error: "

extern char **environ;

/* dup2() to the same number would leave it closed on exec: posix_spawn() knows that */
static void descriptor_give(posix_spawn_file_actions_t *actions, int fd, int as)
{
	if (fd >= 0)
		posix_spawn_file_actions_adddup2(actions, fd, as);
	else
		posix_spawn_file_actions_addopen(actions, as, "/dev/null", O_RDWR, 0);
}

int program_call_start(struct program_call *call)
{
	posix_spawn_file_actions_t actions;
	int error;

	posix_spawn_file_actions_init(&actions);
	descriptor_give(&actions, call->in_fd, STDIN_FILENO);
	descriptor_give(&actions, call->out_fd, STDOUT_FILENO);
	descriptor_give(&actions, call->error_fd, STDERR_FILENO);
	error = posix_spawnp(&call->pid, call->argv[0], &actions, NULL,
			     (char *const *)(uintptr_t)call->argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -error;
}

int program_call_end(struct program_call *call)
{
	int status;

	while (waitpid(call->pid, &status, 0) < 0)
		if (errno != EINTR)
			return PROGRAM_NOT_FOUND;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int program_call_run(struct program_call *call)
{
	return program_call_start(call) ? PROGRAM_NOT_FOUND : program_call_end(call);
}

int program_call_file(void)
{
	int fd = memfd_create("output", MFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

char *program_call_text(int fd, size_t *length)
{
	struct stat found;
	size_t size, at = 0;
	ssize_t got = 1;
	char *text;

	if (fstat(fd, &found) || found.st_size > (off_t)PROGRAM_OUTPUT_MAX)
		return NULL;
	size = (size_t)found.st_size;
	text = malloc(size + 1);
	while (text && at < size && got > 0) {
		got = pread(fd, text + at, size - at, (off_t)at);
		at += got > 0 ? (size_t)got : 0;
	}
	if (text)
		text[at] = 0;
	*length = at;
	return text;
}

char *program_call_complaint(int fd, char *line, size_t line_max)
{
	size_t length;
	char *text = program_call_text(fd, &length), *at;

	*line = 0;
	if (!text)
		return line;
	at = strstr(text, "\n" ERROR_WORD);
	if (!strncmp(text, ERROR_WORD, strlen(ERROR_WORD)))
		at = text + strlen(ERROR_WORD);
	else
		at = at ? at + 1 + strlen(ERROR_WORD) : text + strspn(text, "\n");
	at[strcspn(at, "\n")] = 0;
	snprintf(line, line_max, "%s", at);
	utf8_mend(line);
	free(text);
	return line;
}
