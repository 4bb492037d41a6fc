/*  orchestrator/view/fork_request: which forks are accepted, and their script and command line
 *  (SE-6). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/view/fork_request.h"
#include "tests/testing.h"

/* JSON with ' for " */
static json_t *json_of(const char *quoted)
{
	char *text = strdup(quoted);
	json_t *json;

	for (char *at = text; (at = strchr(at, '\''));)
		*at = '"';
	json = json_loads(text, JSON_DECODE_ANY, NULL);
	ck_assert_msg(json, "%s", quoted);
	free(text);
	return json;
}

static int checked(const char *quoted, struct why *why)
{
	json_t *request = json_of(quoted);
	int status = fork_request_check(request, why);

	json_decref(request);
	return status;
}

TEST(fork_request_check__accepted)
{
	struct why why = { "" };

	ck_assert_int_eq(checked("{'of': 1}", &why), 0);
	ck_assert_int_eq(checked("{'of': 1, 'settings': ['run.duration=1ms']}", &why), 0);
	ck_assert_int_eq(checked("{'of': 1, 'at_ps': 0, 'set': []}", &why), 0);
	ck_assert_int_eq(checked("{'of': 2, 'at_ps': 5, 'set': [{'node': 's1', 'key': "
				 "'ports.p1.rate', 'value': '10Gb/s'}]}",
				 &why),
			 0);
}

TEST(fork_request_check__refused_with_a_sentence)
{
	static const char *const wrong[] = {
		"[]",
		"1",
		"{}",
		"{'of': '1'}",
		"{'of': 1, 'at_ps': -1}",
		"{'of': 1, 'at_ps': 1.5}",
		"{'of': 1, 'at_ps': 1, 'set': {}}",
		"{'of': 1, 'at_ps': 1, 'set': [1]}",
		"{'of': 1, 'set': [{'node': 'a', 'key': 'b', 'value': 'c'}]}",
		"{'of': 1, 'at_ps': 1, 'set': [{'node': 'a', 'key': 'b'}]}",
		"{'of': 1, 'at_ps': 1, 'set': [{'node': 'a', 'key': 'b', 'value': ''}]}",
		"{'of': 1, 'at_ps': 1, 'set': [{'node': 'a b', 'key': 'b', 'value': 'c'}]}",
		"{'of': 1, 'at_ps': 1, 'set': [{'node': 'a', 'key': 'b', 'value': 'c\\nquit'}]}",
		"{'of': 1, 'at_ps': 1, 'set': [{'node': 'a', 'key': '#', 'value': 'c'}]}",
		"{'of': 1, 'settings': 'a=b'}",
		"{'of': 1, 'settings': ['a']}",
		"{'of': 1, 'settings': ['=b']}",
		"{'of': 1, 'settings': ['--csv=/tmp']}",
		"{'of': 1, 'settings': [1]}",
	};

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct why why = { "" };

		ck_assert_msg(checked(wrong[i], &why) == 400, "%s", wrong[i]);
		ck_assert_msg(why.text[0] && why.text[strlen(why.text) - 1] == '.', "%s: '%s'",
			      wrong[i], why.text);
	}
}

TEST(fork_changes__of_a_fork_come_first)
{
	json_t *first = json_of("{'of': 1, 'at_ps': 100, 'set': [{'node': 's1', 'key': 'a', "
				"'value': '1'}, {'node': 's2', 'key': 'b', 'value': '2%'}]}");
	json_t *second = json_of("{'of': 2, 'at_ps': 300, 'set': [{'node': 's1', 'key': 'a', "
				 "'value': '3'}]}");
	json_t *early = json_of("{'of': 3, 'at_ps': 299}");
	json_t *settings = json_of("['run.seed=2', 'x=a b']");
	struct why why = { "" };
	json_t *one = fork_changes(NULL, first, &why);
	json_t *both = fork_changes(one, second, &why);
	json_t *command = fork_command("dir/it's.yaml", "with it", settings, both);
	char *script = fork_script(both);

	ck_assert_str_eq(script, "set s1 a 1\nset s2 b 2%\ncontinue 300ps\nset s1 a 3\n");
	ck_assert_str_eq(
		json_string_value(command),
		"printf '%s\\n' 'set s1 a 1' 'set s2 b 2%' 'continue 300ps' 'set s1 a 3' | "
		"heddle run 'dir/it'\\''s.yaml' --variant 'with it' --set run.seed=2 --set 'x=a b' "
		"--break-at "
		"100ps --record FILE");
	ck_assert_uint_eq(json_array_size(one), 1);
	ck_assert_ptr_null(fork_changes(both, early, &why));
	ck_assert_str_eq(why.text, "'at_ps' is before the changes of recording 3.");
	free(script);
	json_decref(command);
	json_decref(both);
	json_decref(one);
	json_decref(settings);
	json_decref(early);
	json_decref(second);
	json_decref(first);
}

