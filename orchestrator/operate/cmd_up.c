/*  cmd_up - `heddle up SCENARIO`: starts a fabric under the real clock and leaves it running (TB-8,
 *  TB-10).
 *
 *  The whole scenario is checked before anything is started. Then a daemon is forked (live.h), and
 *  this process waits at a pipe until the daemon reports that the fabric runs, or why it does not;
 *  then nothing of it remains. The daemon has none of the caller's descriptors, so `heddle up ... |
 *  cat` ends. */
#include "orchestrator/operate/cmd_up.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/command/client.h"
#include "orchestrator/fabric/fabric_cores.h"
#include "orchestrator/hosts/host_user.h"
#include "orchestrator/live/live.h"
#include "orchestrator/live/runtime_dir.h"
#include "orchestrator/operate/up_health.h"
#include "orchestrator/operate/up_images.h"
#include "orchestrator/operate/up_machines.h"
#include "orchestrator/plan/plan_given.h"
#include "orchestrator/plan/plan_real.h"
#include "orchestrator/plan/plan_spare.h"
#include "orchestrator/plan/routing_text.h"
#include "orchestrator/run/neighbour_advice.h"
#include "orchestrator/run/real_advice.h"
#include "orchestrator/scenario/scenario_idle.h"

#define HOSTS_SHOWN_MAX 16u
#define REPORT_FD 3
#define POLL_MAX_PS NODE_S

struct up {
	const char *name;
	struct option_settings settings;
	bool json, hold, full_root;
	int pack; /* option_pack() */
	struct fabric_options fabric;
	struct up_machines machines;
};

static const struct option_word cores[] = { { "home", FABRIC_CORES_HOME },
					    { "spread", FABRIC_CORES_SPREAD },
					    { "free", FABRIC_CORES_FREE },
					    { 0 } };

#define AT(member) offsetof(struct up, member)

static int poll_take(const char *command, const struct option_row *row, void *field,
		     const char *value)
{
	uint64_t *poll_ns = field, time_ps;
	int status = option_time(command, row, &time_ps, value);

	if (!status && time_ps > POLL_MAX_PS)
		status = options_wrong(command, "%s takes 0s to 1s, not '%s'", row->name, value);
	if (!status)
		*poll_ns = time_ps / NODE_NS;
	return status;
}

static const struct option_row rows[] = {
	OPTION_TEXT("--name", "N", AT(name),
		    "of the running fabric; if not given, the name of the scenario"),
	OPTION_SET(AT(settings), "links.rate=1Gb/s"),
	OPTION_DILATE(AT(settings)),
	OPTION_TAKE("--loop", "KIND", AT(fabric.loop), NULL, option_loops,
		    "event loop of the nodes: auto, io_uring, fallback"),
	OPTION_TAKE("--cores", "KIND", AT(fabric.cores), option_value, cores,
		    "home: nodes share a core, and leave it when they are late (default);\n"
		    "spread: every node stays on one core; free: the kernel chooses"),
	OPTION_PACK(AT(pack),
		    "many nodes in each of N processes (half of the cores, at least 1): packets\n"
		    "cross them without a change of processes. None can be stopped or killed\n"
		    "alone, and one that crashes takes those of its process along; 0 (default):\n"
		    "each node is a process"),
	OPTION_TAKE("--poll", "TIME", AT(fabric.poll_ns), poll_take, NULL,
		    "nodes keep their core for so long after the last frame, at most 1s, instead\n"
		    "of sleeping: shorter round trips for CPU time; 0s: until another process\n"
		    "wants it, at most 30us (default)"),
	OPTION_FLAG("--hold", AT(hold),
		    "workloads, pauses and faults of the scenario wait for 'heddle load start'\n"
		    "and 'heddle faults start'"),
	OPTION_FLAG("--full-root", AT(full_root),
		    "programs of root in hosts keep all rights, also to mount, to trace and to\n"
		    "enter namespaces: for container engines and the like in a host"),
	OPTION_TEXT("--machines", "LIST", AT(machines.list),
		    "the fabric runs on these machines, NAME=ADDRESS[:PORT],...; start it on each\n"
		    "of them, with the same scenario, settings, list and key"),
	OPTION_TEXT("--machine", "NAME", AT(machines.self),
		    "which of them is this one; if not given, the name of this host"),
	OPTION_TEXT("--key", "FILE", AT(machines.key_file),
		    "of --machines: 64 hexadecimal digits, such as 'openssl rand -hex 32' prints"),
	OPTION_FLAG("--json", AT(json), "what was started, as JSON"),
};

