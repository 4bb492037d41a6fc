#include "orchestrator/scenario/containerlab_text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/shell_word.h"
#include "orchestrator/base/yaml_reader.h"
#include "orchestrator/base/yaml_writer.h"

struct writing {
	struct containerlab *lab;
	const struct containerlab_options *options;
	FILE *out;
	uint32_t address_next; /* of the management network */
	bool out_of_memory;    /* something is not written */
};

static void topology_write(struct writing *writing);

/* ---- values ---- */

/* can @text be a block of lines? */
static bool is_block(const char *text)
{
	const char *line = text;

	if (!strchr(text, '\n') || strpbrk(text, "\r\t"))
		return false;
	for (; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (line[0] == ' ' || line[0] == '\n' || !line[0])
			return false;
	return true;
}

/* @text as an element of a list that is indented by @indent */
static void element_write(const char *text, int indent, FILE *out)
{
	fprintf(out, "%*s- ", indent, "");
	if (!is_block(text)) {
		yaml_text_write(text, out);
		fputc('\n', out);
		return;
	}
	fputs("|-\n", out);
	while (*text) {
		int length = (int)strcspn(text, "\n");

		fprintf(out, "%*s%.*s\n", indent + 2, "", length, text);
		text += length + (text[length] == '\n');
	}
}

/* a scalar of a list or mapping; NULL after a note */
static const char *scalar(struct writing *writing, const struct yaml_node *value)
{
	if (value->kind == YAML_SCALAR)
		return value->text;
	containerlab_leave_out(writing->lab, value->place, "this is left out: expected a text");
	return NULL;
}

/* the first element of the list or mapping @key of @level, if it is of @kind; else NULL */
static const struct yaml_node *first_of(const struct containerlab_node *node, unsigned level,
					const char *key, enum yaml_kind kind)
{
	const struct yaml_node *value = yaml_find(node->levels[level], key);

	return value && value->kind == kind ? value->first : NULL;
}

/* ---- commands ---- */

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* one word of @at into @word, which has place for all; NULL: a quote lacks its end */
static const char *word_take(const char *at, char *word)
{
	char quote = 0;

	for (; *at && (quote || !is_blank(*at)); at++) {
		if (quote && *at == quote)
			quote = 0;
		else if (!quote && (*at == '\'' || *at == '"'))
			quote = *at;
		else if (*at == '\\' && quote != '\'' && at[1])
			*word++ = *++at;
		else
			*word++ = *at;
	}
	*word = 0;
	return quote ? NULL : at;
}

int containerlab_words(const char *text, FILE *out)
{
	char *word = malloc(strlen(text) + 1);
	const char *at = text, *before = "";

	if (!word)
		return -ENOMEM;
	while (at && *(at += strspn(at, " \t\r\n"))) {
		at = word_take(at, word);
		if (!at)
			break;
		fputs(before, out);
		shell_word_print(word, out);
		before = " ";
	}
	free(word);
	return at ? 0 : -EINVAL;
}

/* a line of the script: the words of @value after @prefix */
static void command_write(struct writing *writing, const char *prefix,
			  const struct yaml_node *value, FILE *script)
{
	const char *text = scalar(writing, value);
	char *line = NULL;
	size_t length;
	FILE *out;
	int error;

	if (!text || !*text)
		return;
	out = open_memstream(&line, &length);
	if (!out) {
		writing->out_of_memory = true;
		return;
	}
	fputs(prefix, out);
	error = containerlab_words(text, out);
	if (error == -EINVAL)
		containerlab_leave_out(writing->lab, value->place,
				       "this command is left out: a quote lacks its end");
	else if (error || fflush(out))
		writing->out_of_memory = true;
	else
		fprintf(script, "%s\n", line);
	fclose(out);
	free(line);
}

/* the commands of one level: a list, or one */
static void exec_write(struct writing *writing, const struct yaml_node *exec, FILE *script)
{
	if (exec && exec->kind == YAML_SEQUENCE)
		for (const struct yaml_node *child = exec->first; child; child = child->next)
			command_write(writing, "", child, script);
	else if (exec)
		command_write(writing, "", exec, script);
}

static bool managed(const struct containerlab_node *node)
{
	const char *mode = containerlab_text_of(node, "network-mode");

	return !mode || strcmp(mode, "none") != 0 || !node->interface_count;
}

/* is the @i-th name that of an interface before it, as that is made? */
static bool is_taken(const struct containerlab_node *node, unsigned first, uint32_t i)
{
	char made[IFNAMSIZ];

	for (uint32_t k = 0; k < i; k++) {
		snprintf(made, sizeof(made), "eth%u", first + k);
		if (!strcmp(made, node->interfaces[i].name))
			return true;
	}
	return false;
}

/* Interfaces that are not called ethN as they are made; from the last one on, so that no name is
 * taken. Where that is not enough, all get other names first. */
static void renames_write(const struct containerlab_node *node, FILE *script)
{
	unsigned first = managed(node) ? 1 : 0;
	const char *before = "eth";

	if (!first)
		fputs("ip address flush dev eth0\n", script);
	for (uint32_t i = 0; i < node->interface_count; i++)
		if (is_taken(node, first, i))
			before = "made";
	for (uint32_t i = 0; i < node->interface_count && !strcmp(before, "made"); i++)
		fprintf(script, "ip link set eth%u down && ip link set eth%u name made%u\n",
			first + i, first + i, first + i);
	for (uint32_t i = node->interface_count; i-- > 0;) {
		const char *name = node->interfaces[i].name;
		char made[IFNAMSIZ];

		snprintf(made, sizeof(made), "%s%u", before, first + i);
		if (strcmp(made, name) != 0)
			fprintf(script,
				"ip link set %s down && ip link set %s name %s && "
				"ip link set %s up\n",
				made, made, name, name);
	}
}

static void sysctls_write(struct writing *writing, const struct containerlab_node *node,
			  FILE *script)
{
	for (unsigned level = 0; level < CONTAINERLAB_LEVELS; level++) {
		for (const struct yaml_node *child = first_of(node, level, "sysctls", YAML_MAPPING);
		     child; child = child->next) {
			if (!scalar(writing, child) || strpbrk(child->text, "\r\n") ||
			    strpbrk(child->key, "\r\n"))
				continue;
			fputs("sysctl -q -w ", script);
			shell_word_print(child->key, script);
			fputc('=', script);
			shell_word_print(child->text, script);
			fputc('\n', script);
		}
	}
}

/* what the host's program is: `entrypoint` and `cmd`; of an image only, if there is no `exec` */
static void program_write(struct writing *writing, const struct containerlab_node *node,
			  FILE *script)
{
	const struct yaml_node *entry = containerlab_value(node, "entrypoint");
	const struct yaml_node *words = containerlab_value(node, "cmd");
	const struct yaml_node *image = containerlab_value(node, "image");

	if (entry)
		command_write(writing, words ? "set -- " : "exec ", entry, script);
	if (words)
		command_write(writing, entry ? "exec \"$@\" " : "exec ", words, script);
	if (!entry && !words && image && !writing->options->no_images && ftell(script) > 0)
		containerlab_leave_out(writing->lab, image->place,
				       "the image's own program of '%s' is left out: its commands "
				       "run in its place",
				       node->name);
}

static void run_write(struct writing *writing, const struct containerlab_node *node)
{
	char *text = NULL;
	size_t length;
	FILE *script = open_memstream(&text, &length);

	if (!script) {
		writing->out_of_memory = true;
		return;
	}
	renames_write(node, script);
	sysctls_write(writing, node, script);
	for (unsigned level = 0; level < CONTAINERLAB_LEVELS; level++)
		exec_write(writing, yaml_find(node->levels[level], "exec"), script);
	program_write(writing, node, script);
	fclose(script);
	if (length) {
		text[length - 1] = 0; /* the last newline */
		fputs("      run:\n", writing->out);
		element_write(text, 8, writing->out);
	}
	free(text);
}

/* ---- files, environment ---- */

/* the earlier level of two that have @key for the same variable does not count */
static bool overridden(const struct containerlab_node *node, unsigned level, const char *variable)
{
	while (++level < CONTAINERLAB_LEVELS)
		if (yaml_find(yaml_find(node->levels[level], "env"), variable))
			return true;
	return false;
}

static void env_write(struct writing *writing, const struct containerlab_node *node)
{
	const char *head = "      env:\n";

	for (unsigned level = 0; level < CONTAINERLAB_LEVELS; level++) {
		for (const struct yaml_node *child = first_of(node, level, "env", YAML_MAPPING);
		     child; child = child->next) {
			const char *text = scalar(writing, child);

			if (!text || overridden(node, level, child->key))
				continue;
			fprintf(writing->out, "%s        ", head);
			yaml_text_write(child->key, writing->out);
			fputs(": ", writing->out);
			yaml_text_write(text, writing->out);
			fputc('\n', writing->out);
			head = "";
		}
	}
}

#define NODE_NAME_WORD "__clabNodeName__"

/* the text of bind @value with the name of the node in place of NODE_NAME_WORD, malloc'd; NULL: it
 * has another variable */
static char *bind_text(const struct containerlab_node *node, const char *text)
{
	char *whole = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&whole, &length);

	if (!out)
		return NULL;
	for (const char *word; (word = strstr(text, NODE_NAME_WORD));
	     text = word + strlen(NODE_NAME_WORD))
		fprintf(out, "%.*s%s", (int)(word - text), text, node->name);
	fputs(text, out);
	if (fclose(out) || strchr(whole, '$') || strstr(whole, "__clab")) {
		free(whole);
		return NULL;
	}
	return whole;
}

