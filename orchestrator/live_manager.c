#include "orchestrator/live_manager.h"

#include "orchestrator/fabric_exchange.h"

int live_manage(struct live *live)
{
	return fabric_manage(&live->fabric, &live->fabric.managed);
}
