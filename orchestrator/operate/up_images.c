#include "orchestrator/operate/up_images.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/shell_word.h"
#include "orchestrator/hosts/image_cache.h"
#include "orchestrator/hosts/image_engine.h"

#define PATH_DEFAULT "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

struct up_image {
	char *name;
	struct image_config config;
	char rootfs[PATH_MAX];
	int hold_fd; /* -1: it could not be had */
};

/* ---- the settings of a host ---- */

/* @words as a person would type them, malloc'd */
static char *command_text(char *const *words)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	for (char *const *word = words; *word; word++) {
		if (word != words)
			fputc(' ', out);
		shell_word_print(*word, out);
	}
	return fclose(out) ? NULL : text;
}

static bool command_add(struct scenario_host_settings *settings, char *const *words)
{
	struct host_command *command = calloc(1, sizeof(*command));
	size_t count = 0;
	bool fine;

	while (words[count])
		count++;
	if (!command)
		return false;
	free(settings->commands); /* of none */
	settings->commands = command;
	settings->command_count = 1;
	command->text = command_text(words);
	command->argv = calloc(count + 1, sizeof(*command->argv));
	fine = command->text && command->argv;
	for (size_t i = 0; i < count && fine; i++) {
		command->argv[i] = strdup(words[i]);
		fine = command->argv[i];
	}
	return fine;
}

static bool has_variable(char *const *list, uint32_t count, const char *variable)
{
	size_t key = strcspn(variable, "=") + 1;

	for (uint32_t i = 0; i < count; i++)
		if (!strncmp(list[i], variable, key))
			return true;
	return false;
}

/* adds a copy of @variable, unless one of its name is there */
static bool variable_add(struct scenario_host_settings *settings, const char *variable)
{
	uint32_t count = settings->variable_count;
	char **list;

	if (has_variable(settings->variables, count, variable))
		return true;
	list = realloc(settings->variables, (count + 1) * sizeof(*list));
	if (!list)
		return false;
	settings->variables = list;
	list[count] = strdup(variable);
	settings->variable_count += list[count] != NULL;
	return list[count];
}

/* root is what the programs of a host are anyway */
static bool is_root(const char *user)
{
	static const char *const names[] = {
		"", "0", "root", "0:0", "root:root", "root:0", "0:root"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(user, names[i]))
			return true;
	return false;
}

int up_images_apply(struct scenario_host_settings *settings, const struct image_config *config,
		    const char *rootfs)
{
	bool fine;

	settings->rootfs = strdup(rootfs);
	settings->work_folder = strdup(*config->folder ? config->folder : "/");
	fine = settings->rootfs && settings->work_folder;
	if (fine && !settings->command_count && config->command[0])
		fine = command_add(settings, config->command);
	for (char **variable = config->variables; fine && *variable; variable++)
		fine = variable_add(settings, *variable);
	if (fine)
		fine = variable_add(settings, PATH_DEFAULT);
	if (fine && !settings->user && !is_root(config->user)) {
		settings->user = strdup(config->user);
		settings->user_of_image = true;
		fine = settings->user;
	}
	return fine ? 0 : -ENOMEM;
}

/* ---- all images ---- */

/* Return: 0, or -errno with @why; image->hold_fd is -1 then */
static int image_get(struct up_image *image, struct why *why)
{
	bool made;
	int error = image_engine_find(image->name, &image->config, why);

	if (!error) {
		image->hold_fd =
			image_cache_get(image->name, &image->config, image->rootfs, &made, why);
		error = image->hold_fd < 0 ? image->hold_fd : 0;
	}
	if (image->hold_fd < 0)
		image->hold_fd = -1;
	return error;
}

static struct up_image *image_find(const struct up_images *images, const char *name)
{
	for (uint32_t i = 0; i < images->count; i++)
		if (!strcmp(images->all[i].name, name))
			return &images->all[i];
	return NULL;
}

/* that of @settings; a new one is got.  Return: NULL: memory is short */
static struct up_image *image_of(const struct scenario *scenario,
				 const struct scenario_host_settings *settings,
				 struct up_images *images, struct scenario_errors *errors)
{
	struct up_image *image = image_find(images, settings->image);
	struct why why = { "" };
	int error;

	if (image)
		return image;
	image = &images->all[images->count];
	*image = (struct up_image){ .name = strdup(settings->image), .hold_fd = -1 };
	if (!image->name)
		return NULL;
	images->count++;
	error = image_get(image, &why);
	if (error)
		scenario_errors_at(errors, scenario, &settings->image_place, "image '%.200s': %s",
				   settings->image, *why.text ? why.text : strerror(-error));
	return image;
}

int up_images_get(struct scenario *scenario, struct up_images *images,
		  struct scenario_errors *errors)
{
	int error = 0;

	images->all = calloc(scenario->host_count, sizeof(*images->all));
	for (uint32_t i = 0; i < scenario->host_count && error != -ENOMEM; i++) {
		struct scenario_host_settings *settings = scenario->hosts[i].settings;
		const struct up_image *image;

		/* with a root file system it is done: two hosts may share settings */
		if (!settings || !settings->image || settings->rootfs)
			continue;
		image = images->all ? image_of(scenario, settings, images, errors) : NULL;
		if (!image)
			error = -ENOMEM;
		else if (image->hold_fd < 0)
			error = -EINVAL;
		else if (up_images_apply(settings, &image->config, image->rootfs))
			error = -ENOMEM;
	}
	return error;
}

void up_images_hold(const struct up_images *images)
{
	/* the descriptors end with the process */
	for (uint32_t i = 0; i < images->count; i++)
		(void)image_cache_hold(images->all[i].rootfs);
}

void up_images_free(struct up_images *images)
{
	for (uint32_t i = 0; i < images->count; i++) {
		descriptor_close(&images->all[i].hold_fd);
		image_config_free(&images->all[i].config);
		free(images->all[i].name);
	}
	free(images->all);
	*images = (struct up_images){ 0 };
}
