/*  workerd - many switches and NICs in one process (SC-3). */
#include "nicd/datapath/datapath.h"
#include "nodes/process/worker_main.h"
#include "switchd/ethernet/ethernet.h"
#include "switchd/flow_channel/dataplane.h"
#include "switchd/port_group/lid_switch.h"

int main(int argc, char **argv)
{
	static const struct node_ops *const switches[FABRIC_KINDS] = {
		[FABRIC_FLOW_CHANNEL] = &switchd_ops,
		[FABRIC_ROCE] = &ethernet_ops,
		[FABRIC_PORT_GROUP] = &lid_ops,
	};
	static const struct node_ops *const nics[FABRIC_KINDS] = { &nicd_ops, &nicd_ops,
								   &nicd_ops };
	static const struct node_ops *const *const ops[NODE_KINDS] = {
		[NODE_SWITCH] = switches, [NODE_NIC] = nics
	};

	return worker_main(argc, argv, ops);
}
