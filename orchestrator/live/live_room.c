#include "orchestrator/live/live_room.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/live/live_dilation.h"
#include "orchestrator/plan/plan_spare.h"

/* of heddle in a fabric, beside those of switches and hosts */
#define OWN_PROCESSES 4u

int live_rooms_alloc(struct live *live)
{
	live->rooms = calloc(live->plan->host_count, sizeof(*live->rooms));
	if (!live->rooms)
		return -ENOMEM;
	for (uint32_t i = 0; i < live->plan->host_count; i++)
		live->rooms[i] = HOST_ROOM_NONE;
	return 0;
}

void live_rooms_free(struct live *live)
{
	for (uint32_t i = 0; live->rooms && i < live->plan->host_count; i++)
		live_room_end(live, i);
	free(live->rooms);
	live->rooms = NULL;
}

/* ---- one sandbox ---- */

bool live_room_has_resolver(const struct live *live, uint32_t index)
{
	const struct scenario_host_settings *settings = plan_host_settings(live->plan, index);

	return settings && settings->resolver_count;
}

/* the text of its /etc/resolv.conf, malloc'd. Without a name server the resolver asks 127.0.0.1,
 * and learns at once that there is none: names outside do not hang */
static char *resolver_text(const struct live *live, uint32_t index)
{
	const struct scenario_host_settings *settings = plan_host_settings(live->plan, index);
	char *text = NULL, address[IP_ADDRESS_TEXT_MAX];
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	for (uint32_t i = 0; settings && i < settings->resolver_count; i++)
		fprintf(out, "nameserver %s\n", ip_address_text(&settings->resolvers[i], address));
	if (!live_room_has_resolver(live, index))
		fputs((settings && settings->outside) || live->outside[index].pid
			      ? OUTSIDE_RESOLVER_LINE
			      : OUTSIDE_NO_RESOLVER_LINE,
		      out);
	return fclose(out) ? NULL : text;
}

const char *live_room_rootfs(const struct live *live, uint32_t index)
{
	const struct scenario_host_settings *settings = plan_host_settings(live->plan, index);

	return settings && settings->rootfs ? settings->rootfs : "";
}

/* private folders first: a mount may be inside of one. Return: their number */
static size_t mounts_list(const struct live *live, uint32_t index,
			  struct room_mount list[ROOM_MOUNTS_MAX])
{
	const struct scenario_host_settings *settings = plan_host_settings(live->plan, index);
	size_t count = 0;

	for (uint32_t i = 0; settings && i < settings->folder_count; i++)
		list[count++] = (struct room_mount){ "", settings->folders[i], false };
	for (uint32_t i = 0; settings && i < settings->mount_count; i++)
		list[count++] =
			(struct room_mount){ settings->mounts[i].from, settings->mounts[i].to,
					     settings->mounts[i].read_only };
	count += live_dilation_mount(live, index, &list[count]);
	return count;
}
_Static_assert(HOST_FOLDERS_MAX + HOST_MOUNTS_MAX + 1 <= ROOM_MOUNTS_MAX, "place for all");

/* ---- limits ---- */

static struct host_limits limits_of(const struct live *live, uint32_t index)
{
	const struct scenario_host_settings *settings = plan_host_settings(live->plan, index);

	return settings ? settings->limits : (struct host_limits){ 0 };
}

/* What has no control group is limited as the kernel can: memory for each process, and (but for
 * root of the machine) processes of a user in all hosts, heddle's own included. */
static struct host_rights rights_of(struct live *live, uint32_t index)
{
	const struct host_limits limits = limits_of(live, index);
	const struct plan_counts counts = plan_spare_counts(live->plan);
	struct host_rights rights = { .full = live->full_root,
				      .limits = { .files = limits.files } };

	if (limits.processes || limits.memory_bytes)
		limit_groups_open(&live->limit_groups, "/proc/self");
	if (limits.processes && !*live->limit_groups.bases[LIMIT_PROCESSES])
		rights.limits.processes =
			limits.processes + counts.switches + 2 * counts.hosts + OWN_PROCESSES;
	if (!*live->limit_groups.bases[LIMIT_MEMORY])
		rights.limits.address_bytes = limits.memory_bytes;
	return rights;
}

