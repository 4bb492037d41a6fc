/*  version - what this Heddle is called, in results and in `heddle --version` (TB-13).
 *
 *  It changes when results may change. It depends on neither git, nor the date, nor the folder of a
 *  build, so that two builds of one version write the same bytes. */
#ifndef HEDDLE_NODES_BASE_VERSION_H
#define HEDDLE_NODES_BASE_VERSION_H

#define HEDDLE_VERSION "0.13.0"

#endif
