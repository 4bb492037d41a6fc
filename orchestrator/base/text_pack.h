/*  text_pack - texts in a row, each with its terminating NUL, in a memory file: what one process
 *  tells another one, of any length and with any bytes.
 *
 *  The reader trusts nothing: what is missing reads as NULL or 0. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_TEXT_PACK_H
#define HEDDLE_ORCHESTRATOR_BASE_TEXT_PACK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT_PACK_MAX (8u << 20) /* bytes of a pack that is read */

/** text_pack_begin() - a pack that is written.  Return: text_pack_end() later; NULL with errno. */
FILE *text_pack_begin(void);

/** text_pack_end() - closes @out.
 *  Return: a memory file with what was put, its descriptor closed on exec, or -errno. */
int text_pack_end(FILE *out);

/** text_pack_put() - appends @text (NULL: an empty one) to @out. */
void text_pack_put(FILE *out, const char *text);

/** text_pack_number() - appends a number. */
void text_pack_number(FILE *out, uint64_t number);

/** text_pack_list() - appends @count texts, after their number. @list is NULL-terminated. */
void text_pack_list(FILE *out, char *const *list);

struct text_pack {
	char *bytes; /* owned */
	size_t length, at;
};

/** text_pack_read() - reads the whole file @fd, from its beginning. The texts that are taken from
 *  @pack live until text_pack_free().   Return: 0 or -errno (-EMSGSIZE: too long). */
int text_pack_read(struct text_pack *pack, int fd);
void text_pack_free(struct text_pack *pack);

/** text_pack_take() - the next text. Return: NULL: there is none. */
char *text_pack_take(struct text_pack *pack);
uint64_t text_pack_take_number(struct text_pack *pack);

/** text_pack_take_list() - a list, NULL-terminated; malloc'd, its texts are not.
 *  Return: NULL: no memory, or no list. */
char **text_pack_take_list(struct text_pack *pack);

#endif
