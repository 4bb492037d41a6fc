/*  lab_text - the small text files of labs, as a whole. */
#ifndef HEDDLE_ORCHESTRATOR_LAB_LAB_TEXT_H
#define HEDDLE_ORCHESTRATOR_LAB_LAB_TEXT_H

#include <stddef.h>
#include <stdio.h>

#define LAB_TEXT_BYTES_MAX (1u << 18)

/** lab_text_read() - the regular file at @path, with a 0 after its @length bytes. Never waits.
 *  Return: 0 with *@text malloc'd; -EFBIG: more than LAB_TEXT_BYTES_MAX; -EINVAL: no regular
 *  file; -errno. */
int lab_text_read(const char *path, char **text, size_t *length);

/** lab_text_quote() - writes @text in double quotes, as YAML and JSON read it. Control characters
 *  become spaces. */
void lab_text_quote(const char *text, FILE *out);

/** lab_text_explanation() - the line "## Explanation" in the README.md @text of a lab; its end if
 *  there is none. What is before it may be read before passing. */
const char *lab_text_explanation(const char *text);

#endif
