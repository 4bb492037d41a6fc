/*  next - stands in for the C library below preload/ in its tests: which function a preloaded one
 *  calls, and so what it is called with. */
#ifndef HEDDLE_TESTS_NEXT_H
#define HEDDLE_TESTS_NEXT_H

#include <stdint.h>

/** next_is() - in this process NEXT(@name) is @function, of the same type; all names are borrowed
 *  for ever. Without, it is that of the C library. */
void next_is(const char *name, void (*function)(void));
#define NEXT_IS(name, function) next_is(#name, (void (*)(void))(function))

/** next_is_real() - all functions are those of the C library again. A test that has replaced
 *  clock_gettime() ends so: Check then asks for the time. */
void next_is_real(void);

/** next_dilates() - time of the fabric runs @times times slower from now on. At fabric time 0 the
 *  clocks showed @epoch_ns and @utc_ns. In this process. */
void next_dilates(int64_t times, int64_t epoch_ns, int64_t utc_ns);

#endif
