/*  node_report - what a node process tells the orchestrator of its own accord. */
#ifndef HEDDLE_NODES_PROCESS_NODE_REPORT_H
#define HEDDLE_NODES_PROCESS_NODE_REPORT_H

/** node_report_to() - what follows is reported over @socket, a control socket; borrowed. Before the
 *  first call it is CONTROL_FD. */
void node_report_to(int socket);

/** node_note() - something worth a line.  Return: 0, or -errno if the orchestrator is gone. */
int node_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** node_fail() - tells the orchestrator of something that ends the run.  Return: -EINVAL */
int node_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
