#include "orchestrator/fabric/capture_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nodes/wire/pcapng.h"
#include "orchestrator/base/port_name.h"
#include "orchestrator/base/suggest.h"

#define LISTED_MAX 12u /* names in a sentence */

/* ---- sentences ---- */

static void add(char *text, size_t text_max, const char *more)
{
	size_t length = strlen(text);

	snprintf(text + length, text_max - length, "%s", more);
}

/* " - did you mean ...?", else a list of names */
static const char *nodes_list(const struct plan *plan, const char *name, char *text,
			      size_t text_max)
{
	const char **names = calloc(plan->node_count, sizeof(*names));
	uint32_t count = 0;

	text[0] = 0;
	if (!names)
		return text;
	for (uint32_t i = 0; i < plan->node_count; i++)
		if (!plan_vacant(plan, i))
			names[count++] = plan->nodes[i].name;
	suggest_sentence(name, names, count, sizeof(*names), text, text_max);
	for (uint32_t i = 0; !text[0] || (i && i < count && i < LISTED_MAX); i++) {
		add(text, text_max, i ? ", " : "; there are ");
		add(text, text_max, names[i]);
	}
	free(names);
	return text;
}

/* ---- LINK=FILE ---- */

static int port_find(struct capture_file *capture, const char *link, const struct plan *plan,
		     struct why *why)
{
	const char *colon = strchr(link, ':');
	const struct node_config *node;
	char name[NODE_NAME_MAX], list[256];
	uint64_t ports;

	if (!colon)
		return why_say(why, -EINVAL,
			       "a link is written node:peer or node:port, such as s1:s2 or s1:p3, "
			       "not '%s'",
			       link);
	snprintf(name, sizeof(name), "%.*s", (int)(colon - link), link);
	node = plan_node_find(plan, name);
	if (!node || !name[0])
		return why_say(why, -EINVAL, "there is no switch or host '%s'%s", name,
			       nodes_list(plan, name, list, sizeof(list)));
	ports = port_name_find(node, colon + 1);
	if (!ports)
		return why_say(why, -EINVAL, "%s has no port '%s'; it has %s", name, colon + 1,
			       port_names_list(node, UINT64_MAX, list, sizeof(list)));
	if (ports & (ports - 1))
		return why_say(why, -EINVAL, "%s has %d links to %s; name one of its ports: %s",
			       name, __builtin_popcountll(ports), colon + 1,
			       port_names_list(node, ports, list, sizeof(list)));
	capture->node = node->index;
	capture->port = (uint32_t)__builtin_ctzll(ports);
	if (node->ports[capture->port].vacant)
		return why_say(why, -EINVAL, "%s has no link; %s has %s", link, name,
			       port_names_list(node, UINT64_MAX, list, sizeof(list)));
	snprintf(capture->link, sizeof(capture->link), "%s:%s", name,
		 node->ports[capture->port].peer_name);
	return 0;
}

/* marks the port for its capture, if that is possible */
static int port_mark(const struct capture_file *capture, uint32_t kept_bytes, struct plan *plan,
		     struct why *why)
{
	struct node_config *node = &plan->nodes[capture->node];
	struct port_config *port = &node->ports[capture->port];
	uint32_t captures = 0;

	for (uint32_t i = 0; i < node->port_count; i++)
		captures += node->ports[i].capture_bytes != 0;
	if (port->capture_bytes)
		return why_say(why, -EINVAL, "%s is captured twice", capture->link);
	if (captures == NODE_CAPTURES_MAX)
		return why_say(why, -EINVAL,
			       "%s captures %u of its links already, the most that a node can; "
			       "capture %s at its other end: %s:%s",
			       node->name, captures, capture->link, port->peer_name, node->name);
	port->capture_bytes = kept_bytes;
	return 0;
}

/* ---- files ---- */

static bool same_file(const struct capture_file *a, const struct capture_file *b)
{
	struct stat status_a, status_b;

	return !fstat(fileno(a->file.stream), &status_a) &&
	       !fstat(fileno(b->file.stream), &status_b) && status_a.st_dev == status_b.st_dev &&
	       status_a.st_ino == status_b.st_ino;
}

static int header_put(const struct capture_file *capture, const struct plan *plan)
{
	const struct port_config *port = &plan->nodes[capture->node].ports[capture->port];
	const char *node = plan->nodes[capture->node].name;
	uint8_t bytes[PCAPNG_HEADER_BYTES_MAX];
	char comment[256], description[128];
	struct pcapng_header header = {
		.comment = comment,
		.name = capture->link,
		.description = description,
		.rate_bps = port->rate_bps,
		.snap_bytes = port->capture_bytes < NODE_CAPTURE_WHOLE ? port->capture_bytes : 0,
	};
	uint32_t length;

	snprintf(comment, sizeof(comment), "scenario %s, seed %llu, %s", plan->scenario,
		 (unsigned long long)plan->seed,
		 plan_is_real(plan) ? "real clock" : "virtual clock: stamps are fabric time");
	snprintf(description, sizeof(description), "port %u of %s; inbound is to %s", capture->port,
		 node, node);
	length = pcapng_header_write(&header, bytes);
	if (fwrite(bytes, length, 1, capture->file.stream) != 1 || fflush(capture->file.stream))
		return -errno;
	return 0;
}

