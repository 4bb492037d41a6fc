/*  orchestrator/results/results_csv: the results as tables of comma-separated values (TB-13). */
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/results/results_csv.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/results/three_hosts.h"

TEST_GROUP(csv, .setup = set_up, .teardown = tear_down);

static const struct node_log_source no_log[NODES] = {
	{ .fd = -1 }, { .fd = -1 }, { .fd = -1 }, { .fd = -1 }
};
static const struct results_logs no_logs = { no_log, no_log };

/* TB-13: each column has a header, and each header a column */
TEST(results_csv_write__columns)
{
	char folder[] = "/tmp/test_results_csv.XXXXXX";
	struct why why;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	incast_add();
	message_add(0, 0, 0, NODE_US);
	gather(true);
	ck_assert_int_eq(results_csv_write(&plan, pages, &no_logs, &results, folder, &why), 0);
	csv_check(folder, "flows.csv", 3, "\n");
	csv_check(folder, "messages.csv", 1, "\n");
	csv_check(folder, "ports.csv", 2 * HOSTS, "\n");
	csv_check(folder, "tables.csv", 3 * HOSTS, "\n");
	csv_check(folder, "samples.csv", 0, "\n");
	csv_check(folder, "flow_samples.csv", 0, "\n");
	csv_check(folder, "paths.csv", 0, "\n");
	nodes[0].fabric = FABRIC_PORT_GROUP; /* columns of paths, no tables of flow channels */
	ck_assert_int_eq(results_csv_write(&plan, pages, &no_logs, &results, folder, &why), 0);
	csv_check(folder, "flows.csv", 3, "\n");
	csv_check(folder, "messages.csv", 1, "\n");
	csv_check(folder, "ports.csv", 2 * HOSTS, "\n");
	csv_check(folder, "tables.csv", 0, "\n");
	csv_check(folder, "samples.csv", 0, "\n");
	csv_check(folder, "flow_samples.csv", 0, "\n");
	csv_check(folder, "paths.csv", 0, "\n");
	ck_assert_int_eq(rmdir(folder), 0);
}

/* tables of a run that was interrupted end with a comment that says so */
TEST(results_csv_write__interrupted)
{
	char folder[] = "/tmp/test_results_csv.XXXXXX", path[128], line[1024];
	struct why why;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	results.interrupted = true;
	gather_at(3 * NODE_US);
	ck_assert_int_eq(results_csv_write(&plan, pages, &no_logs, &results, folder, &why), 0);
	for (unsigned i = 0; i < 7; i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", folder, results_csv_name(i));
		file = fopen(path, "r");
		ck_assert_ptr_nonnull(file);
		while (fgets(line, sizeof(line), file))
			;
		fclose(file);
		unlink(path);
		ck_assert_str_eq(line, "# interrupted=true end_ps=3000000 exit_status=130\n");
	}
	rmdir(folder);
}

/* where it cannot be: what is said, and what is not left behind */
TEST(results_csv_write__cannot_be_written)
{
	char folder[] = "/tmp/test_results_csv.XXXXXX", path[128], below[256], wanted[512];
	struct why why;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	gather(true);
	snprintf(path, sizeof(path), "%s/file", folder);
	fclose(fopen(path, "w"));
	snprintf(below, sizeof(below), "%s/x", path);
	ck_assert_int_eq(results_csv_write(&plan, pages, &no_logs, &results, below, &why),
			 -ENOTDIR);
	snprintf(wanted, sizeof(wanted), "cannot make the folder %s: Not a directory", below);
	ck_assert_str_eq(why.text, wanted);
	/* a folder has the name of a table */
	unlink(path);
	snprintf(path, sizeof(path), "%s/flows.csv", folder);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(results_csv_write(&plan, pages, &no_logs, &results, folder, &why),
			 -EISDIR);
	snprintf(wanted, sizeof(wanted), "cannot write %s: Is a directory", path);
	ck_assert_str_eq(why.text, wanted);
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}

TEST(results_csv_open__too_long_a_path)
{
	struct atomic_file file = { 0 };
	char folder[PATH_MAX] = "";

	memset(folder, '/', PATH_MAX - strlen("/x") - 1);
	ck_assert_int_eq(results_csv_open(&file, folder, "xy"), -ENAMETOOLONG);
	ck_assert_ptr_null(file.stream);
	ck_assert_int_eq(results_csv_open(&file, folder, "x"), -ENAMETOOLONG);
}
