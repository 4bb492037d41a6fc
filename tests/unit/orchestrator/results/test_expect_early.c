/*  orchestrator/results/expect: the expectations of a scenario that was refused are checked as far
 *  as its sections could be read, so that all mistakes are named at once (TB-11). */
#include <errno.h>
#include <string.h>

#include "orchestrator/plan/plan.h"
#include "orchestrator/results/expect.h"
#include "tests/testing.h"

#define HEAD "name: t\nrun: {duration: 1}\n"
#define TOPOLOGY "topology: {switches: [s1], hosts: {A: s1, B: s1}}\n"
#define WORKLOADS "workloads: [{name: w, pattern: pairs, pairs: [[A, B]], size: 4kB}]\n"
#define RUN                                                                                \
	"t.yaml:2:17: duration: '1' lacks its unit; expected a time such as 350ns or 1us " \
	"(ps, ns, us, ms, s)\n"

/* the scenario is refused with these errors, a line each */
static void refused(const char *text, const char *lines)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	char *said = NULL;
	size_t length;
	FILE *out;

	ck_assert_int_eq(
		scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors),
		-EINVAL);
	expect_check_early(&scenario, &errors);
	out = open_memstream(&said, &length);
	scenario_errors_print(&errors, out);
	fclose(out);
	ck_assert_str_eq(said, lines);
	free(said);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

/* all sections but `run` could be read */
TEST(expect_check_early__names)
{
	refused(HEAD TOPOLOGY WORKLOADS
		"faults: [{at: 1us, switch: s1}]\nexpect:\n"
		"- jain(w) > 0\n- jain(v) > 0\n- share(A, B) > 0\n- share(A, C) > 0\n"
		"- recovery(1) < 1s\n- recovery(2) < 1s\n- marked(s1) == 0\n- marked(s2) == 0\n"
		"- utilisation(s1:A) > 0\n- utilisation(s2:A) > 0\n- lots == 0\n",
		RUN "t.yaml:8:8: there is no workload 'v'\n"
		    "t.yaml:10:12: there is no host 'C'\n"
		    "t.yaml:12:12: there is no fault '2'; expected its number in the list, 1 to 1\n"
		    "t.yaml:14:10: there is no switch or host 's2' - did you mean 's1'?\n"
		    "t.yaml:16:15: there is no switch or host 's2' - did you mean 's1'?\n"
		    "t.yaml:17:3: there is no metric 'lots' - did you mean 'lost'?\n");
}

/* ports are not known before the plan is */
TEST(expect_check_early__ports)
{
	refused(HEAD TOPOLOGY "expect:\n- utilisation(s1:C) > 0\n- marked(s1:C) == 0\n", RUN);
	refused(HEAD TOPOLOGY "expect: [utilisation(s1) > 0]\n",
		RUN "t.yaml:4:22: a port is written node:peer or node:number, such as 's1:s2' or "
		    "'s1:p3', not 's1'\n");
}

/* names of a section that could not be read are not judged; what else is wrong is */
TEST(expect_check_early__section_that_is_wrong)
{
	refused("name: t\nrun: {duration: 1ms}\ntopology: {switches: x, hosts: {A: s1}}\nexpect:\n"
		"- share(A, C) > 0\n- marked(s9) == 0\n- utilisation(s9:A) > 0\n- jain(v) > 0\n",
		"t.yaml:3:22: 'switches' must be a list of 1 to 8191 names, such as [s1, s2]\n"
		"t.yaml:8:8: there is no workload 'v'\n");
	refused("name: t\nrun: {duration: 1ms}\n" TOPOLOGY "workloads: {w: 1}\nexpect:\n"
		"- jain(v) > 0\n- recovery(1) < 1s\n",
		"t.yaml:4:12: 'workloads' must be a list of at most 64 workloads, each starting "
		"with '- name: ...'\n"
		"t.yaml:7:12: there is no fault '1': the scenario has none\n");
	refused("name: t\nrun: {duration: 1ms}\n" TOPOLOGY "classes: {w: 1}\nexpect:\n"
		"- queue.max(s1:A, best) == 0\n- marked(s1, best) == 0\n- jain(v) > 0\n",
		"t.yaml:4:10: 'classes' must be a list of 1 to 8 classes, such as [{name: bulk, "
		"min: 20%}]\nt.yaml:8:8: there is no workload 'v'\n");
	refused("name: t\nrun: {duration: 1ms}\n" TOPOLOGY "faults: {at: 1us}\nexpect:\n"
		"- recovery(7) < 1s\n- jain(v) > 0\n",
		"t.yaml:4:9: 'faults' must be a list of at most 1024 faults, such as [{at: 50us, "
		"link: [s1, s2], for: 20us}]\nt.yaml:7:8: there is no workload 'v'\n");
}
