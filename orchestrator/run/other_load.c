#include "orchestrator/run/other_load.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"

uint64_t other_load_busy_ns(const char *stat, uint64_t ticks_hz)
{
	unsigned long long user, nice, system, idle, wait, irq, soft_irq, steal = 0;

	if (sscanf(stat, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system,
		   &idle, &wait, &irq, &soft_irq, &steal) < 7 ||
	    !ticks_hz)
		return 0;
	return (user + nice + system + irq + soft_irq + steal) * (1000000000 / ticks_hz);
}

static uint64_t used_ns(int who)
{
	struct rusage usage;

	if (getrusage(who, &usage))
		return 0;
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

struct other_load other_load_now(void)
{
	struct other_load now = { .monotonic_ns = monotonic_ns(),
				  .own_ns = used_ns(RUSAGE_SELF) + used_ns(RUSAGE_CHILDREN) };
	FILE *file = fopen("/proc/stat", "re");
	char line[256];
	long ticks_hz = sysconf(_SC_CLK_TCK);

	if (file && fgets(line, sizeof(line), file) && ticks_hz > 0)
		now.busy_ns = other_load_busy_ns(line, (uint64_t)ticks_hz);
	if (file)
		fclose(file);
	return now;
}

uint32_t other_load_permille(const struct other_load *from, const struct other_load *to,
			     uint32_t cores)
{
	uint64_t all_ns = (to->monotonic_ns - from->monotonic_ns) * cores,
		 own_ns = to->own_ns - from->own_ns, busy_ns = to->busy_ns - from->busy_ns;

	if (!from->busy_ns || to->busy_ns < from->busy_ns || busy_ns <= own_ns || !all_ns)
		return 0;
	busy_ns -= own_ns;
	return busy_ns >= all_ns ? 1000 : (uint32_t)(busy_ns * 1000 / all_ns);
}
