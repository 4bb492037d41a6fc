#include "orchestrator/base/exit_status.h"

#include <assert.h>

#include "nodes/base/array.h"
#include "orchestrator/base/interrupt.h"

static_assert(EXIT_INTERRUPTED == INTERRUPT_STATUS, "the status of interrupt.h is in the table");

static const struct row {
	int status;
	const char *meaning;
} rows[] = {
#define ROW(name, number, meaning) { number, meaning },
	EXIT_STATUS_ROWS(ROW)
#undef ROW
};

void exit_status_each(void (*take)(int status, const char *meaning, FILE *out), FILE *out)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		take(rows[i].status, rows[i].meaning, out);
}

static void line_print(int status, const char *meaning, FILE *out)
{
	fprintf(out, "%-4d %s\n", status, meaning);
}

void exit_status_print(FILE *out)
{
	exit_status_each(line_print, out);
}
