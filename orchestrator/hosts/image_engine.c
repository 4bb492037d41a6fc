#include "orchestrator/hosts/image_engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/program_call.h"

#define NOT_STORED 1 /* exit status of podman image exists */
#define WORDS_MAX 24u
#define LINE_MAX_BYTES 300u

static int missing(const char *program, struct why *why)
{
	return why_say(why, -ENOENT, "%s is not installed; as root: apt-get install %s", program,
		       program);
}

/* what a call gives that has ended with @status; @what  it was to do */
static int ended(const struct program_call *call, int status, const char *what, struct why *why)
{
	char line[LINE_MAX_BYTES];

	if (status == PROGRAM_NOT_FOUND)
		return missing(call->argv[0], why);
	program_call_complaint(call->error_fd, line, sizeof(line));
	return why_say(why, -EIO, "%s: %s, status %d%s%s", what, call->argv[0], status,
		       *line ? ": " : "", line);
}

/* Runs @argv; its output goes to @out_fd.  Return: 0, or -errno with @why */
static int call(const char *const *argv, int out_fd, const char *what, struct why *why)
{
	struct program_call call = { .argv = argv, .in_fd = -1, .out_fd = out_fd };
	int status, error = 0;

	call.error_fd = program_call_file();
	status = program_call_run(&call);
	if (status)
		error = ended(&call, status, what, why);
	descriptor_close(&call.error_fd);
	return error;
}

/* ---- find ---- */

/* Return: 1: podman has it, 0: it has not, or -errno */
static int is_stored(const char *name, struct why *why)
{
	const char *const argv[] = { "podman", "image", "exists", name, NULL };
	struct program_call call = { .argv = argv, .in_fd = -1, .out_fd = -1 };
	int status;

	call.error_fd = program_call_file();
	status = program_call_run(&call);
	if (status > NOT_STORED)
		status = ended(&call, status, "looking it up", why);
	else
		status = !status;
	descriptor_close(&call.error_fd);
	return status;
}

/* podman itself prints its progress, and why it fails */
static int pull(const char *name, struct why *why)
{
	const char *const argv[] = { "podman", "pull", name, NULL };
	struct program_call call = {
		.argv = argv, .in_fd = -1, .out_fd = -1, .error_fd = STDERR_FILENO
	};
	int status;

	fprintf(stderr, "heddle up: image %s is not here; podman pulls it\n", name);
	status = program_call_run(&call);
	if (!status)
		return 0;
	return why_say(why, -EIO,
		       "podman cannot pull it (status %d, its message is above); 'podman images' "
		       "lists those that are here",
		       status);
}

static int inspect(const char *name, struct image_config *config, struct why *why)
{
	const char *const argv[] = { "podman", "image", "inspect", name, NULL };
	int fd = program_call_file(), error;
	char *text = NULL;
	size_t length;

	error = call(argv, fd, "inspecting it", why);
	if (!error) {
		text = program_call_text(fd, &length);
		why_say(why, 0, "what podman says of it is too long");
		error = text ? image_config_read(text, length, config, why) : -EMSGSIZE;
	}
	free(text);
	descriptor_close(&fd);
	return error;
}

int image_engine_find(const char *name, struct image_config *config, struct why *why)
{
	int stored = is_stored(name, why), error = stored < 0 ? stored : 0;

	if (!stored)
		error = pull(name, why);
	return error ? error : inspect(name, config, why);
}

/* ---- unpack ---- */

/* @words, as root of the namespace in which all owners of files exist */
static void as_owner(const char *const *words, const char *argv[WORDS_MAX])
{
	size_t at = 0;

	if (geteuid()) {
		argv[at++] = "podman";
		argv[at++] = "unshare";
	}
	while (*words && at < WORDS_MAX - 1)
		argv[at++] = *words++;
	argv[at] = NULL;
}

/* reads what tar has not: podman would wait for ever at a pipe without a reader, with its lock */
static void drain(int fd)
{
	char bytes[65536];
	ssize_t got;

	do
		got = read(fd, bytes, sizeof(bytes));
	while (got > 0 || (got < 0 && errno == EINTR));
}

/* Devices cannot be made by an ordinary user, and a host has its own. */
static int unpack(const char *container, const char *folder, struct why *why)
{
	const char *const export_words[] = { "podman", "export", container, NULL };
	const char *const tar_words[] = { "tar",
					  "-x",
					  "-p",
					  "--same-owner",
					  "--numeric-owner",
					  "--xattrs",
					  "--xattrs-include=security.capability",
					  "--anchored",
					  "--exclude=dev/*",
					  "--exclude=./dev/*",
					  "-C",
					  folder,
					  NULL };
	const char *tar_argv[WORDS_MAX];
	struct program_call writer = { .argv = export_words, .in_fd = -1 },
			    reader = { .argv = tar_argv, .out_fd = -1 };
	int pipes[2], status[2] = { PROGRAM_NOT_FOUND, PROGRAM_NOT_FOUND }, error = 0;
	bool started[2];

	as_owner(tar_words, tar_argv);
	if (pipe2(pipes, O_CLOEXEC))
		return why_say(why, -errno, "a pipe: %s", strerror(errno));
	writer.out_fd = pipes[1];
	reader.in_fd = pipes[0];
	writer.error_fd = program_call_file();
	reader.error_fd = program_call_file();
	started[0] = !program_call_start(&writer);
	started[1] = !program_call_start(&reader);
	close(pipes[1]);
	if (started[1])
		status[1] = program_call_end(&reader);
	drain(pipes[0]);
	close(pipes[0]);
	if (started[0])
		status[0] = program_call_end(&writer);
	/* if both fail, the first mistake was that of tar */
	if (status[1])
		error = ended(&reader, status[1], "unpacking it", why);
	else if (status[0])
		error = ended(&writer, status[0], "exporting it", why);
	descriptor_close(&writer.error_fd);
	descriptor_close(&reader.error_fd);
	return error;
}

static int container_remove(const char *container, struct why *why)
{
	const char *const argv[] = { "podman", "rm", "--force", "--ignore", container, NULL };

	return call(argv, -1, "removing a container that never ran", why);
}

/* A container that never runs shows podman the image's files as one tree. One that an earlier call
 * could not remove, since it was killed, goes first. */
int image_engine_unpack(const char *id, const char *folder, struct why *why)
{
	char container[64];
	struct why reason;
	const char *const create[] = { "podman",
				       "create",
				       "--pull=never",
				       "--network=none",
				       "--name",
				       container,
				       id,
				       "/heddle-never-runs",
				       NULL };
	int error;

	snprintf(container, sizeof(container), "heddle-unpacks-%.16s", id);
	error = container_remove(container, why);
	if (!error)
		error = call(create, -1, "making a container of it", why);
	if (error)
		return error;
	error = unpack(container, folder, why);
	(void)container_remove(container, &reason);
	return error;
}

int image_engine_remove(const char *folder, struct why *why)
{
	const char *const words[] = { "rm", "-r", "-f", "--one-file-system", "--", folder, NULL };
	const char *argv[WORDS_MAX];

	as_owner(words, argv);
	return call(argv, -1, "removing its files", why);
}
