/*  output - what results are printed as: text, JSON and CSV, and what must be in them. */
#ifndef HEDDLE_TESTS_UNIT_ORCHESTRATOR_RESULTS_OUTPUT_H
#define HEDDLE_TESTS_UNIT_ORCHESTRATOR_RESULTS_OUTPUT_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/results/results_csv.h"
#include "orchestrator/results/results_json.h"
#include "tests/testing.h"

/* @text has each of these parts, in any order */
#define HAS(text, ...) has(text, (const char *const[]){ __VA_ARGS__, NULL }, __LINE__)

static inline void has(const char *text, const char *const *parts, int line)
{
	for (; *parts; parts++)
		ck_assert_msg(strstr(text, *parts) != NULL, "line %d: '%s' is missing in %s", line,
			      *parts, text);
}

/* what @write writes; to be freed */
static inline char *output_of(void (*write)(const struct plan *plan, const struct results *results,
					    bool colour, FILE *out),
			      const struct plan *plan, const struct results *results)
{
	static char *text; /* gcc 12 takes what is found in it for a pointer into a local */
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	write(plan, results, false, out);
	fclose(out);
	return text;
}

/* the results as JSON; to be freed */
static inline char *json_of(const struct plan *plan, const struct results *results,
			    const struct result_host *host)
{
	static char *text;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(results_json_write(plan, results, host, out), 0);
	fclose(out);
	return text;
}

static inline uint32_t csv_fields(const char *line)
{
	uint32_t count = 1;

	for (; *line; line++)
		count += *line == ',';
	return count;
}

/* The table @name in @folder has @rows rows, each with as many fields as its header, which ends
 * with @last. The file is removed. */
static inline void csv_check(const char *folder, const char *name, uint32_t rows, const char *last)
{
	char path[128], header[2048], line[2048];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(header, sizeof(header), file));
	ck_assert_msg(strstr(header, last) != NULL, "%s: %s", name, header);
	for (; fgets(line, sizeof(line), file); rows--)
		ck_assert_uint_eq(csv_fields(line), csv_fields(header));
	ck_assert_uint_eq(rows, 0);
	fclose(file);
	unlink(path);
}

#endif
