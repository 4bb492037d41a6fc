/*  workerd - many switches and NICs in one process (SC-3). */
#include "nicd/dataplane/dataplane.h"
#include "nodes/process/worker_main.h"
#include "switchd/kinds/switch_kinds.h"

int main(int argc, char **argv)
{
#define NIC(constant, word) &nicd_ops,
	static const struct node_ops *const nics[] = { FABRIC_KIND_ROWS(NIC) };
	static const struct node_ops *const *const ops[NODE_KINDS] = {
		[NODE_SWITCH] = switch_kinds, [NODE_NIC] = nics
	};

	return worker_main(argc, argv, ops);
}
