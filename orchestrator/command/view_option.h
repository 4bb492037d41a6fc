/*  view_option - the options of a server, for every command that has one (SE-4, SE-14). */
#ifndef HEDDLE_ORCHESTRATOR_COMMAND_VIEW_OPTION_H
#define HEDDLE_ORCHESTRATOR_COMMAND_VIEW_OPTION_H

#include "orchestrator/command/options.h"
#include "orchestrator/view/view_server.h"

struct view_listen {
	char address[VIEW_LISTEN_MAX];
	unsigned port; /* 0: a free one */
};

/** option_listen() - ADDRESS, ADDRESS:PORT, [IPv6]:PORT or :PORT into a struct view_listen. */
option_fn option_listen;

#endif
