/*  image_engine - images from the user's podman, with its commands (DU-3).
 *
 *  podman runs as the user that runs heddle, so a user has the images of that user. In rootless use
 *  its `podman unshare` has the same users as a rootless fabric (id_map.h): the user is root, and
 *  the subordinate ids are the others. The network is used by `podman pull` only. */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_IMAGE_ENGINE_H
#define HEDDLE_ORCHESTRATOR_HOSTS_IMAGE_ENGINE_H

#include "nodes/base/why.h"
#include "orchestrator/hosts/image_config.h"

/** image_engine_find() - looks up image @name; pulls it if podman does not have it, which prints
 *  its progress to standard error.
 *  Return: 0 with @config, image_config_free() later; else -errno with the reason in @why. */
int image_engine_find(const char *name, struct image_config *config, struct why *why);

/** image_engine_unpack() - writes the files of image @id to the empty folder @folder, with their
 *  owners. Two callers must not do so at once for the same image.
 *  Return: 0, or -errno with the reason in @why: the folder may have a part of them. */
int image_engine_unpack(const char *id, const char *folder, struct why *why);

/** image_engine_remove() - removes folder @folder with all in it, of whatever owner.
 *  Return: 0, or -EIO with the reason in @why. */
int image_engine_remove(const char *folder, struct why *why);

#endif
