#include "orchestrator/prompt/line_editor.h"

#include <errno.h>
#include <histedit.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/base/interrupt.h"

#define COLUMNS_USUAL 80u
#define HISTORY_HEAD "_HiStOrY_V2_" /* the first line that H_SAVE writes */
#define HISTORY_BYTES_MAX (1 << 24)

struct line_editor {
	EditLine *edit;
	History *history;
	FILE *out;
	int fd; /* of the terminal that is read */
	const char *prompt;
	line_words_fn *words;
	void *owner;
	char *line;
	struct sigaction winch, cont; /* as they were */
};

/* ---- history ---- */

/* the file of the history in @path, PATH_MAX bytes; with @make its folder is created. False: the
 * user has none */
static bool history_path(char *path, bool make)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int length;

	if (state && state[0] == '/')
		length = snprintf(path, PATH_MAX, "%s/heddle", state);
	else if (home && home[0] == '/')
		length = snprintf(path, PATH_MAX, "%s/.local/state/heddle", home);
	else
		return false;
	if (length + (int)sizeof("/history") > PATH_MAX || (make && atomic_file_folder(path)))
		return false;
	strcat(path, "/history");
	return true;
}

/* A pipe or a device would be waited for. */
static bool history_fine(const char *path, off_t bytes_max)
{
	struct stat file;

	return stat(path, &file) ? errno == ENOENT
				 : S_ISREG(file.st_mode) && file.st_size <= bytes_max;
}

/* Decodes @line in place: a byte may stand as \ooo, a backslash is doubled. Return: false if it is
 * no line that H_SAVE writes for a line of printable ASCII. */
static bool line_decode(char *line)
{
	char *out = line;

	for (; *line; line++) {
		unsigned byte = (unsigned char)*line;

		if (byte == '\\' && line[1] == '\\') {
			line++;
		} else if (byte == '\\') {
			if (strspn(line + 1, "01234567") < 3)
				return false;
			byte = (unsigned)(line[1] - '0') << 6 | (unsigned)(line[2] - '0') << 3 |
			       (unsigned)(line[3] - '0');
			line += 3;
		}
		if (byte < ' ' || byte > '~')
			return false;
		*out++ = (char)byte;
	}
	*out = 0;
	return true;
}

/* H_LOAD reads beyond a line that is no text. */
static void history_load(History *history_of, const char *path)
{
	FILE *file = fopen(path, "r");
	HistEvent event;
	char *line = NULL;
	size_t bytes = 0;
	ssize_t length;

	while (file && (length = getline(&line, &bytes, file)) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (strcmp(line, HISTORY_HEAD) != 0 && line_decode(line) && *line)
			history(history_of, &event, H_ENTER, line);
	}
	free(line);
	if (file)
		fclose(file);
}

static History *history_open(void)
{
	History *history_of = history_init();
	char path[PATH_MAX];
	HistEvent event;

	if (!history_of)
		return NULL;
	history(history_of, &event, H_SETSIZE, LINE_EDITOR_HISTORY);
	history(history_of, &event, H_SETUNIQUE, 1);
	if (history_path(path, false) && history_fine(path, HISTORY_BYTES_MAX))
		history_load(history_of, path);
	return history_of;
}

/* A history that cannot be written is no reason to complain at the end of each run. */
static void history_save(History *history_of)
{
	struct atomic_file file;
	char path[PATH_MAX];
	HistEvent event;

	if (!history_path(path, true) || !history_fine(path, INT64_MAX) ||
	    atomic_file_open(&file, path))
		return;
	fchmod(fileno(file.stream), 0600);
	if (history(history_of, &event, H_SAVE_FP, file.stream) < 0)
		atomic_file_abort(&file);
	else
		atomic_file_commit(&file);
}

/* ---- keys ---- */

static volatile sig_atomic_t resized, continued;

static void note(int number)
{
	if (number == SIGWINCH)
		resized = 1;
	else
		continued = 1;
}

/* the terminal has another size, or the shell had it in the meantime */
static void terminal_renew(EditLine *edit)
{
	if (resized)
		el_resize(edit);
	if (continued) {
		el_set(edit, EL_PREP_TERM, 0);
		el_set(edit, EL_PREP_TERM, 1);
		el_set(edit, EL_REFRESH);
	}
	resized = continued = 0;
}