/* what stands before @from, a path of containerlab: beside the topology, or in the home folder */
static const char *folder_of(const struct writing *writing, const char *from)
{
	const char *home = getenv("HOME");

	if (from[0] == '~')
		return from[1] == '/' && home && home[0] == '/' ? home : NULL;
	return from[0] == '/' ? "" : writing->options->folder;
}

/* "from:to", "from:to:ro" or "from:to:rw".  Return: is it written? */
static bool bind_write(struct writing *writing, const struct containerlab_node *node,
		       const struct yaml_node *value, const char *head)
{
	const char *given = scalar(writing, value), *folder = NULL;
	char *text = given ? bind_text(node, given) : NULL, *rest = text;
	const char *from = strsep(&rest, ":"), *to = strsep(&rest, ":"), *options = rest;
	char *path = NULL;
	bool fine = from && *from && to && to[0] == '/' &&
		    (!options || !strcmp(options, "ro") || !strcmp(options, "rw")) &&
		    (folder = folder_of(writing, from)) &&
		    asprintf(&path, "%s%s", folder, from + (from[0] == '~')) >= 0;

	if (fine) {
		fprintf(writing->out, "%s        - {from: ", head);
		yaml_text_write(path, writing->out);
		fputs(", to: ", writing->out);
		yaml_text_write(to, writing->out);
		fprintf(writing->out, "%s}\n",
			options && !strcmp(options, "ro") ? ", read-only: yes" : "");
	} else if (given) {
		containerlab_leave_out(
			writing->lab, value->place,
			"'%.80s' is left out: expected a path on this machine and "
			"one in the host, such as ./site:/var/www or ./site:/var/www:ro",
			given);
	}
	free(path);
	free(text);
	return fine;
}

