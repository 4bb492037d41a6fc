#include "orchestrator/base/control_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nodes/base/write_whole.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/input_file.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#endif

static bool is_library(const char *bytes, size_t length)
{
	Elf64_Ehdr head;

	if (length < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
#ifdef MACHINE
	if (head.e_machine != MACHINE)
		return false;
#endif
	return !memcmp(head.e_ident, ELFMAG, SELFMAG) && head.e_ident[EI_CLASS] == ELFCLASS64 &&
	       head.e_type == ET_DYN;
}

static int sealed_copy(const char *name, const char *bytes, size_t length)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING), error = 0;

	if (fd < 0)
		return -errno;
	if (write_whole(fd, bytes, length) < length)
		error = -errno;
	if (!error &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL))
		error = -errno;
	if (!error)
		return fd;
	close(fd);
	return error;
}

static void name_take(struct control_file *file, const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(file->name, sizeof(file->name), "%s", slash ? slash + 1 : path);
	for (char *c = file->name; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

int control_file_read(struct control_file *file, const char *path)
{
	char *bytes;
	size_t length;
	int fd = input_file_regular(path, CONTROL_FILE_BYTES_MAX, &bytes, &length);

	control_file_release(file);
	if (!fd && !is_library(bytes, length))
		fd = -ENOEXEC;
	else if (!fd) {
		name_take(file, path);
		fd = sealed_copy(file->name, bytes, length);
	}
	if (fd >= 0) {
		sha256_begin(&file->digest);
		sha256_add(&file->digest, bytes, length);
		file->fd = fd;
	}
	free(bytes);
	return fd < 0 ? fd : 0;
}

void control_file_release(struct control_file *file)
{
	descriptor_close(&file->fd);
	file->used = false;
}
