#include "orchestrator/base/json_text.h"

#include <errno.h>

int json_text_write(json_t *value, size_t flags, FILE *out)
{
	int error = 0;

	errno = 0;
	if (!value)
		error = -ENOMEM;
	else if (json_dumpf(value, out, flags) || fputc('\n', out) == EOF)
		error = errno ? -errno : -EIO;
	json_decref(value);
	return error;
}
