#include "orchestrator/scenario/generate.h"

#include <errno.h>
#include <stdlib.h>

/* what comes next in @scenario */
struct builder {
	struct scenario *scenario;
	const struct generate_size *size;
	const struct link_config *edge, *fabric, *global;
};

/* ---- building ---- */

__attribute__((format(printf, 3, 4))) static uint32_t add_switch(struct builder *to, uint32_t hosts,
								 const char *format, ...)
{
	struct scenario *scenario = to->scenario;
	uint32_t index = scenario->switch_count++;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(scenario->switches[index].name, NODE_NAME_MAX, format, arguments);
	va_end(arguments);
	scenario->switches[index].place = scenario->topology_place;
	for (uint32_t i = 0; i < hosts; i++) {
		struct scenario_host *host = &scenario->hosts[scenario->host_count];

		snprintf(host->name, NODE_NAME_MAX, "h%u", scenario->host_count++);
		host->switch_index = index;
		host->link = host->back = *to->edge;
		host->place = scenario->topology_place;
	}
	return index;
}

static void add_link(struct builder *to, uint32_t a, uint32_t b, const struct link_config *settings)
{
	struct scenario *scenario = to->scenario;

	scenario->links[scenario->link_count++] =
		(struct scenario_link){ .switch_a = a,
					.switch_b = b,
					.settings = *settings,
					.back = *settings,
					.place = scenario->topology_place };
}

/* links the @count switches from @first on to each other, in the order of the lower one */
static void mesh(struct builder *to, uint32_t first, uint32_t count)
{
	for (uint32_t a = 0; a < count; a++)
		for (uint32_t b = a + 1; b < count; b++)
			add_link(to, first + a, first + b, to->fabric);
}

static void star_build(struct builder *to)
{
	add_switch(to, to->size->counts[GENERATE_HOSTS], "s0");
}

static void row_of_switches(struct builder *to)
{
	for (uint32_t i = 0; i < to->size->counts[GENERATE_SWITCHES]; i++)
		add_switch(to, to->size->counts[GENERATE_HOSTS_PER_SWITCH], "s%u", i);
}

static void chain_build(struct builder *to)
{
	row_of_switches(to);
	for (uint32_t i = 1; i < to->scenario->switch_count; i++)
		add_link(to, i - 1, i, to->fabric);
}

static void full_mesh_build(struct builder *to)
{
	row_of_switches(to);
	mesh(to, 0, to->scenario->switch_count);
}

static void dumbbell_build(struct builder *to)
{
	add_switch(to, to->size->counts[GENERATE_HOSTS_PER_SIDE], "left");
	add_switch(to, to->size->counts[GENERATE_HOSTS_PER_SIDE], "right");
	add_link(to, 0, 1, to->fabric);
}

static void leaf_spine_build(struct builder *to)
{
	uint32_t leaves = to->size->counts[GENERATE_LEAVES],
		 spines = to->size->counts[GENERATE_SPINES];

	for (uint32_t i = 0; i < leaves; i++)
		add_switch(to, to->size->counts[GENERATE_HOSTS_PER_LEAF], "leaf%u", i);
	for (uint32_t i = 0; i < spines; i++)
		add_switch(to, 0, "spine%u", i);
	for (uint32_t i = 0; i < leaves * spines; i++)
		add_link(to, i / spines, leaves + i % spines, to->fabric);
}

/* the number of links up of an edge switch, and of aggregation switches in a pod */
static uint32_t fat_tree_ups(const struct generate_size *size)
{
	uint32_t taper = size->counts[GENERATE_TAPER];

	return size->counts[GENERATE_RADIX] / 2 / (taper ? taper : 1);
}

static void fat_tree_build(struct builder *to)
{
	uint32_t pods = to->size->counts[GENERATE_RADIX], half = pods / 2,
		 ups = fat_tree_ups(to->size);
	uint32_t aggregations = pods * half, cores = aggregations + pods * ups;

	for (uint32_t i = 0; i < pods * half; i++)
		add_switch(to, half, "p%ue%u", i / half, i % half);
	for (uint32_t i = 0; i < pods * ups; i++)
		add_switch(to, 0, "p%ua%u", i / ups, i % ups);
	for (uint32_t i = 0; i < ups * half; i++)
		add_switch(to, 0, "c%u", i);
	for (uint32_t edge = 0; edge < pods * half; edge++)
		for (uint32_t i = 0; i < ups; i++)
			add_link(to, edge, aggregations + edge / half * ups + i, to->fabric);
	for (uint32_t aggregation = 0; aggregation < pods * ups; aggregation++)
		for (uint32_t i = 0; i < half; i++)
			add_link(to, aggregations + aggregation,
				 cores + aggregation % ups * half + i, to->fabric);
}