static const struct command_words words = {
	"up",
	"usage: heddle up SCENARIO [--name N] [--dilate N] [--set PATH=VALUE]... [--json]\n"
	"Starts the fabric of a scenario under the real clock, with a host at every NIC, and "
	"leaves it\n"
	"running. 'heddle exec' runs programs in the hosts. The scenario's workloads run beside\n"
	"them ('heddle load'), and its faults and pauses happen ('heddle faults'). Its\n"
	"expectations are not judged.\n",
	"exit status: 0 it runs, 2 wrong usage or scenario, 4 it could not be started,\n"
	"6 it runs, but a host is not healthy (the key 'health')\n",
	OPTIONS(rows),
	OPERANDS("scenario", 1, 1),
};

/* users of this machine, or of a root file system, for hosts that run here; those of an image are
 * known when it starts */
static int users_check(const struct scenario *scenario, const struct plan *plan,
		       struct scenario_errors *errors)
{
	struct host_user user;
	int error = 0;

	for (uint32_t i = 0; i < scenario->host_count; i++) {
		const struct scenario_host *host = &scenario->hosts[i];
		const struct scenario_host_settings *settings = host->settings;

		if (plan_elsewhere(plan, plan_host_node(plan, i)) || !settings || !settings->user ||
		    settings->user_of_image ||
		    host_user_find(settings->rootfs, settings->user, &user))
			continue;
		scenario_errors_at(errors, scenario, &host->place,
				   "host %s: there is no user '%s' %s", host->name, settings->user,
				   settings->rootfs ? "in its root file system"
						    : "on this machine");
		error = -EINVAL;
	}
	return error;
}

/* what is no mistake, but worth knowing before the fabric starts */
static void notes_print(const struct scenario *scenario, const struct plan *plan)
{
	scenario_idle_note(scenario, "up");
	routing_ungrouped_print(plan, "heddle up: too few port groups: ", stderr);
	plan_loops_print(plan, "heddle up: a routing loop, as configured: ", stderr);
	real_advice_print("up", plan, true);
	neighbour_advice_print("up", neighbour_count(plan));
}

static int scenario_load(struct up *up, const char *path, struct plan *plan,
			 struct up_images *images)
{
	struct scenario scenario = { 0 };
	struct scenario_errors errors = { 0 };
	const struct machine_list *machines =
		up->machines.machines.count ? &up->machines.machines : NULL;
	int error = scenario_read_file(path, up->settings.texts, up->settings.count, &scenario,
				       &errors)
		    ?: up_images_get(&scenario, images, &errors)
		    ?: plan_make_machines(&scenario, machines, plan, &errors)
		    ?: users_check(&scenario, plan, &errors)
		    ?: plan_spare_make(plan);

	scenario_errors_print(&errors, stderr);
	if (!error)
		notes_print(&scenario, plan);
	else if (!errors.count)
		options_wrong("up", "%s", strerror(-error));
	if (!error && up->hold)
		plan_hold(plan);
	scenario_errors_free(&errors);
	scenario_free(&scenario);
	return error ? CLIENT_USAGE : CLIENT_FINE;
}

/* makes a path absolute, for readers in other folders */
static void path_complete(char *path, size_t path_max)
{
	char *full = realpath(path, NULL);

	if (full && strlen(full) < path_max)
		memcpy(path, full, strlen(full) + 1);
	free(full);
}

/* the folder where paths of the scenario @file begin, absolute: that of its name, wherever a link
 * leads; of standard input the current one */
static void folder_find(const char *file, char *folder, size_t folder_max)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s", file);
	snprintf(folder, folder_max, "%s", dirname(name));
	path_complete(folder, folder_max);
}

