#include "preload/dilate/dilate.h"

#include <errno.h>
#include <stdlib.h>

/* equal to DILATION_MAX of nodes/config/config.h, which this library does not include */
#define TIMES_MAX 1000

static bool number_read(const char **text, int64_t most, int64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoll(*text, &end, 10);
	if (end == *text || errno || *number < 1 || *number > most)
		return false;
	*text = end;
	return true;
}

bool dilate_read(const char *text, struct dilation *dilation)
{
	*dilation = (struct dilation){ .times = 1 };
	if (text && number_read(&text, TIMES_MAX, &dilation->times) &&
	    number_read(&text, INT64_MAX / 2, &dilation->epoch_ns) &&
	    number_read(&text, INT64_MAX / 2, &dilation->utc_ns) && !*text)
		return true;
	*dilation = (struct dilation){ .times = 1 };
	return false;
}

static struct dilation own;
static _Atomic bool own_read;

static void own_get(void)
{
	int saved = errno;
	struct dilation found;

	dilate_read(getenv("HEDDLE_DILATION"), &found);
	own = found; /* without a lock: all threads write the same value */
	atomic_store_explicit(&own_read, true, memory_order_release);
	errno = saved;
}

const struct dilation *dilate_get(void)
{
	if (!atomic_load_explicit(&own_read, memory_order_acquire))
		own_get();
	return &own;
}

/* before the program starts threads, or changes its environment */
__attribute__((constructor)) static void begin(void)
{
	dilate_get();
}

/* ---- spans ---- */

int64_t dilate_longer(int64_t ns)
{
	int64_t longer;

	return __builtin_mul_overflow(ns, dilate_get()->times, &longer) ? INT64_MAX : longer;
}

int64_t dilate_shorter(int64_t ns)
{
	int64_t shorter = ns / dilate_get()->times;

	return shorter || ns <= 0 ? shorter : 1;
}

const struct timespec *dilate_span(const struct timespec *span, struct timespec *machine)
{
	if (!span || !timespec_fine(span))
		return span;
	*machine = timespec_of(dilate_longer(timespec_ns(span)));
	return machine;
}

/* ---- moments ---- */

int64_t dilate_machine_ns(clockid_t id)
{
	struct timespec time;

	return NEXT(clock_gettime)(id, &time) ? INT64_MIN : timespec_ns(&time);
}

/* time of a clock of the fabric that shows @epoch_ns at fabric time 0, @since_ns of machine time
 * later */
static int64_t shown_ns(int64_t epoch_ns, int64_t since_ns)
{
	return epoch_ns + since_ns / dilate_get()->times;
}

/* clocks @of and @like of the machine differ by so much, for as long as it is not suspended */
static int64_t apart_ns(clockid_t of, clockid_t like)
{
	return dilate_machine_ns(of) - dilate_machine_ns(like);
}

int64_t dilate_now_ns(clockid_t id)
{
	const struct dilation *dilation = dilate_get();
	int64_t since_ns, cpu_ns;

	switch (id) {
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_TAI:
	case CLOCK_BOOTTIME:
	case CLOCK_BOOTTIME_ALARM:
	case CLOCK_REALTIME_ALARM:
		since_ns = dilate_machine_ns(CLOCK_MONOTONIC) - dilation->epoch_ns;
		break;
	default: /* CPU time */
		cpu_ns = dilate_machine_ns(id);
		return cpu_ns == INT64_MIN ? cpu_ns : cpu_ns / dilation->times;
	}
	if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE || id == CLOCK_REALTIME_ALARM)
		return shown_ns(dilation->utc_ns, since_ns);
	if (id == CLOCK_TAI)
		return shown_ns(dilation->utc_ns, since_ns) + apart_ns(CLOCK_TAI, CLOCK_REALTIME);
	if (id == CLOCK_BOOTTIME || id == CLOCK_BOOTTIME_ALARM)
		return shown_ns(dilation->epoch_ns, since_ns) +
		       apart_ns(CLOCK_BOOTTIME, CLOCK_MONOTONIC);
	return shown_ns(dilation->epoch_ns, since_ns);
}

int64_t dilate_deadline_ns(clockid_t id, int64_t at_ns)
{
	int64_t now_ns = dilate_now_ns(id), machine_ns = dilate_machine_ns(id), left_ns, sum_ns;

	if (now_ns == INT64_MIN) /* no such clock, as the machine says too */
		return 0;
	left_ns = at_ns - now_ns;
	if (left_ns <= 0) /* it is over, on the machine too */
		return machine_ns > NS_PER_S ? machine_ns - NS_PER_S : 0;
	return __builtin_add_overflow(machine_ns, dilate_longer(left_ns), &sum_ns) ? INT64_MAX
										   : sum_ns;
}

const struct timespec *dilate_until(clockid_t id, const struct timespec *until,
				    struct timespec *machine)
{
	if (!until || dilate_get()->times == 1 || !timespec_fine(until))
		return until;
	*machine = timespec_of(dilate_deadline_ns(id, timespec_ns(until)));
	return machine;
}

int64_t dilate_stamp_ns(int64_t at_ns)
{
	int64_t ago_ns = dilate_machine_ns(CLOCK_REALTIME) - at_ns;

	return dilate_now_ns(CLOCK_REALTIME) - ago_ns / dilate_get()->times;
}

clockid_t dilate_clock_of(int64_t at_ns)
{
	return at_ns > dilate_get()->utc_ns / 2 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}
