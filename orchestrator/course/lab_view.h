/*  lab_view - a lab as the page shows it beside the fabric: view/view_lab.h. */
#ifndef HEDDLE_ORCHESTRATOR_COURSE_LAB_VIEW_H
#define HEDDLE_ORCHESTRATOR_COURSE_LAB_VIEW_H

#include "orchestrator/course/lab_open.h"
#include "orchestrator/view/view_lab.h"

/** lab_view() - the hooks for the page. They read the file of answers in the current folder each
 *  time, so answers may come from a terminal meanwhile.
 *  @opened  borrowed as long as the page is there. */
struct view_lab lab_view(struct lab_opened *opened);

#endif