/* The daemon inherits the plan and the pipe only. */
static int __attribute__((noreturn)) daemon_become(struct plan *plan, struct live_options *options,
						   const struct up_images *images, int report_fd)
{
	struct why why;
	int null, status;

	setsid();
	umask(077);
	null = open("/dev/null", O_RDWR);
	if (report_fd != REPORT_FD)
		dup2(report_fd, REPORT_FD);
	fcntl(REPORT_FD, F_SETFD, FD_CLOEXEC);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	close_range(REPORT_FD + 1, ~0u, 0);
	up_images_hold(images);
	if (runtime_path_keep() || chdir("/"))
		_exit(CLIENT_FAILED);
	options->base_fd = runtime_open(true, &why);
	if (options->base_fd < 0) {
		(void)!write(REPORT_FD, why.text, strlen(why.text));
		_exit(CLIENT_FAILED);
	}
	status = live_run(plan, options, REPORT_FD);
	_exit(status);
}

/* prints and removes the complete lines at the start of @report. Return: the length of the rest */
static size_t lines_show(char *report)
{
	char *end;

	while ((end = strchr(report, '\n'))) {
		*end = 0;
		fprintf(stderr, "heddle up: %s\n", report);
		memmove(report, end + 1, strlen(end + 1) + 1);
	}
	return strlen(report);
}

/* reads the report from the pipe; complete lines are printed */
static void report_read(int fd, char *report, size_t report_max)
{
	size_t length = 0;
	ssize_t got;

	report[0] = 0;
	while (length < report_max - 1 &&
	       ((got = read(fd, report + length, report_max - 1 - length)) > 0 ||
		(got < 0 && errno == EINTR))) {
		report[length + (got > 0 ? (size_t)got : 0)] = 0;
		length = lines_show(report);
	}
}

/* advice for a @report that ends with the kernel's refusal */
static const char *advice(const char *report)
{
	static const int refusals[] = { EPERM, EACCES, ENOSYS };
	size_t length = strlen(report);

	for (size_t i = 0; i < COUNT_OF(refusals); i++) {
		const char *end = strerror(refusals[i]);

		if (length >= strlen(end) && !strcmp(report + length - strlen(end), end))
			return "; if a sandbox forbids it, such as a container's seccomp profile, "
			       "allow it there or run heddle outside";
	}
	return "";
}

/* starts the daemon and waits until it runs */
static int daemon_start(struct plan *plan, struct live_options *options,
			const struct up_images *images)
{
	char report[sizeof(struct why)], fate[64] = "died";
	int pipes[2], status = 0;
	pid_t pid;

	fflush(stdout);
	if (pipe2(pipes, O_CLOEXEC)) {
		options_wrong("up", "cannot make a pipe: %s", strerror(errno));
		return CLIENT_FAILED;
	}
	pid = fork();
	if (!pid)
		daemon_become(plan, options, images, pipes[1]);
	close(pipes[1]);
	if (pid < 0)
		snprintf(report, sizeof(report), "cannot start a process: %s", strerror(errno));
	else
		report_read(pipes[0], report, sizeof(report));
	close(pipes[0]);
	if (!strcmp(report, LIVE_READY))
		return CLIENT_FINE;
	if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status))
		snprintf(fate, sizeof(fate), "was killed by signal %d%s", WTERMSIG(status),
			 WTERMSIG(status) == SIGKILL ? ", as 'heddle down' does," : "");
	if (report[0])
		options_wrong("up", "%s%s", report, advice(report));
	else
		options_wrong("up", "the fabric's daemon %s while it was starting", fate);
	return CLIENT_FAILED;
}

/* a line for each NIC beside eth0: its addresses */
static void further_print(const json_t *host)
{
	const json_t *interfaces = json_object_get(host, "interfaces");

	for (size_t i = 1; i < json_array_size(interfaces); i++) {
		const json_t *interface = json_array_get(interfaces, i), *address;
		size_t a;

		printf("  %-12s", member_text(interface, "nic"));
		json_array_foreach (json_object_get(interface, "addresses"), a, address)
			printf(" %s", json_string_value(address));
		printf("\n");
	}
}

