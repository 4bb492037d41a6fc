#include "orchestrator/atomic_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int atomic_file_open(struct atomic_file *file, const char *path)
{
	struct stat status;

	*file = (struct atomic_file){ 0 };
	if (snprintf(file->path, sizeof(file->path), "%s", path) >= (int)sizeof(file->path))
		return -ENAMETOOLONG;
	if (stat(path, &status) || S_ISREG(status.st_mode)) {
		int length = snprintf(file->written, sizeof(file->written), "%s.part.%ld", path, (long)getpid());

		if (length >= (int)sizeof(file->written))
			return -ENAMETOOLONG;
	}
	file->stream = fopen(file->written[0] ? file->written : path, "we");
	return file->stream ? 0 : -errno;
}

int atomic_file_commit(struct atomic_file *file)
{
	int error = fflush(file->stream) ? -errno : ferror(file->stream) ? -EIO : 0;

	if (fclose(file->stream) && !error)
		error = -errno;
	file->stream = NULL;
	if (!file->written[0])
		return error;
	if (!error && rename(file->written, file->path))
		error = -errno;
	if (error)
		unlink(file->written);
	return error;
}

void atomic_file_abort(struct atomic_file *file)
{
	if (!file->stream)
		return;
	fclose(file->stream);
	file->stream = NULL;
	if (file->written[0])
		unlink(file->written);
}
