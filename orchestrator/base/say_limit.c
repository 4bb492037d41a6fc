#include "orchestrator/base/say_limit.h"

bool say_limit_allows(struct say_limit *limit, uint64_t now_ns, uint64_t *unsaid)
{
	if (!limit->lines || now_ns - limit->since_ns >= SAY_NS) {
		limit->since_ns = now_ns;
		limit->lines = 0;
	}
	if (limit->lines == SAY_LINES || limit->lines_all == SAY_LINES_MAX) {
		limit->unsaid++;
		return false;
	}
	limit->lines++;
	limit->lines_all++;
	*unsaid = limit->unsaid;
	limit->unsaid = 0;
	return true;
}
