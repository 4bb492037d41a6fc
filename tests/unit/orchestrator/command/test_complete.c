/*  orchestrator/command/complete: what a shell completes of the words after heddle: commands,
 *  options and their values, files, and names of a running fabric. */
#include "tests/unit/orchestrator/whole_heddle.h"

static void setup(void)
{
	whole_setup();
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* as in hosts: see test_whole_fabric.c */
}

TEST_GROUP(complete, .setup_once = whole_begin, .teardown_once = whole_end, .setup = setup,
	   .teardown = whole_teardown);

/* the last of the words is completed to these lines, and nothing else */
static void completed(const char *words, const char *lines)
{
	char line[256];

	snprintf(line, sizeof(line), "complete-word|%s", words);
	ASSERT_STATUS(line, 0);
	ck_assert_msg(!strcmp(printed, lines), "%s: %s", words, printed);
}

TEST(complete__commands)
{
	completed("ru", "run\n");
	completed("l", "list\nlab\nlog\nlink\nload\n");
	completed("help|ex", "export\nexec\n");
	completed("nothing", "");
	completed("nothing|x", "");
	completed("lab|ch", "check\n");
	completed("lab|", "list\nstart\npredict\ncheck\nreport\nscore\n");
	completed("lab|start|--st", "--student\n");
}

TEST(complete__options_and_their_values)
{
	completed("run|--comp", "--compare\n");
	completed("run|x.yaml|--he", "--help\n");
	completed("run|--clock|", "virtual\nreal\n");
	completed("run|--clock|r", "real\n");
	completed("run|--events|", ":files\n");
	completed("run|--csv|", ":files\n");
	completed("run|--seed|", "");
	/* the value is given; --json needs none */
	completed("run|--clock|real|--qu", "--quiet\n");
	completed("run|--json|--qu", "--quiet\n");
}

TEST(complete__operands)
{
	completed("run|", ":files\n");
	completed("run|a.yaml|", ":files\n");
	completed("export|", ":files\n");
	completed("show|a.yaml|", "summary\nnodes\nlinks\nroutes\nhosts\nconfig\n");
	completed("show|a/b|r", "routes\n");
	completed("show|s1|p", "ports\npaths\npfc\n");
	completed("link|s1:s2|", "set\ndown\nup\n");
	completed("outside|A|o", "on\noff\n");
	completed("add|", "host\nswitch\nlink\n");
	completed("ps|", "");
	completed("exec|", "");
	completed("lab|start|", "");
	completed("down|one|", "");
}

TEST(complete__names_of_a_running_fabric)
{
	file_write("u.yaml", "name: u\ntopology:\n  switches: [s1, s2]\n  hosts: {A: s1, B: s2}\n"
			     "  links: [[s1, s2]]\nlinks: {rate: 100Mb/s, delay: 1ms}\n");
	if (heddle("up|u.yaml")) {
		ck_assert_msg(strstr(said, "namespace") != NULL, "%s", said);
		return;
	}
	completed("ps|", "u\n");
	completed("ps|v", "");
	completed("view|", ":files\nu\n");
	completed("exec|-f|", "u\n");
	completed("exec|", "A\nB\n");
	completed("exec|-f|u|", "A\nB\n");
	completed("start|", "s1\ns2\nA\nB\n");
	completed("set|s", "s1\ns2\n");
	completed("add|host|", "s1\ns2\n");
	completed("add|host|N|", "");
	completed("link|s1:", "s1:A\ns1:s2\n");
	completed("capture|B", "B:s2\n");
	completed("remove|A", "A\nA:s1\n");
	ASSERT_STATUS("down", 0);
	completed("exec|", "");
}

/* @below in the folder of the programs, made with those above */
static const char *folder_made(const char *below)
{
	static char path[PATH_MAX];

	whole_path(path, below);
	ck_assert_int_eq(atomic_file_folder(path), 0);
	return path;
}

/* the program in bin/, and scenarios and labs where they are installed */
static void install(void)
{
	char program[PATH_MAX];

	ck_assert_int_lt(snprintf(program, sizeof(program), "%.3000s%s", folder_made("bin"),
				  strrchr(getenv("WHOLE_HEDDLE"), '/')),
			 PATH_MAX);
	ck_assert_int_eq(link(getenv("WHOLE_HEDDLE"), program), 0);
	setenv("WHOLE_HEDDLE", program, 1);
	folder_made("share/heddle/topo");
	ck_assert_int_eq(chdir(folder_made("share/heddle/topologies/labs/02-second")), 0);
	file_write("lab.yaml", "");
	ck_assert_int_eq(chdir(folder_made("share/heddle/topologies/labs/01-first")), 0);
	file_write("lab.yaml", "");
	folder_made("share/heddle/topologies/labs/03-without-a-file");
	ck_assert_int_eq(chdir("../.."), 0);
	file_write("ring.yaml", "");
	file_write("chain.yaml", "");
	file_write("chain.csv", "");
	ck_assert_int_eq(chdir(whole_folder), 0);
}

/* those that come with heddle; by a short path, if they are below the current folder */
TEST(complete__what_comes_with_heddle)
{
	char folder[PATH_MAX], lines[3 * PATH_MAX];

	install();
	whole_path(folder, "share/heddle/topologies");
	snprintf(lines, sizeof(lines), ":files\n%s/chain.yaml\n%s/ring.yaml\n", folder, folder);
	completed("run|", lines);
	completed("run|chain", ":files\n");
	completed("check|", lines);
	completed("show|", lines);
	completed("lab|start|", "01-first\n02-second\n");
	completed("lab|check|02", "02-second\n");
	/* a folder whose name is the start of the other one's */
	ck_assert_int_eq(chdir(folder_made("share/heddle/topo")), 0);
	completed("run|", lines);
	ck_assert_int_eq(chdir(".."), 0);
	completed("run|", ":files\ntopologies/chain.yaml\ntopologies/ring.yaml\n");
	completed("run|topologies/r", ":files\ntopologies/ring.yaml\n");
	completed("run|x", ":files\n");
	ck_assert_int_eq(chdir("topologies"), 0);
	completed("run|", ":files\nchain.yaml\nring.yaml\n");
	ck_assert_int_eq(chdir(whole_folder), 0);
}
