/*  nodes/control/control_config: configurations of which a part is wrong or too long are rejected,
 *  and what was read of them is released; those at the limit are not (TB-23). */
#include "nodes/control/control_config.h"

#include <errno.h>
#include <string.h>

#include "tests/testing.h"
#include "tests/unit/nodes/config/example_config.h"

static struct node_config config, got;
static struct control_config_packing packing;

static void setup(void)
{
	packing = (struct control_config_packing){ 0 };
	got = (struct node_config){ 0 };
}

static void teardown(void)
{
	control_config_packing_free(&packing);
	node_config_free(&config);
}

static void packed(void (*example)(struct node_config *config))
{
	example(&config);
	ck_assert_int_eq(control_config_pack(&packing, &config), 0);
}

/* what the message, as it is now, is read as */
static int unpacked(void)
{
	int error = control_config_unpack(&got, &packing.node);

	node_config_free(&got);
	got = (struct node_config){ 0 };
	return error;
}

TEST_GROUP(control_config, .setup = setup, .teardown = teardown);

/* @text is refused where it needs all of NODE_NAME_MAX bytes and has no end there */
static void name_checked(char **text)
{
	char *before = *text, name[NODE_NAME_MAX + 1] = "";

	*text = name;
	memset(name, 'n', NODE_NAME_MAX - 1);
	ck_assert_int_eq(unpacked(), 0);
	name[NODE_NAME_MAX - 1] = 'n';
	ck_assert_int_eq(unpacked(), -EINVAL);
	*text = before;
}

TEST(control_config_unpack__names)
{
	packed(example_switch);
	name_checked(&packing.node.name);
	name_checked(&packing.node.classes[1]->name);
	name_checked(&packing.node.ports[1]->peer_name);
	ck_assert_int_eq(unpacked(), 0);
}

TEST(control_config_unpack__name_of_a_workload)
{
	packed(example_nic);
	name_checked(&packing.node.nic->workloads[0]->name);
	ck_assert_int_eq(unpacked(), 0);
}

TEST(control_config_unpack__classes)
{
	Heddle__ClassConfig *classes[NODE_CLASSES_MAX + 1], **before;
	size_t count;

	packed(example_switch);
	before = packing.node.classes;
	count = packing.node.n_classes;
	for (size_t c = 0; c <= NODE_CLASSES_MAX; c++)
		classes[c] = before[0];
	packing.node.classes = classes;
	packing.node.n_classes = NODE_CLASSES_MAX + 1;
	ck_assert_int_eq(unpacked(), -EINVAL);
	packing.node.classes = before;
	packing.node.n_classes = count;
	ck_assert_int_eq(unpacked(), 0);
}

/* a mask has a number for each part, or there is none */
TEST(control_config_unpack__masks_of_ports)
{
	size_t count;

	packed(example_switch);
	count = packing.node.ports[1]->n_match_mask;
	ck_assert_uint_eq(count, FLOW_PARTS);
	packing.node.ports[1]->n_match_mask = FLOW_PARTS - 1;
	ck_assert_int_eq(unpacked(), -EINVAL);
	packing.node.ports[1]->n_match_mask = 0;
	ck_assert_int_eq(unpacked(), 0);
	packing.node.ports[1]->n_match_mask = count;
	ck_assert_int_eq(unpacked(), 0);
}

/* addresses have 4 or 16 bytes, and a list NODE_PREFIXES_MAX of them */
TEST(control_config_unpack__prefixes)
{
	static Heddle__PrefixConfig *prefixes[NODE_PREFIXES_MAX + 1];
	uint8_t address[17] = { 10 };
	Heddle__PrefixConfig prefix, **before;
	size_t count;

	heddle__prefix_config__init(&prefix);
	packed(example_switch);
	before = packing.switch_.prefixes;
	count = packing.switch_.n_prefixes;
	for (size_t i = 0; i <= NODE_PREFIXES_MAX; i++)
		prefixes[i] = &prefix;
	packing.switch_.prefixes = prefixes;
	packing.switch_.n_prefixes = 1;
	prefix.address.data = address;
	for (size_t length = 0; length <= sizeof(address); length++) {
		prefix.address.len = length;
		ck_assert_int_eq(unpacked(), length == 4 || length == 16 ? 0 : -EINVAL);
	}
	prefix.address.len = 16;
	prefix.bits = 128;
	ck_assert_int_eq(unpacked(), 0);
	prefix.bits = 129;
	ck_assert_int_eq(unpacked(), -EINVAL);
	prefix.bits = 0;
	packing.switch_.n_prefixes = NODE_PREFIXES_MAX;
	ck_assert_int_eq(unpacked(), 0);
	packing.switch_.n_prefixes = NODE_PREFIXES_MAX + 1;
	ck_assert_int_eq(unpacked(), -EINVAL);
	packing.switch_.prefixes = before;
	packing.switch_.n_prefixes = count;
}
