#include "orchestrator/plan/plan_save.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/base/input_file.h"
#include "orchestrator/base/settings.h"
#include "orchestrator/base/yaml_writer.h"
#include "orchestrator/plan/plan_save_topology.h"

#define MARK "# heddle save: " /* begins a line that a later save replaces */

struct document {
	const struct plan *plan;
	const struct plan_saving *saving;
	/* settings applied; what names nodes that have left is removed */
	struct yaml_node *root;
	struct yaml_node *original; /* as in the file */
	bool verbatim;              /* each section of the file has lines of its own */
	FILE *notes;                /* what is left out, a line each */
	FILE *out;
};

/* ---- what names nodes that have left ---- */

/* does @text, NODE or NODE:PORT, name no node of the fabric? */
static bool text_gone(const struct plan *plan, const char *text)
{
	char name[NODE_NAME_MAX];
	size_t length = strcspn(text, ":");

	if (!strcmp(text, "all") || length >= sizeof(name))
		return false;
	memcpy(name, text, length);
	name[length] = 0;
	return !plan_node_find(plan, name);
}

static bool is_gone(const struct plan *plan, const struct yaml_node *node)
{
	if (node->kind == YAML_SCALAR)
		return text_gone(plan, node->text);
	for (const struct yaml_node *child = node->first; child; child = child->next)
		if (is_gone(plan, child))
			return true;
	return false;
}

/* frees the child at *@at, after @before (NULL: the first), of @parent */
static void child_drop(struct yaml_node *parent, struct yaml_node **at, struct yaml_node *before)
{
	struct yaml_node *child = *at;

	*at = child->next;
	if (parent->last == child)
		parent->last = before;
	parent->count--;
	child->next = NULL;
	yaml_free(child);
}

/* keeps the children of @list that name nodes of the fabric only; were there others? */
static bool names_keep(const struct plan *plan, struct yaml_node *list)
{
	struct yaml_node **at = &list->first, *before = NULL;
	bool changed = false;

	while (*at) {
		if (is_gone(plan, *at)) {
			child_drop(list, at, before);
			changed = true;
		} else {
			before = *at;
			at = &before->next;
		}
	}
	return changed;
}

/* has the link that @link names, as its two ends, left? */
static bool link_gone(const struct plan *plan, const struct yaml_node *link)
{
	size_t length = link->count == 2 ? strcspn(link->last->text, ":") : 0;
	const struct node_config *node;
	char name[NODE_NAME_MAX + 1] = "";

	if (link->count != 2 || is_gone(plan, link))
		return true;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(link->first->text, ":"),
		 link->first->text);
	node = plan_node_find(plan, name);
	for (uint32_t p = 0; node && p < node->port_count; p++)
		if (!node->ports[p].vacant && strlen(node->ports[p].peer_name) == length &&
		    !strncmp(node->ports[p].peer_name, link->last->text, length))
			return false;
	return true;
}

/* @link, that of fault @index, is named as in the saved scenario, if it has another name there.
 * *@changed: it has.  Return: false: the link has left */
static bool link_rename(const struct plan *plan, uint32_t index, struct yaml_node *link,
			bool *changed)
{
	const struct plan_fault *fault =
		index < plan->faults.count ? &plan->faults.list[index] : NULL;
	char texts[2][PLAN_SAVE_END_MAX], *names[2];
	bool numbers, other = false;

	if (!fault || fault->kind != FAULT_LINK || link->count != 2)
		return true;
	if (fault->link >= plan->link_count || plan->links[fault->link].vacant)
		return false;
	for (int i = 0; i < 2; i++)
		other |= plan_save_end(plan, &plan->links[fault->link], i, texts[i]);
	numbers = strchr(link->first->text, ':') || strchr(link->last->text, ':');
	if (numbers ? !other : !strchr(texts[0], ':'))
		return true;
	names[0] = strdup(texts[0]);
	names[1] = strdup(texts[1]);
	if (names[0] && names[1]) {
		*changed = true;
		free(link->first->text);
		free(link->last->text);
		link->first->text = names[0];
		link->last->text = names[1];
	} else {
		free(names[0]);
		free(names[1]);
	}
	return true;
}

/* Removes names of nodes that have left from @element of a list of workloads, pauses or faults.
 * *@changed: there were some.  Return: false: nothing useful is left. */