static int group_make(struct live *live, uint32_t index, struct why *why)
{
	const struct host_limits limits = limits_of(live, index);
	/* the init process is not counted by the user */
	const uint64_t values[LIMIT_KINDS] = { [LIMIT_PROCESSES] = limits.processes
									   ? limits.processes + 1ull
									   : 0,
					       [LIMIT_MEMORY] = limits.memory_bytes };
	struct why reason;
	int error = limit_group_make(&live->limit_groups, &live->rooms[index].group, index, values,
				     host_room_pid(&live->rooms[index]), &reason);

	if (error) {
		why_say(why, 0, "host %s: limits: %s", plan_host_name(live->plan, index),
			reason.text);
		host_room_free(&live->rooms[index]);
	}
	return error;
}

const char *live_rooms_limits_missing(const struct live *live)
{
	bool processes = false, memory = false;

	for (uint32_t i = 0; i < live->plan->host_count; i++) {
		const struct host_limits limits = limits_of(live, i);

		processes |= limits.processes && !*live->limit_groups.bases[LIMIT_PROCESSES];
		memory |= limits.memory_bytes && !*live->limit_groups.bases[LIMIT_MEMORY];
	}
	if (processes && !live->namespaces.rootless)
		return "the number of processes is not limited: no control group can be made";
	if (processes)
		return "limits hold, without control groups, for all processes of a user in the "
		       "fabric, and for the memory of each process";
	return memory ? "limits of memory hold, without control groups, for each process" : "";
}

/* ---- making it ---- */

int live_room_make(struct live *live, uint32_t index, struct why *why)
{
	const struct host_net *host = &live->hosts[index];
	char runtime[PATH_MAX], self[PATH_MAX] = "", *resolver = resolver_text(live, index);
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	/* the fabrics, whose files are the daemons', this program, and the session: 'heddle' works
	 * in a host */
	char *const kept[] = { dirname(strcpy(runtime, live->place.path)),
			       length > 0 ? self : runtime, getenv("XDG_RUNTIME_DIR"), NULL };
	struct room_mount mounts[ROOM_MOUNTS_MAX];
	const struct host_room_spec spec = { .name = plan_host_name(live->plan, index),
					     .resolver = resolver ? resolver : "",
					     .kept = kept,
					     .rootfs = live_room_rootfs(live, index),
					     .mounts = mounts,
					     .mount_count = mounts_list(live, index, mounts),
					     .rights = rights_of(live, index) };
	int error = -EHOSTDOWN;

	if (live->namespaces.init_fd < 0)
		why_say(why, 0,
			"the hosts' init process is dead: end the fabric and start it again");
	else
		error = host_room_make(&live->rooms[index], &live->namespaces, host->net_fd,
				       host->uts_fd, &spec, why);
	free(resolver);
	return error ? error : group_make(live, index, why);
}

void live_room_end(struct live *live, uint32_t index)
{
	host_room_free(&live->rooms[index]);
	limit_group_free(&live->limit_groups, &live->rooms[index].group, index);
	live->rooms[index] = HOST_ROOM_NONE;
}

const struct host_room *live_room_find(struct live *live, uint32_t index, struct why *why)
{
	struct host_room *room;

	why->text[0] = 0;
	if (!live->rooms || live->hosts[index].net_fd < 0 || live->hosts[index].attached)
		return NULL;
	room = &live->rooms[index];
	if (host_room_alive(room))
		return room;
	if (room->process_fd >= 0 && live->namespaces.init_fd >= 0)
		live_note("the init process of host %s was dead: the host gets a new one, and "
			  "empty folders",
			  plan_host_name(live->plan, index));
	live_room_end(live, index);
	return live_room_make(live, index, why) ? NULL : room;
}

/* ---- requests ---- */

static const char *const group_names[LIMIT_KINDS] = {
	[LIMIT_PROCESSES] = "processes", [LIMIT_MEMORY] = "memory"
};

/* adds namespace @fd to an answer, unless it is -1 */
static void namespace_give(struct live_answer *answer, json_t *names, const char *name, int fd)
{
	if (fd < 0)
		return;
	answer->fds[answer->fd_count++] = fd;
	json_array_append_new(names, json_string(name));
}

/* those of each process */
static json_t *limits_describe(struct live *live, uint32_t node, const struct host_room *room)
{
	struct host_process_limits limits = { 0 };

	if (room)
		limits = rights_of(live, plan_owner(live->plan, node)).limits;
	return json_pack("{s:I, s:I, s:I}", "files", (json_int_t)limits.files, "processes",
			 (json_int_t)limits.processes, "address_bytes",
			 (json_int_t)limits.address_bytes);
}

