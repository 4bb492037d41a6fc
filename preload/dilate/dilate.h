/*  dilate - the time that a program sees in a fabric whose time is dilated (SC-8).
 *
 *  The library libheddle-dilate.so stands between a program in a host and the C library (by
 *  LD_PRELOAD). Functions that return a time return fabric time. Sleeps and time-outs are as many
 *  times longer as fabric time is slower. CPU time is divided by the same number: a program that
 *  uses a core all the time uses one second of CPU time in a second of fabric time.
 *
 *  All programs of a fabric have one origin: at fabric time 0 their clocks show the machine's time.
 *  The environment has it, HEDDLE_DILATION="TIMES MONOTONIC_NS UTC_NS". Without it, or if it cannot
 *  be read, nothing is changed.
 *
 *  Not reached: programs without the C library (Go, static ones), what the kernel stamps into files
 *  and packet rings, and the timers of its TCP. */
#ifndef HEDDLE_PRELOAD_DILATE_DILATE_H
#define HEDDLE_PRELOAD_DILATE_DILATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include "preload/dilate/next.h"

#define NS_PER_S 1000000000ll
#define NS_PER_MS 1000000ll
#define NS_PER_US 1000ll

struct dilation {
	int64_t times;    /* 1: time is not dilated */
	int64_t epoch_ns; /* CLOCK_MONOTONIC at fabric time 0 */
	int64_t utc_ns;   /* CLOCK_REALTIME then */
};

/** dilate_read() - the value of the environment variable.   Return: false if it is none. Pure. */
bool dilate_read(const char *text, struct dilation *dilation);

/** dilate_get() - the dilation of this process; borrowed. The environment is read once. */
const struct dilation *dilate_get(void);

/** dilate_machine_ns() - the time of the machine's clock @id; INT64_MIN with errno: there is none.
 */
int64_t dilate_machine_ns(clockid_t id);

/** dilate_now_ns() - the same in fabric time. */
int64_t dilate_now_ns(clockid_t id);

/** dilate_longer() - a span of fabric time as one of the machine, at most INT64_MAX.
 *  dilate_shorter() - the reverse; a span above 0 becomes at least 1. Pure but for dilate_get(). */
int64_t dilate_longer(int64_t ns);
int64_t dilate_shorter(int64_t ns);

/** dilate_deadline_ns() - the time of the machine's clock @id when the fabric's shows @at_ns. */
int64_t dilate_deadline_ns(clockid_t id, int64_t at_ns);

/** dilate_stamp_ns() - CLOCK_REALTIME of the fabric when the machine's was @at_ns. */
int64_t dilate_stamp_ns(int64_t at_ns);

/** dilate_clock_of() - which clock the deadline @at_ns is of, CLOCK_REALTIME or CLOCK_MONOTONIC, by
 *  its size: UTC is decades larger than any time since the start of a machine. */
clockid_t dilate_clock_of(int64_t at_ns);

/* ---- times of the interface ---- */

/* is it one that the kernel accepts? What is not is passed on as it is, for its error */
static inline bool timespec_fine(const struct timespec *time)
{
	return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < NS_PER_S;
}

static inline bool timeval_fine(const struct timeval *time)
{
	return time->tv_sec >= 0 && time->tv_usec >= 0 && time->tv_usec < 1000000;
}

/* at most INT64_MAX */
static inline int64_t timespec_ns(const struct timespec *time)
{
	return time->tv_sec >= INT64_MAX / NS_PER_S ? INT64_MAX
						    : time->tv_sec * NS_PER_S + time->tv_nsec;
}

static inline int64_t timeval_ns(const struct timeval *time)
{
	return time->tv_sec >= INT64_MAX / NS_PER_S
		       ? INT64_MAX
		       : time->tv_sec * NS_PER_S + time->tv_usec * NS_PER_US;
}

static inline struct timespec timespec_of(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };
}

/* rounded up, since 0 often means none */
static inline struct timeval timeval_of(int64_t ns)
{
	int64_t us = ns / NS_PER_US + (ns % NS_PER_US != 0);

	return (struct timeval){ .tv_sec = us / 1000000, .tv_usec = us % 1000000 };
}

/* @span of fabric time, as one of the machine in @machine; NULL: no end.   Return: @machine or
 * @span */
const struct timespec *dilate_span(const struct timespec *span, struct timespec *machine);

/* the same for a deadline of the fabric's clock @id */
const struct timespec *dilate_until(clockid_t id, const struct timespec *until,
				    struct timespec *machine);

#endif
