/*  program_path - where programs of root are searched. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_PROGRAM_PATH_H
#define HEDDLE_ORCHESTRATOR_BASE_PROGRAM_PATH_H

/** program_path_complete() - adds the folders of root's programs, which the PATH of other users
 *  lacks, to that of this process. */
void program_path_complete(void);

#endif
