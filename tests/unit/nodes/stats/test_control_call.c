/*  nodes/stats/control_call: sentences for what a control of the user's did wrong (SE-10). */
#include "nodes/stats/control_call.h"

#include "tests/testing.h"

TEST_GROUP(control_call);

static const struct control_call base = {
	.function = CONTROL_ON_TIMER, .value = 5, .at_ps = 7 * NODE_US, .line_bps = 1000000
};

static const char *told(enum control_fault fault, const char *how)
{
	static char text[256];
	struct control_call call = base;

	call.fault = fault;
	return control_call_describe(&call, how, "of f", text, sizeof(text));
}

TEST(control_call_describe__each_fault)
{
	ck_assert_str_eq(told(CONTROL_FINE, "signal 6"),
			 "ended the process in on_timer of f: signal 6");
	ck_assert_str_eq(told(CONTROL_FINE, NULL), "does not return from on_timer of f");
	ck_assert_str_eq(told(CONTROL_RATE, NULL), "set rate_bps to 5 in on_timer of f; it may be "
						   "1000 to 1000000, the rate of the link");
	ck_assert_str_eq(told(CONTROL_WINDOW, NULL),
			 "set window_packets to 5 in on_timer of f; it may be 1 to 8388607");
	ck_assert_str_eq(told(CONTROL_TIMER, NULL), "set timer_ns to 5 in on_timer of f; it must "
						    "be after now_ns, which is 7000");
	ck_assert_str_eq(told(CONTROL_STATE, NULL),
			 "wrote beyond the 5 bytes of its state in on_timer of f");
	ck_assert_str_eq(told(CONTROL_LOOP, NULL),
			 "did not return from on_timer of f within 1 s of CPU time");
}

/* the page is of a process that ran foreign code */
TEST(control_call_describe__any_contents)
{
	struct control_call call = { .function = CONTROL_FUNCTIONS, .fault = UINT32_MAX };
	char text[256];

	ck_assert_str_eq(control_call_describe(&call, "signal 11", "", text, sizeof(text)),
			 "ended the process in an unknown function: signal 11");
	call.function = UINT32_MAX;
	ck_assert_str_eq(control_call_describe(&call, "signal 11", "", text, sizeof(text)),
			 "ended the process in an unknown function: signal 11");
}
