/*  show_text - the form in which nodes write tables for `show` (node_ops.show): for programs, not
 *  for people. The orchestrator aligns columns, names nodes, or makes JSON of it.
 *
 *  A table is lines of cells with tabs between them. The first line has the columns, each other one
 *  a row. A line that begins with '=' is a fact about the whole table, outside of the rows:
 *  "=COLUMN", a tab, its cell. There may be facts without any columns. A column is its name, or
 *  NAME:KIND. Names are unique in a table, and state their unit: _bytes, _us, _units (256 bytes),
 *  _bps. A cell that is "-" or empty has no value.
 *
 *      (none)    a decimal number, perhaps with sign and point
 *      text      whatever is no number; without tabs, newlines and control characters
 *      any       a number, or else text
 *      flag      1: yes, 0: no
 *      ps        picoseconds; shown in microseconds, so the name ends with _us
 *      port      the number of a port of this node; the orchestrator adds the name of its peer
 *      ports     a set of them as show_text_ports() writes it
 *      alone     the number of a port, without its peer
 *      host      index of a host
 *      edge      a host by its place: fabric address, '.', port there
 *      switch    fabric address of a switch
 *      lid       LID of a host
 *      workload  index of a workload
 *      flow      text in which addresses of hosts may be, such as flow_name_print() */
#ifndef HEDDLE_NODES_NODE_SHOW_TEXT_H
#define HEDDLE_NODES_NODE_SHOW_TEXT_H

#include <stdint.h>
#include <stdio.h>

/** show_text_ports() - the cell of the set @ports: their numbers, blanks between; "-": none. */
void show_text_ports(uint64_t ports, FILE *out);

#endif
