#include "orchestrator/base/word_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_MAX 64u

void word_list_add(struct word_list *list, const char *format, ...)
{
	va_list arguments;
	char *word;
	int length;

	if (list->count == list->max) {
		size_t max = list->max ? 2 * list->max : FIRST_MAX;
		char **words = realloc(list->words, max * sizeof(*words));

		if (!words)
			return;
		list->words = words;
		list->max = max;
	}
	va_start(arguments, format);
	length = vasprintf(&word, format, arguments);
	va_end(arguments);
	if (length >= 0)
		list->words[list->count++] = word;
}

static int words_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t common_length(const char *a, const char *b)
{
	size_t length = 0;

	while (a[length] && a[length] == b[length])
		length++;
	return length;
}

size_t word_list_keep(struct word_list *list, const char *start)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->words, list->count, sizeof(*list->words), words_compare);
	for (size_t i = 0; i < list->count; i++) {
		char *word = list->words[i];

		if (strncmp(word, start, strlen(start)) ||
		    (kept && !strcmp(word, list->words[kept - 1])))
			free(word);
		else
			list->words[kept++] = word;
	}
	list->count = kept;
	/* they are sorted, so the first and the last one differ first */
	return kept ? common_length(list->words[0], list->words[kept - 1]) : 0;
}

void word_list_free(struct word_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->words[i]);
	free(list->words);
	*list = (struct word_list){ 0 };
}
