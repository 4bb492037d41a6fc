/*  neighbour_advice - warns before a fabric starts whose hosts have more neighbours than the kernel
 *  keeps (DU-5).
 *
 *  Linux has one table of IPv4 neighbours (ARP) and one of IPv6 for all network namespaces of the
 *  machine, and keeps 1024 entries of each unless root has changed it. From 33 hosts on that all
 *  talk to each other there are more. Then packets are dropped in the kernels of hosts, before
 *  they reach the fabric, and each search for a neighbour ends another one. */
#ifndef HEDDLE_ORCHESTRATOR_RUN_NEIGHBOUR_ADVICE_H
#define HEDDLE_ORCHESTRATOR_RUN_NEIGHBOUR_ADVICE_H

#include "orchestrator/plan/plan.h"

#define NEIGHBOUR_ADVICE_MAX 512u /* bytes of the sentence */
#define NEIGHBOURS_KEPT 1024u     /* by a kernel that nothing else is known of */

/** neighbour_count() - of IPv4 neighbours that the hosts of @plan on this machine have, if each
 *  talks to all in its subnets. O(addresses * subnets). */
uint64_t neighbour_count(const struct plan *plan);

/** neighbours_kept() - how many the kernel keeps, as the file @path says; NEIGHBOURS_KEPT if it
 *  says nothing, as in a container with a network of its own. */
uint64_t neighbours_kept(const char *path);

/** neighbour_advice() - a sentence to @text if @count neighbours are more than the @kept, with the
 *  setting of root that keeps them; else "".   Return: is there one? */
bool neighbour_advice(uint64_t count, uint64_t kept, char *text, size_t text_max);

/** neighbour_advice_here() - neighbour_advice() for @count neighbours on this machine. */
bool neighbour_advice_here(uint64_t count, char *text, size_t text_max);

/** neighbour_advice_print() - the same to standard error, as `heddle COMMAND`. */
void neighbour_advice_print(const char *command, uint64_t count);

#endif
