/*  cmd_test - `heddle test`: scenarios as tests, beside each other. */
#ifndef HEDDLE_ORCHESTRATOR_RUN_CMD_TEST_H
#define HEDDLE_ORCHESTRATOR_RUN_CMD_TEST_H

/** cmd_test() - the command `heddle test`.  Return: exit status. */
int cmd_test(int argc, char **argv);

#endif
