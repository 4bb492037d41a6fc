/*  nicd - one NIC of the fabric: a host's end of one link, with generated traffic behind it (TB-1).                  */
#include "nicd/datapath.h"
#include "nodes/node.h"

int main(int argc, char **argv)
{
	return node_main(argc, argv, NODE_NIC, &nicd_ops);
}
