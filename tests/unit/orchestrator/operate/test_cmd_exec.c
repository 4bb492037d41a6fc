/*  orchestrator/operate: words of commands that are wrong are refused with a sentence,
 *  before a fabric is asked (TB-12). */
#include "orchestrator/operate/cmd_exec.h"

#include "orchestrator/command/client.h"
#include "orchestrator/operate/cmd_capture.h"
#include "orchestrator/operate/cmd_image.h"
#include "orchestrator/operate/cmd_link.h"
#include "orchestrator/operate/cmd_load.h"
#include "orchestrator/operate/cmd_mpirun.h"
#include "orchestrator/operate/cmd_outside.h"
#include "orchestrator/operate/cmd_ping_all.h"
#include "orchestrator/operate/cmd_ps.h"
#include "orchestrator/operate/cmd_top.h"
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
	{ cmd_capture, "capture|s1|f",
	  "heddle capture: a link is written node:peer or node:port, such as s1:s2 or s1:3, not "
	  "'s1'\n" },
	{ cmd_capture, "capture|:s1|f",
	  "heddle capture: a link is written node:peer or node:port, such as s1:s2 or s1:3, not "
	  "':s1'\n" },
	{ cmd_capture, "capture|s1:|f",
	  "heddle capture: a link is written node:peer or node:port, such as s1:s2 or s1:3, not "
	  "'s1:'\n" },
	{ cmd_capture, "capture|s1:s2|-|--json",
	  "heddle capture: standard output has the frames already: --json needs a FILE\n" },
	{ cmd_capture, "capture|s1:s2|f",
	  "heddle capture: no fabric runs; start one with 'heddle up SCENARIO'\n" },
	{ cmd_top, "top|-f|a|b", "heddle top: two fabrics, 'a' and 'b'; give one\n" },
	{ cmd_top, "top|-d|0.09", "heddle top: -d takes seconds, 0.1 to 86400, not '0.09'\n" },
	{ cmd_top, "top|-d|86400.5",
	  "heddle top: -d takes seconds, 0.1 to 86400, not '86400.5'\n" },
	{ cmd_top, "top|-d|1s", "heddle top: -d takes seconds, 0.1 to 86400, not '1s'\n" },
	{ cmd_top, "top|-d|", "heddle top: -d takes seconds, 0.1 to 86400, not ''\n" },
	{ cmd_top, "top|-d|nan", "heddle top: -d takes seconds, 0.1 to 86400, not 'nan'\n" },
	{ cmd_top, "top|-d|inf", "heddle top: -d takes seconds, 0.1 to 86400, not 'inf'\n" },
	{ cmd_top, "top|-d|0.1",
	  "heddle top: no fabric runs; start one with 'heddle up SCENARIO'\n" },
	{ cmd_top, "top|-d|86400",
	  "heddle top: no fabric runs; start one with 'heddle up SCENARIO'\n" },
	{ cmd_top, "top|-n|0", "heddle top: -n takes a number of intervals from 1 on, not '0'\n" },
	{ cmd_top, "top|-n|-1",
	  "heddle top: -n takes a number of intervals from 1 on, not '-1'\n" },
	{ cmd_top, "top|-n|2x",
	  "heddle top: -n takes a number of intervals from 1 on, not '2x'\n" },
	{ cmd_top, "top|-n|", "heddle top: -n takes a number of intervals from 1 on, not ''\n" },
	{ cmd_top, "top|-n|99999999999999999999",
	  "heddle top: -n takes a number of intervals from 1 on, not '99999999999999999999'\n" },
	{ cmd_mpirun, "mpirun",
	  "heddle mpirun: missing PROGRAM; 'heddle mpirun --help' explains\n" },
	{ cmd_mpirun, "mpirun|-n|2|--",
	  "heddle mpirun: missing PROGRAM; 'heddle mpirun --help' explains\n" },
	{ cmd_mpirun, "mpirun|-n|2|--|x",
	  "heddle mpirun: no fabric runs; start one with 'heddle up SCENARIO'\n" },
	{ cmd_mpirun, "mpirun|-n|1|x",
	  "heddle mpirun: no fabric runs; start one with 'heddle up SCENARIO'\n" },
	{ cmd_image, "image|list|x", "heddle image list: 'x' is one word too many\n" },
	{ cmd_image, "image|prune|y", "heddle image prune: 'y' is one word too many\n" },
	{ cmd_top, "top", "heddle top: no fabric runs; start one with 'heddle up SCENARIO'\n" },
	{ cmd_link, "link|s1:s2|down",
	  "heddle link: no fabric runs; start one with 'heddle up SCENARIO'\n" },
	{ cmd_load, "load|stop|w",
	  "heddle load: no fabric runs; start one with 'heddle up SCENARIO'\n" },
	{ cmd_mpirun, "mpirun|-n|0|prog", "heddle mpirun: -n takes 1 to 65536 processes, not 0\n" },
	{ cmd_mpirun, "mpirun|-n|65537|prog",
	  "heddle mpirun: -n takes 1 to 65536 processes, not 65537\n" },
	{ cmd_mpirun, "mpirun|-n|65536|prog",
	  "heddle mpirun: no fabric runs; start one with 'heddle up SCENARIO'\n" },
	{ cmd_outside, "outside",
	  "heddle outside: no fabric runs; start one with 'heddle up SCENARIO'\n" },
	{ cmd_outside, "outside|A|on",
	  "heddle outside: no fabric runs; start one with 'heddle up SCENARIO'\n" },
	{ cmd_outside, "outside|A", "heddle outside: expected HOST on or HOST off\n" },
	{ cmd_outside, "outside|A|of", "heddle outside: expected HOST on or HOST off\n" },
	{ cmd_outside, "outside|\xff|on", "heddle outside: '\xff' is not valid UTF-8\n" },
	{ cmd_ping_all, "ping-all|A", "heddle ping-all: 'A' is one word too many\n" },
	{ cmd_ping_all, "ping-all|--wait|0",
	  "heddle ping-all: --wait takes 1 to 60 seconds, not '0'\n" },
	{ cmd_ping_all, "ping-all|--wait|61",
	  "heddle ping-all: --wait takes 1 to 60 seconds, not '61'\n" },
	{ cmd_ping_all, "ping-all|--wait|1s",
	  "heddle ping-all: --wait takes 1 to 60 seconds, not '1s'\n" },
	{ cmd_ping_all, "ping-all|--wait|60",
	  "heddle ping-all: no fabric runs; start one with 'heddle up SCENARIO'\n" },
	{ cmd_ping_all, "ping-all|--wait|1",
	  "heddle ping-all: no fabric runs; start one with 'heddle up SCENARIO'\n" },
	{ cmd_shell, "shell|A",
	  "heddle shell: no fabric runs; start one with 'heddle up SCENARIO'\n" },
};

TEST_RANGE(cmd_exec__wrong_words, 0, sizeof(wrong) / sizeof(wrong[0]))
{
	ck_assert_int_eq(command_run(wrong[_i].command, wrong[_i].line), CLIENT_USAGE);
	ck_assert_str_eq(printed, "");
	ck_assert_str_eq(said, wrong[_i].sentence);
}
