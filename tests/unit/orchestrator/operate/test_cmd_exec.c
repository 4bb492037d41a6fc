/*  orchestrator/operate/cmd_exec: words that are wrong are refused with a sentence,
 *  before a fabric is asked (TB-12). */
#include "orchestrator/operate/cmd_exec.h"

#include "orchestrator/command/client.h"
#include "tests/unit/orchestrator/operate/one_daemon.h"

TEST_GROUP(cmd_exec, .setup = daemon_setup, .teardown = daemon_teardown);

static const struct {
	int (*command)(int argc, char **argv);
	const char *line, *sentence;
} wrong[] = {
	{ cmd_exec, "exec", "heddle exec: missing HOST; 'heddle exec --help' explains\n" },
	{ cmd_exec, "exec|--|true", "heddle exec: missing HOST; 'heddle exec --help' explains\n" },
	{ cmd_exec, "exec|A",
	  "heddle exec: missing PROGRAM: expected 'heddle exec A -- PROGRAM', or 'heddle shell "
	  "A'\n" },
	{ cmd_exec, "exec|A|--",
	  "heddle exec: missing PROGRAM: expected 'heddle exec A -- PROGRAM', or 'heddle shell "
	  "A'\n" },
	{ cmd_exec, "exec|--all|--",
	  "heddle exec: missing PROGRAM: expected 'heddle exec --all -- PROGRAM'\n" },
	{ cmd_exec, "exec|--all|--hosts|h*|true", "heddle exec: --all and --hosts: give one\n" },
	{ cmd_exec, "exec|--json|A|--|true",
	  "heddle exec: --json is for many hosts: --all or --hosts; of one the program's output is "
	  "printed as it is\n" },
	{ cmd_exec, "exec|A|--|true",
	  "heddle exec: no fabric runs; start one with 'heddle up SCENARIO'\n" },
	{ cmd_exec, "exec|--all|true",
	  "heddle exec: no fabric runs; start one with 'heddle up SCENARIO'\n" },
	{ cmd_shell, "shell", "heddle shell: missing HOST; 'heddle shell --help' explains\n" },
	{ cmd_shell, "shell|A|ls",
	  "heddle shell: 'ls' is one word too many; 'heddle exec' runs programs\n" },
	{ cmd_shell, "shell|A",
	  "heddle shell: no fabric runs; start one with 'heddle up SCENARIO'\n" },
};

TEST_RANGE(cmd_exec__wrong_words, 0, sizeof(wrong) / sizeof(wrong[0]))
{
	ck_assert_int_eq(command_run(wrong[_i].command, wrong[_i].line), CLIENT_USAGE);
	ck_assert_str_eq(printed, "");
	ck_assert_str_eq(said, wrong[_i].sentence);
}
