#include "nodes/node/show_text.h"

void show_text_ports(uint64_t ports, FILE *out)
{
	fputs(ports ? "" : "-", out);
	for (const char *gap = ""; ports; ports &= ports - 1, gap = " ")
		fprintf(out, "%s%d", gap, __builtin_ctzll(ports));
}