static uint32_t dragonfly_groups(const struct generate_size *size)
{
	uint32_t groups = size->counts[GENERATE_GROUPS];

	return groups ? groups
		      : size->counts[GENERATE_SWITCHES_PER_GROUP] *
					size->counts[GENERATE_GLOBAL_LINKS] +
				1;
}

/* the number of links between any two groups */
static uint32_t dragonfly_rounds(const struct generate_size *size)
{
	return size->counts[GENERATE_SWITCHES_PER_GROUP] * size->counts[GENERATE_GLOBAL_LINKS] /
	       (dragonfly_groups(size) - 1);
}

static void dragonfly_build(struct builder *to)
{
	uint32_t groups = dragonfly_groups(to->size), rounds = dragonfly_rounds(to->size);
	uint32_t members = to->size->counts[GENERATE_SWITCHES_PER_GROUP];
	uint32_t global_links = to->size->counts[GENERATE_GLOBAL_LINKS];

	for (uint32_t i = 0; i < groups * members; i++)
		add_switch(to, to->size->counts[GENERATE_HOSTS_PER_SWITCH], "g%us%u", i / members,
			   i % members);
	for (uint32_t group = 0; group < groups; group++)
		mesh(to, group * members, members);
	for (uint32_t a = 0; a < groups; a++)
		for (uint32_t b = a + 1; b < groups; b++)
			for (uint32_t round = 0; round < rounds; round++) {
				uint32_t link_a = round * (groups - 1) + b - 1,
					 link_b = round * (groups - 1) + a;

				add_link(to, a * members + link_a / global_links,
					 b * members + link_b / global_links, to->global);
			}
}

/* ---- grids: the last coordinate changes fastest ---- */

static uint32_t stride_of(const struct generate_size *size, uint32_t dimension)
{
	uint32_t stride = 1;

	for (uint32_t d = dimension + 1; d < size->dimensions; d++)
		stride *= size->shape[d];
	return stride;
}

static void grid_switches(struct builder *to)
{
	const struct generate_size *size = to->size;
	uint32_t count = size->shape[0] * stride_of(size, 0);

	for (uint32_t i = 0; i < count; i++) {
		char name[NODE_NAME_MAX];
		int length = snprintf(name, sizeof(name), "s%u", i / stride_of(size, 0));

		for (uint32_t d = 1; d < size->dimensions; d++)
			length += snprintf(name + length, sizeof(name) - (size_t)length, ".%u",
					   i / stride_of(size, d) % size->shape[d]);
		add_switch(to, size->counts[GENERATE_HOSTS_PER_SWITCH], "%s", name);
	}
}

static void hyperx_build(struct builder *to)
{
	grid_switches(to);
	for (uint32_t i = 0; i < to->scenario->switch_count; i++)
		for (uint32_t d = 0; d < to->size->dimensions; d++) {
			uint32_t stride = stride_of(to->size, d),
				 at = i / stride % to->size->shape[d];

			for (uint32_t other = at + 1; other < to->size->shape[d]; other++)
				add_link(to, i, i + (other - at) * stride, to->fabric);
		}
}

/* a ring of two switches has one link */
static void torus_build(struct builder *to)
{
	grid_switches(to);
	for (uint32_t i = 0; i < to->scenario->switch_count; i++)
		for (uint32_t d = 0; d < to->size->dimensions; d++) {
			uint32_t stride = stride_of(to->size, d), length = to->size->shape[d];
			uint32_t at = i / stride % length;

			if (at + 1 < length)
				add_link(to, i, i + stride, to->fabric);
			else if (length > 2)
				add_link(to, i, i - at * stride, to->fabric);
		}
}

/* ---- names ---- */

#define KIND_NAME(constant, name, about) name,
#define KIND_ABOUT(constant, name, about) about,
const char *const generate_kind_name[GENERATE_KINDS] = { GENERATE_KIND_ROWS(KIND_NAME) };
const char *const generate_kind_about[GENERATE_KINDS] = { GENERATE_KIND_ROWS(KIND_ABOUT) };

