/*  scenario_compare - `compare`: the variants of the scenario that are run one after the other, and
 *  the metrics that their table shows (TB-10).
 *
 *      compare:
 *        columns: [goodput(load), {metric: fct.p99(victim), name: victim}]
 *        variants: [{name: no control, set: {roce.pfc: no, roce.dcqcn: no}}]
 *
 *  A variant's `set` is put into the YAML tree before that is read, like --set (settings.h). Its
 *  values keep their places in the file, so an error in a variant is reported with its place. */
#include "orchestrator/scenario/scenario_compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/settings.h"

/* ---- columns ---- */

/* a column as in the file: borrowed */
struct column {
	const struct yaml_node *metric, *name;
};

static void node_keep(struct reader *reader, const struct key *key, const struct yaml_node *node,
		      void *target)
{
	if (key_scalar(reader, node, "a text"))
		*(const struct yaml_node **)((char *)target + key->offset) = node;
}

static const struct key column_keys[] = {
	{ "metric", node_keep, KEY_FIELD(struct column, metric), .required = true },
	{ "name", node_keep, KEY_FIELD(struct column, name) },
};

static void column_read(struct reader *reader, const struct yaml_node *node,
			struct scenario_compare *compare)
{
	struct column column = { 0 };
	uint32_t index = compare->column_count;

	if (node->kind == YAML_MAPPING)
		keys_read(reader, node, "a column", column_keys, COUNT_OF(column_keys), &column);
	else if (key_scalar(reader, node, "a metric such as goodput(NAME)"))
		column.metric = node;
	if (!column.metric)
		return;
	compare->columns[index] =
		(struct scenario_text){ strdup(column.metric->text), column.metric->place };
	compare->column_names[index] =
		strdup(column.name ? column.name->text : column.metric->text);
	reader->out_of_memory |= !compare->columns[index].text || !compare->column_names[index];
	compare->column_count++;
}

static void columns_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	if (!key_is_list(reader, key, node, 1, SCENARIO_COLUMNS_MAX,
			 "metrics, such as [goodput(NAME), lost]"))
		return;
	for (const struct yaml_node *child = node->first; child; child = child->next)
		column_read(reader, child, target);
}

/* ---- variants ---- */

static void variant_name(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	struct scenario_variant *variant = target;
	const char *text = key_scalar(reader, node, "a name");

	(void)key;
	if (text && strlen(text) >= sizeof(variant->name))
		key_refuse(reader, node,
			   "'%.60s' is too long for the name of a variant: at most %zu bytes", text,
			   sizeof(variant->name) - 1);
	else if (text)
		snprintf(variant->name, sizeof(variant->name), "%s", text);
}

static void variant_set(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	(void)key, (void)target;
	if (node->kind != YAML_MAPPING && (node->kind != YAML_SCALAR || *node->text))
		key_refuse(reader, node,
			   "'set' must be a mapping of paths and values, such as {switch.arbiter: "
			   "by-port}");
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		if (child->key && !strncmp(child->key, "compare", 7))
			scenario_errors_at(reader->errors, reader->scenario, &child->key_place,
					   "a variant cannot change what it is compared with");
	}
}

static const struct key variant_keys[] = {
	{ "name", variant_name, .required = true },
	{ "set", .read = variant_set },
};

static void variants_read(struct reader *reader, const struct key *key,
			  const struct yaml_node *node, void *target)
{
	struct scenario_compare *compare = target;

	if (!key_is_list(reader, key, node, 1, SCENARIO_VARIANTS_MAX,
			 "variants, such as [{name: as it is}, {name: fast, set: {links.rate: "
			 "400Gb/s}}]"))
		return;
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		struct scenario_variant *variant = &compare->variants[compare->variant_count];

		*variant = (struct scenario_variant){ .place = child->place };
		keys_read(reader, child, "a variant", variant_keys, COUNT_OF(variant_keys),
			  variant);
		for (uint32_t i = 0; i < compare->variant_count && *variant->name; i++) {
			if (!strcmp(compare->variants[i].name, variant->name))
				key_refuse(reader, child, "there are two variants called '%s'",
					   variant->name);
		}
		compare->variant_count++;
	}
}

/* ---- the section ---- */

static const struct key compare_keys[] = {
	{ "columns", columns_read, .required = true },
	{ "variants", variants_read, .required = true },
};

void scenario_compare_read(struct reader *reader, const struct key *key,
			   const struct yaml_node *node, void *target)
{
	struct scenario *scenario = target;

	(void)key;
	scenario->compare = calloc(1, sizeof(*scenario->compare));
	if (!scenario->compare)
		reader->out_of_memory = true;
	else
		keys_read(reader, node, "'compare'", compare_keys, COUNT_OF(compare_keys),
			  scenario->compare);
}

/* `set` of variant @variant; NULL if it is missing or empty */
static struct yaml_node *set_find(struct yaml_node *root, uint32_t variant)
{
	struct yaml_node *variants = yaml_find(yaml_find(root, "compare"), "variants");
	struct yaml_node *child =
		variants && variants->kind == YAML_SEQUENCE ? variants->first : NULL;
	struct yaml_node *set;

	for (uint32_t i = 0; child && i < variant; i++)
		child = child->next;
	set = yaml_find(child, "set");
	return set && set->kind == YAML_MAPPING ? set : NULL;
}

bool scenario_compare_sets(struct yaml_node *root, uint32_t variant, const char *path)
{
	const struct yaml_node *set = set_find(root, variant);

	for (const struct yaml_node *child = set ? set->first : NULL; child; child = child->next) {
		size_t length = strlen(child->key);

		if (!strncmp(child->key, path, length) && (!path[length] || path[length] == '.'))
			return true;
	}
	return false;
}

/* the file, or the --set that created the variant */
static const char *file_of(const struct scenario *scenario, const struct scenario_place *place)
{
	return place->setting ? scenario->settings[place->setting - 1] : scenario->file;
}

int scenario_compare_apply(const struct scenario *scenario, struct yaml_node *root,
			   uint32_t variant, struct scenario_errors *errors)
{
	struct yaml_node *set = set_find(root, variant), *child = set ? set->first : NULL, *next;
	int error = 0;

	if (set)
		set->first = set->last = NULL; /* they move to the tree */
	for (; child; child = next) {
		int status = 0;

		next = child->next;
		child->next = NULL;
		if (strncmp(child->key, "compare", 7) != 0)
			status = settings_put(root, child, file_of(scenario, &child->key_place),
					      errors);
		else
			yaml_free(child);
		error = error == -ENOMEM || !status ? error : status;
	}
	return error;
}

void scenario_compare_free(struct scenario_compare *compare)
{
	if (!compare)
		return;
	for (uint32_t i = 0; i < SCENARIO_COLUMNS_MAX; i++) {
		free(compare->columns[i].text);
		free(compare->column_names[i]);
	}
	free(compare);
}
