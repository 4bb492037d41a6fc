#include "nodes/stats/control_call.h"

#include <heddle/congestion_control.h>
#include <inttypes.h>
#include <stdio.h>

static const char *const function_name[CONTROL_FUNCTIONS] = {
	"no function", "a constructor", "open", "on_ack", "on_cnp", "on_loss", "on_timer", "on_sent"
};

static const char *place_text(const struct control_call *call, const char *flow, char *text,
			      size_t text_max)
{
	const char *name = call->function < CONTROL_FUNCTIONS ? function_name[call->function]
							      : "an unknown function";

	snprintf(text, text_max, "%s%s%s", name, *flow ? " " : "", flow);
	return text;
}

const char *control_call_describe(const struct control_call *call, const char *how,
				  const char *flow, char *text, size_t text_max)
{
	char place[256];

	place_text(call, flow, place, sizeof(place));
	switch (call->fault) {
	case CONTROL_RATE:
		snprintf(text, text_max,
			 "set rate_bps to %" PRIu64 " in %s; it may be %u to %" PRIu64
			 ", the rate of the link",
			 call->value, place, HEDDLE_RATE_MIN_BPS, call->line_bps);
		break;
	case CONTROL_WINDOW:
		snprintf(text, text_max,
			 "set window_packets to %" PRIu64 " in %s; it may be 1 to %u", call->value,
			 place, HEDDLE_WINDOW_MAX);
		break;
	case CONTROL_TIMER:
		snprintf(text, text_max,
			 "set timer_ns to %" PRIu64
			 " in %s; it must be after now_ns, which is %" PRIu64,
			 call->value, place, call->at_ps / NODE_NS);
		break;
	case CONTROL_STATE:
		snprintf(text, text_max, "wrote beyond the %" PRIu64 " bytes of its state in %s",
			 call->value, place);
		break;
	case CONTROL_LOOP:
		snprintf(text, text_max, "did not return from %s within %u s of CPU time", place,
			 CONTROL_CPU_S);
		break;
	default:
		if (how)
			snprintf(text, text_max, "ended the process in %s: %s", place, how);
		else
			snprintf(text, text_max, "does not return from %s", place);
	}
	return text;
}
