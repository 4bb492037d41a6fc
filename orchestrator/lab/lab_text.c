#include "orchestrator/lab/lab_text.h"

#include <errno.h>
#include <string.h>

#include "orchestrator/base/input_file.h"

int lab_text_read(const char *path, char **text, size_t *length)
{
	int error = input_file_regular(path, LAB_TEXT_BYTES_MAX, text, length);

	return error == -EBADF ? -EINVAL : error;
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
