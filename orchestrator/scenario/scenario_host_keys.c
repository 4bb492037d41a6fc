#include "orchestrator/scenario/scenario_host_keys.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEALTH_EVERY_PS_DEFAULT NODE_S
#define HEALTH_WITHIN_PS_DEFAULT (30 * NODE_S)
#define HEALTH_PS_MIN (10 * NODE_MS)
#define HEALTH_PS_MAX (3600 * NODE_S)
#define MEMORY_BYTES_MIN (1u << 20)
#define MEMORY_BYTES_MAX (1ull << 50)
#define USER_BYTES_MAX 33u /* as useradd allows, with the terminating 0 */

/* ---- lists ---- */

/* reads one element into the element of a list; false: it has an error, and is left out */
typedef bool element_fn(struct reader *reader, const struct yaml_node *node, void *element);

/* A list, or one value in its place. *@elements gets an array that is new, with place for one more
 * element, all bits 0; the caller has freed the former one. */
static void list_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		      uint32_t max, size_t bytes, element_fn *read, void *elements, uint32_t *count)
{
	const struct yaml_node *child = node->kind == YAML_SEQUENCE ? node->first : node;
	uint32_t length = node->kind == YAML_SEQUENCE ? node->count : 1;
	char *array;

	*count = 0;
	if (length > max) {
		key_refuse(reader, node, "'%s' has %u elements; expected at most %u", key->name,
			   length, max);
		return;
	}
	array = calloc(length + 1, bytes);
	*(char **)elements = array;
	reader->out_of_memory |= !array;
	for (; array && child; child = node->kind == YAML_SEQUENCE ? child->next : NULL)
		*count += read(reader, child, array + *count * bytes);
}

static bool text_keep(struct reader *reader, const char *text, char **copy)
{
	*copy = strdup(text);
	reader->out_of_memory |= !*copy;
	return *copy;
}

/* ---- addresses ---- */

static bool is_host_address(const struct ip_address *ip)
{
	static const struct ip_address never[] = {
		{ .version = 4, .bits = 8 },
		{ .version = 4, .bits = 8, .bytes = { 127 } },
		{ .version = 4, .bits = 3, .bytes = { 224 } },
		{ .version = 6, .bits = 127 },
		{ .version = 6, .bits = 10, .bytes = { 0xfe, 0x80 } },
		{ .version = 6, .bits = 8, .bytes = { 0xff } },
	};

	for (size_t i = 0; i < COUNT_OF(never); i++)
		if (ip_address_covers(&never[i], ip))
			return false;
	return true;
}

static bool address_read(struct reader *reader, const struct yaml_node *node, void *element)
{
	struct host_address *address = element;
	const char *text = key_scalar(reader, node, "an address such as 10.1.0.5/24");

	if (!text)
		return false;
	address->place = node->place;
	if (!ip_address_parse(text, &address->ip))
		key_refuse(reader, node, "'%.60s' is no address such as 10.1.0.5/24 or fd01::5/64",
			   text);
	else if (!strchr(text, '/'))
		key_refuse(reader, node,
			   "'%.60s' lacks the length of its subnet; expected for example %.60s/%s",
			   text, text, address->ip.version == 4 ? "24" : "64");
	else if (!is_host_address(&address->ip) || !address->ip.bits)
		key_refuse(reader, node, "'%.60s' is no address that a host can have", text);
	else if (ip_address_is_end(&address->ip))
		key_refuse(reader, node,
			   "'%.60s' is the first or last address of its subnet, which no host can "
			   "have",
			   text);
	else
		return true;
	return false;
}

void scenario_host_addresses_read(struct reader *reader, const struct key *key,
				  const struct yaml_node *node, void *target)
{
	struct host_interface *interface = (void *)((char *)target + key->offset);

	free(interface->addresses);
	interface->addresses = NULL;
	list_read(reader, key, node, HOST_ADDRESSES_MAX, sizeof(*interface->addresses),
		  address_read, &interface->addresses, &interface->address_count);
}

static void vlan_addresses_read(struct reader *reader, const struct key *key,
				const struct yaml_node *node, void *target)
{
	struct host_vlan *vlan = target;

	list_read(reader, key, node, HOST_ADDRESSES_MAX, sizeof(*vlan->addresses), address_read,
		  &vlan->addresses, &vlan->address_count);
}

static const struct key vlan_keys[] = {
	{ "id", key_count, KEY_FIELD(struct host_vlan, id), .min = 1, .max = HOST_VLAN_ID_MAX,
	  .required = true },
	{ "addresses", .read = vlan_addresses_read },
};

