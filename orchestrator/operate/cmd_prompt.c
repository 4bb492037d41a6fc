/*  cmd_prompt - `heddle prompt` (DU-4).
 *
 *  A line is HOST PROGRAM..., which a shell in that host runs, or a command of heddle without the
 *  word heddle, which a shell here runs: both have quotes, pipes and '&'. Each line is a process of
 *  its own, so nothing that fails in it ends the prompt. Ctrl-C reaches the processes of the line
 *  only. HEDDLE_FABRIC names the fabric for all of them. */
#include "orchestrator/operate/cmd_prompt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/command/client.h"
#include "orchestrator/command/complete.h"
#include "orchestrator/operate/host_run.h"
#include "orchestrator/operate/mininet_word.h"
#include "orchestrator/prompt/command_input.h"

#define BLANKS " \t"
#define BACKGROUND_MAX 64

struct prompt {
	const char *fabric;
	char self[PATH_MAX]; /* the program */
	struct host_names hosts;
	pid_t background[BACKGROUND_MAX]; /* 0: none */
	int status;                       /* of the last line */
};

#define AT(member) offsetof(struct prompt, member)

static const struct option_row options[] = {
	CLIENT_FABRIC(AT(fabric)),
};

static const struct command_words words = {
	"prompt",
	"usage: heddle prompt [FABRIC]\n"
	"Takes lines from the terminal, or from standard input:\n"
	"  HOST PROGRAM...   a program in a host, by a shell: h1 ping -c 3 h2; with & at the end "
	"in the\n"
	"                    background, until the prompt ends\n"
	"  COMMAND...        a command of heddle: ps, link s1:s2 down, show s1 ports, help\n"
	"  nodes, net        names of hosts and switches; each with what its ports lead to\n"
	"  pingall, links, dump   Mininet's words for ping-all, link and ps FABRIC\n"
	"  exit              or Ctrl-D, ends it\n"
	"TAB completes hosts, commands and what follows them; Ctrl-C stops the program.\n",
	"exit status: that of the last line; 2 wrong usage or no such fabric\n",
	OPTIONS(options),
	OPERANDS("fabric", 0, 1),
};

/* ---- completion ---- */

/* the candidates of `heddle complete-word` for @line, which may be a command or of a host */
static void words_add(void *owner, const char *line, struct word_list *list)
{
	const struct prompt *prompt = owner;
	char *arguments[66] = { (char *)prompt->self, (char *)COMPLETE_COMMAND };
	char *copy = strdup(line), *rest = copy, *word, answer[NODE_NAME_MAX * 4];
	bool first = !strpbrk(line + strspn(line, BLANKS), BLANKS);
	int count = 2, pipes[2];
	FILE *in;
	pid_t pid;

	for (size_t i = 0; i < prompt->hosts.count; i++)
		word_list_add(list, "%s", prompt->hosts.names[i]);
	if (first)
		word_list_add(list, "exit");
	for (size_t i = 0; first && mininet_words[i]; i++)
		word_list_add(list, "%s", mininet_words[i]);
	while (copy && count < 64 && (word = strsep(&rest, BLANKS)))
		if (*word || !rest)
			arguments[count++] = word;
	if (!copy || pipe2(pipes, O_CLOEXEC)) {
		free(copy);
		return;
	}
	pid = fork();
	if (!pid) {
		dup2(pipes[1], STDOUT_FILENO);
		execv(prompt->self, arguments);
		_exit(127);
	}
	close(pipes[1]);
	in = fdopen(pipes[0], "r");
	while (in && fgets(answer, sizeof(answer), in)) {
		answer[strcspn(answer, "\n")] = 0;
		if (*answer != ':')
			word_list_add(list, "%s", answer);
	}
	if (in)
		fclose(in);
	waitpid(pid, NULL, 0);
	free(copy);
}

/* ---- a line ---- */

static bool is_host(const struct prompt *prompt, const char *word, size_t length)
{
	for (size_t i = 0; i < prompt->hosts.count; i++)
		if (strlen(prompt->hosts.names[i]) == length &&
		    !strncmp(prompt->hosts.names[i], word, length))
			return true;
	return false;
}

static void __attribute__((noreturn))
line_become(const struct prompt *prompt, const char *line, bool background, const sigset_t *mask)
{
	size_t length = strcspn(line, BLANKS), known;
	const char *meant = mininet_word_replace(line, &known);
	char host[NODE_NAME_MAX], *command = NULL;

	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (background)
		setpgid(0, 0);
	sigprocmask(SIG_SETMASK, mask, NULL);
	/* lines that are not typed come from standard input: a program must not take them */
	if (background || !isatty(STDIN_FILENO)) {
		close(STDIN_FILENO);
		if (open("/dev/null", O_RDONLY) < 0)
			_exit(127);
	}
	if (is_host(prompt, line, length)) {
		snprintf(host, sizeof(host), "%.*s", (int)length, line);
		execl(prompt->self, "heddle", "exec", host, "--", "sh", "-c", line + length,
		      (char *)NULL);
	} else if (mininet_word_is_own(line)) {
		_exit(mininet_word_run(line, prompt->hosts.fabric));
	} else if (asprintf(&command, "\"$0\" %s%s", meant, line + known) > 0) {
		execl("/bin/sh", "sh", "-c", command, prompt->self, (char *)NULL);
	}
	_exit(127);
}

