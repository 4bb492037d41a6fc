#include "orchestrator/base/markdown.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/utf8.h"

#define CELLS_MAX 32u

struct span {
	const char *at, *end;
};

/* ---- within a paragraph ---- */

static size_t run_of(char byte, struct span text)
{
	size_t length = 0;

	while (text.at + length < text.end && text.at[length] == byte)
		length++;
	return length;
}

/* where the next run of exactly @count bytes @byte begins; NULL: nowhere */
static const char *run_find(char byte, size_t count, struct span text)
{
	while (text.at < text.end) {
		size_t length = run_of(byte, text);

		if (length == count)
			return text.at;
		text.at += length ? length : 1;
	}
	return NULL;
}

/* the bracket that closes the one at text.at; NULL: there is none */
static const char *closing(char open, char close, struct span text)
{
	unsigned depth = 0;

	for (; text.at < text.end; text.at++) {
		depth += *text.at == open;
		if (*text.at == close && !--depth)
			return text.at;
	}
	return NULL;
}

static void inline_print(struct span text, FILE *out);

/* `code`.  Return: what follows; NULL: the marks are not closed */
static const char *code_print(struct span text, FILE *out)
{
	size_t ticks = run_of('`', text);
	const char *end = run_find('`', ticks, (struct span){ text.at + ticks, text.end });

	if (!end)
		return NULL;
	fwrite(text.at + ticks, 1, (size_t)(end - text.at) - ticks, out);
	return end + ticks;
}

/* [text](address), ![text](address).  Return: as code_print() */
static const char *link_print(struct span text, FILE *out)
{
	const char *open = text.at + (*text.at == '!'), *words, *end = NULL;

	if (open >= text.end || *open != '[')
		return NULL;
	words = closing('[', ']', (struct span){ open, text.end });
	if (words && words + 1 < text.end && words[1] == '(')
		end = closing('(', ')', (struct span){ words + 1, text.end });
	if (!end)
		return NULL;
	if (open != text.at)
		fputs("picture: ", out);
	inline_print((struct span){ open + 1, words }, out);
	return end + 1;
}

/* *emphasis*, **emphasis**; @before is the byte before it. A product such as 2 * d is none.
 * Return: as code_print() */
static const char *emphasis_print(struct span text, char before, FILE *out)
{
	size_t stars = run_of('*', text);
	const char *from = text.at + stars, *end;

	if (stars > 2 || from >= text.end || isspace((unsigned char)*from) ||
	    isalnum((unsigned char)before))
		return NULL;
	end = run_find('*', stars, (struct span){ from, text.end });
	if (!end || isspace((unsigned char)end[-1]))
		return NULL;
	inline_print((struct span){ from, end }, out);
	return end + stars;
}

static void inline_print(struct span text, FILE *out)
{
	char before = ' ';

	while (text.at < text.end) {
		const char *next = NULL;

		if (*text.at == '`')
			next = code_print(text, out);
		else if (*text.at == '[' || *text.at == '!')
			next = link_print(text, out);
		else if (*text.at == '*')
			next = emphasis_print(text, before, out);
		before = *text.at;
		if (next)
			text.at = next;
		else
			fputc(*text.at++, out);
	}
}

void markdown_inline(const char *text, FILE *out)
{
	inline_print((struct span){ text, text + strlen(text) }, out);
}

/* ---- lines ---- */

static struct span line_of(struct span text)
{
	const char *end = memchr(text.at, '\n', (size_t)(text.end - text.at));

	return (struct span){ text.at, end ? end : text.end };
}

static struct span without_blanks(struct span text)
{
	while (text.at < text.end && isblank((unsigned char)*text.at))
		text.at++;
	while (text.at < text.end && isblank((unsigned char)text.end[-1]))
		text.end--;
	return text;
}

static bool begins(struct span line, const char *with)
{
	size_t length = strlen(with);

	return (size_t)(line.end - line.at) >= length && !strncmp(line.at, with, length);
}

enum line_kind { LINE_TEXT, LINE_BLANK, LINE_HEADING, LINE_TABLE, LINE_FENCE, LINE_CODE };

static enum line_kind kind_of(struct span line)
{
	struct span words = without_blanks(line);
	size_t marks = run_of('#', line);

	if (words.at == words.end)
		return LINE_BLANK;
	if (begins(words, "```"))
		return LINE_FENCE;
	if (*words.at == '|')
		return LINE_TABLE;
	if (marks && line.at + marks < line.end && line.at[marks] == ' ')
		return LINE_HEADING;
	return begins(line, "    ") ? LINE_CODE : LINE_TEXT;
}

/* the first lines of @text, all of @kind */
static struct span block_of(struct span text, enum line_kind kind)
{
	struct span block = { text.at, text.at };