static bool vlan_read(struct reader *reader, const struct yaml_node *node, void *element)
{
	struct host_vlan *vlan = element;

	vlan->place = node->place;
	keys_read(reader, node, "a VLAN", vlan_keys, COUNT_OF(vlan_keys), vlan);
	return true; /* also with an error: its addresses are freed with it */
}

static void vlans_free(struct host_interface *interface)
{
	for (uint32_t i = 0; i < interface->vlan_count; i++)
		free(interface->vlans[i].addresses);
	free(interface->vlans);
	interface->vlans = NULL;
	interface->vlan_count = 0;
}

void scenario_host_vlans_read(struct reader *reader, const struct key *key,
			      const struct yaml_node *node, void *target)
{
	struct host_interface *interface = (void *)((char *)target + key->offset);

	vlans_free(interface);
	list_read(reader, key, node, HOST_VLANS_MAX, sizeof(*interface->vlans), vlan_read,
		  &interface->vlans, &interface->vlan_count);
	for (uint32_t i = 0; i < interface->vlan_count; i++)
		for (uint32_t other = 0; other < i; other++)
			if (interface->vlans[i].id &&
			    interface->vlans[i].id == interface->vlans[other].id)
				scenario_errors_at(reader->errors, reader->scenario,
						   &interface->vlans[i].place,
						   "VLAN %u is given twice",
						   interface->vlans[i].id);
}

static void eth0_addresses_read(struct reader *reader, const struct key *key,
				const struct yaml_node *node, void *target)
{
	(void)key;
	scenario_host_addresses_read(reader, &(struct key){ .name = "addresses" }, node,
				     ((struct scenario_host_settings *)target)->interfaces);
}

static void eth0_vlans_read(struct reader *reader, const struct key *key,
			    const struct yaml_node *node, void *target)
{
	(void)key;
	scenario_host_vlans_read(reader, &(struct key){ .name = "vlans" }, node,
				 ((struct scenario_host_settings *)target)->interfaces);
}

/* ---- routes ---- */

static void gateway_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	struct scenario_host_settings *settings = target;
	const char *text = key_scalar(reader, node, "a host or an address");

	(void)key;
	free(settings->gateway);
	settings->gateway = NULL;
	settings->gateway_place = node->place;
	if (text)
		text_keep(reader, text, &settings->gateway);
}

static void route_to_read(struct reader *reader, const struct key *key,
			  const struct yaml_node *node, void *target)
{
	struct host_route *route = target;
	const char *text = key_scalar(reader, node, "an IP prefix such as 10.9.0.0/16");
	struct ip_address subnet;

	(void)key;
	if (!text)
		return;
	if (!ip_address_parse(text, &route->to)) {
		key_refuse(reader, node, "'%.60s' is no IP prefix such as 10.9.0.0/16 or fd99::/32",
			   text);
		return;
	}
	subnet = ip_address_subnet(&route->to);
	if (!ip_address_same(&subnet, &route->to))
		key_refuse(reader, node,
			   "'%.60s': the address must be 0 after the prefix's %u bits", text,
			   route->to.bits);
}

static void route_via_read(struct reader *reader, const struct key *key,
			   const struct yaml_node *node, void *target)
{
	const char *text = key_scalar(reader, node, "a host or an address");

	(void)key;
	if (text)
		text_keep(reader, text, &((struct host_route *)target)->via_text);
}

static const struct key route_keys[] = {
	{ "to", .read = route_to_read, .required = true },
	{ "via", .read = route_via_read, .required = true },
};

static bool route_read(struct reader *reader, const struct yaml_node *node, void *element)
{
	struct host_route *route = element;

	route->place = node->place;
	keys_read(reader, node, "a route", route_keys, COUNT_OF(route_keys), route);
	if (route->to.version && route->via_text)
		return true;
	free(route->via_text);
	*route = (struct host_route){ 0 };
	return false;
}

static void routes_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	struct scenario_host_settings *settings = target;

	for (uint32_t i = 0; i < settings->route_count; i++)
		free(settings->routes[i].via_text);
	free(settings->routes);
	settings->routes = NULL;
	list_read(reader, key, node, HOST_ROUTES_MAX, sizeof(*settings->routes), route_read,
		  &settings->routes, &settings->route_count);
}

/* ---- programs ---- */

/* the words of a program, or a line for the shell */
static void command_words(const struct yaml_node *node, const char **words)
{
	static const char *const shell[] = { "/bin/sh", "-c" };

	if (node->kind == YAML_SCALAR) {
		words[0] = shell[0];
		words[1] = shell[1];
		words[2] = node->text;
		return;
	}
	for (const struct yaml_node *child = node->first; child; child = child->next)
		*words++ = child->text;
}

