/*  orchestrator/hosts/host_features: what the NIC cannot do is off, all else stays as it was
 *  (TB-15). In a network namespace of its own. */
#include "orchestrator/hosts/host_features.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/hosts/netlink.h"
#include "tests/testing.h"

#define FEATURES_MAX 512u /* more than any kernel has */

static const char *const unwanted[] = {
	"tx-gre-segmentation",    "tx-gre-csum-segmentation", "tx-ipxip4-segmentation",
	"tx-ipxip6-segmentation", "tx-udp_tnl-segmentation",  "tx-udp_tnl-csum-segmentation",
	"tx-sctp-segmentation",   "tx-vlan-stag-hw-insert",
};

static union {
	struct ethtool_gstrings head;
	uint8_t bytes[sizeof(struct ethtool_gstrings) + FEATURES_MAX * ETH_GSTRING_LEN];
} strings;

static union {
	struct ethtool_gfeatures head;
	uint8_t bytes[sizeof(struct ethtool_gfeatures) +
		      FEATURES_MAX / 32 * sizeof(struct ethtool_get_features_block)];
} features;

static const char *name_of(unsigned feature)
{
	return (const char *)strings.head.data + (size_t)feature * ETH_GSTRING_LEN;
}

static void ethtool(void *request)
{
	struct ifreq asked = { .ifr_name = "near", .ifr_data = request };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(ioctl(fd, SIOCETHTOOL, &asked), 0);
	close(fd);
}

/* which features of the interface are on.   Return: how many there are */
static unsigned look(bool on[FEATURES_MAX])
{
	strings.head =
		(struct ethtool_gstrings){ .cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_FEATURES };
	features.head =
		(struct ethtool_gfeatures){ .cmd = ETHTOOL_GFEATURES, .size = FEATURES_MAX / 32 };
	ethtool(&strings);
	ethtool(&features);
	ck_assert_uint_le(strings.head.len, FEATURES_MAX);
	for (unsigned i = 0; i < strings.head.len; i++)
		on[i] = features.head.features[i / 32].active >> i % 32 & 1;
	return strings.head.len;
}

static bool is_unwanted(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(unwanted); i++)
		if (!strncmp(name, unwanted[i], ETH_GSTRING_LEN))
			return true;
	return false;
}

TEST(host_features_limit__what_the_nic_cannot_do)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 7 };
	const struct netlink_end near_end = { "near", mac, -1 }, far_end = { "far", NULL, -1 };
	bool before[FEATURES_MAX], after[FEATURES_MAX];
	struct netlink netlink;
	unsigned count, changed = 0;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) || netlink_open(&netlink, -1, -1)) {
		printf("skipped, needs namespaces\n");
		return;
	}
	ck_assert_int_eq(netlink_veth_add(&netlink, &near_end, &far_end, 1500), 0);
	netlink_close(&netlink);
	count = look(before);
	ck_assert_uint_gt(count, 32);
	/* another interface, or none, is not changed */
	ck_assert_int_eq(host_features_limit("no-such"), 0);
	ck_assert_int_eq(host_features_limit("far"), 0);
	ck_assert_uint_eq(look(after), count);
	ck_assert_mem_eq(before, after, count);
	ck_assert_int_eq(host_features_limit("near"), 0);
	look(after);
	for (unsigned i = 0; i < count; i++) {
		if (is_unwanted(name_of(i)))
			ck_assert_msg(!after[i], "%.32s is on", name_of(i));
		else
			ck_assert_msg(after[i] == before[i], "%.32s has changed", name_of(i));
		changed += after[i] != before[i];
	}
	ck_assert_uint_gt(changed, 0);
}