static void binds_write(struct writing *writing, const struct containerlab_node *node)
{
	const char *head = "      mounts:\n";

	for (unsigned level = 0; level < CONTAINERLAB_LEVELS; level++)
		for (const struct yaml_node *child = first_of(node, level, "binds", YAML_SEQUENCE);
		     child; child = child->next)
			if (bind_write(writing, node, child, head))
				head = "";
}

/* "512MB", "1gib": what containerlab takes, in bytes */
static void memory_write(struct writing *writing, const struct containerlab_node *node)
{
	static const struct {
		const char *unit;
		uint64_t bytes;
	} units[] = { { "b", 1 },           { "kb", 1000 },     { "mb", 1000000 },
		      { "gb", 1000000000 }, { "kib", 1 << 10 }, { "mib", 1 << 20 },
		      { "gib", 1 << 30 } };
	const char *text = containerlab_text_of(node, "memory");
	unsigned long number;
	char unit[8] = "";

	if (!text)
		return;
	if (sscanf(text, "%9lu %7[a-zA-Z]", &number, unit) == 2)
		for (size_t i = 0; i < COUNT_OF(units); i++)
			if (!strcasecmp(units[i].unit, unit)) {
				fprintf(writing->out, "      limits: {memory: %lluB}\n",
					(unsigned long long)number * units[i].bytes);
				return;
			}
	containerlab_leave_out(writing->lab, containerlab_value(node, "memory")->place,
			       "'memory' is left out: expected a size such as 512MB");
}

static void resolvers_write(struct writing *writing, const struct containerlab_node *node)
{
	const struct yaml_node *dns = containerlab_value(node, "dns");
	const struct yaml_node *servers = yaml_find(dns, "servers");
	const char *before = "      dns: [";
	uint8_t address[16];

	if (dns && (dns->kind != YAML_MAPPING || !servers || dns->count > 1))
		containerlab_leave_out(writing->lab, dns->place,
				       "of 'dns' only 'servers' can be imported");
	if (!servers || servers->kind != YAML_SEQUENCE || servers->count > HOST_RESOLVERS_MAX)
		return;
	for (const struct yaml_node *child = servers->first; child; child = child->next) {
		const char *text = scalar(writing, child);

		if (!text || (inet_pton(AF_INET, text, address) != 1 &&
			      inet_pton(AF_INET6, text, address) != 1))
			continue;
		fprintf(writing->out, "%s'%s'", before, text);
		before = ", ";
	}
	if (*before == ',')
		fputs("]\n", writing->out);
}