static int file_open(struct capture_files *files, const char *path, const struct plan *plan,
		     struct why *why)
{
	struct capture_file *capture = &files->files[files->count];
	int error = atomic_file_open(&capture->file, path);

	if (error)
		return why_say(why, error, "cannot write the capture %s: %s%s", path,
			       atomic_file_why(error),
			       error == -EMFILE ? " (ulimit -n); capture fewer links" : "");
	files->count++;
	for (struct capture_file *other = files->files; other < capture; other++)
		if (same_file(other, capture))
			return why_say(why, -EINVAL, "%s is the file of two captures: %s and %s",
				       path, other->link, capture->link);
	error = header_put(capture, plan);
	return error ? why_say(why, error, "cannot write the capture %s: %s", path,
			       strerror(-error))
		     : 0;
}

static int open_one(struct capture_files *files, const char *word, uint32_t kept_bytes,
		    struct plan *plan, struct why *why)
{
	struct capture_file *capture = &files->files[files->count];
	const char *equals = strchr(word, '=');
	char link[2 * NODE_NAME_MAX + 1];
	int error;

	if (!equals || !equals[1])
		return why_say(why, -EINVAL,
			       "--capture takes LINK=FILE, such as s1:h3=h3.pcapng, or " CAPTURE_ALL
			       "=FILE, not '%s'",
			       word);
	if (files->all.wanted)
		return why_say(why, -EINVAL,
			       "--capture " CAPTURE_ALL "=... has every link; give no other one");
	snprintf(link, sizeof(link), "%.*s", (int)(equals - word), word);
	if (!strcmp(link, CAPTURE_ALL) && files->count)
		return why_say(why, -EINVAL,
			       "--capture " CAPTURE_ALL
			       "=... has every link, %s too; give no other one",
			       files->files[0].link);
	if (!strcmp(link, CAPTURE_ALL))
		return capture_all_open(&files->all, equals + 1, kept_bytes, plan, why);
	error = port_find(capture, link, plan, why);
	if (!error)
		error = port_mark(capture, kept_bytes, plan, why);
	return error ? error : file_open(files, equals + 1, plan, why);
}

int capture_files_open(struct capture_files *files, const char *const *words, unsigned count,
		       uint32_t kept_bytes, struct plan *plan, struct why *why)
{
	int error = 0;

	*files = (struct capture_files){ .files = calloc(count, sizeof(*files->files)) };
	if (!files->files)
		return why_say(why, -ENOMEM, "there is not enough memory for %u captures", count);
	for (unsigned i = 0; i < count && !error; i++)
		error = open_one(files, words[i], kept_bytes, plan, why);
	if (error)
		capture_files_abort(files);
	return error;
}

int capture_files_find(const struct capture_files *files, uint32_t node, uint32_t port)
{
	if (port == NODE_PORTS_MAX)
		return node_files_of(&files->all.parts, node);
	for (uint32_t i = 0; i < files->count; i++)
		if (files->files[i].node == node && files->files[i].port == port)
			return fileno(files->files[i].file.stream);
	return -1;
}

/* the error that the node reported when it wrote */
static int error_of(const struct capture_file *capture, const struct fabric *fabric)
{
	struct stats_page *page = fabric->nodes[capture->node].stats;

	if (stats_view_check(&fabric->nodes[capture->node].view))
		return -EIO;
	return -(int)stats_port(page, capture->port)->capture_error;
}

int capture_files_end(struct capture_files *files, struct fabric *fabric)
{
	int result = capture_all_end(&files->all, fabric);

	for (uint32_t i = 0; i < files->count; i++) {
		struct capture_file *capture = &files->files[i];
		int written, error;

		if (fabric->nodes[capture->node].late) {
			fprintf(stderr,
				"heddle run: the capture %s of %s is dropped: %s was killed before "
				"it was complete\n",
				capture->file.path, capture->link,
				fabric->plan->nodes[capture->node].name);
			atomic_file_abort(&capture->file);
			result = -EOWNERDEAD;
			continue;
		}
		written = error_of(capture, fabric);
		error = atomic_file_commit(&capture->file);

		if (error || written)
			fprintf(stderr, "heddle run: cannot write the capture %s of %s: %s%s\n",
				capture->file.path, capture->link,
				strerror(-(error ? error : written)),
				error ? "" : "; it ends before the run does");
		result = result == -EOWNERDEAD ? result
			 : error               ? error
			 : written             ? written
					       : result;
	}
	return result;
}

void capture_files_abort(struct capture_files *files)
{
	for (uint32_t i = 0; i < files->count; i++)
		atomic_file_abort(&files->files[i].file);
	capture_all_abort(&files->all);
	free(files->files);
	*files = (struct capture_files){ 0 };
}
