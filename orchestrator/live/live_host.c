#include "orchestrator/live/live_host.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <net/ethernet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/wire/address.h"

#define KILL_ROUNDS 10 /* a child that a program starts meanwhile is killed in the next round */

struct host_net_spec live_host_spec(const struct plan *plan, uint32_t index,
				    char far_name[IFNAMSIZ])
{
	const struct node_config *nic = &plan->nodes[plan_host_node(plan, index)];
	struct host_net_spec spec = { .name = nic->name,
				      .interface = "eth0",
				      .far_name = far_name,
				      .ipv4 = address_ipv4(index),
				      .ipv4_prefix_bits = 8, /* address.h */
				      .ipv6_prefix_bits = 64,
				      .mtu_bytes = nic->ports[0].mtu_bytes - ETHER_HDR_LEN,
				      .queue_count = nic->nic.host_queues,
				      .rate_bps = nic->ports[0].rate_bps,
				      .host_index = index,
				      .prefix_count = plan->prefix_count,
				      .prefixes = plan->prefixes };

	if (spec.mtu_bytes > HOST_NET_MTU_BYTES_MAX)
		spec.mtu_bytes = HOST_NET_MTU_BYTES_MAX;
	snprintf(far_name, IFNAMSIZ, "h%u", index);
	address_mac(index, spec.mac);
	address_ipv6(index, spec.ipv6);
	return spec;
}

json_t *live_host_describe(const struct live *live, uint32_t index)
{
	struct in_addr address = { .s_addr = htonl(address_ipv4(index)) };
	char ipv4[INET_ADDRSTRLEN], ipv6[INET6_ADDRSTRLEN];
	uint8_t address6[16];

	address_ipv6(index, address6);
	inet_ntop(AF_INET, &address, ipv4, sizeof(ipv4));
	inet_ntop(AF_INET6, address6, ipv6, sizeof(ipv6));
	if (!live->hosts[index].ipv6)
		ipv6[0] = 0;
	return json_pack("{s:s, s:s, s:s, s:s}", "name",
			 live->plan->nodes[plan_host_node(live->plan, index)].name, "interface",
			 live->hosts[index].interface, "ipv4", ipv4, "ipv6", ipv6);
}

int live_hosts_write(const struct live *live, char *path, size_t path_max)
{
	const struct plan *plan = live->plan;
	struct host_net_spec *specs = calloc((size_t)plan->host_count + 1, sizeof(*specs));
	char unused[IFNAMSIZ];
	uint32_t count = 0;
	int error;

	snprintf(path, path_max, "%s/hosts", live->place.path);
	if (!specs)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->host_count; i++)
		if (!plan_vacant(plan, plan_host_node(plan, i)))
			specs[count++] = live_host_spec(plan, i, unused);
	/* by descriptor: the owner of a parent folder could replace the path */
	error = host_net_hosts_file(live->place.dir_fd, "hosts", specs, count);
	free(specs);
	return error;
}

int live_host_make(struct live *live, uint32_t index, char *why, size_t why_max)
{
	char far_name[IFNAMSIZ];
	struct host_net_spec spec = live_host_spec(live->plan, index, far_name);

	return host_net_make(&live->hosts[index], &live->namespaces, &spec, why, why_max);
}

int live_host_sockets(struct live *live, uint32_t index, int fds[NIC_HOST_QUEUES_MAX], char *why,
		      size_t why_max)
{
	struct host_net *host = &live->hosts[index];
	uint32_t count = live->plan->nodes[plan_host_node(live->plan, index)].nic.host_queues;
	int error = 0;

	if (host->net_fd < 0)
		error = live_host_make(live, index, why, why_max);
	else if (host->queue_fds[0] < 0)
		error = host_net_queues_open(host->far_index, count, host->queue_fds);
	for (uint32_t i = 0; i < count && !error; i++) {
		fds[i] = host->queue_fds[i];
		host->queue_fds[i] = -1;
	}
	return error ? error : (int)count;
}

/* kills all processes in network namespace @host; returns their number */
static unsigned programs_kill(const struct stat *host)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	unsigned count = 0;

	while (processes && (entry = readdir(processes))) {
		int pid = atoi(entry->d_name);
		struct stat seen;
		char path[64];

		if (pid <= 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
		if (!stat(path, &seen) && seen.st_ino == host->st_ino &&
		    seen.st_dev == host->st_dev)
			count += !kill(pid, SIGKILL);
	}
	if (processes)
		closedir(processes);
	return count;
}

void live_host_end(struct live *live, uint32_t index)
{
	struct host_net *host = &live->hosts[index];
	struct stat network;

	if (host->net_fd < 0)
		return;
	for (int round = 0; !host->attached && round < KILL_ROUNDS; round++)
		if (fstat(host->net_fd, &network) || !programs_kill(&network))
			break;
	/* now: the name may be used again before the kernel has removed the namespace */
	if (!host->attached)
		netlink_link_delete(&live->namespaces.netlink, host->far_index);
	host_net_free(host, &live->namespaces);
	*host = (struct host_net){ .net_fd = -1, .uts_fd = -1 };
}