static bool is_command(const struct yaml_node *node)
{
	if (node->kind != YAML_SEQUENCE || !node->count)
		return node->kind == YAML_SCALAR && *node->text;
	for (const struct yaml_node *child = node->first; child; child = child->next)
		if (child->kind != YAML_SCALAR)
			return false;
	return *node->first->text;
}

/* as people read it: its words, with spaces between them */
static char *command_text(const struct yaml_node *node)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if (node->kind == YAML_SCALAR)
		return strdup(node->text);
	out = open_memstream(&text, &size);
	for (const struct yaml_node *child = node->first; out && child; child = child->next)
		fprintf(out, "%s%s", child == node->first ? "" : " ", child->text);
	if (out && !fclose(out))
		return text;
	free(text);
	return NULL;
}

static bool command_read(struct reader *reader, const struct yaml_node *node, void *element)
{
	uint32_t count = node->kind == YAML_SCALAR ? 3 : node->count;
	struct host_command *command = element;
	const char **words;

	if (!is_command(node)) {
		key_refuse(reader, node,
			   "expected a command: a text for the shell such as 'nginx -t', or a list "
			   "of words such as [nginx, -t]");
		return false;
	}
	words = calloc(count + 1, sizeof(*words));
	*command = (struct host_command){ .argv = calloc(count + 1, sizeof(*command->argv)),
					  .text = command_text(node) };
	reader->out_of_memory |= !words || !command->argv || !command->text;
	if (words && command->argv)
		command_words(node, words);
	for (uint32_t i = 0; words && command->argv && i < count; i++)
		if (!text_keep(reader, words[i], &command->argv[i]))
			break;
	free(words);
	return true;
}

static void run_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		     void *target)
{
	struct scenario_host_settings *settings = target;

	for (uint32_t i = 0; i < settings->command_count; i++)
		scenario_host_command_clear(&settings->commands[i]);
	free(settings->commands);
	settings->commands = NULL;
	list_read(reader, key, node, HOST_COMMANDS_MAX, sizeof(*settings->commands), command_read,
		  &settings->commands, &settings->command_count);
}

static void user_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		      void *target)
{
	struct scenario_host_settings *settings = target;
	const char *text = key_scalar(reader, node, "the name of a user");

	(void)key;
	if (text && (strlen(text) >= USER_BYTES_MAX || strpbrk(text, ":/ \n"))) {
		key_refuse(reader, node, "'%.60s' is no name of a user", text);
		return;
	}
	free(settings->user);
	settings->user = NULL;
	if (text)
		text_keep(reader, text, &settings->user);
}

static bool is_variable(const char *name)
{
	size_t length = strlen(name);

	return length && (name[0] < '0' || name[0] > '9') &&
	       length == strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789_");
}

static void variable_read(struct reader *reader, const struct yaml_node *node,
			  struct scenario_host_settings *settings)
{
	char **variable = &settings->variables[settings->variable_count];

	if (!is_variable(node->key))
		scenario_errors_at(reader->errors, reader->scenario, &node->key_place,
				   "'%.60s' is no name of a variable: letters, digits and '_' are",
				   node->key);
	else if (node->kind != YAML_SCALAR)
		key_refuse(reader, node, "'%.60s' is a %s; expected a text", node->key,
			   node->kind == YAML_MAPPING ? "mapping" : "list");
	else if (asprintf(variable, "%s=%s", node->key, node->text) < 0)
		reader->out_of_memory = true;
	else
		settings->variable_count++;
}

static void env_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		     void *target)
{
	struct scenario_host_settings *settings = target;

	(void)key;
	scenario_host_texts_clear(&settings->variable_count, &settings->variables);
	if (node->kind != YAML_MAPPING || node->count > HOST_VARIABLES_MAX) {
		key_refuse(reader, node,
			   "'env' must be a mapping of at most %u variables, such as {PORT: 80}",
			   HOST_VARIABLES_MAX);
		return;
	}
	settings->variables = calloc(node->count, sizeof(*settings->variables));
	reader->out_of_memory |= !settings->variables;
	for (const struct yaml_node *child = node->first; child && settings->variables;
	     child = child->next)
		variable_read(reader, child, settings);
}

static void health_run_read(struct reader *reader, const struct key *key,
			    const struct yaml_node *node, void *target)
{
	(void)key;
	command_read(reader, node, &((struct host_health *)target)->run);
}