/* ---- hosts ---- */

/* the address that the file gives @node in the management network; 0: none */
static uint32_t address_given(const struct containerlab *lab, const struct containerlab_node *node)
{
	const char *text = containerlab_text_of(node, "mgmt-ipv4");
	struct in_addr address;

	if (!text)
		text = containerlab_text_of(node, "mgmt_ipv4");
	if (!text || inet_pton(AF_INET, text, &address) != 1)
		return 0;
	return (ntohl(address.s_addr) ^ lab->subnet) >> (32 - lab->subnet_bits)
		       ? 0
		       : ntohl(address.s_addr);
}

static bool address_taken(const struct containerlab *lab, uint32_t address)
{
	for (uint32_t i = 0; i < lab->node_count; i++)
		if (lab->nodes[i].kind == CONTAINERLAB_HOST &&
		    address_given(lab, &lab->nodes[i]) == address)
			return true;
	return false;
}

/* the first address is the gateway there */
static void address_write(struct writing *writing, const struct containerlab_node *node)
{
	const struct containerlab *lab = writing->lab;
	const uint32_t last = lab->subnet | ~0u >> lab->subnet_bits;
	uint32_t address = address_given(lab, node);
	char text[INET_ADDRSTRLEN];

	if (!address) {
		while (writing->address_next < last && address_taken(lab, writing->address_next))
			writing->address_next++;
		if (writing->address_next >= last) {
			containerlab_leave_out(writing->lab, node->place,
					       "'%s' has a default address: the management network "
					       "is full",
					       node->name);
			return;
		}
		address = writing->address_next++;
	}
	inet_ntop(AF_INET, &(struct in_addr){ htonl(address) }, text, sizeof(text));
	fprintf(writing->out, "      addresses: [%s/%u]\n", text, lab->subnet_bits);
}

static void interfaces_write(struct writing *writing, const struct containerlab_node *node)
{
	uint32_t first = managed(node) ? 0 : 1;

	fprintf(writing->out, "      switch: %s\n",
		first ? node->interfaces[0].segment : writing->lab->segments[0]);
	if (!first)
		address_write(writing, node);
	if (first < node->interface_count)
		fputs("      interfaces:\n", writing->out);
	for (uint32_t i = first; i < node->interface_count; i++) {
		const struct containerlab_interface *interface = &node->interfaces[i];

		fprintf(writing->out, "        - {switch: %s}    # %s%s%s\n", interface->segment,
			interface->name, interface->peer[0] ? " to " : "", interface->peer);
	}
	/* in containers of Docker forwarding is on; with one link there is nothing to forward */
	if (node->interface_count > 1)
		fputs("      router: yes    # forwards, as a container of Docker does\n",
		      writing->out);
}

static void mode_check(struct writing *writing, const struct containerlab_node *node)
{
	const char *mode = containerlab_text_of(node, "network-mode");

	if (mode && strcmp(mode, "none") != 0)
		containerlab_leave_out(writing->lab,
				       containerlab_value(node, "network-mode")->place,
				       "network-mode '%.40s' of '%s' is left out: a host has a "
				       "network of its own",
				       mode, node->name);
}

static void host_write(struct writing *writing, const struct containerlab_node *node)
{
	const char *image = containerlab_text_of(node, "image");
	const char *user = containerlab_text_of(node, "user");

	mode_check(writing, node);
	fprintf(writing->out, "    %s:\n", node->name);
	interfaces_write(writing, node);
	if (image && !writing->options->no_images) {
		fputs("      image: ", writing->out);
		yaml_text_write(image, writing->out);
		fputc('\n', writing->out);
	}
	if (user) {
		fputs("      user: ", writing->out);
		yaml_text_write(user, writing->out);
		fputc('\n', writing->out);
	}
	env_write(writing, node);
	binds_write(writing, node);
	memory_write(writing, node);
	resolvers_write(writing, node);
	run_write(writing, node);
}

/* ---- the scenario ---- */

