#include "nodes/clock/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

int futex_wait(_Atomic uint32_t *word, uint32_t value, const struct timespec *timeout)
{
	return syscall(SYS_futex, word, FUTEX_WAIT, value, timeout, NULL, 0) ? -errno : 0;
}

int futex_wake(_Atomic uint32_t *word, int count)
{
	return (int)syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

/* wakes even if the word was 0 already: clock_resume() has then cleared it, and its caller has not
 * woken the node yet */
void clock_ring(const struct clock *clock, uint32_t node)
{
	_Atomic uint32_t *asleep = &clock->asleep[node];

	atomic_store_explicit(asleep, 0, memory_order_seq_cst);
	futex_wake(asleep, 1);
}
