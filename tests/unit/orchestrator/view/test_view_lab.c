/*  orchestrator/view/view_lab: which predictions may be saved, what is said of others (SE-9). */
#include <string.h>

#include "orchestrator/view/view_lab.h"
#include "orchestrator/view/view_shelf.h"
#include "tests/testing.h"

static struct why why;

/* the answer for @body of a lab that asks for `share` and `where` */
static int checked(const char *body)
{
	json_t *lab = json_pack("{s:[{s:s},{s:s}]}", "predict", "name", "share", "name", "where");
	json_t *predictions = json_loads(body, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	int status;

	ck_assert_ptr_nonnull(lab);
	ck_assert_ptr_nonnull(predictions);
	why.text[0] = 0;
	status = view_lab_check(lab, predictions, &why);
	json_decref(predictions);
	json_decref(lab);
	return status;
}

TEST(view_lab_check__texts_with_names_of_the_lab)
{
	ck_assert_int_eq(checked("{\"share\": \"12.5 Gb/s\"}"), 0);
	ck_assert_int_eq(checked("{\"share\": \"a third \\u2153\", \"where\": \"s0:s1\"}"), 0);
	ck_assert_str_eq(why.text, "");
}

TEST(view_lab_check__other_names)
{
	ck_assert_int_eq(checked("{\"share\": \"1\", \"shares\": \"2\"}"), 400);
	ck_assert_str_eq(why.text, "The lab asks for no 'shares'; it asks for: share, where.");
}

/* a sentence has the first 255 bytes of them */
TEST(view_lab_check__many_long_names)
{
	json_t *predict = json_array(), *predictions = json_pack("{s:s}", "share", "1"), *lab;
	char name[64], expected[1024];
	size_t used = (size_t)sprintf(expected, "The lab asks for no 'share'; it asks for: ");

	for (int i = 0; i < 12; i++) {
		sprintf(name, "a-prediction-with-a-long-name-%02d-which-is-cut", i);
		json_array_append_new(predict, json_pack("{s:s}", "name", name));
		sprintf(expected + used + i * 34, "a-prediction-with-a-long-name-%02d, ", i);
	}
	strcpy(expected + used + 255, ".");
	lab = json_pack("{s:o}", "predict", predict);
	ck_assert_int_eq(view_lab_check(lab, predictions, &why), 400);
	ck_assert_str_eq(why.text, expected);
	json_decref(lab);
	json_decref(predictions);
}

TEST(view_lab_check__a_lab_that_asks_for_nothing)
{
	json_t *lab = json_object(), *predictions = json_pack("{s:s}", "share", "1");

	ck_assert_int_eq(view_lab_check(lab, predictions, &why), 400);
	ck_assert_str_eq(why.text, "The lab asks for no 'share'; it asks for: nothing.");
	json_decref(predictions);
	json_decref(lab);
}

TEST(view_lab_check__no_predictions)
{
	static const char *const wrong[] = { "[]", "null", "\"share\"", "{}" };

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(checked(wrong[i]) == 400 && why.text[0], "%s", wrong[i]);
}

TEST(view_lab_check__values_that_are_no_line_of_text)
{
	static const struct {
		const char *body, *fault;
	} wrong[] = {
		{ "{\"share\": 12}", "is no text." },
		{ "{\"share\": null}", "is no text." },
		{ "{\"share\": [\"1\"]}", "is no text." },
		{ "{\"share\": \"\"}", "is empty." },
		{ "{\"share\": \"  \"}", "is empty." },
		{ "{\"share\": \"1\\n2\"}", "has a control character." },
		{ "{\"share\": \"1\\u0000\"}", "has a control character." },
		{ "{\"share\": \"\\u001b[2J\"}", "has a control character." },
		{ "{\"share\": \"\\u007f\"}", "has a control character." },
	};

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_int_eq(checked(wrong[i].body), 400);
		ck_assert_msg(strstr(why.text, wrong[i].fault), "%s: %s", wrong[i].body, why.text);
		ck_assert_ptr_nonnull(strstr(why.text, "'share'"));
	}
}

TEST(view_lab_check__its_length)
{
	char body[VIEW_LAB_ANSWER_MAX + 32];

	snprintf(body, sizeof(body), "{\"where\": \"%0*d\"}", (int)VIEW_LAB_ANSWER_MAX, 1);
	ck_assert_int_eq(checked(body), 0);
	snprintf(body, sizeof(body), "{\"where\": \"%0*d\"}", (int)VIEW_LAB_ANSWER_MAX + 1, 1);
	ck_assert_int_eq(checked(body), 400);
	ck_assert_str_eq(why.text, "The prediction 'where' is longer than 200 bytes.");
}

TEST(view_lab_check__a_sentence_has_an_end_for_any_name)
{
	char body[700];

	snprintf(body, sizeof(body), "{\"%0*d\": \"1\"}", 600, 1);
	ck_assert_int_eq(checked(body), 400);
	ck_assert_ptr_nonnull(strstr(why.text, "it asks for: share, where."));
}