static bool element_keep(const struct plan *plan, struct yaml_node *element, bool *changed)
{
	static const char *const lists[] = { "from", "to", "pairs" };
	static const char *const single[] = { "host", "switch" };
	struct yaml_node *value;

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		value = yaml_find(element, lists[i]);
		if (!value || !is_gone(plan, value))
			continue;
		*changed = true;
		if (value->kind == YAML_SCALAR)
			return false;
		names_keep(plan, value);
		if (!value->count)
			return false;
	}
	for (size_t i = 0; i < COUNT_OF(single); i++) {
		value = yaml_find(element, single[i]);
		if (value && is_gone(plan, value))
			return false;
	}
	value = yaml_find(element, "link");
	return !value || !link_gone(plan, value);
}

/* @element by its key or name; without both as it is */
static void note_gone(struct document *document, const char *section,
		      const struct yaml_node *element, const char *what)
{
	const struct yaml_node *name = yaml_find(element, "name");

	fprintf(document->notes, MARK "%s %s: ", what, section);
	if (element->key)
		yaml_text_write(element->key, document->notes);
	else
		yaml_flow_write(name ? name : element, document->notes);
	fputc('\n', document->notes);
}

/* Return: was @section changed? */
static bool list_prune(struct document *document, struct yaml_node *section)
{
	struct yaml_node **at = &section->first, *before = NULL, *link;
	bool any = false;

	for (uint32_t index = 0; section->kind == YAML_SEQUENCE && *at; index++) {
		bool changed = false, kept = (*at)->kind != YAML_MAPPING ||
					     element_keep(document->plan, *at, &changed);

		link = kept && !strcmp(section->key, "faults") ? yaml_find(*at, "link") : NULL;
		if (link)
			kept = link_rename(document->plan, index, link, &any);
		any |= changed || !kept;
		if (!kept) {
			note_gone(document, section->key, *at, "left out of");
			child_drop(section, at, before);
			continue;
		}
		if (changed)
			note_gone(document, section->key, *at, "without hosts that have left, in");
		before = *at;
		at = &before->next;
	}
	return any;
}

/* the entries of the section `hosts` that match no host; were there some? */
static bool hosts_prune(struct document *document, struct yaml_node *section)
{
	const struct plan *plan = document->plan;
	struct yaml_node **at = &section->first, *before = NULL;
	bool any = false;

	while (section->kind == YAML_MAPPING && *at) {
		bool kept = false;

		for (uint32_t i = 0; i < plan->host_count && !kept; i++) {
			const char *name = plan->nodes[plan_host_node(plan, i)].name;

			kept = name[0] && !plan->hosts[i].interface &&
			       !fnmatch((*at)->key, name, 0);
		}
		if (kept) {
			before = *at;
			at = &before->next;
			continue;
		}
		any = true;
		note_gone(document, section->key, *at, "left out of");
		child_drop(section, at, before);
	}
	return any;
}

static bool section_prune(struct document *document, struct yaml_node *section)
{
	static const char *const lists[] = { "workloads", "pauses", "faults" };

	for (size_t i = 0; i < COUNT_OF(lists); i++)
		if (!strcmp(section->key, lists[i]))
			return list_prune(document, section);
	return !strcmp(section->key, "hosts") && hosts_prune(document, section);
}

/* ---- paths ---- */

/* what names files of the machine, relative to the folder of the scenario */
static const char *const file_keys[] = {
	"workloads/*/sizes",
	"roce/own-control",
	"hosts/*/rootfs",
	"hosts/*/mounts/from",
	"hosts/*/mounts/*/from",
	"topology/hosts/*/rootfs",
	"topology/hosts/*/mounts/from",
	"topology/hosts/*/mounts/*/from",
};

static bool is_file(const struct yaml_node *node, const char *keys)
{
	bool found = false;

	for (size_t i = 0; i < COUNT_OF(file_keys) && !found; i++)
		found = !fnmatch(file_keys[i], keys, FNM_PATHNAME);
	return found && node->kind == YAML_SCALAR && node->text[0] && node->text[0] != '/';
}

/* the keys of @child in @parent, whose keys are @keys; a variant sets keys from the top of the
 * scenario on, joined by dots.   Return: NULL: not enough memory */
