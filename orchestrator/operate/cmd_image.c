#include "orchestrator/operate/cmd_image.h"

#include <stdio.h>

#include "nodes/base/array.h"
#include "orchestrator/base/human.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/command/client.h"
#include "orchestrator/command/command.h"
#include "orchestrator/hosts/image_cache.h"

#define ID_SHOWN 12

struct request {
	bool json;
};

static const struct option_row options[] = {
	OPTION_FLAG("--json", offsetof(struct request, json), "for programs"),
};

static const struct command_words list_words = {
	"image list",
	"usage: heddle image list [--json]\n"
	"Lists the images that 'heddle up' has unpacked for hosts (the key 'image'), a line each:\n"
	"ID, size as podman counts it, whether a running fabric uses it, name.\n",
	"exit status: 0 fine, 2 wrong usage, or the folder cannot be read\n",
	OPTIONS(options),
};

static const struct command_words prune_words = {
	"image prune",
	"usage: heddle image prune [--json]\n"
	"Removes the unpacked images that no running fabric uses, and prints their list. podman's\n"
	"own images stay.\n",
	"exit status: 0 fine, 2 wrong usage, or one could not be removed\n",
	OPTIONS(options),
};

static void images_print(const json_t *list)
{
	const json_t *image;
	char bytes[HUMAN_TEXT_MAX];
	size_t i;

	json_array_foreach (list, i, image)
		printf("%.*s  %10s  %-6s  %s\n", ID_SHOWN, member_text(image, "id"),
		       human_bytes((uint64_t)member_number(image, "bytes"), bytes),
		       json_is_true(json_object_get(image, "used")) ? "used" : "unused",
		       member_text(image, "name"));
}

static int images_run(const struct command_words *words, json_t *(*take)(struct why *),
		      const char *none, int argc, char **argv)
{
	struct request request = { 0 };
	struct why why;
	int count, status = options_read(words, argc, argv, &request, &count);
	json_t *list;

	if (status >= 0)
		return status;
	if (count)
		return options_wrong(words->name, "'%s' is one word too many", argv[1]);
	list = take(&why);
	if (!list)
		return options_wrong(words->name, "%s", why.text);
	if (request.json)
		client_json_print(list);
	else if (json_array_size(list))
		images_print(list);
	else
		printf("%s\n", none);
	json_decref(list);
	return CLIENT_FINE;
}

static int image_list(int argc, char **argv)
{
	return images_run(&list_words, image_cache_list, "no image is unpacked", argc, argv);
}

static int image_prune(int argc, char **argv)
{
	return images_run(&prune_words, image_cache_prune, "nothing to remove", argc, argv);
}

static const struct command commands[] = {
	{ "list", image_list, "those that are unpacked, a line each" },
	{ "prune", image_prune, "remove those that no running fabric uses" },
};

int cmd_image(int argc, char **argv)
{
	return command_group_run("image", commands, COUNT_OF(commands), argc, argv);
}