const char *const generate_count_name[GENERATE_COUNTS] = {
	"hosts",  "switches",           "hosts-per-switch", "hosts-per-side",
	"leaves", "hosts-per-leaf",     "spines",           "radix",
	"taper",  "switches-per-group", "global-links",     "groups",
};

static const char *fat_tree_check(const struct generate_size *size)
{
	uint32_t radix = size->counts[GENERATE_RADIX], taper = size->counts[GENERATE_TAPER];

	if (radix % 2 || radix > NODE_PORTS_MAX)
		return "radix, the ports of a switch, must be even and at most 64";
	if (taper && radix / 2 % taper)
		return "taper must divide radix / 2, the hosts of an edge switch";
	return NULL;
}

static const char *dragonfly_check(const struct generate_size *size)
{
	uint64_t links = (uint64_t)size->counts[GENERATE_SWITCHES_PER_GROUP] *
			 size->counts[GENERATE_GLOBAL_LINKS];

	if (links + 1 > NODE_COUNT_MAX)
		return "switches-per-group * global-links is too large";
	if (size->counts[GENERATE_GROUPS] == 1 || size->counts[GENERATE_GROUPS] > links + 1)
		return "groups must be 2 to switches-per-group * global-links + 1";
	return NULL;
}

/* ---- the size ---- */

static struct generate_totals star_totals(const struct generate_size *size)
{
	return (struct generate_totals){ 1, size->counts[GENERATE_HOSTS], 0 };
}

static struct generate_totals chain_totals(const struct generate_size *size)
{
	uint64_t switches = size->counts[GENERATE_SWITCHES];

	return (struct generate_totals){ switches,
					 switches * size->counts[GENERATE_HOSTS_PER_SWITCH],
					 switches - 1 };
}

static struct generate_totals full_mesh_totals(const struct generate_size *size)
{
	uint64_t switches = size->counts[GENERATE_SWITCHES];

	return (struct generate_totals){ switches,
					 switches * size->counts[GENERATE_HOSTS_PER_SWITCH],
					 switches * (switches - 1) / 2 };
}

static struct generate_totals dumbbell_totals(const struct generate_size *size)
{
	return (struct generate_totals){ 2, 2ull * size->counts[GENERATE_HOSTS_PER_SIDE], 1 };
}

static struct generate_totals leaf_spine_totals(const struct generate_size *size)
{
	uint64_t leaves = size->counts[GENERATE_LEAVES], spines = size->counts[GENERATE_SPINES];

	return (struct generate_totals){ leaves + spines,
					 leaves * size->counts[GENERATE_HOSTS_PER_LEAF],
					 leaves * spines };
}

static struct generate_totals fat_tree_totals(const struct generate_size *size)
{
	uint64_t pods = size->counts[GENERATE_RADIX], half = pods / 2, ups = fat_tree_ups(size);

	return (struct generate_totals){ pods * half + pods * ups + ups * half, pods * half * half,
					 2 * pods * half * ups };
}

static struct generate_totals dragonfly_totals(const struct generate_size *size)
{
	uint64_t groups = dragonfly_groups(size),
		 members = size->counts[GENERATE_SWITCHES_PER_GROUP], switches = groups * members;

	return (struct generate_totals){ switches,
					 switches * size->counts[GENERATE_HOSTS_PER_SWITCH],
					 groups * (members * (members - 1) / 2) +
						 groups * (groups - 1) / 2 *
							 dragonfly_rounds(size) };
}

/* saturates: each factor is at most NODE_COUNT_MAX */
static struct generate_totals grid_totals(const struct generate_size *size)
{
	struct generate_totals totals = { .switches = 1 };

	for (uint32_t d = 0; d < size->dimensions && totals.switches <= NODE_COUNT_MAX; d++)
		totals.switches *= size->shape[d];
	totals.hosts = totals.switches * size->counts[GENERATE_HOSTS_PER_SWITCH];
	return totals;
}

static struct generate_totals hyperx_totals(const struct generate_size *size)
{
	struct generate_totals totals = grid_totals(size);

	for (uint32_t d = 0; d < size->dimensions; d++) {
		uint64_t length = size->shape[d];

		totals.links += totals.switches / length * (length * (length - 1) / 2);
	}
	return totals;
}

static struct generate_totals torus_totals(const struct generate_size *size)
{
	struct generate_totals totals = grid_totals(size);