static void summary_print(const json_t *answer)
{
	const json_t *hosts = json_object_get(answer, "hosts");
	size_t count = json_array_size(hosts);
	const char *first = member_text(json_array_get(hosts, 0), "name");
	const char *last = member_text(json_array_get(hosts, count - 1), "name");

	int switches = (int)member_number(answer, "switches"),
	    links = (int)member_number(answer, "links");

	printf("fabric %s runs: %zu host%s, %d switch%s, %d link%s\n",
	       member_text(answer, "fabric"), count, count == 1 ? "" : "s", switches,
	       switches == 1 ? "" : "es", links, links == 1 ? "" : "s");
	for (size_t i = 0; i < count && i < HOSTS_SHOWN_MAX; i++) {
		const json_t *host = json_array_get(hosts, i);

		printf("  %-12s %-15s %s\n", member_text(host, "name"), member_text(host, "ipv4"),
		       member_text(host, "ipv6"));
		further_print(host);
	}
	if (count > HOSTS_SHOWN_MAX)
		printf("  ... and %zu more\n", count - HOSTS_SHOWN_MAX);
	if (*member_text(answer, "users_missing"))
		printf("only root exists in the hosts, so programs that change their user fail: "
		       "sshd,\npostgres, nginx, tcpdump ... (%s)\n",
		       member_text(answer, "users_missing"));
	if (*member_text(answer, "limits_missing"))
		printf("%s\n", member_text(answer, "limits_missing"));
	printf("try: heddle exec -f %s %s -- ping -c 3 %s; heddle ps %s; heddle down %s\n",
	       member_text(answer, "fabric"), first, last, member_text(answer, "fabric"),
	       member_text(answer, "fabric"));
}

/* prints what was started, from the daemon; a daemon that does not answer is a failure, not wrong
 * usage */
static int started_print(const struct up *up, const char *name)
{
	int status = client_ask_and_show("up", name, json_pack("{s:s}", "ask", "hosts"), up->json,
					 summary_print);

	if (status)
		options_wrong("up", "fabric %s was started; end it with 'heddle down %s'", name,
			      name);
	return status ? CLIENT_FAILED : CLIENT_FINE;
}

/* how many workers run the nodes: programs need the other half of the cores.
 * Return: 0, or the exit status: they cannot be packed */
static int pack_choose(struct up *up, const struct plan *plan)
{
	int allowed[CPU_SETSIZE];
	uint32_t core_count = fabric_cores_allowed(allowed);
	const char *why = up->pack ? fabric_pack_refuses(plan) : NULL;

	if (why)
		return options_wrong("up", "--pack: %s", why);
	up->fabric.pack = up->pack != OPTION_PACK_BY_CORES ? (uint32_t)up->pack
			  : core_count < 4                 ? 1
							   : core_count / 2;
	if (up->fabric.pack > PLACES_WORKERS_MAX)
		up->fabric.pack = PLACES_WORKERS_MAX;
	return CLIENT_FINE;
}

/* Return: 0, or the exit status: several machines cannot do what is asked */
static int machines_check(const struct up *up, const struct plan *plan)
{
	if (!up->machines.machines.count)
		return CLIENT_FINE;
	if (plan->dilation > 1)
		return options_wrong("up", "time cannot be dilated on several machines: the "
					   "network between them is not");
	return up->pack ? options_wrong("up", "nodes are not packed on several machines")
			: CLIENT_FINE;
}

int cmd_up(int argc, char **argv)
{
	struct up up = { .fabric = { .loop = "auto", .cores = FABRIC_CORES_HOME } };
	struct live_options options = { 0 };
	struct up_images images = { 0 };
	struct plan plan = { 0 };
	int count, status = options_read(&words, argc, argv, &up, &count);

	if (status >= 0)
		return status;
	if (up.name && !runtime_name_fine(up.name))
		return options_wrong("up",
				     "--name: '%s' is not a valid name: 1 to %d letters, "
				     "digits, '_', '-', '.', no '.' or '-' first",
				     up.name, NODE_NAME_MAX - 1);
	status = up_machines_read(&up.machines)
			?: scenario_load(&up, argv[1], &plan, &images)
			?: machines_check(&up, &plan)
			?: pack_choose(&up, &plan);
	if (!status) {
		up_machines_digest(&up.machines, &plan);
		options.tunnel = up.machines.tunnel;
		path_complete(plan.file, sizeof(plan.file));
		folder_find(argv[1], plan.folder, sizeof(plan.folder));
		options.name = up.name ? up.name : plan.scenario;
		options.fabric = up.fabric;
		options.full_root = up.full_root;
		status = daemon_start(&plan, &options, &images)
				 ?: started_print(&up, options.name)
				 ?: up_health_await(options.name, &plan);
	}
	up_images_free(&images);
	plan_free(&plan);
	return status;
}
