/*  switchd - a switch as a process. */
#include "nodes/node.h"
#include "switchd/dataplane.h"

int main(int argc, char **argv)
{
	return node_main(argc, argv, NODE_SWITCH, &switchd_ops);
}
