#include "orchestrator/scenario/scenario_link.h"

#include "orchestrator/scenario/scenario_parameters.h"

#define MTU_BYTES_DEFAULT 4096u
/* An IP MTU of 4200, as vendors of RDMA NICs recommend it: the largest path MTU and the headers of
 * RoCEv2 fit (RC-4) */
#define ROCE_MTU_BYTES (ETHERNET_BYTES + 4200u)
#define ETHERNET_BYTES 14u

static const struct parameter rows[] = {
	KEY_ROW("edge", "the keys above", "the values of `links`", "of links to hosts"),
	KEY_ROW("fabric", "the keys above", "the values of `links`", "of links between switches"),
};
const struct parameter_table links_parameters = PARAMETER_TABLE_OF(struct links_settings, rows);

/* 'edge' and 'fabric' start from the settings of `links` itself, which are read before */
static void side_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		      void *target)
{
	struct link_config *side = (void *)((char *)target + key->offset);

	*side = reader->links.base;
	scenario_link_read(reader, node, key->name, NULL, 0, NULL, side);
}

static const struct key side_keys[] = {
	{ "edge", side_read, KEY_FIELD(struct links_settings, edge) },
	{ "fabric", side_read, KEY_FIELD(struct links_settings, fabric) },
};

void scenario_links_default(struct reader *reader)
{
	struct link_config *base = &reader->links.base;

	parameters_default(&link_parameters, base);
	base->mtu_bytes =
		reader->scenario->fabric == FABRIC_ROCE ? ROCE_MTU_BYTES : MTU_BYTES_DEFAULT;
	reader->links.edge = reader->links.fabric = *base;
}

void scenario_links_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	struct links_settings *links = &reader->links;
	const struct parameters_reading sides = {
		.table = &links_parameters,
		.keys = side_keys,
		.key_count = COUNT_OF(side_keys),
		.target = links,
		.group = "",
	};

	(void)key;
	(void)target;
	scenario_parameters_read(reader, node, "'links'",
				 &(struct parameters_reading){ .table = &link_parameters,
							       .structure = &links->base,
							       .group = "",
							       .also = &sides });
	if (!yaml_find(node, "edge"))
		links->edge = links->base;
	if (!yaml_find(node, "fabric"))
		links->fabric = links->base;
}

void scenario_link_read(struct reader *reader, const struct yaml_node *mapping, const char *what,
			const struct key *keys, size_t key_count, void *target,
			struct link_config *link)
{
	scenario_parameters_read(reader, mapping, what,
				 &(struct parameters_reading){ .table = &link_parameters,
							       .structure = link,
							       .keys = keys,
							       .key_count = key_count,
							       .target = target,
							       .group = "" });
}
