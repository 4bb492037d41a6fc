/*  privilege - what a node gives up once it holds its descriptors: everything (TB-24).                               */
#ifndef HEDDLE_NODES_PRIVILEGE_H
#define HEDDLE_NODES_PRIVILEGE_H

#include <sys/types.h>

/** privilege_drop() - no capabilities, no new ones by exec, and user nobody, in no other group, if the process was root
 *  and may change.
 *  A change of user makes the kernel forget who must die with @parent: it is told again.
 *  Return: 0; -ESRCH if @parent is gone; -errno.                                                                */
int privilege_drop(pid_t parent);

#endif