	for (uint32_t d = 0; d < size->dimensions; d++) {
		uint64_t length = size->shape[d];

		totals.links += totals.switches / length * (length > 2 ? length : length - 1);
	}
	return totals;
}

/* ---- the kinds ---- */

static const struct kind {
	uint32_t needed, optional; /* sets of counts */
	void (*build)(struct builder *to);
	struct generate_totals (*totals)(
		const struct generate_size *size); /* of what @build adds */
	/* why the numbers do not fit together; NULL: they always do */
	const char *(*check)(const struct generate_size *size);
	bool has_shape;  /* a grid */
	bool has_groups; /* links of tier global */
} kinds[GENERATE_KINDS] = {
	[GENERATE_STAR] = { .needed = 1u << GENERATE_HOSTS,
			    .build = star_build,
			    .totals = star_totals },
	[GENERATE_CHAIN] = { .needed = 1u << GENERATE_SWITCHES | 1u << GENERATE_HOSTS_PER_SWITCH,
			     .build = chain_build,
			     .totals = chain_totals },
	[GENERATE_DUMBBELL] = { .needed = 1u << GENERATE_HOSTS_PER_SIDE,
				.build = dumbbell_build,
				.totals = dumbbell_totals },
	[GENERATE_LEAF_SPINE] = { .needed = 1u << GENERATE_LEAVES | 1u << GENERATE_HOSTS_PER_LEAF |
					    1u << GENERATE_SPINES,
				  .build = leaf_spine_build,
				  .totals = leaf_spine_totals },
	[GENERATE_FULL_MESH] = { .needed =
					 1u << GENERATE_SWITCHES | 1u << GENERATE_HOSTS_PER_SWITCH,
				 .build = full_mesh_build,
				 .totals = full_mesh_totals },
	[GENERATE_FAT_TREE] = { .needed = 1u << GENERATE_RADIX,
				.optional = 1u << GENERATE_TAPER,
				.build = fat_tree_build,
				.totals = fat_tree_totals,
				.check = fat_tree_check },
	[GENERATE_DRAGONFLY] = { .needed = 1u << GENERATE_HOSTS_PER_SWITCH |
					   1u << GENERATE_SWITCHES_PER_GROUP |
					   1u << GENERATE_GLOBAL_LINKS,
				 .optional = 1u << GENERATE_GROUPS,
				 .build = dragonfly_build,
				 .totals = dragonfly_totals,
				 .check = dragonfly_check,
				 .has_groups = true },
	[GENERATE_HYPERX] = { .needed = 1u << GENERATE_HOSTS_PER_SWITCH,
			      .build = hyperx_build,
			      .totals = hyperx_totals,
			      .has_shape = true },
	[GENERATE_TORUS] = { .needed = 1u << GENERATE_HOSTS_PER_SWITCH,
			     .build = torus_build,
			     .totals = torus_totals,
			     .has_shape = true },
};

bool generate_takes(enum generate_kind kind, enum generate_count count)
{
	return (kinds[kind].needed | kinds[kind].optional) >> count & 1;
}

bool generate_needs(enum generate_kind kind, enum generate_count count)
{
	return kinds[kind].needed >> count & 1;
}

bool generate_has_shape(enum generate_kind kind)
{
	return kinds[kind].has_shape;
}

bool generate_has_groups(enum generate_kind kind)
{
	return kinds[kind].has_groups;
}

const char *generate_check(enum generate_kind kind, const struct generate_size *size)
{
	return kinds[kind].check ? kinds[kind].check(size) : NULL;
}

struct generate_totals generate_totals(enum generate_kind kind, const struct generate_size *size)
{
	return kinds[kind].totals(size);
}

int generate_topology(enum generate_kind kind, const struct generate_size *size,
		      const struct link_config *edge, const struct link_config *fabric,
		      const struct link_config *global, struct scenario *scenario)
{
	struct builder to = { scenario, size, edge, fabric, global };
	struct generate_totals totals = generate_totals(kind, size);

	scenario->switches = calloc(totals.switches, sizeof(*scenario->switches));
	scenario->hosts = calloc(totals.hosts, sizeof(*scenario->hosts));
	scenario->links = calloc(totals.links, sizeof(*scenario->links));
	if (!scenario->switches || !scenario->hosts || !scenario->links)
		return -ENOMEM;
	kinds[kind].build(&to);
	return 0;
}
