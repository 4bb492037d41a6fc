#include "orchestrator/view/view_page.h"

#include <stdio.h>
#include <string.h>

#include "orchestrator/base/embed.h"
#include "orchestrator/base/sha256.h"

EMBED("view_page", "build/gen/page.html");

/* the next script in @page from @from on: its first byte and its length; NULL if there is none */
static const char *script_next(const char *page, size_t length, const char *from, size_t *bytes)
{
	const char *end = page + length, *begin, *close;

	begin = memmem(from, (size_t)(end - from), "<script", 7);
	begin = begin ? memchr(begin, '>', (size_t)(end - begin)) : NULL;
	if (!begin)
		return NULL;
	begin++;
	close = memmem(begin, (size_t)(end - begin), "</script", 8);
	if (!close)
		return NULL;
	*bytes = (size_t)(close - begin);
	return begin;
}

char *view_page_policy(const char *page, size_t length)
{
	char digest[SHA256_BASE64_MAX], *text = NULL;
	size_t text_length, bytes = 0;
	FILE *out = open_memstream(&text, &text_length);

	if (!out)
		return NULL;
	fputs("default-src 'none'; script-src", out);
	for (const char *at = page; (at = script_next(page, length, at, &bytes)); at += bytes) {
		struct sha256 sha;

		sha256_begin(&sha);
		sha256_add(&sha, at, bytes);
		fprintf(out, " 'sha256-%s'", sha256_base64(&sha, digest));
	}
	fputs("; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'; "
	      "worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	      out);
	return fclose(out) ? NULL : text;
}
