/*  cmd_ping_all - `heddle ping-all` (DU-4). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_PING_ALL_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_PING_ALL_H

/** cmd_ping_all() - argv[0] is "ping-all". Return: the exit status. */
int cmd_ping_all(int argc, char **argv);

#endif
