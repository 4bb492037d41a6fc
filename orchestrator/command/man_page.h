/*  man_page - manual pages, from the words of --help and the tables of keys (DU-11). */
#ifndef HEDDLE_ORCHESTRATOR_COMMAND_MAN_PAGE_H
#define HEDDLE_ORCHESTRATOR_COMMAND_MAN_PAGE_H

#include <stddef.h>

#include "orchestrator/command/command.h"

/** man_pages_write() - writes heddle.1, heddle-scenario.5 and heddle-COMMAND.1 for each of
 *  @commands to the existing @folder.  Return: 0 or -errno. */
int man_pages_write(const struct command *commands, size_t count, const char *folder);

#endif