/* at the time of the last change there may be more; a request may change nothing */
TEST(fork_changes__at_the_same_time)
{
	json_t *first = json_of("{'of': 1, 'at_ps': 100, 'set': [{'node': 's1', 'key': 'a', "
				"'value': '1'}]}");
	json_t *none = json_of("{'of': 2, 'at_ps': 100, 'set': []}");
	struct why why = { "" };
	json_t *one = fork_changes(NULL, first, &why);
	json_t *two = fork_changes(one, first, &why);
	json_t *same = fork_changes(two, none, &why);
	json_t *command = fork_command("t.yaml", NULL, NULL, NULL);
	char *script = fork_script(two);

	ck_assert_str_eq(script, "set s1 a 1\ncontinue 100ps\nset s1 a 1\n");
	ck_assert(json_equal(same, two));
	ck_assert_str_eq(why.text, "");
	ck_assert_str_eq(json_string_value(command), "heddle run t.yaml --record FILE");
	free(script);
	json_decref(command);
	json_decref(same);
	json_decref(two);
	json_decref(one);
	json_decref(none);
	json_decref(first);
}

/* the status for a change with the key @word, and what is said */
static int word_checked(const char *word, struct why *why)
{
	json_t *request = json_pack("{s:i, s:i, s:[{s:s, s:s, s:s}, {s:s, s:s, s:s}]}", "of", 1,
				    "at_ps", 5, "set", "node", "a", "key", "b", "value", "c",
				    "node", "a", "key", word, "value", "c");
	int status = fork_request_check(request, why);

	ck_assert_ptr_nonnull(request);
	json_decref(request);
	return status;
}

/* from '!' to '~' but '#', 127 bytes at most */
TEST(fork_request_check__words)
{
	char word[FORK_WORD_MAX + 1] = "";
	struct why why;

	for (char i = 1; i < 0x7f; i++) {
		snprintf(word, sizeof(word), "a%c", i);
		ck_assert_msg(word_checked(word, &why) == (i > ' ' && i != '#' ? 0 : 400), "%d", i);
	}
	ck_assert_int_eq(word_checked("a\x7f", &why), 400);
	memset(word, 'a', FORK_WORD_MAX);
	ck_assert_int_eq(word_checked(word, &why), 400);
	ck_assert_str_eq(why.text,
			 "'set' 1 has no 'key', or it is no word of less than 128 characters.");
	word[FORK_WORD_MAX - 1] = 0;
	ck_assert_int_eq(word_checked(word, &why), 0);
	ck_assert_int_eq(checked("{'of': 1, 'settings': ['a=1', 'b']}", &why), 400);
	ck_assert_str_eq(why.text, "'settings' 1 is not PATH=VALUE.");
}

TEST(fork_settings__are_added)
{
	json_t *before = json_of("['a=1']"), *request = json_of("{'settings': ['a=2', 'b=3']}");
	json_t *none = json_of("{}");
	json_t *after = fork_settings(before, request), *same = fork_settings(NULL, none);

	ck_assert_uint_eq(json_array_size(after), 3);
	ck_assert_str_eq(json_string_value(json_array_get(after, 1)), "a=2");
	ck_assert_uint_eq(json_array_size(before), 1);
	ck_assert_uint_eq(json_array_size(same), 0);
	json_decref(after);
	json_decref(same);
	json_decref(before);
	json_decref(request);
	json_decref(none);
}

TEST(fork_request_check__most_changes)
{
	json_t *set = json_array(), *request;
	struct why why = { "" };

	for (uint32_t i = 0; i < FORK_CHANGES_MAX; i++)
		json_array_append_new(
			set, json_pack("{s:s, s:s, s:s}", "node", "a", "key", "b", "value", "c"));
	request = json_pack("{s:i, s:i, s:o}", "of", 1, "at_ps", 5, "set", set);
	ck_assert_int_eq(fork_request_check(request, &why), 0);
	json_array_append(set, json_array_get(set, 0));
	ck_assert_int_eq(fork_request_check(request, &why), 400);
	ck_assert_str_eq(why.text, "'set' has more than 256 changes.");
	json_decref(request);
}
