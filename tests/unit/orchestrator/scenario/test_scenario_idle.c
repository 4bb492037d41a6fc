/*  orchestrator/scenario/scenario_idle: which keys are reported as having no effect (TB-11).
 *  sim/test_idle_keys checks that it is true of each key. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/scenario/scenario_idle.h"
#include "tests/said.h"
#include "tests/testing.h"

#define STAR "name: t\nrun: {duration: 100us}\ntopology: {generate: star, hosts: 4}\n"

static struct scenario scenario;
static struct scenario_errors errors;
static char *printed;
static size_t printed_bytes;

static void tear_down(void)
{
	free(printed);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

static const char *told(const char *text, const char *const *settings, unsigned count)
{
	int error = scenario_read_memory("t.yaml", text, strlen(text), settings, count, &scenario,
					 &errors);
	FILE *out = open_memstream(&printed, &printed_bytes);

	ck_assert_msg(error == 0, "%s", errors.count ? errors.texts[0] : "no error");
	scenario_idle_print(&scenario, "idle: ", out);
	fclose(out);
	return printed;
}

TEST_GROUP(scenario_idle, .teardown = tear_down);

TEST(scenario_idle_print__nothing_without_idle_keys)
{
	ck_assert_str_eq(
		told(STAR "routing: {choice: adaptive, redirect: no}\ncongestion: no\n", NULL, 0),
		"");
}

/* a section is named as a whole; if other keys of it have an effect, the key is named */
TEST(scenario_idle_print__keys_and_lines)
{
	const char *text = STAR "fabric: roce\n"
				"routing: {reaction: 2us,\n"
				"          redirect: {pause: 1us}}\n"
				"port-group: {policy: random}\n"
				"classes:\n  - {name: a}\n  - {name: b, unordered: yes}\n";

	ck_assert_str_eq(told(text, NULL, 0), "idle: port-group (line 7), routing.redirect (line "
					      "6), classes.1.unordered (line 10)\n");
}

/* RC-8, RC-9: only CNPs that the switch supplements can have failed */
TEST(scenario_idle_print__path_pause_without_supplement)
{
	static const struct {
		const char *keys, *told;
	} cases[] = {
		{ "roce: {path-pause: yes}", "idle: roce.path-pause with target cnp-failed and "
					     "without supplement (line 5)\n" },
		{ "roce: {path-pause: {high: 1MB}}", "idle: roce.path-pause with target cnp-failed "
						     "and without supplement (line 5)\n" },
		{ "roce: {path-pause: yes, supplement: yes}", "" },
		{ "roce: {path-pause: {target: ecn-failed}}", "" },
		{ "roce: {path-pause: no}", "" },
		{ "roce: {path-pause: yes}\ncompare: {columns: [drops], variants: [{name: a, set: "
		  "{roce.supplement: yes}}]}",
		  "" },
	};
	char text[400];

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), STAR "fabric: roce\n%s\n", cases[i].keys);
		ck_assert_str_eq(told(text, NULL, 0), cases[i].told);
		if (i + 1 < sizeof(cases) / sizeof(cases[0])) {
			tear_down();
			memset(&scenario, 0, sizeof(scenario));
			memset(&errors, 0, sizeof(errors));
		}
	}
}

/* the parameters of a control that another one replaces */
TEST_RANGE(scenario_idle_print__control_not_selected, 0, 8)
{
	static const struct {
		const char *keys, *told;
	} cases[] = {
		{ "dcqcn: {ai: 10Mb/s}", "" },
		{ "dcqcn: {ai: 10Mb/s}, congestion-control: swift",
		  "idle: roce.dcqcn beside congestion-control: swift (line 5)\n" },
		{ "congestion-control: none, dcqcn: yes",
		  "idle: roce.dcqcn beside congestion-control: none (line 5)\n" },
		{ "swift: {ai: 2}",
		  "idle: roce.swift beside congestion-control: dcqcn (line 5)\n" },
		{ "dcqcn: no, congestion-control: swift", "" },
		{ "dcqcn: {ai: 10Mb/s}, congestion-control: dcqcn", "" },
		{ "swift: {ai: 2}, congestion-control: swift", "" },
		{ "swift: {ai: 2}}\ncompare: {columns: [drops], variants: [{name: a, set: "
		  "{roce.congestion-control: swift}}]",
		  "" },
	};
	char text[400];

	snprintf(text, sizeof(text), STAR "fabric: roce\nroce: {%s}\n", cases[_i].keys);
	ck_assert_str_eq(told(text, NULL, 0), cases[_i].told);
}

