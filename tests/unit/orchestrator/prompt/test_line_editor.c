/*  orchestrator/prompt/line_editor: lines that are typed at a pseudo terminal, and their history
 *  (SE-8). All keys are typed before a line is read. */
#include "orchestrator/prompt/line_editor.h"

#include <limits.h>
#include <signal.h>
#include <sys/stat.h>

#include "orchestrator/base/interrupt.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/prompt/typing.h"

#define HEAD "_HiStOrY_V2_\n"
#define HISTORY "heddle/history"
#define PROMPT "> "

const char *__lsan_default_suppressions(void), *__lsan_default_options(void);

/* libedit leaves the wide characters of a prompt, libtinfo what it knows of a terminal */
const char *__lsan_default_suppressions(void)
{
	return "leak:wcsdup\nleak:libtinfo\n";
}

const char *__lsan_default_options(void)
{
	return "print_suppressions=0";
}

static char folder[] = "/tmp/heddle-line-editor-XXXXXX";
static struct line_editor *editor;

static void folder_make(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void folder_remove(void)
{
	rmdir(folder);
}

static void setup(void)
{
	terminal_open();
	ck_assert_int_eq(chdir(folder), 0);
	setenv("HOME", folder, 1);
	setenv("XDG_STATE_HOME", folder, 1);
}

static void teardown(void)
{
	line_editor_close(editor);
	editor = NULL;
	terminal_close();
	(void)!system("rm -rf heddle .local .editrc");
}

TEST_GROUP(line_editor, .setup_once = folder_make, .teardown_once = folder_remove, .setup = setup,
	   .teardown = teardown);

static void opened(line_words_fn *words)
{
	editor = line_editor_open(terminal, terminal, PROMPT, words, &editor);
	ck_assert_ptr_nonnull(editor);
}

static void closed(void)
{
	line_editor_close(editor);
	editor = NULL;
}

/* what is read when @keys are typed */
static void typed(const char *keys, const char *line)
{
	const char *found;

	type(keys);
	found = line_editor_read(editor);
	if (!line)
		ck_assert_ptr_null(found);
	else
		ck_assert_str_eq(found, line);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	fclose(file);
}

static const char *read_file(const char *path)
{
	static char text[1 << 16];
	FILE *file = fopen(path, "re");

	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	return text;
}

/* ---- lines ---- */

TEST(line_editor_read__lines)
{
	opened(NULL);
	typed("one\r", "one");
	typed("two words \t \r", "two words");
	typed("\r", "");
	typed("\004", NULL);
	ck_assert_ptr_nonnull(strstr(seen(), PROMPT));
	/* the end of one line is not the end */
	typed("three\r", "three");
	closed();
	ck_assert_str_eq(read_file(HISTORY), HEAD "one\ntwo\\040words\nthree\n");
}

TEST(line_editor_read__keys)
{
	opened(NULL);
	typed("a\303\251b\377\r", "ab");
	/* ^W: without the last word */
	typed("one two.three\027x\r", "one x");
	typed("one two\r", "one two");
	/* ^P: the line before; ^R: the one that has these letters */
	typed("\020\020\r", "one x");
	typed("\022two\033\r", "one two");
}

TEST(line_editor_read__terminal_is_gone)
{
	opened(NULL);
	close(master);
	ck_assert_ptr_null(line_editor_read(editor));
	master = -1;
}

/* Ctrl-C ends the line and nothing else. */
TEST(line_editor_read__signal)
{
	interrupt_catch();
	opened(NULL);
	raise(SIGINT);
	typed("lost", NULL);
	ck_assert(interrupt_forgive());
	typed("\025more\r", "more");
}

TEST(line_editor_open__own_keys)
{
	write_file(".editrc", "bind -s ^X hello\n");
	opened(NULL);
	typed("\030\r", "hello");
}

TEST(line_editor_close__nothing)
{
	line_editor_close(NULL);
}

static void handler(int number)
{
	(void)number;
}

TEST(line_editor_close__signals_as_before)
{
	struct sigaction before = { .sa_handler = handler }, after;
	static const int numbers[] = { SIGWINCH, SIGCONT };

	for (unsigned i = 0; i < 2; i++)
		sigaction(numbers[i], &before, NULL);
	opened(NULL);
	for (unsigned i = 0; i < 2; i++) {
		sigaction(numbers[i], NULL, &after);
		ck_assert(after.sa_handler != handler);
	}
	closed();
	for (unsigned i = 0; i < 2; i++) {
		sigaction(numbers[i], NULL, &after);
		ck_assert(after.sa_handler == handler);
	}
}

/* ---- completion ---- */

static char asked[512]; /* the line of the last TAB */

static void names_add(void *owner, const char *line, struct word_list *words)
{
	static const char *const names[] = { "step", "status", "s1.", "quit" };

	ck_assert_ptr_eq(owner, &editor);
	snprintf(asked, sizeof(asked), "%s", line);
	for (unsigned i = 0; i < 4; i++)
		word_list_add(words, "%s", names[i]);
}

/* A whole word ends with a blank, one that goes on with a dot does not. */
TEST(line_editor_read__completes)
{
	opened(names_add);
	typed("q\tx\r", "quit x");
	ck_assert_str_eq(asked, "q");
	typed("show  q\tx\r", "show  quit x");
	ck_assert_str_eq(asked, "show  q");
	typed("s1\tx\r", "s1.x");
	typed("quit\tx\r", "quit x");
	/* what both have in common, and nothing more; nothing fits */
	typed("st\tx\r", "stx");
	typed("sta\tx\r", "status x");
	typed("x\ty\r", "xy");
	/* in the middle of a line: ^B */
	typed("qzz\002\002\tx\r", "quit xzz");
	ck_assert_str_eq(asked, "q");
}

static unsigned letters;

static void long_add(void *owner, const char *line, struct word_list *words)
{
	(void)owner;
	(void)line;
	word_list_add(words, "%.*s", (int)letters, asked);
}

TEST(line_editor_read__completes_a_long_word)
{
	const char *line;

	letters = sizeof(asked) - 1;
	memset(asked, 'x', letters);
	opened(long_add);
	type("x\t.\r");
	line = line_editor_read(editor);
	ck_assert_ptr_nonnull(line);
	ck_assert_uint_eq(strspn(line, "x"), letters);
	ck_assert_str_eq(line + letters, " .");
}

TEST(line_editor_read__completes_nothing)
{
	opened(NULL);
	typed("q\tx\r", "qx");
}

TEST(line_editor_read__lists)
{
	opened(names_add);
	typed("\tx\r", "x");
	/* columns of 40 are as wide as the longest word and two blanks: five of them */
	ck_assert_ptr_nonnull(strstr(seen(), "\r\nquit    s1.     status  step\r\n"));
	typed("s\tx\r", "sx");
	ck_assert_ptr_nonnull(strstr(seen(), "\r\ns1.     status  step\r\n"));
}

static unsigned listed;

static void numbers_add(void *owner, const char *line, struct word_list *words)
{
	(void)owner;
	(void)line;
	for (unsigned i = 0; i < listed; i++)
		word_list_add(words, "%c%03u", 'a' + (int)(i % 2), i);
}

/* lists words on a terminal with @columns; returns what was shown */
static const char *list_of(unsigned words, unsigned columns)
{
	listed = words;
	terminal_size(24, columns);
	seen();
	typed("\tx\r", "x");
	return seen();
}

TEST(line_editor_read__lists_in_columns)
{
	opened(numbers_add);
	/* down, then to the right */
	ck_assert_ptr_nonnull(strstr(list_of(5, 12), "\r\na000  b001\r\na002  b003\r\na004\r\n"));
	ck_assert_ptr_nonnull(strstr(list_of(3, 17), "\r\na000  b001\r\na002\r\n"));
	ck_assert_ptr_nonnull(strstr(list_of(3, 18), "\r\na000  a002  b001\r\n"));
	/* at least one */
	ck_assert_ptr_nonnull(strstr(list_of(3, 5), "\r\na000\r\na002\r\nb001\r\n"));
}

TEST(line_editor_read__lists_many)
{
	opened(numbers_add);
	ck_assert_ptr_null(strstr(list_of(LINE_EDITOR_LISTED, 120), "... and"));
	ck_assert_ptr_nonnull(strstr(shown, "b199\r\n"));
	ck_assert_ptr_nonnull(strstr(list_of(LINE_EDITOR_LISTED + 1, 120), "... and 1 more\r\n"));
	ck_assert_ptr_null(strstr(shown, "b199"));
}

/* ---- signals ---- */

/* what happens to the terminal while TAB is obeyed */
static void continue_add(void *owner, const char *line, struct word_list *words)
{
	struct termios terminal_of;

	(void)owner;
	(void)words;
	tcgetattr(fileno(terminal), &terminal_of);
	if (!strcmp(line, "a")) { /* a shell takes it and gives it back */
		terminal_of.c_lflag |= ICANON;
		tcsetattr(fileno(terminal), TCSANOW, &terminal_of);
		raise(SIGCONT);
	}
	snprintf(asked, sizeof(asked), "%s%s", terminal_of.c_lflag & ICANON ? "cooked " : "", line);
}

TEST(line_editor_read__continued)
{
	opened(continue_add);
	seen();
	typed("a\tb\t\r", "ab");
	ck_assert_str_eq(asked, "ab");
	/* the line is shown again */
	ck_assert_ptr_nonnull(strstr(seen(), "a\a> ab"));
}

static void resize_add(void *owner, const char *line, struct word_list *words)
{
	(void)owner;
	(void)words;
	if (strcmp(line, "a") != 0)
		return;
	terminal_size(24, 10);
	raise(SIGWINCH);
}

/* a line is broken at the edge of the terminal as it is now */
TEST(line_editor_read__resized)
{
	opened(resize_add);
	typed("a\tbcdefghijkl\r", "abcdefghijkl");
	ck_assert_ptr_nonnull(strstr(seen(), "bcdefgh \bijkl"));
	/* between two lines */
	terminal_size(24, 40);
	typed("abcdefghijkl\r", "abcdefghijkl");
	ck_assert_ptr_nonnull(strstr(seen(), "abcdefghijkl"));
}

/* ---- history ---- */

/* the history after a prompt at which nothing is typed */
static const char *kept(const char *before)
{
	mkdir("heddle", 0700);
	write_file(HISTORY, before);
	opened(NULL);
	closed();
	return read_file(HISTORY);
}

TEST(line_editor_open__history)
{
	ck_assert_str_eq(kept(HEAD "one\ntwo\\040words\nwith\\\\slash\nno newline"),
			 HEAD "one\ntwo\\040words\nwith\\134slash\nno\\040newline\n");
	/* no head, and a line twice */
	ck_assert_str_eq(kept("one\n\none\n"), HEAD "one\n");
	ck_assert_str_eq(kept(""), HEAD);
}

/* only lines that were written here */
TEST(line_editor_open__history_of_bytes)
{
	ck_assert_str_eq(kept(HEAD "a\\176\n\\177\n\\037\nb\\377\n\\0\n\\04\n\\080\nc\\\n"
				   "d\033[2J\ne\303\251\n\\400\n~\\101\\102\n"),
			 HEAD "a~\n~AB\n");
}

TEST(line_editor_open__history_of_many_lines)
{
	static char text[8 * (LINE_EDITOR_HISTORY + 2)], last[8];
	const char *found;

	for (unsigned i = 0; i < LINE_EDITOR_HISTORY + 1; i++)
		snprintf(text + 5 * i, 6, "l%03u\n", i);
	found = kept(text);
	ck_assert_ptr_null(strstr(found, "l000\n"));
	ck_assert_ptr_nonnull(strstr(found, HEAD "l001\n"));
	snprintf(last, sizeof(last), "l%03u\n", LINE_EDITOR_HISTORY);
	ck_assert_ptr_nonnull(strstr(found, last));
}

/* One that is too large for a history is not read, one at the limit is. */
TEST_RANGE(line_editor_open__history_of_many_bytes, 0, 2)
{
	mkdir("heddle", 0700);
	write_file(HISTORY, "one\n");
	ck_assert_int_eq(truncate(HISTORY, (1 << 24) + _i), 0);
	opened(NULL);
	closed();
	ck_assert_str_eq(read_file(HISTORY), _i ? HEAD : HEAD "one\n");
}

TEST(line_editor_close__history_of_the_user_only)
{
	struct stat file;

	umask(0);
	opened(NULL);
	typed("secret\r", "secret");
	closed();
	ck_assert_int_eq(stat(HISTORY, &file), 0);
	ck_assert_int_eq(file.st_mode & 07777, 0600);
}

/* A pipe would be waited for, and stays what it is. */
TEST(line_editor_open__history_is_a_pipe)
{
	struct stat file;

	mkdir("heddle", 0700);
	ck_assert_int_eq(mkfifo(HISTORY, 0600), 0);
	opened(NULL);
	typed("one\r", "one");
	closed();
	ck_assert_int_eq(stat(HISTORY, &file), 0);
	ck_assert(S_ISFIFO(file.st_mode));
}

/* A path that no file can have, a link to itself: there is no history. */
TEST(line_editor_open__history_cannot_be_there)
{
	mkdir("heddle", 0700);
	ck_assert_int_eq(symlink("history", HISTORY), 0);
	opened(NULL);
	typed("one\r", "one");
	closed();
	ck_assert_int_eq(unlink(HISTORY), 0);
	ck_assert_int_eq(rmdir("heddle"), 0);
	write_file("heddle", "");
	opened(NULL);
	closed();
	ck_assert_str_eq(read_file("heddle"), "");
}

/* $XDG_STATE_HOME, else the usual place below $HOME; both must be absolute */
TEST(line_editor_close__folder_of_the_history)
{
	static const char usual[] = ".local/state/heddle/history";

	opened(NULL);
	closed();
	ck_assert_int_eq(access(HISTORY, F_OK), 0);
	ck_assert_int_eq(unlink(HISTORY), 0);
	setenv("XDG_STATE_HOME", ".", 1);
	opened(NULL);
	closed();
	ck_assert_int_eq(access(HISTORY, F_OK), -1);
	ck_assert_int_eq(access(usual, F_OK), 0);
	ck_assert_int_eq(unlink(usual), 0);
	unsetenv("XDG_STATE_HOME");
	opened(NULL);
	closed();
	ck_assert_int_eq(access(usual, F_OK), 0);
	ck_assert_int_eq(unlink(usual), 0);
	setenv("HOME", ".", 1);
	opened(NULL);
	closed();
	unsetenv("HOME");
	opened(NULL);
	closed();
	ck_assert_int_eq(access(usual, F_OK), -1);
}

/* The longest path that there can be, and one byte more. */
TEST_RANGE(line_editor_open__longest_path, 0, 2)
{
	static char path[2 * PATH_MAX];
	size_t length = PATH_MAX - strlen("/heddle/history") - 1 + (unsigned)_i;

	memset(path, '/', length);
	memcpy(path + length - strlen(folder), folder, strlen(folder));
	mkdir("heddle", 0700);
	write_file(HISTORY, "one\n");
	setenv("XDG_STATE_HOME", path, 1);
	opened(NULL);
	typed("\020\r", _i ? "" : "one");
}
