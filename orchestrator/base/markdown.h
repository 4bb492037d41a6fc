/*  markdown - Markdown as plain text for a terminal: the pages of labs, and the help of keys.
 *
 *  What is left out: marks of code and emphasis, addresses of links, fences of blocks. Headings are
 *  underlined, tables aligned. Lists and blocks of code stay as they are. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_MARKDOWN_H
#define HEDDLE_ORCHESTRATOR_BASE_MARKDOWN_H

#include <stddef.h>
#include <stdio.h>

/** markdown_print() - prints the first @length bytes of @text, lines of a page.  O(length); where
 *  marks are not closed, O(length^2) of their paragraph. */
void markdown_print(const char *text, size_t length, FILE *out);

/** markdown_inline() - prints @text, which is within a paragraph. */
void markdown_inline(const char *text, FILE *out);

#endif
