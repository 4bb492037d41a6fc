#include "orchestrator/lab/lab_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int lab_text_read(const char *path, char **text, size_t *length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error = 0;
	struct stat status;
	ssize_t got = 0;

	if (fd < 0)
		return -errno;
	*text = NULL;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		error = -EINVAL;
	else if (status.st_size > LAB_TEXT_BYTES_MAX)
		error = -EFBIG;
	else if (!(*text = calloc(1, LAB_TEXT_BYTES_MAX + 1)))
		error = -ENOMEM;
	else if ((got = read(fd, *text, LAB_TEXT_BYTES_MAX)) < 0)
		error = -errno;
	close(fd);
	if (error) {
		free(*text);
		return error;
	}
	*length = (size_t)got;
	return 0;
}

void lab_text_quote(const char *text, FILE *out)
{
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		putc((unsigned char)*text < ' ' ? ' ' : *text, out);
	}
	putc('"', out);
}

const char *lab_text_explanation(const char *text)
{
	static const char heading[] = "## Explanation";
	const char *at = text;

	while ((at = strstr(at, heading))) {
		if ((at == text || at[-1] == '\n') && strchr("\r\n", at[sizeof(heading) - 1]))
			return at;
		at++;
	}
	return text + strlen(text);
}
