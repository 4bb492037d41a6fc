/*  Fuzzes the reader of containerlab's files (TB-23): orchestrator/scenario/containerlab,
 *  containerlab_text, base/yaml_anchor.
 *
 *  What is read without an error is written as a scenario, which must be YAML without anchors. Each
 *  part that is left out has its sentence. */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/yaml_reader.h"
#include "orchestrator/scenario/containerlab_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* as in fuzz_scenario.c */
const char *__lsan_default_suppressions(void)
{
	return "leak:libfyaml.so";
}

static void write_check(struct containerlab *lab)
{
	const struct containerlab_options options = { .folder = "/" };
	struct scenario_errors errors = { 0 };
	struct yaml_node *root = NULL;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int error = containerlab_text(lab, &options, out);

	fclose(out);
	if (!error) {
		error = yaml_read("out", text, length, 0, &root, &errors);
		if (error)
			scenario_errors_print(&errors, stderr);
		assert(!error && root->kind == YAML_MAPPING && yaml_find(root, "topology"));
		yaml_free(root);
	}
	scenario_errors_free(&errors);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scenario_errors errors = { 0 };
	struct containerlab lab;
	int error = containerlab_read("in", (const char *)data, size, &lab, &errors);

	assert(error != -EINVAL || errors.count);
	if (!error)
		write_check(&lab);
	containerlab_free(&lab);
	scenario_errors_free(&errors);
	return 0;
}
