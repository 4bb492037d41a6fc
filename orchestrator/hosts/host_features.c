#include "orchestrator/hosts/host_features.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/array.h"

#define BLOCK_BITS 32u

static const char *const unwanted[] = {
	"tx-gre-segmentation",    "tx-gre-csum-segmentation", "tx-ipxip4-segmentation",
	"tx-ipxip6-segmentation", "tx-udp_tnl-segmentation",  "tx-udp_tnl-csum-segmentation",
	"tx-sctp-segmentation",   "tx-vlan-stag-hw-insert",
};

static int ask(int fd, const char *interface, void *request)
{
	struct ifreq ifr = { .ifr_data = request };

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", interface);
	return ioctl(fd, SIOCETHTOOL, &ifr) ? -errno : 0;
}

/* Return: number of features, 0 if they cannot be changed; -errno */
static int count_ask(int fd, const char *interface)
{
	union {
		struct ethtool_sset_info info;
		uint32_t words[sizeof(struct ethtool_sset_info) / sizeof(uint32_t) + 1];
	} request = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ull << ETH_SS_FEATURES } };
	int error = ask(fd, interface, &request);

	/* the count is after the structure; a kernel without it writes nothing there */
	return error ? error : (int)request.words[COUNT_OF(request.words) - 1];
}

static bool is_unwanted(const struct ethtool_gstrings *names, uint32_t feature)
{
	const char *name = (const char *)names->data + (size_t)feature * ETH_GSTRING_LEN;

	for (size_t i = 0; i < COUNT_OF(unwanted); i++)
		if (!strncmp(name, unwanted[i], ETH_GSTRING_LEN))
			return true;
	return false;
}

static int features_switch_off(int fd, const char *interface, uint32_t count)
{
	uint32_t blocks = (count + BLOCK_BITS - 1) / BLOCK_BITS;
	struct ethtool_gstrings *names =
		calloc(1, sizeof(*names) + (size_t)count * ETH_GSTRING_LEN);
	struct ethtool_sfeatures *set = calloc(1, sizeof(*set) + blocks * sizeof(set->features[0]));
	int error = names && set ? 0 : -ENOMEM;

	if (!error) {
		*names = (struct ethtool_gstrings){ .cmd = ETHTOOL_GSTRINGS,
						    .string_set = ETH_SS_FEATURES,
						    .len = count };
		error = ask(fd, interface, names);
	}
	if (!error) {
		*set = (struct ethtool_sfeatures){ .cmd = ETHTOOL_SFEATURES, .size = blocks };
		for (uint32_t i = 0; i < count; i++)
			set->features[i / BLOCK_BITS].valid |= (uint32_t)is_unwanted(names, i)
							       << i % BLOCK_BITS;
		error = ask(fd, interface, set);
	}
	free(names);
	free(set);
	return error;
}

int host_features_limit(const char *interface)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), result;

	if (fd < 0)
		return -errno;
	result = count_ask(fd, interface);
	if (result > 0)
		result = features_switch_off(fd, interface, (uint32_t)result);
	close(fd);
	return result == -ENOMEM ? result : 0;
}
