#include "orchestrator/base/origin.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "orchestrator/base/yaml_reader.h"

struct origin *origin_new(const char *text, size_t length, const char *const *settings,
			  uint32_t setting_count)
{
	struct origin *origin = calloc(1, sizeof(*origin));

	if (!origin)
		return NULL;
	origin->holders = 1;
	origin->control.fd = -1;
	sha256_begin(&origin->digest);
	sha256_add(&origin->digest, text, length);
	origin->text = strndup(text, length);
	origin->settings = calloc(setting_count + 1ul, sizeof(char *));
	while (origin->settings && origin->setting_count < setting_count) {
		char *copy = strdup(settings[origin->setting_count]);

		if (!copy)
			break;
		origin->settings[origin->setting_count++] = copy;
	}
	if (origin->text && origin->settings && origin->setting_count == setting_count)
		return origin;
	origin_release(origin);
	return NULL;
}

void origin_input(struct origin *origin, const char *path)
{
	struct stat status;

	if (origin->input_count < ORIGIN_INPUTS_MAX && !stat(path, &status))
		origin->inputs[origin->input_count++] =
			(struct origin_input){ .device = status.st_dev, .inode = status.st_ino };
}

bool origin_reads(const struct origin *origin, dev_t device, ino_t inode)
{
	for (uint32_t i = 0; origin && i < origin->input_count; i++)
		if (origin->inputs[i].device == device && origin->inputs[i].inode == inode)
			return true;
	return false;
}

struct origin *origin_hold(struct origin *origin)
{
	if (origin)
		origin->holders++;
	return origin;
}

void origin_release(struct origin *origin)
{
	if (!origin || --origin->holders)
		return;
	for (uint32_t i = 0; i < origin->setting_count; i++)
		free(origin->settings[i]);
	free(origin->settings);
	free(origin->text);
	yaml_free(origin->effective);
	control_file_release(&origin->control);
	free(origin);
}
