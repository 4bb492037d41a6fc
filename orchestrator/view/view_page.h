/*  view_page - the page that a browser gets: one HTML file, built into the program (SE-4).
 *
 *  page.html loads nothing from outside. Its policy (Content-Security-Policy) allows exactly the
 *  scripts that it contains, by their digests. */
#ifndef HEDDLE_ORCHESTRATOR_VIEW_VIEW_PAGE_H
#define HEDDLE_ORCHESTRATOR_VIEW_VIEW_PAGE_H

#include <stddef.h>

extern const char view_page_text[];
extern const size_t view_page_length;

/** view_page_policy() - the value of Content-Security-Policy for @page, @length bytes.
 *  Return: text for free(); NULL if memory is short. O(length). */
char *view_page_policy(const char *page, size_t length);

#endif