static const struct key health_keys[] = {
	{ "run", .read = health_run_read, .required = true },
	{ "every", key_time, KEY_FIELD(struct host_health, every_ps), .min = HEALTH_PS_MIN,
	  .max = HEALTH_PS_MAX },
	{ "within", key_time, KEY_FIELD(struct host_health, within_ps), .min = HEALTH_PS_MIN,
	  .max = HEALTH_PS_MAX },
};

static void health_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	struct host_health *health = &((struct scenario_host_settings *)target)->health;

	(void)key;
	scenario_host_command_clear(&health->run);
	*health = (struct host_health){ .every_ps = HEALTH_EVERY_PS_DEFAULT,
					.within_ps = HEALTH_WITHIN_PS_DEFAULT };
	if (node->kind == YAML_SEQUENCE || (node->kind == YAML_SCALAR && *node->text))
		command_read(reader, node, &health->run);
	else
		keys_read(reader, node, "'health'", health_keys, COUNT_OF(health_keys), health);
}

/* ---- the sandbox ---- */

static bool resolver_read(struct reader *reader, const struct yaml_node *node, void *element)
{
	struct ip_address *address = element;
	const char *text = key_scalar(reader, node, "an address such as 10.0.0.53");

	if (text && (!ip_address_parse(text, address) || strchr(text, '/'))) {
		key_refuse(reader, node, "'%.60s' is no address such as 10.0.0.53", text);
		return false;
	}
	return text;
}

static void dns_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		     void *target)
{
	struct scenario_host_settings *settings = target;

	free(settings->resolvers);
	settings->resolvers = NULL;
	list_read(reader, key, node, HOST_RESOLVERS_MAX, sizeof(*settings->resolvers),
		  resolver_read, &settings->resolvers, &settings->resolver_count);
}

/* The path of @text beside the scenario, absolute if it may be looked at; NULL: an error is
 * added. */
static char *path_read(struct reader *reader, const struct yaml_node *node, const char *text,
		       bool folder)
{
	char *beside = key_path_beside(reader, text), *path = beside;
	struct stat status;

	reader->out_of_memory |= !beside;
	if (!beside || reader->files) /* a fork of a run opens none of them */
		return beside;
	path = realpath(beside, NULL);
	if (!path)
		key_refuse(reader, node, "'%.200s' does not exist", beside);
	else if (folder && (stat(path, &status) || !S_ISDIR(status.st_mode)))
		key_refuse(reader, node, "'%.200s' is not a folder", beside);
	free(beside);
	return path;
}

/* an absolute path in the host, without "..", that is not all of it; else NULL and an error */
static const char *place_read(struct reader *reader, const struct yaml_node *node)
{
	const char *text = key_scalar(reader, node, "a path such as /var/lib/x");

	if (text && (text[0] != '/' || !text[1] || strstr(text, "/../") ||
		     (strlen(text) >= 3 && !strcmp(text + strlen(text) - 3, "/..")))) {
		key_refuse(reader, node,
			   "'%.200s' is no path in a host; expected one such as /var/lib/x", text);
		return NULL;
	}
	return text;
}

static void mount_from_read(struct reader *reader, const struct key *key,
			    const struct yaml_node *node, void *target)
{
	const char *text = key_scalar(reader, node, "a file or folder");

	(void)key;
	if (text)
		((struct host_mount *)target)->from = path_read(reader, node, text, false);
}

static void mount_to_read(struct reader *reader, const struct key *key,
			  const struct yaml_node *node, void *target)
{
	const char *text = place_read(reader, node);

	(void)key;
	if (text)
		text_keep(reader, text, &((struct host_mount *)target)->to);
}

static const struct key mount_keys[] = {
	{ "from", .read = mount_from_read, .required = true },
	{ "to", .read = mount_to_read, .required = true },
	{ "read-only", key_flag, KEY_FIELD(struct host_mount, read_only) },
};

static bool mount_read(struct reader *reader, const struct yaml_node *node, void *element)
{
	struct host_mount *mount = element;

	mount->place = node->place;
	keys_read(reader, node, "a mount", mount_keys, COUNT_OF(mount_keys), mount);
	if (mount->from && mount->to)
		return true;
	free(mount->from);
	free(mount->to);
	*mount = (struct host_mount){ 0 };
	return false;
}

