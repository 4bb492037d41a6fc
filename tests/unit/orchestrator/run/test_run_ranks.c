/*  orchestrator/run/run_ranks: a run on several machines: what is refused, and how many workers
 *  each rank has (SC-4). */
#include "orchestrator/run/run_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "tests/said.h"
#include "tests/testing.h"

static struct run_options options;
static struct node_config nodes[300];
static struct plan plan;
static uint32_t workers;

static void setup(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK",
					     "OMPI_COMM_WORLD_SIZE",
					     "OMPI_COMM_WORLD_LOCAL_SIZE",
					     "SLURM_PROCID",
					     "SLURM_NTASKS",
					     "SLURM_STEP_NUM_TASKS",
					     "PMI_RANK",
					     "PMI_SIZE" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
	options = (struct run_options){ .ranks_here = 1 };
	plan = (struct plan){ .nodes = nodes, .node_count = 300, .lookahead_ps = NODE_NS };
}

TEST_GROUP(run_ranks, .setup = setup);

static void rank_is(const char *rank)
{
	setenv("OMPI_COMM_WORLD_RANK", rank, 1);
	setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
	setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
	setenv("PMIX_RANK", rank, 1);
}

static void joins(int status, const char *sentence)
{
	said_begin();
	ck_assert_int_eq(run_ranks_join(&options), status);
	ck_assert_msg(!strncmp(said_end(), sentence, strlen(sentence)), "%s", said);
	ck_assert(sentence[0] || !said[0]);
}

TEST(run_ranks_join__one_process)
{
	joins(-1, "");
	ck_assert_uint_eq(options.fabric.ranks, 0);
	ck_assert_uint_eq(options.ranks_here, 1);
}

/* rank 0 says it, the others end without a word */
TEST(run_ranks_join__refused)
{
	static const struct {
		struct run_options options;
		const char *why;
	} rows[] = {
		{ { .real = true }, "--clock real: several" },
		{ { .compare = true }, "--compare, --sweep and --seeds: start" },
		{ { .sweep = "a=1" }, "--compare, --sweep and --seeds: start" },
		{ { .seeds = "2" }, "--compare, --sweep and --seeds: start" },
		{ { .view = RUN_VIEW_CONTROL }, "--view: make a recording" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char sentence[128];

		options = rows[i].options;
		snprintf(sentence, sizeof(sentence), "heddle run: not on several machines: %s",
			 rows[i].why);
		rank_is("0");
		joins(EXIT_USAGE, sentence);
		rank_is("1");
		joins(EXIT_USAGE, "");
		ck_assert_uint_eq(options.fabric.ranks, 0);
	}
}

/* --pack, else the cores of the machine, shared by the ranks on it; at least one */
TEST(run_ranks_pack__cores)
{
	options.fabric.ranks = 2;
	ck_assert_int_eq(run_ranks_pack(&options, &plan, 8, &workers), 0);
	ck_assert_uint_eq(workers, 8);
	options.ranks_here = 2;
	ck_assert_int_eq(run_ranks_pack(&options, &plan, 8, &workers), 0);
	ck_assert_uint_eq(workers, 4);
	ck_assert_int_eq(run_ranks_pack(&options, &plan, 1, &workers), 0);
	ck_assert_uint_eq(workers, 1);
	options.pack = 1;
	ck_assert_int_eq(run_ranks_pack(&options, &plan, 8, &workers), 0);
	ck_assert_uint_eq(workers, 1);
}

/* 256 workers in all: with fewer cores than asked for there are fewer, but --pack is refused */
TEST(run_ranks_pack__limit)
{
	options.fabric.ranks = 3;
	ck_assert_int_eq(run_ranks_pack(&options, &plan, 85, &workers), 0);
	ck_assert_uint_eq(workers, 85);
	ck_assert_int_eq(run_ranks_pack(&options, &plan, 86, &workers), 0);
	ck_assert_uint_eq(workers, 85);
	options.pack = 85;
	ck_assert_int_eq(run_ranks_pack(&options, &plan, 8, &workers), 0);
	ck_assert_uint_eq(workers, 85);
	options.pack = 86;
	said_begin();
	ck_assert_int_eq(run_ranks_pack(&options, &plan, 8, &workers), EXIT_USAGE);
	ck_assert_str_eq(said_end(), "heddle run: not on 3 ranks: they have more than 256 workers "
				     "in all\n");
}

TEST(run_ranks_pack__refused)
{
	static const struct {
		uint32_t ranks, nodes;
		const char *why;
	} rows[] = {
		{ 4, 3, "not on 4 ranks: there are more ranks than nodes" },
		{ 257, 300, "not on 257 ranks: there are more than 256 ranks" },
	};

	for (size_t i = 0; i < 2; i++) {
		options.fabric.ranks = rows[i].ranks;
		plan.node_count = rows[i].nodes;
		said_begin();
		ck_assert_int_eq(run_ranks_pack(&options, &plan, 8, &workers), EXIT_USAGE);
		ck_assert_ptr_nonnull(strstr(said_end(), rows[i].why));
	}
	options.fabric.ranks = 256;
	plan.node_count = 256;
	ck_assert_int_eq(run_ranks_pack(&options, &plan, 8, &workers), 0);
	ck_assert_uint_eq(workers, 1);
}
