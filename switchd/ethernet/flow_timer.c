#include "switchd/ethernet/flow_timer.h"

void flow_timer_stop(struct flow_timer *timer)
{
	struct flow_timers *list = timer->list;

	if (!list)
		return;
	if (timer->older)
		timer->older->younger = timer->younger;
	else
		list->oldest = timer->younger;
	if (timer->younger)
		timer->younger->older = timer->older;
	else
		list->youngest = timer->older;
	*timer = (struct flow_timer){ .from_ps = timer->from_ps };
}

void flow_timer_restart(struct flow_timer *timer, struct flow_timers *list, node_time_t now)
{
	flow_timer_stop(timer);
	*timer = (struct flow_timer){ .older = list->youngest, .list = list, .from_ps = now };
	if (list->youngest)
		list->youngest->younger = timer;
	else
		list->oldest = timer;
	list->youngest = timer;
}

void flow_timer_expire(struct flow_timer *timer, struct flow_timers *list)
{
	*timer = (struct flow_timer){ .younger = list->oldest, .list = list };
	if (list->oldest)
		list->oldest->older = timer;
	else
		list->youngest = timer;
	list->oldest = timer;
}