static void mounts_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	struct scenario_host_settings *settings = target;

	for (uint32_t i = 0; i < settings->mount_count; i++) {
		free(settings->mounts[i].from);
		free(settings->mounts[i].to);
	}
	free(settings->mounts);
	settings->mounts = NULL;
	list_read(reader, key, node, HOST_MOUNTS_MAX, sizeof(*settings->mounts), mount_read,
		  &settings->mounts, &settings->mount_count);
}

static void rootfs_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	struct scenario_host_settings *settings = target;
	const char *text = key_scalar(reader, node, "a folder");

	(void)key;
	free(settings->rootfs);
	settings->rootfs_place = node->place;
	settings->rootfs = text ? path_read(reader, node, text, true) : NULL;
}

static void image_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		       void *target)
{
	struct scenario_host_settings *settings = target;
	const char *text = key_scalar(reader, node, "an image such as postgres:15");

	(void)key;
	free(settings->image);
	settings->image = NULL;
	settings->image_place = node->place;
	if (text && (text[0] == '-' || strpbrk(text, " \t\n")))
		key_refuse(reader, node, "'%.60s' is no name of an image", text);
	else if (text)
		text_keep(reader, text, &settings->image);
}

static bool folder_read(struct reader *reader, const struct yaml_node *node, void *element)
{
	const char *text = place_read(reader, node);

	return text && text_keep(reader, text, element);
}

static void private_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	struct scenario_host_settings *settings = target;

	scenario_host_texts_clear(&settings->folder_count, &settings->folders);
	list_read(reader, key, node, HOST_FOLDERS_MAX, sizeof(*settings->folders), folder_read,
		  &settings->folders, &settings->folder_count);
}

static void outside_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	((struct scenario_host_settings *)target)->outside_place = node->place;
	key_flag(reader, key, node, target);
}

static const struct key limit_keys[] = {
	{ "memory", key_size, KEY_FIELD(struct host_limits, memory_bytes), .min = MEMORY_BYTES_MIN,
	  .max = MEMORY_BYTES_MAX },
	{ "processes", key_count, KEY_FIELD(struct host_limits, processes), .min = 1,
	  .max = 1u << 22 },
	{ "files", key_count, KEY_FIELD(struct host_limits, files), .min = 16, .max = 1u << 20 },
};

static void limits_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	struct host_limits *limits = &((struct scenario_host_settings *)target)->limits;

	(void)key;
	*limits = (struct host_limits){ 0 };
	keys_read(reader, node, "'limits'", limit_keys, COUNT_OF(limit_keys), limits);
}

/* ---- the keys of a host ---- */

static const struct parameter rows[] = {
#define KEY(...) KEY_ROW(__VA_ARGS__),
#include "orchestrator/scenario/host.def"
};
const struct parameter_table host_parameters =
	PARAMETER_TABLE_OF(struct scenario_host_settings, rows);

/* bit i of `given` is row i */
static const struct key setting_keys[] = {
	{ "addresses", .read = eth0_addresses_read },
	{ "gateway", .read = gateway_read },
	{ "routes", .read = routes_read },
	{ "vlans", .read = eth0_vlans_read },
	{ "router", key_flag, KEY_FIELD(struct scenario_host_settings, router) },
	{ "run", .read = run_read },
	{ "user", .read = user_read },
	{ "env", .read = env_read },
	{ "dns", .read = dns_read },
	{ "mounts", .read = mounts_read },
	{ "rootfs", .read = rootfs_read },
	{ "image", .read = image_read },
	{ "private", .read = private_read },
	{ "outside", outside_read, KEY_FIELD(struct scenario_host_settings, outside) },
	{ "limits", .read = limits_read },
	{ "health", .read = health_read },
};
_Static_assert(COUNT_OF(setting_keys) <= HOST_KEYS_MAX, "place for the keys of a host");

const char *scenario_host_key_name(unsigned bit)
{
	return bit < COUNT_OF(setting_keys) ? setting_keys[bit].name : NULL;
}

static void setting_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	const struct host_keys_target *host = target;
	struct scenario_host_settings *settings = host->settings;
	unsigned bit = 0;

	while (strcmp(setting_keys[bit].name, key->name))
		bit++;
	if (host->weak && settings->own & 1u << bit)
		return;
	settings->given |= 1u << bit;
	settings->own |= host->weak ? 0 : 1u << bit;
	setting_keys[bit].read(reader, &setting_keys[bit], node, settings);
}

size_t scenario_host_keys(struct key keys[HOST_KEYS_MAX])
{
	for (size_t i = 0; i < COUNT_OF(setting_keys); i++)
		keys[i] = (struct key){ .name = setting_keys[i].name, .read = setting_read };
	return COUNT_OF(setting_keys);
}
