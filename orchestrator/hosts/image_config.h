/*  image_config - what an image says of itself: its ID, and the program that it is made for (DU-3).
 *
 *  It is read from what `podman image inspect` prints, a JSON array with one image. The image may
 *  be of anyone: nothing in it is trusted.
 *  Sources: image-spec, config.md (Entrypoint, Cmd, Env, User, WorkingDir). What is not used here:
 *  StopSignal, since the programs of a host are killed with it, Volumes, since every host can write
 *  everywhere, ExposedPorts, Healthcheck and Labels. */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_IMAGE_CONFIG_H
#define HEDDLE_ORCHESTRATOR_HOSTS_IMAGE_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "nodes/base/why.h"

#define IMAGE_ID_DIGITS 64u
#define IMAGE_WORDS_MAX 4096u /* of a list */

struct image_config {
	char id[IMAGE_ID_DIGITS + 1]; /* SHA-256, lower case */
	uint64_t bytes;               /* of its files, as podman counts them */
	char **command;               /* Entrypoint, then Cmd; NULL-terminated, [0] NULL: none */
	char **variables;             /* "KEY=value"; NULL-terminated */
	char *user;                   /* "USER[:GROUP]", names or numbers; "": root */
	char *folder;                 /* working directory, absolute; "": / */
};

/** image_config_read() - reads the JSON @text, of @length bytes.
 *  Return: 0, image_config_free() later; -EINVAL with the reason in @why; -ENOMEM. */
int image_config_read(const char *text, size_t length, struct image_config *config,
		      struct why *why);

/** image_config_free() - frees the members; safe for one that is all zeros. */
void image_config_free(struct image_config *config);

#endif
