/*  human - numbers for people: four digits, in the largest unit that fits.
 *
 *  For summaries only: what programs read has exact integers. quantity.h parses what people
 *  write. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_HUMAN_H
#define HEDDLE_ORCHESTRATOR_BASE_HUMAN_H

#include <stdint.h>

#include "nodes/base/time.h"

#define HUMAN_TEXT_MAX 32u

/** human_time(), human_rate(), human_bytes() - "12.31 us", "18.18 Gb/s", "4.096 kB".
 *  @text  HUMAN_TEXT_MAX bytes.  Return: @text. */
const char *human_time(node_time_t time_ps, char *text);
const char *human_rate(uint64_t rate_bps, char *text);
const char *human_bytes(uint64_t bytes, char *text);

/** human_us() - "50.000 us", "50.00856 us": three to six decimals, none is rounded; for moments of
 *  one run, which compare at a glance in one unit.
 *  @text  HUMAN_TEXT_MAX bytes.  Return: @text. */
const char *human_us(node_time_t time_ps, char *text);

#endif
