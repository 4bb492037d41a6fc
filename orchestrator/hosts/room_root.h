/*  room_root - a folder as the root file system of a host (`rootfs`, DU-3).
 *
 *  The folder is the lower layer of an overlay whose upper layer is in memory: the host can change
 *  all of its files, and the folder stays as it is. Two hosts may have the same folder.
 *  The machine's files stay at a place of the new root while the host's file system is made: mounts
 *  come from there.
 *  Sources: the kernel's overlayfs, pivot_root(2). */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_ROOM_ROOT_H
#define HEDDLE_ORCHESTRATOR_HOSTS_ROOM_ROOT_H

#include <stddef.h>

/** room_root_enter() - makes the overlay of folder @rootfs the root of this mount namespace, with
 *  the machine's /dev, /proc, /sys and /etc/hosts in it, and folders and files that a host needs.
 *  In a user namespace the folder must belong to users that exist there.
 *  Return: 0, or -errno with the reason in @step. */
int room_root_enter(const char *rootfs, char *step, size_t step_max);

/** room_root_leave() - removes the machine's files from the mount namespace. */
void room_root_leave(void);

#endif