/* EL_GETCFN: a signal that ends the process ends the line; no other one does */
static int key_read(EditLine *edit, wchar_t *key)
{
	struct line_editor *editor;
	unsigned char byte;
	ssize_t length;

	el_get(edit, EL_CLIENTDATA, &editor);
	for (;;) {
		struct pollfd polled = { .fd = editor->fd, .events = POLLIN };

		if (interrupt_wait(editor->fd, UINT64_MAX)) {
			errno = EINTR;
			return -1;
		}
		terminal_renew(edit);
		if (poll(&polled, 1, 0) <= 0)
			continue;
		length = read(editor->fd, &byte, 1);
		if (length < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (length <= 0)
			return (int)length;
		if (byte < 0x80) {
			*key = byte;
			return 1;
		}
	}
}

/* ---- completion ---- */

static unsigned columns_of(FILE *out)
{
	struct winsize size;

	return ioctl(fileno(out), TIOCGWINSZ, &size) || !size.ws_col ? COLUMNS_USUAL : size.ws_col;
}

/* prints @words in columns on lines of their own */
static void words_print(const struct word_list *words, FILE *out)
{
	size_t shown = words->count < LINE_EDITOR_LISTED ? words->count : LINE_EDITOR_LISTED;
	size_t width = 0, columns, rows;

	for (size_t i = 0; i < shown; i++)
		width = strlen(words->words[i]) > width ? strlen(words->words[i]) : width;
	columns = columns_of(out) / (width + 2);
	columns = columns ? columns : 1;
	rows = (shown + columns - 1) / columns;
	fputc('\n', out);
	for (size_t row = 0; row < rows; row++) {
		for (size_t i = row; i < shown; i += rows)
			fprintf(out, "%-*s", i + rows < shown ? (int)width + 2 : 0,
				words->words[i]);
		fputc('\n', out);
	}
	if (shown < words->count)
		fprintf(out, "... and %zu more\n", words->count - shown);
	fflush(out);
}

/* puts what @words have in common, @common bytes, in the place of @typed; the first one is cut */
static unsigned char words_insert(EditLine *edit, const struct word_list *words, size_t common,
				  const char *typed)
{
	char *text = words->words[0];

	text[common] = 0;
	el_insertstr(edit, text + strlen(typed));
	if (words->count == 1 && common && text[common - 1] != '.')
		el_insertstr(edit, " ");
	return CC_REFRESH;
}

/* the function of TAB */
static unsigned char complete(EditLine *edit, int key)
{
	const LineInfo *info = el_line(edit);
	struct word_list words = { 0 };
	unsigned char result = CC_REFRESH_BEEP;
	struct line_editor *editor;
	const char *typed;
	size_t common;
	char *line;

	(void)key;
	el_get(edit, EL_CLIENTDATA, &editor);
	line = strndup(info->buffer, (size_t)(info->cursor - info->buffer));
	if (!line || !editor->words) {
		free(line);
		return CC_ERROR;
	}
	typed = strrchr(line, ' ');
	typed = typed ? typed + 1 : line;
	editor->words(editor->owner, line, &words);
	common = word_list_keep(&words, typed);
	if (words.count == 1 || common > strlen(typed)) {
		result = words_insert(edit, &words, common, typed);
	} else if (words.count) {
		words_print(&words, editor->out);
		result = CC_REDISPLAY;
	}
	word_list_free(&words);
	free(line);
	return result;
}

/* ---- lines ---- */

static const char *prompt_of(EditLine *edit)
{
	struct line_editor *editor;

	el_get(edit, EL_CLIENTDATA, &editor);
	return editor->prompt;
}

static void signals_catch(struct line_editor *editor)
{
	struct sigaction action = { .sa_handler = note };

	sigaction(SIGWINCH, &action, &editor->winch);
	sigaction(SIGCONT, &action, &editor->cont);
}

static void edit_set(struct line_editor *editor)
{
	EditLine *edit = editor->edit;

	el_set(edit, EL_CLIENTDATA, editor);
	el_set(edit, EL_PROMPT, prompt_of);
	el_set(edit, EL_EDITOR, "emacs");
	el_set(edit, EL_HIST, history, editor->history);
	el_set(edit, EL_GETCFN, key_read);
	el_set(edit, EL_ADDFN, "heddle-complete", "completes a word", complete);
	el_set(edit, EL_BIND, "^I", "heddle-complete", NULL);
	el_set(edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
	el_set(edit, EL_BIND, "^W", "ed-delete-prev-word", NULL);
	el_source(edit, NULL); /* the user's own .editrc */
}

struct line_editor *line_editor_open(FILE *in, FILE *out, const char *prompt, line_words_fn *words,
				     void *owner)
{
	struct line_editor *editor = calloc(1, sizeof(*editor));

	if (!editor)
		return NULL;
	*editor = (struct line_editor){
		.out = out, .fd = fileno(in), .prompt = prompt, .words = words, .owner = owner
	};
	editor->history = history_open();
	editor->edit = el_init("heddle", in, out, stderr);
	if (!editor->history || !editor->edit) {
		if (editor->history)
			history_end(editor->history);
		if (editor->edit)
			el_end(editor->edit);
		free(editor);
		return NULL;
	}
	signals_catch(editor);
	edit_set(editor);
	return editor;
}

void line_editor_close(struct line_editor *editor)
{
	if (!editor)
		return;
	history_save(editor->history);
	el_end(editor->edit);
	history_end(editor->history);
	sigaction(SIGWINCH, &editor->winch, NULL);
	sigaction(SIGCONT, &editor->cont, NULL);
	free(editor->line);
	free(editor);
}

const char *line_editor_read(struct line_editor *editor)
{
	const char *typed;
	HistEvent event;
	int length = 0;

	el_resize(editor->edit);
	/* before the prompt is shown, so that a Ctrl-D after it is a key and no end of a file */
	el_set(editor->edit, EL_PREP_TERM, 1);
	typed = el_gets(editor->edit, &length);
	if (!typed || length <= 0) {
		el_reset(editor->edit);
		return NULL;
	}
	free(editor->line);
	editor->line = strdup(typed);
	if (!editor->line)
		return NULL;
	length = (int)strlen(editor->line);
	while (length && strchr(" \t\r\n", editor->line[length - 1]))
		editor->line[--length] = 0;
	if (length)
		history(editor->history, &event, H_ENTER, editor->line);
	return editor->line;
}
