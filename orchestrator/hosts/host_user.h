/*  host_user - the users of a host: those of the machine, or of the host's own root file system
 *  (DU-1, DU-3). */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_HOST_USER_H
#define HEDDLE_ORCHESTRATOR_HOSTS_HOST_USER_H

#include "orchestrator/hosts/host_rights.h"

/** host_user_find() - looks up a user by @name, or by number. @rootfs  folder that is the host's
 *  root file system, whose etc/passwd is read; NULL or "": the host has the machine's users.
 *  Return: false: there is none. The texts of *@found live until the next call. */
bool host_user_find(const char *rootfs, const char *name, struct host_user *found);

/** host_user_of_image() - looks up what an image says of its user, @text: USER[:GROUP], names or
 *  numbers. A number need not be in the files of @rootfs: its group is 0 then, its home "/".
 *  Return, and the texts: as of host_user_find(). */
bool host_user_of_image(const char *rootfs, const char *text, struct host_user *found);

#endif
