#include "orchestrator/scenario/scenario_link.h"

#include <stdio.h>
#include <string.h>

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
	};

	(void)key;
	(void)target;
	scenario_parameters_read(reader, node, "'links'",
				 &(struct parameters_reading){ .table = &link_parameters,
							       .structure = &links->base,
							       .also = &sides });
	if (!yaml_find(node, "edge"))
		links->edge = links->base;
	if (!yaml_find(node, "fabric"))
		links->fabric = links->base;
}

void scenario_links_of(const struct yaml_node *root, enum fabric_kind fabric,
		       struct links_settings *links)
{
	const struct yaml_node *section = yaml_find(root, "links");
	struct scenario scenario = { .fabric = fabric };
	struct scenario_errors errors = { 0 };
	struct reader reader = { .scenario = &scenario, .errors = &errors };

	scenario_links_default(&reader);
	if (section)
		scenario_links_read(&reader, NULL, section, NULL);
	*links = reader.links;
	scenario_errors_free(&errors);
}

void scenario_link_read(struct reader *reader, const struct yaml_node *mapping, const char *what,
			const struct key *keys, size_t key_count, void *target,
			struct link_config *link)
{
	scenario_parameters_read(reader, mapping, what,
				 &(struct parameters_reading){
					 .table = &link_parameters,
					 .structure = link,
					 .keys = keys,
					 .key_count = key_count,
					 .target = target,
				 });
}

/* what cannot change while a link runs belongs to the link, not to a direction */
static void direction_check(struct reader *reader, const struct yaml_node *node,
			    const struct link_config *link, const struct link_config *direction)
{
	for (size_t r = 0; r < link_parameters.count; r++) {
		const struct parameter *row = &link_parameters.rows[r];

		if (!row->live && parameter_get(row, link) != parameter_get(row, direction))
			key_refuse(reader, node, "'%s' is the same in both directions of a link",
				   row->key);
	}
}

void scenario_link_towards_read(struct reader *reader, const struct yaml_node *towards,
				const char *end_a, const char *end_b,
				const struct link_config *link, struct link_config *to_b,
				struct link_config *to_a)
{
	*to_a = *to_b = *link;
	if (!towards)
		return;
	if (towards->kind != YAML_MAPPING) {
		key_refuse(reader, towards,
			   "'towards' must name an end of the link and what that direction is "
			   "like, such as {%s: {jitter: 2ms}}",
			   end_b);
		return;
	}
	for (const struct yaml_node *child = towards->first; child; child = child->next) {
		bool is_b = !strcmp(child->key, end_b);
		struct link_config *direction = is_b ? to_b : to_a;
		char what[NODE_NAME_MAX + 32];

		if (!is_b && strcmp(child->key, end_a) != 0) {
			scenario_errors_at(reader->errors, reader->scenario, &child->key_place,
					   "'towards': expected an end of this link, '%s' or '%s', "
					   "not '%.60s'",
					   end_a, end_b, child->key);
			continue;
		}
		snprintf(what, sizeof(what), "the direction to %s", child->key);
		scenario_link_read(reader, child, what, NULL, 0, NULL, direction);
		direction_check(reader, child, link, direction);
	}
}
