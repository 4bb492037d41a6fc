#include "orchestrator/run/neighbour_advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "orchestrator/base/ip_address.h"

#define SETTING "net.ipv4.neigh.default.gc_thresh"
#define PATH "/proc/sys/net/ipv4/neigh/default/gc_thresh3"

/* ---- how many there are ---- */

struct subnet {
	struct ip_address ip;
	uint64_t hosts, here; /* here: on this machine */
};

static void subnet_add(struct subnet *subnets, size_t *count, const struct ip_address *ip,
		       bool here)
{
	size_t i = 0;

	while (i < *count &&
	       !(subnets[i].ip.bits == ip->bits && ip_address_covers(&subnets[i].ip, ip)))
		i++;
	if (i == *count)
		subnets[(*count)++] = (struct subnet){ .ip = ip_address_subnet(ip) };
	subnets[i].hosts++;
	subnets[i].here += here;
}

static bool interface_is(const struct plan *plan, uint32_t host)
{
	return plan->hosts[plan->hosts[host].owner].settings != NULL &&
	       !plan_vacant(plan, plan_host_node(plan, host));
}

uint64_t neighbour_count(const struct plan *plan)
{
	uint64_t addresses = 0, neighbours = 0;
	struct subnet *subnets;
	size_t count = 0;

	for (uint32_t i = 0; i < plan->host_count; i++)
		if (interface_is(plan, i))
			addresses += plan_host_interface(plan, i)->address_count;
	subnets = calloc(addresses, sizeof(*subnets));
	for (uint32_t i = 0; subnets && i < plan->host_count; i++) {
		const struct host_interface *own =
			interface_is(plan, i) ? plan_host_interface(plan, i) : NULL;

		for (uint32_t a = 0; own && a < own->address_count; a++)
			if (own->addresses[a].ip.version == 4)
				subnet_add(subnets, &count, &own->addresses[a].ip,
					   !plan_elsewhere(plan, plan_host_node(plan, i)));
	}
	for (size_t i = 0; i < count; i++)
		neighbours += subnets[i].here * (subnets[i].hosts - 1);
	free(subnets);
	return neighbours;
}

/* ---- how many are kept ---- */

uint64_t neighbours_kept(const char *path)
{
	FILE *file = fopen(path, "re");
	uint64_t kept = 0;

	if (!file)
		return NEIGHBOURS_KEPT;
	if (fscanf(file, "%" SCNu64, &kept) != 1 || !kept)
		kept = NEIGHBOURS_KEPT;
	fclose(file);
	return kept;
}

/* ---- the sentence ---- */

bool neighbour_advice(uint64_t count, uint64_t kept, char *text, size_t text_max)
{
	uint64_t needed = NEIGHBOURS_KEPT;

	*text = 0;
	if (count <= kept)
		return false;
	while (needed < count + NEIGHBOURS_KEPT) /* what else the machine has is not known */
		needed *= 2;
	snprintf(text, text_max,
		 "if all hosts talk to each other they have %" PRIu64 " neighbours (ARP), and the "
		 "kernel of this machine keeps %" PRIu64
		 " for all hosts together: it drops packets "
		 "to others. Root of the machine, outside of containers, can change that: sysctl "
		 "-w " SETTING "2=%" PRIu64 " " SETTING "3=%" PRIu64 "; for IPv6 the same with "
		 "net.ipv6",
		 count, kept, needed, needed);
	return true;
}

bool neighbour_advice_here(uint64_t count, char *text, size_t text_max)
{
	return neighbour_advice(count, neighbours_kept(PATH), text, text_max);
}

void neighbour_advice_print(const char *command, uint64_t count)
{
	char text[NEIGHBOUR_ADVICE_MAX];

	if (neighbour_advice_here(count, text, sizeof(text)))
		fprintf(stderr, "heddle %s: %s\n", command, text);
}