static char *keys_of(const char *keys, const struct yaml_node *child)
{
	const char *key = child->key ? child->key : "-";
	bool set = !fnmatch("compare/variants/*/set", keys, FNM_PATHNAME);
	char *text = NULL;

	if (asprintf(&text, "%s%s%s", set ? "" : keys, set ? "" : "/", key) < 0)
		return NULL;
	for (char *dot = text; set && (dot = strchr(dot, '.')); dot++)
		*dot = '/';
	return text;
}

/* Paths at and below @node, whose keys are @keys, become absolute if they are relative to @folder.
 * *@changed: there are some.   Return: 0 or -ENOMEM */
static int paths_complete(struct yaml_node *node, const char *keys, const char *folder,
			  bool *changed)
{
	int error = 0;
	char *text;

	if (is_file(node, keys)) {
		if (asprintf(&text, "%s/%s", folder, node->text) < 0)
			return -ENOMEM;
		free(node->text);
		node->text = text;
		*changed = true;
	}
	for (struct yaml_node *child = node->first; child && !error; child = child->next) {
		text = keys_of(keys, child);
		error = text ? paths_complete(child, text, folder, changed) : -ENOMEM;
		free(text);
	}
	return error;
}

/* completes the paths of @section if the file will be in another folder */
static int section_paths(const struct document *document, struct yaml_node *section, bool *changed)
{
	const char *folder = document->plan->folder;

	if (!folder[0] || !strcmp(folder, document->saving->folder))
		return 0;
	return paths_complete(section, section->key, folder, changed);
}

/* ---- text of the file ---- */

/* the start of line @line, from 1, of @text */
static const char *line_start(const char *text, int line)
{
	while (--line > 0) {
		const char *end = strchr(text, '\n');

		if (!end)
			return text + strlen(text);
		text = end + 1;
	}
	return text;
}

/* copies the lines from @from to @to, without marks of documents and lines of an earlier save */
static void lines_copy(const char *from, const char *to, FILE *out)
{
	while (from < to) {
		const char *end = memchr(from, '\n', (size_t)(to - from));
		size_t length = (size_t)((end ? end : to) - from);

		if (strncmp(from, MARK, strlen(MARK)) != 0 && strncmp(from, "---", 3) != 0 &&
		    strncmp(from, "...", 3) != 0)
			fprintf(out, "%.*s\n", (int)length, from);
		from += length + 1;
	}
}

/* Where the comments begin that end the section from @from to @to: they belong to the next one. */
static const char *comments_start(const char *from, const char *to)
{
	const char *start = to;

	while (start > from) {
		const char *line = start - 1;

		while (line > from && line[-1] != '\n')
			line--;
		if (line == from || (*line != '#' && *line != '\n'))
			break;
		start = line;
	}
	return start;
}

/* does each key of the file begin a line of its own? */
static bool has_own_lines(const struct yaml_node *root)
{
	int line = 0;

	for (const struct yaml_node *child = root->first; child; child = child->next) {
		if (child->key_place.column != 1 || child->key_place.line <= line)
			return false;
		line = child->key_place.line;
	}
	return true;
}

/* ---- sections ---- */

/* the settings of the start, then those since then; NULL after the last one */
static const char *setting_at(const struct document *document, uint32_t index)
{
	const struct origin *origin = document->plan->origin;

	if (index < origin->setting_count)
		return origin->settings[index];
	index -= origin->setting_count;
	return index < document->saving->setting_count ? document->saving->settings[index] : NULL;
}

static bool is_set(const struct document *document, const char *section)
{
	size_t length = strlen(section);
	const char *setting;

	for (uint32_t i = 0; (setting = setting_at(document, i)); i++)
		if (!strncmp(setting, section, length) && strchr(".=", setting[length]))
			return true;
	return false;
}

static void faults_write(const struct document *document, const struct yaml_node *section)
{
	fputs("faults:\n", document->out);
	for (const struct yaml_node *fault = section ? section->first : NULL; fault;
	     fault = fault->next) {
		fputs("  - ", document->out);
		yaml_flow_write(fault, document->out);
		fputc('\n', document->out);
	}
	plan_save_down(document->plan, document->saving->taken, document->out);
}

