/*  switchd - a switch as a process. */
#include "nodes/process/node_main.h"
#include "switchd/ethernet/ethernet.h"
#include "switchd/flow_channel/dataplane.h"
#include "switchd/port_group/lid_switch.h"

int main(int argc, char **argv)
{
	static const struct node_ops *const ops[FABRIC_KINDS] = {
		[FABRIC_FLOW_CHANNEL] = &switchd_ops,
		[FABRIC_ROCE] = &ethernet_ops,
		[FABRIC_PORT_GROUP] = &lid_ops,
	};

	return node_main(argc, argv, NODE_SWITCH, ops);
}
