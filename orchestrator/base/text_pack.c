#include "orchestrator/base/text_pack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *text_pack_begin(void)
{
	int fd = memfd_create("heddle-texts", MFD_CLOEXEC);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !out)
		close(fd);
	return out;
}

int text_pack_end(FILE *out)
{
	int fd = fflush(out) || ferror(out) ? -1 : fcntl(fileno(out), F_DUPFD_CLOEXEC, 0);
	int error = fd < 0 ? -errno : 0;

	fclose(out);
	return error ? error : fd;
}

void text_pack_put(FILE *out, const char *text)
{
	fputs(text ? text : "", out);
	fputc(0, out);
}

void text_pack_number(FILE *out, uint64_t number)
{
	fprintf(out, "%" PRIu64, number);
	fputc(0, out);
}

void text_pack_list(FILE *out, char *const *list)
{
	uint64_t count = 0;

	while (list && list[count])
		count++;
	text_pack_number(out, count);
	for (uint64_t i = 0; i < count; i++)
		text_pack_put(out, list[i]);
}

int text_pack_read(struct text_pack *pack, int fd)
{
	struct stat found;
	ssize_t got = 0;

	*pack = (struct text_pack){ 0 };
	if (fstat(fd, &found))
		return -errno;
	if (found.st_size < 0 || found.st_size > TEXT_PACK_MAX)
		return -EMSGSIZE;
	pack->bytes = malloc((size_t)found.st_size + 1);
	if (!pack->bytes)
		return -ENOMEM;
	/* it may have been shortened meanwhile */
	while (pack->length < (size_t)found.st_size &&
	       (got = pread(fd, pack->bytes + pack->length, (size_t)found.st_size - pack->length,
			    (off_t)pack->length)) > 0)
		pack->length += (size_t)got;
	pack->bytes[pack->length] = 0;
	if (got >= 0)
		return 0;
	got = -errno;
	text_pack_free(pack);
	return (int)got;
}

void text_pack_free(struct text_pack *pack)
{
	free(pack->bytes);
	*pack = (struct text_pack){ 0 };
}

char *text_pack_take(struct text_pack *pack)
{
	char *text = pack->bytes + pack->at;

	if (pack->at >= pack->length)
		return NULL;
	pack->at += strlen(text) + 1; /* the last one has a NUL of text_pack_read() at the latest */
	return text;
}

uint64_t text_pack_take_number(struct text_pack *pack)
{
	const char *text = text_pack_take(pack);

	return text ? strtoull(text, NULL, 10) : 0;
}

char **text_pack_take_list(struct text_pack *pack)
{
	const char *count_text = text_pack_take(pack);
	uint64_t count = count_text ? strtoull(count_text, NULL, 10) : 0;
	char **list;

	/* a text has at least its NUL */
	if (!count_text || count > pack->length)
		return NULL;
	list = calloc(count + 1, sizeof(*list));
	for (uint64_t i = 0; list && i < count; i++) {
		list[i] = text_pack_take(pack);
		if (!list[i])
			break;
	}
	return list;
}
