/*  image_cache - the files of images, unpacked once, for the hosts of all fabrics of a user (DU-3).
 *
 *  $XDG_CACHE_HOME/heddle/images, else ~/.cache/heddle/images, which only its owner can enter, has
 *    ID/root        the file system of the image with that ID; nothing changes it
 *    ID/image.json  its name, and how many bytes it has
 *    ID.new.XXXXXX  one that is being made, or that a killed process has left
 *    lock           held with flock() while something is made or removed
 *  A folder gets the name ID when it is whole and on the disk: by a rename. A process that
 *  uses one holds its folder with a shared flock(); one without a holder can be removed. The locks
 *  end with their processes, however these end. */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_IMAGE_CACHE_H
#define HEDDLE_ORCHESTRATOR_HOSTS_IMAGE_CACHE_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "nodes/base/why.h"
#include "orchestrator/hosts/image_config.h"

/** image_cache_path() - the folder of the cache, from the environment.
 *  Return: 0; -ENOTDIR: there is no home; -ENAMETOOLONG. */
int image_cache_path(char *path, size_t path_max);

/** image_cache_get() - unpacks image @config, if that has not been done, and holds its folder.
 *  @name  as the user calls it.  @rootfs  PATH_MAX bytes, receives the folder ID/root.
 *  @made  true: it was unpacked by this call.
 *  Return: a descriptor that holds it until it is closed, in all copies; or -errno with the reason
 *  in @why. */
int image_cache_get(const char *name, const struct image_config *config, char *rootfs, bool *made,
		    struct why *why);

/** image_cache_hold() - one more holder of the image whose files are @rootfs.
 *  Return: a descriptor, closed on exec, or -errno. */
int image_cache_hold(const char *rootfs);

/** image_cache_list() - what is in the cache, by ID: {"id", "name", "bytes", "folder", "used"}.
 *  Return: an array, or NULL with the reason in @why. */
json_t *image_cache_list(struct why *why);

/** image_cache_prune() - removes what is not held, and what killed processes have left.
 *  Return: those that were removed, as of image_cache_list(); or NULL with the reason in @why. */
json_t *image_cache_prune(struct why *why);

#endif
