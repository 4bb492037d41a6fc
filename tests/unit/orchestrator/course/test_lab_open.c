/*  orchestrator/course/lab_open: which folder a word names, and answers that are none (SE-9). */
#include "orchestrator/course/lab_open.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tests/said.h"
#include "tests/testing.h"

/* ---- folders ---- */

static void refused(const char *labs, const char *word, const char *sentence)
{
	const struct lab_opening opening = { .labs = labs };
	struct lab_opened opened;

	said_begin();
	ck_assert_int_eq(lab_open("lab try", &opening, word, &opened), EXIT_USAGE);
	ck_assert_msg(strstr(said_end(), sentence) != NULL, "%s", said);
	lab_opened_free(&opened);
}

/* slashes at its end are not part of a name; the longest one is looked for */
TEST(lab_open__length_of_a_folder)
{
	static char name[2 * PATH_MAX];

	memset(name, '/', sizeof(name) - 1);
	memset(name + 1, 'x', PATH_MAX - 2);
	name[PATH_MAX - 1] = 0;
	refused(NULL, name, "lab.yaml: ");
	name[PATH_MAX - 1] = '/';
	name[PATH_MAX + 5] = 0;
	refused(NULL, name, "lab.yaml: ");
	name[PATH_MAX - 1] = 'x';
	refused(NULL, name, "heddle lab try: the name of the folder is too long\n");
	name[PATH_MAX] = 0;
	refused(NULL, name, "heddle lab try: the name of the folder is too long\n");
}

TEST(lab_open__no_labs)
{
	static char name[PATH_MAX];

	refused("/proc/self/none", "a",
		"heddle lab try: no labs in /proc/self/none: No such file or directory\n");
	memset(name, 'x', PATH_MAX - NAME_MAX - 2);
	name[0] = '/';
	refused(name, "a", "heddle lab try: the name of the folder is too long\n");
	name[PATH_MAX - NAME_MAX - 3] = 0;
	refused(name, "a", "heddle lab try: no labs in /xxx");
}

/* ---- answers ---- */

static const struct lab_question questions[] = {
	{ .name = "rate", .kind = LAB_NUMBER, .unit = "Gb/s", .quantity = QUANTITY_RATE, .one = 1 },
	{ .name = "delay", .kind = LAB_NUMBER, .unit = "us", .quantity = QUANTITY_TIME, .one = 1 },
};

static char *texts[2];

static void texts_free(void)
{
	for (unsigned i = 0; i < 2; i++)
		free(texts[i]);
	texts[0] = texts[1] = NULL;
}

TEST_GROUP(lab_take, .teardown = texts_free);

static void taken(const char *first, const char *second, int status, const char *sentence)
{
	char words[2][600], *list[] = { words[0], words[1] };

	snprintf(words[0], sizeof(words[0]), "%s", first);
	snprintf(words[1], sizeof(words[1]), "%s", second ? second : "");
	said_begin();
	ck_assert_int_eq(lab_take("lab try", list, second ? 2 : 1, questions, 2, texts), status);
	ck_assert_str_eq(said_end(), sentence);
}

TEST(lab_take__each_in_its_place)
{
	taken("delay=3us", NULL, 0, "");
	ck_assert_ptr_null(texts[0]);
	ck_assert_str_eq(texts[1], "3us");
	/* the last one counts */
	taken("rate=10", "rate=20 Gb/s", 0, "");
	ck_assert_str_eq(texts[0], "20 Gb/s");
	ck_assert_str_eq(texts[1], "3us");
}

TEST(lab_take__refused)
{
	char text[500];

	taken("rate", NULL, EXIT_USAGE, "heddle lab try: expected NAME=VALUE, not 'rate'\n");
	taken("rat=1", NULL, EXIT_USAGE,
	      "heddle lab try: this lab asks no 'rat' - did you mean 'rate'?\n");
	taken("=1", NULL, EXIT_USAGE, "heddle lab try: this lab asks no ''\n");
	ck_assert_ptr_null(texts[0]);
	/* those before it are kept */
	taken("rate=1", "delay=never", EXIT_USAGE,
	      "heddle lab try: delay: 'never' is not a number; expected a time such as 350ns or "
	      "1us "
	      "(ps, ns, us, ms, s)\n");
	ck_assert_str_eq(texts[0], "1");
	ck_assert_ptr_null(texts[1]);
	snprintf(text, sizeof(text), "delay=%0*d", 401, 1);
	taken(text, NULL, EXIT_USAGE, "heddle lab try: delay: an answer has at most 400 bytes\n");
	text[strlen(text) - 1] = 0;
	taken(text, NULL, EXIT_USAGE,
	      "heddle lab try: delay: '00000000000000000000...' is too long for a number\n");
	snprintf(text, sizeof(text), "delay=%0*d", 101, 1);
	taken(text, NULL, EXIT_USAGE,
	      "heddle lab try: delay: '00000000000000000000...' is too long for a number\n");
}