TEST(scenario_idle_print__settings)
{
	static const char *const settings[] = { "fabric=port-group", "switch.acks.t1=10ns",
						"classes.0.ecn=no" };

	ck_assert_str_eq(told(STAR "classes: [{name: a}]\n", settings, 3),
			 "idle: switch.acks (--set switch.acks.t1=10ns), classes.0.ecn (--set "
			 "classes.0.ecn=no)\n");
}

/* a key that some variant needs is not idle; a key that none needs is */
TEST(scenario_idle_print__variants)
{
	const char *text = STAR "congestion: no\nport-group: {becn: no}\nroce: {pfc: no}\n"
				"compare:\n  columns: [lost]\n  variants:\n"
				"    - {name: a}\n    - {name: b, set: {fabric: roce}}\n";

	ck_assert_str_eq(told(text, NULL, 0), "idle: port-group (line 5)\n");
}

/* a library is of use if the control is `own`, or may be in a variant that changes roce */
TEST_RANGE(scenario_idle_print__own_control, 0, 7)
{
	static const struct {
		const char *control, *variant, *idle;
	} cases[] = {
		{ "congestion-control: own", "", "" },
		{ "pfc: no", "", "" },
		{ "congestion-control: swift", "",
		  "idle: roce.own-control beside congestion-control: swift (line 7)\n" },
		{ "congestion-control: none", "links.rate: 1Gb/s",
		  "idle: roce.own-control beside congestion-control: none (line 7)\n" },
		{ "congestion-control: swift", "roce: {congestion-control: own}", "" },
		{ "congestion-control: swift", "roce.congestion-control: own", "" },
		{ "congestion-control: swift", "links.rate: 1Gb/s, roce.pfc: no", "" },
	};
	char text[512], variants[200] = "";
	Dl_info library; /* the C library is one */

	ck_assert(dladdr(dlsym(RTLD_NEXT, "gnu_get_libc_version"), &library));
	if (_i > 2)
		snprintf(variants, sizeof(variants),
			 "compare:\n  columns: [lost]\n  variants:\n    - {name: a}\n"
			 "    - {name: b, set: {%s}}\n",
			 cases[_i].variant);
	snprintf(text, sizeof(text), STAR "fabric: roce\nroce:\n  %s\n  own-control: %s\n%s",
		 cases[_i].control, library.dli_fname, variants);
	ck_assert_str_eq(told(text, NULL, 0), cases[_i].idle);
}

/* ---- keys of hosts, which are of use to real programs only ---- */

static const char *noted(const char *hosts, const char *command)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "name: t\nrun: {duration: 100us}\ntopology: {switches: [s1], hosts: {%s}}\n",
		 hosts);
	ck_assert_str_eq(told(text, NULL, 0), "");
	said_begin();
	scenario_idle_note(&scenario, command);
	return said_end();
}

#define NO_EFFECT "heddle run: only 'heddle up' has real hosts, so this has no effect:"

TEST(scenario_idle_note__keys_of_one_host)
{
	ck_assert_str_eq(noted("h1: {switch: s1, run: sleep 1}, h2: s1", "run"),
			 NO_EFFECT " run (of h1)\n");
}

TEST(scenario_idle_note__keys_of_two_hosts)
{
	ck_assert_str_eq(noted("h1: s1, h2: {switch: s1, run: a}, h3: {switch: s1, run: b}", "run"),
			 NO_EFFECT " run (of h2 and 1 other host)\n");
}

TEST(scenario_idle_note__keys_of_three_hosts)
{
	const char *text = noted("h1: {switch: s1, run: a}, h2: {switch: s1, run: b}, "
				 "h3: {switch: s1, env: {A: b}}",
				 "run");

	ck_assert_msg(!strncmp(text, NO_EFFECT " ", strlen(NO_EFFECT) + 1), "%s", text);
	ck_assert_ptr_nonnull(strstr(text, " run"));
	ck_assert_ptr_nonnull(strstr(text, " env"));
	ck_assert_ptr_nonnull(strstr(text, ", "));
	ck_assert_ptr_nonnull(strstr(text, " (of h1 and 2 other hosts)\n"));
}

TEST(scenario_idle_note__up_has_real_hosts)
{
	ck_assert_str_eq(noted("h1: {switch: s1, run: sleep 1}, h2: s1", "up"), "");
}

TEST(scenario_idle_note__none)
{
	ck_assert_str_eq(noted("h1: s1, h2: s1", "run"), "");
}
