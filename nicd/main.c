/*  nicd - one NIC of the fabric: a host's end of one link, and its generated traffic (TB-1). */
#include "nicd/dataplane/dataplane.h"
#include "nodes/process/node_main.h"

int main(int argc, char **argv)
{
#define NIC(constant, word) &nicd_ops,
	static const struct node_ops *const ops[] = { FABRIC_KIND_ROWS(NIC) };

	return node_main(argc, argv, NODE_NIC, ops);
}
