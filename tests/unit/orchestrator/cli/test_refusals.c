/*  orchestrator/cli, main: what commands refuse before they begin, in the words that users see; and
 *  that an output which cannot be written is told. */
#include "tests/unit/orchestrator/whole_heddle.h"

static void setup(void)
{
	whole_setup();
	file_write("t.yaml", "name: t\nrun: {duration: 20us}\ntopology:\n  switches: [s1, s2]\n"
			     "  hosts: {A: s1, B: {switch: s2, flow-key: [destination-ip/24]}}\n"
			     "  links: [[s1, s2]]\n");
	file_write("f", "");
}

TEST_GROUP(refusals, .setup_once = whole_begin, .teardown_once = whole_end, .setup = setup,
	   .teardown = whole_teardown);

/* the same where nothing can be made; why depends on the user */
static void refused_in_proc(const char *line, const char *sentence)
{
	ASSERT_STATUS(line, 2);
	ck_assert_str_eq(printed, "");
	ck_assert_msg(!strncmp(said, sentence, strlen(sentence)), "%s", said);
}

/* the command ends with @status, prints nothing and says @sentence */
static void refused(const char *line, int status, const char *sentence)
{
	ASSERT_STATUS(line, status);
	ck_assert_str_eq(printed, "");
	ck_assert_str_eq(said, sentence);
}

TEST(refusals__folders_and_files)
{
	refused("help|--man|f", 2,
		"heddle help: cannot write manual pages to f: Not a directory\n");
	refused("schema|--write|f/x", 2,
		"heddle schema: cannot make the folder f/x: Not a directory\n");
	ASSERT_STATUS("run|t.yaml|--record|r|--quiet", 0);
	refused("export|r|--json|no/x", 2,
		"heddle export: --json cannot write no/x: there is no folder ./no\n");
	refused("export|r|--events|no/x.csv", 2,
		"heddle export: --events cannot write no/x.csv: there is no folder ./no\n");
	refused_in_proc("export|r|--csv|/proc/x",
			"heddle export: cannot make the folder /proc/x: ");
	refused_in_proc("export|r|--json|/proc/x", "heddle export: cannot write /proc/x: ");
	refused_in_proc("export|r|--events|/proc/x.csv",
			"heddle export: cannot write /proc/x.csv: ");
}

TEST(refusals__clients)
{
	const char *const none = "no fabric runs; start one with 'heddle up SCENARIO'\n";
	char sentence[300];

	snprintf(sentence, sizeof(sentence), "heddle show: %s", none);
	refused("show|s1|ports", 2, sentence);
	refused("view|-f|x|y", 2, "heddle view: two things to show, 'x' and 'y'; give one\n");
	setenv("HEDDLE_RUNTIME_DIR", "f", 1);
	snprintf(sentence, sizeof(sentence),
		 "heddle show: cannot open the runtime directory %s/f: Not a directory\n",
		 whole_folder);
	refused("show|s1|ports", 2, sentence);
}

/* each of these lists the commands, as `heddle help` does */
TEST(help__of_help)
{
	static const char *const lines[] = { "help|help", "help|--help", "help|-h", "--help",
					     "-h" };
	char *text;

	ASSERT_STATUS("help", 0);
	text = strdup(printed);
	ASSERT_HAS(text, "usage: heddle COMMAND [arguments], or heddle --version\n\n  run ");
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		ASSERT_STATUS(lines[i], 0);
		ck_assert_str_eq(printed, text);
		ck_assert_str_eq(said, "");
	}
	free(text);
}

TEST(check__flow_keys_of_hosts)
{
	ASSERT_STATUS("check|t.yaml", 0);
	ASSERT_HAS(printed, "flow key      source-mac, ip-pair, ports, hpc\n"
			    "  B           destination-ip/24\n");
	ASSERT_LACKS(printed, "  A ");
	ASSERT_STATUS("check|t.yaml|--json", 0);
	ASSERT_HAS(printed, "  \"flow_key\": \"source-mac, ip-pair, ports, hpc\",\n"
			    "  \"flow_keys\": {\n    \"B\": \"destination-ip/24\"\n  }\n}\n");
}

/* the switches of a loop, in the order of the packets */
TEST(check__routing_loop)
{
	file_write("l.yaml", "name: l\nrun: {duration: 20us}\nfabric: roce\ntopology:\n"
			     "  switches: [s1, s2, s3]\n  hosts: {A: s1, B: s3}\n"
			     "  links: [[s1, s2], [s2, s3]]\n"
			     "routing: {routes: [{at: s2, to: B, by: s1}]}\n");
	ASSERT_STATUS("check|l.yaml", 0);
	ASSERT_HAS(printed, "routing loop  to s3: s2 -> s1 -> s2");
	ASSERT_STATUS("check|l.yaml|--json", 0);
	ASSERT_HAS(printed, "  \"routing_loops\": [\n    {\n      \"to\": \"s3\",\n"
			    "      \"switches\": [\n        \"s2\",\n        \"s1\"\n      ]\n"
			    "    }\n  ],\n");
}

/* heddle with a standard output that is full.   Return: its exit status */
static int heddle_full(const char *line)
{
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int out = open("/dev/full", O_WRONLY | O_CLOEXEC);
	int err = open(".err", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	pid_t pid = fork();

	if (!pid)
		whole_exec(line, in, out, err);
	close(in);
	close(out);
	close(err);
	return heddle_await(pid);
}

TEST(refusals__output_is_full)
{
	ASSERT_STATUS("run|t.yaml|--record|r|--quiet", 0);
	ck_assert_int_eq(heddle_full("export|r|--text"), 2);
	ck_assert_str_eq(said, "heddle: cannot write to standard output\n");
}

/* without the programs of nodes beside heddle no run of it works: the first one is told */
TEST(calibrate__a_run_that_fails)
{
	char alone[PATH_MAX], folder[PATH_MAX];

	whole_path(folder, "alone");
	ck_assert_int_eq(mkdir(folder, 0755), 0);
	ck_assert_int_lt(snprintf(alone, sizeof(alone), "%.2000s%s", folder,
				  strrchr(getenv("WHOLE_HEDDLE"), '/')),
			 PATH_MAX);
	ck_assert_int_eq(link(getenv("WHOLE_HEDDLE"), alone), 0);
	setenv("WHOLE_HEDDLE", alone, 1);
	refused("calibrate|--each|1s", 4,
		"heddle calibrate: 8 runs of 1.0 s\n"
		"heddle calibrate: a run over 1 switches failed (exit status 4)\n");
	ASSERT_STATUS("calibrate|--show", 1);
}
