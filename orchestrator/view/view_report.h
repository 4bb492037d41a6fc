/*  view_report - a report: the page as one file with recordings in it, for reading without Heddle
 *  and for print (SE-11). */
#ifndef HEDDLE_ORCHESTRATOR_VIEW_VIEW_REPORT_H
#define HEDDLE_ORCHESTRATOR_VIEW_VIEW_REPORT_H

#include <stdint.h>
#include <stdio.h>

/* what the file of a report has at most, so that it can be sent by mail and handed in */
#define VIEW_REPORT_BYTES_MAX 5000000u

/** view_report_bytes() - the size of a report with recordings of @bytes in all, @count of them. */
uint64_t view_report_bytes(uint64_t bytes, uint32_t count);

/** view_report_write() - the page, and in it @count recordings, each read from its start to its
 *  end. Nothing is checked in them. @out is left open.
 *  @lab  JSON of a lab that was handed in, as lab_report.c has it; NULL: none.
 *  Return: 0; -errno: a recording cannot be read, or @out not be written. */
int view_report_write(FILE *out, FILE *const *recordings, uint32_t count, const char *lab);

#endif
