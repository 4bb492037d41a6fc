#include "orchestrator/fabric/fabric_cores.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "nodes/base/monotonic.h"
#include "nodes/process/process_look.h"
#include "orchestrator/plan/placement.h"

uint32_t fabric_cores_allowed(int cores[CPU_SETSIZE])
{
	uint32_t count = 0;
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return 0;
	for (int core = 0; core < CPU_SETSIZE; core++)
		if (CPU_ISSET(core, &allowed))
			cores[count++] = core;
	return count;
}

/* does the orchestrator choose the cores of nodes? */
static bool placed(const struct fabric *fabric)
{
	return fabric->options.cores == FABRIC_CORES_ADAPT ||
	       fabric->options.cores == FABRIC_CORES_SPREAD;
}

static void process_pin(pid_t pid, int core)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(core, &one);
	sched_setaffinity(pid, sizeof(one), &one);
}

/* each worker on a core of its own, as long as there are some */
static void workers_pin(const struct fabric *fabric, const int *cores, uint32_t core_count)
{
	/* other ranks may be on this machine too */
	if (!placed(fabric) || core_count < 2 || fabric->pack.worker_count < 2 ||
	    fabric->options.ranks > 1)
		return;
	for (uint32_t i = 0; i < fabric->plan->node_count; i++)
		if (fabric->nodes[i].pid)
			process_pin(fabric->nodes[i].pid,
				    cores[fabric->nodes[i].slot % core_count]);
}

int fabric_cores_pin(struct fabric *fabric)
{
	uint32_t node_count = fabric->plan->node_count,
		 *core_of = calloc(node_count, sizeof(*core_of));
	int cores[CPU_SETSIZE];
	uint32_t core_count = fabric_cores_allowed(cores);
	int error = core_of ? 0 : -ENOMEM;

	core_choice_init(&fabric->core_choice, core_count);
	if (fabric->options.pack && !error) {
		free(core_of);
		workers_pin(fabric, cores, core_count);
		return 0;
	}
	if (placed(fabric) && core_count > 1 && node_count > core_count && !error) {
		error = placement_make(fabric->plan, core_count, core_of);
		for (uint32_t i = 0; i < node_count && !error; i++)
			if (fabric->nodes[i].pid)
				process_pin(fabric->nodes[i].pid, cores[core_of[i]]);
	}
	free(core_of);
	return error;
}

/* ---- while it runs ---- */

static uint64_t nodes_cpu_ns(const struct fabric *fabric)
{
	uint64_t cpu_ns = 0;

	for (uint32_t i = 0; i < fabric->plan->node_count; i++)
		cpu_ns += process_cpu_ns(fabric->nodes[i].pid);
	return cpu_ns;
}

/* nodes follow the new placement at their next window */
static void placing_publish(struct fabric *fabric, bool shared)
{
	uint32_t placing = atomic_load(&fabric->page->placing);

	atomic_store(&fabric->page->placing, ((placing | 1) + 1) | shared);
}

/* @cores  numbers of the cores, by position.  Return: 0 or -ENOMEM, then nothing changes */
static int place(struct fabric *fabric, const int *cores)
{
	const struct core_choice *choice = &fabric->core_choice;
	uint32_t *core_of;
	int error;

	for (uint32_t w = 0; w < fabric->pack.worker_count; w++)
		atomic_store(&fabric->clock.core_of[w],
			     cores[choice->keep[w % choice->keep_count]]);
	if (fabric->options.pack)
		return 0;
	core_of = calloc(fabric->plan->node_count, sizeof(*core_of));
	error = core_of ? placement_make(fabric->plan, choice->keep_count, core_of) : -ENOMEM;
	for (uint32_t i = 0; i < fabric->plan->node_count && !error; i++)
		atomic_store(&fabric->clock.core_of[i], cores[choice->keep[core_of[i]]]);
	free(core_of);
	return error;
}

static void place_home(struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->clock.node_count; i++)
		atomic_store(&fabric->clock.core_of[i], CLOCK_CORE_HOME);
}

void fabric_cores_look(struct fabric *fabric)
{
	struct core_choice *choice = &fabric->core_choice;
	uint64_t stolen_ns[CPU_SETSIZE];
	int cores[CPU_SETSIZE];
	struct core_sample sample = { .now_ns = monotonic_ns(), .stolen_ns = stolen_ns };

	if (fabric->options.cores == FABRIC_CORES_SPREAD || fabric->options.real ||
	    fabric_cores_allowed(cores) != choice->core_count)
		return;
	for (uint32_t i = 0; i < choice->core_count; i++)
		stolen_ns[i] = atomic_load(
			&fabric->clock.cores[(uint32_t)cores[i] % CLOCK_CORES].stolen_ns);
	if (!choice->from_ns)
		fabric->cores_cpu_ns = nodes_cpu_ns(fabric);
	if (!core_choice_due(choice, sample.now_ns, stolen_ns))
		return;
	sample.windows = atomic_load(&fabric->page->windows);
	sample.cpu_ns = nodes_cpu_ns(fabric) - fabric->cores_cpu_ns;
	switch (core_choice_decide(choice, &sample)) {
	case CORE_CHOICE_FEWER:
		if (placed(fabric) && place(fabric, cores))
			break;
		placing_publish(fabric, true);
		break;
	case CORE_CHOICE_ALL:
		place_home(fabric);
		placing_publish(fabric, false);
		break;
	case CORE_CHOICE_SAME:
		break;
	}
}
