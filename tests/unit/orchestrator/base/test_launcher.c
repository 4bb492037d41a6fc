/*  orchestrator/base/launcher: ranks of mpirun and srun, and what only looks like them (SC-4). */
#include <stdlib.h>

#include "orchestrator/base/launcher.h"
#include "tests/testing.h"

static struct launcher launcher;

static void environment_clear(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK",
					     "OMPI_COMM_WORLD_SIZE",
					     "OMPI_COMM_WORLD_LOCAL_SIZE",
					     "SLURM_PROCID",
					     "SLURM_NTASKS",
					     "SLURM_STEP_NUM_TASKS",
					     "SLURM_STEP_TASKS_PER_NODE",
					     "PMI_RANK",
					     "PMI_SIZE",
					     "MPI_LOCALNRANKS",
					     "PMIX_RANK" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
}

TEST_GROUP(launcher, .setup = environment_clear);

TEST(launcher_look__none)
{
	ck_assert(!launcher_look(&launcher));
}

TEST(launcher_look__mpirun)
{
	setenv("OMPI_COMM_WORLD_RANK", "1", 1);
	setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
	setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
	setenv("PMIX_RANK", "1", 1);
	ck_assert(launcher_look(&launcher));
	ck_assert_str_eq(launcher.name, "mpirun");
	ck_assert_uint_eq(launcher.rank, 1);
	ck_assert_uint_eq(launcher.rank_count, 4);
	ck_assert_uint_eq(launcher.here, 2);
	ck_assert(launcher.joins);
}

/* a rank of 0 is one; a number of ranks on this machine that is none counts as one */
TEST(launcher_look__first_rank)
{
	static const char *const here[] = { "2", "0", "", "-1", "2147483648", "2x" };

	setenv("OMPI_COMM_WORLD_RANK", "0", 1);
	setenv("OMPI_COMM_WORLD_SIZE", "2147483647", 1);
	for (size_t i = 0; i < sizeof(here) / sizeof(here[0]); i++) {
		setenv("OMPI_COMM_WORLD_LOCAL_SIZE", here[i], 1);
		ck_assert(launcher_look(&launcher));
		ck_assert_uint_eq(launcher.rank, 0);
		ck_assert_uint_eq(launcher.rank_count, 2147483647);
		ck_assert_uint_eq(launcher.here, i ? 1 : 2);
		ck_assert(!launcher.joins);
	}
	setenv("OMPI_COMM_WORLD_RANK", "-1", 1);
	ck_assert(!launcher_look(&launcher));
	setenv("OMPI_COMM_WORLD_RANK", "", 1);
	ck_assert(!launcher_look(&launcher));
}

TEST(launcher_look__a_single_rank_is_none)
{
	setenv("OMPI_COMM_WORLD_RANK", "0", 1);
	setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
	ck_assert(!launcher_look(&launcher));
}

/* "1(x2)" is what Slurm writes for one task on each of two machines */
TEST(launcher_look__srun)
{
	setenv("SLURM_PROCID", "1", 1);
	setenv("SLURM_NTASKS", "2", 1);
	ck_assert_msg(!launcher_look(&launcher), "a batch script has no tasks");
	setenv("SLURM_STEP_NUM_TASKS", "2", 1);
	setenv("SLURM_STEP_TASKS_PER_NODE", "1(x2)", 1);
	ck_assert(launcher_look(&launcher));
	ck_assert_str_eq(launcher.name, "srun");
	ck_assert_uint_eq(launcher.here, 1);
	ck_assert(!launcher.joins);
	setenv("PMIX_RANK", "1", 1);
	launcher_look(&launcher);
	ck_assert(launcher.joins);
}

TEST(launcher_look__numbers_that_are_none)
{
	setenv("OMPI_COMM_WORLD_RANK", "4", 1);
	setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
	ck_assert(!launcher_look(&launcher));
	setenv("OMPI_COMM_WORLD_RANK", "x", 1);
	ck_assert(!launcher_look(&launcher));
}
