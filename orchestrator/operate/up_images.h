/*  up_images - the images of a scenario's hosts, before a fabric starts (DU-3).
 *
 *  Each becomes a folder of the cache (image_cache.h), which is the host's root file system. What
 *  the image says of its program fills what the scenario does not say. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_UP_IMAGES_H
#define HEDDLE_ORCHESTRATOR_OPERATE_UP_IMAGES_H

#include "orchestrator/hosts/image_config.h"
#include "orchestrator/scenario/scenario.h"

struct up_images {
	struct up_image *all; /* each once */
	uint32_t count;
};

/** up_images_get() - gets the images of all hosts of @scenario, and completes their settings. They
 *  are held until up_images_free().
 *  Return: 0; -EINVAL with an error in @errors for each one that cannot be had; -ENOMEM. */
int up_images_get(struct scenario *scenario, struct up_images *images,
		  struct scenario_errors *errors);

/** up_images_hold() - holds them for the calling process, the daemon, until it ends. A child that
 *  calls exec does not hold them. */
void up_images_hold(const struct up_images *images);

void up_images_free(struct up_images *images);

/** up_images_apply() - completes the settings of a host: `rootfs`; the image's command unless it
 *  has `run`; variables that `env` does not have; user and working folder.
 *  Return: 0 or -ENOMEM. */
int up_images_apply(struct scenario_host_settings *settings, const struct image_config *config,
		    const char *rootfs);

#endif