	while (text.at < text.end && kind_of(line_of(text)) == kind) {
		block.end = line_of(text).end;
		text.at = block.end + (block.end < text.end);
	}
	return block;
}

static void repeat(char byte, size_t count, FILE *out)
{
	while (count--)
		fputc(byte, out);
}

/* @text without marks, malloc'd; NULL: no memory */
static char *inline_text(struct span text)
{
	char *plain = NULL;
	size_t length;
	FILE *out = open_memstream(&plain, &length);

	if (!out)
		return NULL;
	inline_print(text, out);
	return fclose(out) ? NULL : plain;
}

static void heading_print(struct span line, FILE *out)
{
	size_t level = run_of('#', line);
	char *plain = inline_text(without_blanks((struct span){ line.at + level, line.end }));

	if (!plain)
		return;
	fprintf(out, "%s\n", plain);
	repeat(level == 1 ? '=' : '-', (size_t)utf8_columns(plain), out);
	fputc('\n', out);
	free(plain);
}

/* ---- tables ---- */

/* the cells of @line; a bar in code is part of its cell.  Return: their number */
static size_t cells_of(struct span line, struct span cells[CELLS_MAX])
{
	struct span rest = without_blanks(line);
	size_t count = 0;
	bool code = false;

	rest.at++; /* the first bar */
	for (const char *at = rest.at; at < rest.end && count < CELLS_MAX; at++) {
		code ^= *at == '`';
		if (at + 1 == rest.end || (*at == '|' && !code)) {
			cells[count++] = without_blanks(
				(struct span){ rest.at, *at == '|' ? at : rest.end });
			rest.at = at + 1;
		}
	}
	return count;
}

/* |---|:--|: the line below the heads */
static bool is_rule(struct span line)
{
	for (; line.at < line.end; line.at++)
		if (!strchr("|-: \t", *line.at))
			return false;
	return true;
}

static void row_measure(struct span line, size_t widths[CELLS_MAX])
{
	struct span cells[CELLS_MAX];
	size_t count = is_rule(line) ? 0 : cells_of(line, cells);

	for (size_t i = 0; i < count; i++) {
		char *plain = inline_text(cells[i]);
		size_t width = plain ? (size_t)utf8_columns(plain) : 0;

		widths[i] = width > widths[i] ? width : widths[i];
		free(plain);
	}
}

static void row_print(struct span line, const size_t widths[CELLS_MAX], FILE *out)
{
	struct span cells[CELLS_MAX];
	bool rule = is_rule(line);
	size_t count = cells_of(line, cells);

	for (size_t i = 0; i < count; i++) {
		char *plain = rule ? NULL : inline_text(cells[i]);
		size_t width = plain ? (size_t)utf8_columns(plain) : 0;

		fputs(i ? "  " : "", out);
		fputs(plain ? plain : "", out);
		if (rule)
			repeat('-', widths[i], out);
		else if (i + 1 < count)
			repeat(' ', widths[i] - width, out);
		free(plain);
	}
	fputc('\n', out);
}

static void table_print(struct span block, FILE *out)
{
	size_t widths[CELLS_MAX] = { 0 };
	struct span text;

	for (text = block; text.at < text.end; text.at = line_of(text).end + 1)
		row_measure(line_of(text), widths);
	for (text = block; text.at < text.end; text.at = line_of(text).end + 1)
		row_print(line_of(text), widths, out);
}

/* ---- pages ---- */

/* the lines between two fences as they are.  Return: the end of the second fence */
static const char *fence_print(struct span text, FILE *out)
{
	struct span line = line_of(text);

	for (text.at = line.end; text.at + 1 < text.end; text.at = line.end) {
		text.at++;
		line = line_of(text);
		if (kind_of(line) == LINE_FENCE)
			return line.end;
		fprintf(out, "  %.*s\n", (int)(line.end - line.at), line.at);
	}
	return text.end;
}

void markdown_print(const char *text, size_t length, FILE *out)
{
	struct span rest = { text, text + length };

	while (rest.at < rest.end) {
		enum line_kind kind = kind_of(line_of(rest));
		struct span block = block_of(rest, kind);

		if (kind == LINE_FENCE) {
			block.end = fence_print(rest, out);
		} else if (kind == LINE_HEADING) {
			block.end = line_of(rest).end;
			heading_print(line_of(rest), out);
		} else if (kind == LINE_TABLE) {
			table_print(block, out);
		} else {
			if (kind == LINE_TEXT)
				inline_print(block, out);
			else
				fwrite(block.at, 1, (size_t)(block.end - block.at), out);
			fputc('\n', out);
		}
		rest.at = block.end + (block.end < rest.end);
	}
}