static int status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* forgets the programs in the background that have ended */
static void background_reap(struct prompt *prompt)
{
	for (int i = 0; i < BACKGROUND_MAX; i++)
		if (prompt->background[i] && waitpid(prompt->background[i], NULL, WNOHANG))
			prompt->background[i] = 0;
}

/* a free place for a program in the background; NULL: there are BACKGROUND_MAX already */
static pid_t *background_place(struct prompt *prompt)
{
	for (int i = 0; i < BACKGROUND_MAX; i++)
		if (!prompt->background[i])
			return &prompt->background[i];
	return NULL;
}

static void background_end(struct prompt *prompt)
{
	for (int i = 0; i < BACKGROUND_MAX; i++)
		if (prompt->background[i])
			kill(-prompt->background[i], SIGTERM);
	for (int i = 0; i < BACKGROUND_MAX; i++)
		if (prompt->background[i])
			waitpid(prompt->background[i], NULL, 0);
}

/* removes '&' from the end of @line; is there one? */
static bool background_cut(char *line)
{
	size_t length = strlen(line);

	while (length && strchr(BLANKS, line[length - 1]))
		length--;
	if (!length || line[length - 1] != '&' || (length > 1 && line[length - 2] == '&'))
		return false;
	line[length - 1] = 0;
	return true;
}

/* after a command with which hosts join */
static void hosts_follow(struct prompt *prompt, const char *line)
{
	static const char *const changes[] = { "add", "attach" };
	size_t length = strcspn(line, BLANKS);
	struct host_names hosts;

	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		if (strlen(changes[i]) != length || strncmp(line, changes[i], length) != 0)
			continue;
		if (!host_names_ask("prompt", prompt->hosts.fabric, NULL, &hosts)) {
			host_names_free(&prompt->hosts);
			prompt->hosts = hosts;
		}
	}
}

static void line_run(struct prompt *prompt, char *line)
{
	bool background = background_cut(line);
	pid_t *place = background ? background_place(prompt) : NULL, pid;
	sigset_t all, mask;
	int status = 0;

	if (background && !place) {
		prompt->status = options_wrong("prompt", "at most %d programs in the background",
					       BACKGROUND_MAX);
		return;
	}
	fflush(stdout);
	/* a signal before the new process has its own handling waits until then */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);
	pid = fork();
	if (!pid)
		line_become(prompt, line, background, &mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (pid < 0) {
		prompt->status =
			options_wrong("prompt", "cannot start a process: %s", strerror(errno));
		return;
	}
	if (background) {
		setpgid(pid, pid); /* whichever of the two comes first */
		*place = pid;
		prompt->status = 0;
		return;
	}
	signal(SIGINT, SIG_IGN);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	interrupt_catch();
	prompt->status = status_of(status);
	hosts_follow(prompt, line);
}

/* ---- all lines ---- */

static void lines_run(struct prompt *prompt, struct command_input *input)
{
	char *line;

	while (command_input_read(input, &line) == COMMAND_INPUT_LINE) {
		line += strspn(line, BLANKS);
		background_reap(prompt);
		if (!strcmp(line, "exit") || !strcmp(line, "quit"))
			return;
		if (*line)
			line_run(prompt, line);
	}
}

int cmd_prompt(int argc, char **argv)
{
	struct prompt prompt = { 0 };
	struct command_input input;
	ssize_t length;
	int count, status = options_read(&words, argc, argv, &prompt, &count);

	if (status >= 0)
		return status;
	prompt.fabric = count ? argv[1] : prompt.fabric;
	status = host_names_ask("prompt", prompt.fabric, NULL, &prompt.hosts);
	if (status)
		return status;
	length = readlink("/proc/self/exe", prompt.self, sizeof(prompt.self) - 1);
	prompt.self[length > 0 ? length : 0] = 0;
	setenv("HEDDLE_FABRIC", prompt.hosts.fabric, 1);
	interrupt_catch();
	command_input_open(&input, stdin, isatty(STDIN_FILENO) ? NULL : "standard input", stdout,
			   words_add, &prompt);
	lines_run(&prompt, &input);
	command_input_close(&input);
	background_end(&prompt);
	host_names_free(&prompt.hosts);
	return prompt.status;
}
