/*  commands - the commands of `heddle`. Each is given its own name and what follows, as main() would be.
 *  Return: the exit status: 0 fine, 1 an expectation failed, 2 wrong usage or scenario, 3 the fabric stalled, 4 a node
 *  failed, 130 interrupted. Commands on running fabrics: client.h.                                                   */
#ifndef HEDDLE_ORCHESTRATOR_COMMANDS_H
#define HEDDLE_ORCHESTRATOR_COMMANDS_H

int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_gen(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_up(int argc, char **argv);
int cmd_down(int argc, char **argv);
int cmd_ps(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_exec(int argc, char **argv);
int cmd_shell(int argc, char **argv);
int cmd_set(int argc, char **argv);
int cmd_start(int argc, char **argv);
int cmd_link(int argc, char **argv);
int cmd_add(int argc, char **argv);
int cmd_attach(int argc, char **argv);
int cmd_remove(int argc, char **argv);
int cmd_help(int argc, char **argv);

/** cmd_show_live() - `heddle show` of a node of a running fabric. */
int cmd_show_live(int argc, char **argv);

#endif
