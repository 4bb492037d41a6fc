/*  cmd_metrics - `heddle metrics`: a running fabric for Prometheus (SE-14). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_METRICS_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_METRICS_H

/** cmd_metrics() - Return: the exit status (exit_status.h). */
int cmd_metrics(int argc, char **argv);

#endif
