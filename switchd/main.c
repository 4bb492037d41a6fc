/*  switchd - a switch as a process. */
#include "nodes/process/node_main.h"
#include "switchd/kinds/switch_kinds.h"

int main(int argc, char **argv)
{
	return node_main(argc, argv, NODE_SWITCH, switch_kinds);
}
