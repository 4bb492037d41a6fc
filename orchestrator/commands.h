/*  commands - the commands of `heddle`. Each is given its own name and what follows, as main() would be.
 *  Return: the exit status: 0 fine, 1 the answer is no (an expectation failed, a scenario is wrong), 2 wrong usage,
 *  3 the run itself failed.                                                                                          */
#ifndef HEDDLE_ORCHESTRATOR_COMMANDS_H
#define HEDDLE_ORCHESTRATOR_COMMANDS_H

int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_gen(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_help(int argc, char **argv);

#endif
