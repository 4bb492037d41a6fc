/*  containerlab_text - writes what was read of a containerlab file as a scenario, with comments
 *  that say what became of it (DU-3).
 *
 *  - every node has eth0 in the management network, a switch, with an address of its subnet, as
 *    containerlab gives it; a node of network-mode none has not, if it has a link;
 *  - a link becomes a switch with two hosts, a bridge a switch; eth1, eth2 ... keep their names,
 *    other names are given when the host starts;
 *  - `exec` becomes one script, whose commands run one after the other, as there. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_CONTAINERLAB_TEXT_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_CONTAINERLAB_TEXT_H

#include <stdio.h>

#include "orchestrator/scenario/containerlab.h"

struct containerlab_options {
	/* before relative paths of `binds`: the folder of the file, with a '/' at its end; "" */
	const char *folder;
	bool no_images; /* the hosts have the files of this machine */
};

/** containerlab_text() - writes the scenario to @out; @lab->left_out grows.
 *  Return: 0 or -ENOMEM. Errors of @out are the caller's to check. */
int containerlab_text(struct containerlab *lab, const struct containerlab_options *options,
		      FILE *out);

/** containerlab_words() - writes command line @text, as containerlab splits it, as words for a
 *  shell: no character but quotes, blanks and '\\' has a meaning there.
 *  Return: 0; -EINVAL: a quote lacks its end, and something may be written already; -ENOMEM. */
int containerlab_words(const char *text, FILE *out);

#endif