/* @section of the tree, whose lines are from @from to @to in the file; NULL: it is from --set */
static int section_write(struct document *document, struct yaml_node *section, const char *from,
			 const char *to)
{
	const struct plan *plan = document->plan;
	bool changed = is_set(document, section->key) || !from;
	bool downs = !strcmp(section->key, "faults") &&
		     plan_save_down(plan, document->saving->taken, NULL);
	const char *comments = from ? comments_start(from, to) : NULL;
	int error;

	changed |= section_prune(document, section);
	error = section_paths(document, section, &changed);
	if (error)
		return error;
	if (!strcmp(section->key, "topology")) {
		if (!plan_save_topology(plan, document->root, document->out))
			fputs(MARK "left out of topology: machines, since a switch has none\n",
			      document->notes);
	} else if (downs)
		faults_write(document, section);
	else if (!changed)
		lines_copy(from, comments, document->out);
	else if (section->kind == YAML_SCALAR || section->count)
		yaml_section_write(section, document->out);
	if (from)
		lines_copy(comments, to, document->out);
	return 0;
}

static int sections_write(struct document *document)
{
	const char *text = document->plan->origin->text;
	const struct yaml_node *original = document->original->first;
	int error = 0;

	if (document->verbatim && original)
		lines_copy(text, line_start(text, original->key_place.line), document->out);
	for (struct yaml_node *section = document->root->first; section && !error;
	     section = section->next) {
		const char *from = NULL, *to = NULL;

		/* settings add sections after those of the file */
		if (document->verbatim && original) {
			from = line_start(text, original->key_place.line);
			original = original->next;
			to = original ? line_start(text, original->key_place.line)
				      : text + strlen(text);
		}
		error = section_write(document, section, from, to);
	}
	if (!error && !yaml_find(document->root, "faults") &&
	    plan_save_down(document->plan, document->saving->taken, NULL))
		faults_write(document, NULL);
	return error;
}

/* ---- the document ---- */

static void commands_write(const char *commands, FILE *out)
{
	while (commands && *commands) {
		int length = (int)strcspn(commands, "\n");

		fprintf(out, MARK "not in a scenario: %.*s\n", length, commands);
		commands += length + (commands[length] == '\n');
	}
}

static void head_write(const struct document *document, const char *notes, FILE *out)
{
	const struct plan *plan = document->plan;

	fprintf(out, MARK "the fabric %s as it was at %s, started from ", document->saving->fabric,
		document->saving->when);
	if (input_file_is_stdin(plan->file))
		fputs("standard input", out);
	else
		yaml_text_write(plan->file, out);
	fputs("\n" MARK
	      "switches, hosts and links with all changes; links that were down as faults "
	      "at 0s\n" MARK "the other sections are those of that file",
	      out);
	fputs(plan->origin->setting_count ? ", with --set\n" : "\n", out);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (!plan_vacant(plan, i) && plan_save_alone(plan, i))
			fprintf(out, MARK "left out: switch %s, which has no link\n",
				plan->nodes[i].name);
	fputs(notes, out);
	commands_write(document->saving->commands, out);
}

/* reads the text of the origin into both trees */
static int trees_read(struct document *document)
{
	const struct origin *origin = document->plan->origin;
	struct scenario_errors errors = { 0 };
	size_t length = strlen(origin->text);
	const char *setting;
	int error = yaml_read("", origin->text, length, 0, &document->original, &errors);

	if (!error)
		error = yaml_read("", origin->text, length, 0, &document->root, &errors);
	for (uint32_t i = 0; !error && (setting = setting_at(document, i)); i++)
		error = settings_apply(document->root, setting, "", i + 1, &errors);
	scenario_errors_free(&errors);
	if (!error && document->root->kind != YAML_MAPPING)
		error = -EINVAL;
	return error;
}

int plan_save(const struct plan *plan, const struct plan_saving *saving, FILE *out)
{
	struct document document = { .plan = plan, .saving = saving };
	char *body = NULL, *notes = NULL;
	size_t body_size, notes_size;
	int error = trees_read(&document);

	document.out = open_memstream(&body, &body_size);
	document.notes = open_memstream(&notes, &notes_size);
	if (!document.out || !document.notes)
		error = -ENOMEM;
	if (!error) {
		document.verbatim = has_own_lines(document.original);
		error = sections_write(&document);
	}
	if (document.out && fclose(document.out))
		error = -ENOMEM;
	if (document.notes && fclose(document.notes))
		error = -ENOMEM;
	if (!error) {
		head_write(&document, notes, out);
		fputs(body, out);
	}
	free(body);
	free(notes);
	yaml_free(document.original);
	yaml_free(document.root);
	return error;
}
