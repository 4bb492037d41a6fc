/*  Fuzzes orchestrator/operate/observe (TB-10, TB-23): the file of `heddle ps --since`, and the
 *  answer of a daemon that it is compared with.
 *
 *  Both are any JSON that jansson takes: the input is split at the first zero byte. All that
 *  'heddle ps' prints of them is printed. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/operate/observe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = memchr(data, 0, size);
	size_t first = zero ? (size_t)(zero - data) : size;
	json_t *before = json_loadb((const char *)data, first, JSON_ALLOW_NUL, NULL);
	json_t *later =
		zero ? json_loadb((const char *)zero + 1, size - first - 1, JSON_ALLOW_NUL, NULL)
		     : json_deep_copy(before);
	FILE *out = fopen("/dev/null", "w");

	if (!out)
		abort();
	if (before && later) {
		observe_cost(later, before);
		observe_traffic(later, before);
		observe_fidelity(later, before);
		observe_fidelity_print(later, out);
		observe_deadlocks_print(later, out);
	}
	if (later) {
		observe_fidelity(later, NULL);
		observe_fidelity_print(later, out);
	}
	json_decref(before);
	json_decref(later);
	fclose(out);
	return 0;
}