/* has @bridge a link that is not left out? */
static bool is_linked(const struct containerlab *lab, const struct containerlab_node *bridge)
{
	for (uint32_t i = 0; i < lab->trunk_count; i++)
		if (!strcmp(lab->trunks[i].a, bridge->name) ||
		    !strcmp(lab->trunks[i].b, bridge->name))
			return true;
	for (uint32_t i = 0; i < lab->node_count; i++) {
		const struct containerlab_node *host = &lab->nodes[i];

		for (uint32_t k = 0; k < host->interface_count; k++)
			if (host->kind == CONTAINERLAB_HOST &&
			    !strcmp(host->interfaces[k].segment, bridge->name))
				return true;
	}
	return false;
}

static void bridge_write(struct writing *writing, const struct containerlab_node *bridge)
{
	if (is_linked(writing->lab, bridge))
		fprintf(writing->out, "    - %s    # a bridge\n", bridge->name);
	else
		containerlab_leave_out(writing->lab, bridge->place,
				       "bridge '%s' is left out: it has no link to a host",
				       bridge->name);
}

static void topology_write(struct writing *writing)
{
	const struct containerlab *lab = writing->lab;
	uint32_t count = 0;

	for (uint32_t i = 0; i < lab->node_count; i++) {
		if (lab->nodes[i].kind != CONTAINERLAB_HOST || !managed(&lab->nodes[i]))
			continue;
		if (++count == NODE_PORTS_MAX + 1)
			containerlab_leave_out(
				writing->lab, lab->nodes[i].place,
				"the management network is one switch, which has %u "
				"ports: give it fewer nodes, or more switches by hand",
				NODE_PORTS_MAX);
	}
	fputs("topology:\n  switches:\n", writing->out);
	for (uint32_t i = count ? 0 : 1; i < lab->segment_count; i++)
		fprintf(writing->out, "    - %s%s\n", lab->segments[i],
			i ? "" : "    # the management network");
	for (uint32_t i = 0; i < lab->node_count; i++)
		if (lab->nodes[i].kind == CONTAINERLAB_SWITCH)
			bridge_write(writing, &lab->nodes[i]);
	fputs("  hosts:\n", writing->out);
	for (uint32_t i = 0; i < lab->node_count; i++)
		if (lab->nodes[i].kind == CONTAINERLAB_HOST)
			host_write(writing, &lab->nodes[i]);
	if (lab->trunk_count)
		fputs("  links:\n", writing->out);
	for (uint32_t i = 0; i < lab->trunk_count; i++)
		fprintf(writing->out, "    - [%s, %s]\n", lab->trunks[i].a, lab->trunks[i].b);
}

static void head_write(const struct writing *writing, FILE *out)
{
	const struct scenario_errors *left_out = &writing->lab->left_out;

	fprintf(out, "# Made by 'heddle import' from a topology of containerlab. Start it with "
		     "'heddle up'.\n"
		     "#\n"
		     "# A link between two nodes is a switch with two ports here, called after its "
		     "nodes: what one\n"
		     "# end sends arrives at the other end, and nowhere else. eth0 is in the "
		     "management network,\n"
		     "# as there; 'outside: yes' of a host connects it to the machine's network. "
		     "Commands of\n"
		     "# 'exec' are one script, in their order.\n");
	if (left_out->count)
		fputs("#\n# Left out:\n", out);
	for (unsigned i = 0; i < left_out->count && i < SCENARIO_ERRORS_MAX; i++) {
		yaml_text_mend(left_out->texts[i]); /* one may be cut within a character */
		fprintf(out, "#   %s\n", left_out->texts[i]);
	}
	if (left_out->count > SCENARIO_ERRORS_MAX)
		fprintf(out, "#   and %u more\n", left_out->count - SCENARIO_ERRORS_MAX);
	fprintf(out,
		"name: %s\nrun: {duration: 1s}\nlinks: {rate: 1Gb/s, delay: 100us, mtu: 1514}\n",
		writing->lab->name);
}

int containerlab_text(struct containerlab *lab, const struct containerlab_options *options,
		      FILE *out)
{
	struct writing writing = { .lab = lab, .options = options };
	char *body = NULL;
	size_t length;

	writing.address_next = lab->subnet + 2;
	writing.out = open_memstream(&body, &length);
	if (!writing.out)
		return -ENOMEM;
	topology_write(&writing);
	if (fclose(writing.out) || writing.out_of_memory) {
		free(body);
		return -ENOMEM;
	}
	head_write(&writing, out);
	fwrite(body, 1, length, out);
	free(body);
	return 0;
}