static const char *rootfs_of_node(const struct live *live, uint32_t node)
{
	return live_room_rootfs(live, plan_owner(live->plan, node));
}

static void dilation_put(const struct live *live, uint32_t node, bool room, json_t *answer)
{
	if (live->plan->nodes[node].kind == NODE_NIC)
		live_dilation_put(live, plan_owner(live->plan, node), room, answer);
}

/* what a command of the machine needs to enter host or switch @node */
static json_t *namespaces_answer(struct live_query *query, uint32_t node,
				 const struct host_room *room)
{
	const struct live *live = query->live;
	const struct fabric_namespaces *fabric = &live->namespaces;
	int net_fd = fabric->net_fd, uts_fd = fabric->uts_fd;
	json_t *names = json_array(), *answer;

	if (live->plan->nodes[node].kind == NODE_NIC) {
		const struct host_net *host = &live->hosts[plan_owner(live->plan, node)];

		net_fd = host->net_fd;
		uts_fd = host->uts_fd;
	}
	namespace_give(query->answer, names, "user", fabric->user_fd);
	namespace_give(query->answer, names, "pid", room ? room->pid_fd : fabric->pid_fd);
	namespace_give(query->answer, names, "mount", room ? room->mount_fd : fabric->mount_fd);
	namespace_give(query->answer, names, "net", net_fd);
	namespace_give(query->answer, names, "uts", uts_fd);
	namespace_give(query->answer, names, "tmp", room ? room->tmp_fd : -1);
	for (int kind = 0; room && kind < LIMIT_KINDS; kind++)
		namespace_give(query->answer, names, group_names[kind], room->group.fds[kind]);
	answer = json_pack("{s:s, s:o, s:b, s:b, s:s, s:o}", "host", live->plan->nodes[node].name,
			   "namespaces", names, "sandbox", room != NULL, "full_root",
			   live->full_root, "rootfs", room ? rootfs_of_node(live, node) : "",
			   "limits", limits_describe(query->live, node, room));
	dilation_put(live, node, room != NULL, answer);
	return answer;
}

/* the sandbox of the host that the request names; NULL: it is refused, or a switch, or attached */
static const struct host_room *room_asked(struct live_query *query, int64_t *node)
{
	struct live *live = query->live;
	const struct host_room *room;
	struct why why;

	*node = live_query_node(query, live_query_text(query, "host"));
	if (*node < 0 || live->plan->nodes[*node].kind != NODE_NIC)
		return NULL;
	room = live_room_find(live, plan_owner(live->plan, (uint32_t)*node), &why);
	if (!room && why.text[0])
		query->refusal = live_refuse("%s", why.text);
	return room;
}

/* A host has a sandbox; for a switch it is the namespaces of the fabric, where veth links end. A
 * program inside of a host gets no access to another one, but may have programs started there. */
json_t *live_room_exec(struct live_query *query)
{
	json_t *answer;
	int64_t node;
	const struct host_room *room = room_asked(query, &node);

	if (query->refusal)
		return query->refusal;
	if (!query->live->asker.inside)
		return namespaces_answer(query, (uint32_t)node, room);
	if (!room)
		return live_refuse("%s is no host of the fabric's own: from inside of a host, "
				   "programs cannot be started there",
				   query->live->plan->nodes[node].name);
	answer = json_pack("{s:s, s:b, s:s}", "host", query->live->plan->nodes[node].name,
			   "by_request", 1, "rootfs", rootfs_of_node(query->live, (uint32_t)node));
	dilation_put(query->live, (uint32_t)node, true, answer);
	return answer;
}

json_t *live_room_run(struct live_query *query)
{
	const struct live_asker *asker = &query->live->asker;
	int64_t node;
	const struct host_room *room = room_asked(query, &node);
	int pid;

	if (query->refusal)
		return query->refusal;
	if (!room || asker->fd_count != ROOM_START_FDS)
		return live_refuse("run needs a host of the fabric's own, and %d descriptors",
				   ROOM_START_FDS);
	pid = host_room_start(room, asker->fds, asker->fd_count, 0);
	return pid < 0 ? live_refuse("no process can be started in %s: %s",
				     query->live->plan->nodes[node].name, strerror(-pid))
		       : json_pack("{s:i}", "pid", pid);
}
