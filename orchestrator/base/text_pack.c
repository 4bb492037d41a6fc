#include "orchestrator/base/text_pack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

int text_pack_file(const char *text, size_t length)
{
	int fd = memfd_create("heddle-texts", MFD_CLOEXEC);
	int error = 0;

	if (fd < 0)
		return -errno;
	for (size_t written = 0; written < length && !error;) {
		ssize_t done = write(fd, text + written, length - written);

		if (done > 0)
			written += (size_t)done;
		else if (errno != EINTR)
			error = -errno;
	}
	if (!error)
		return fd;
	close(fd);
	return error;
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
