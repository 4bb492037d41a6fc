/*  orchestrator/hosts: image_config - what an image says of itself, also a bad one (DU-3). */
#include "orchestrator/hosts/image_config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nodes/base/array.h"
#include "tests/testing.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define IMAGE(members) "[{\"Id\": \"" ID "\", \"Os\": \"linux\"" members "}]"
#define CONFIG(members) IMAGE(", \"Config\": {" members "}")

static struct image_config config;
static struct why why;

static int read_text(const char *text)
{
	strcpy(why.text, "");
	return image_config_read(text, strlen(text), &config, &why);
}

TEST_GROUP(image_config);

TEST(image_config_read__what_a_server_says)
{
	ck_assert_int_eq(
		read_text(IMAGE(", \"Size\": 1998021, \"Labels\": null, \"Config\": {"
				"\"User\": \"web:crew\", \"Env\": [\"A=b\", \"C=\", \"D=e=f\"],"
				"\"Entrypoint\": [\"/bin/serve\", \"-v\"], \"Cmd\": [\"x y\"],"
				"\"WorkingDir\": \"/www\", \"StopSignal\": \"SIGINT\"}")),
		0);
	ck_assert_str_eq(config.id, ID);
	ck_assert_uint_eq(config.bytes, 1998021);
	ck_assert_str_eq(config.command[0], "/bin/serve");
	ck_assert_str_eq(config.command[1], "-v");
	ck_assert_str_eq(config.command[2], "x y");
	ck_assert_ptr_null(config.command[3]);
	ck_assert_str_eq(config.variables[0], "A=b");
	ck_assert_str_eq(config.variables[1], "C=");
	ck_assert_str_eq(config.variables[2], "D=e=f");
	ck_assert_ptr_null(config.variables[3]);
	ck_assert_str_eq(config.user, "web:crew");
	ck_assert_str_eq(config.folder, "/www");
	image_config_free(&config);
	image_config_free(&config);
}

TEST(image_config_read__nothing_but_an_id)
{
	static const char *const texts[] = {
		IMAGE(""),
		CONFIG(""),
		IMAGE(", \"Config\": null"),
		CONFIG("\"Entrypoint\": null, \"Cmd\": null, \"Env\": [], \"User\": null"),
		"[{\"Id\": \"sha256:" ID "\", \"Size\": -1}]",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		ck_assert_int_eq(read_text(texts[i]), 0);
		ck_assert_str_eq(config.id, ID);
		ck_assert_uint_eq(config.bytes, 0);
		ck_assert_ptr_null(config.command[0]);
		ck_assert_ptr_null(config.variables[0]);
		ck_assert_str_eq(config.user, "");
		ck_assert_str_eq(config.folder, "");
		image_config_free(&config);
	}
}

static const struct {
	const char *text, *why;
} wrong[] = {
	{ "", "no JSON" },
	{ "[{\"Id\": ", "no JSON" },
	{ "[\n{]", ", line 2" },
	{ "[{\"Id\": \"" ID "\"}] x", "no JSON" },
	{ CONFIG("\"User\": \"a\\u0000b\""), "no JSON" },
	{ "{}", "not about one image" },
	{ "[]", "not about one image" },
	{ "[null]", "not about one image" },
	{ "[{}, {}]", "not about one image" },
	{ "[{}]", "its ID" },
	{ "[{\"Id\": 7}]", "its ID" },
	{ "[{\"Id\": \"abc\"}]", "its ID" },
	{ "[{\"Id\": \"" ID "0\"}]", "its ID" },
	{ "[{\"Id\": \"../"
	  "3456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}]",
	  "its ID" },
	{ "[{\"Id\": \"" ID "\", \"Os\": \"windows\"}]", "for 'windows'" },
	{ IMAGE(", \"Config\": []"), "its Config is no object" },
	{ CONFIG("\"Entrypoint\": \"sh\""), "its Entrypoint is no list" },
	{ CONFIG("\"Entrypoint\": [\"a\", 1]"), "element 2 of its Entrypoint is no text" },
	/* the first mistake is the one that is said */
	{ CONFIG("\"Entrypoint\": [1, 2], \"Cmd\": 3, \"User\": 5"),
	  "element 1 of its Entrypoint is no text" },
	{ CONFIG("\"Cmd\": [null]"), "element 1 of its Cmd is no text" },
	{ CONFIG("\"Cmd\": [\"\"]"), "is empty" },
	{ CONFIG("\"Env\": {}"), "its Env is no list" },
	{ CONFIG("\"Env\": [\"A\"]"), "'A' of its Env is no variable" },
	{ CONFIG("\"Env\": [\"=b\"]"), "'=b' of its Env is no variable" },
	{ CONFIG("\"User\": 5"), "its User is no text" },
	{ CONFIG("\"User\": 5, \"WorkingDir\": 6"), "its User is no text" },
	{ IMAGE(", \"Config\": 5"), "its Config is no object" },
	{ CONFIG("\"WorkingDir\": \"www\""), "its WorkingDir 'www' is not absolute" },
};

TEST_RANGE(image_config_read__refuses, 0, COUNT_OF(wrong))
{
	ck_assert_int_eq(read_text(wrong[_i].text), -EINVAL);
	ck_assert_msg(strstr(why.text, wrong[_i].why), "'%s' is not in: %s", wrong[_i].why,
		      why.text);
	ck_assert_ptr_null(config.command);
	ck_assert_ptr_null(config.user);
}

TEST(image_config_read__refuses_a_list_that_is_too_long)
{
	static char text[4 * IMAGE_WORDS_MAX + 400];
	size_t at = (size_t)snprintf(text, sizeof(text), "%s",
				     "[{\"Id\": \"" ID "\", \"Config\": {\"Cmd\": [\"a\"");

	for (unsigned i = 1; i < IMAGE_WORDS_MAX; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, ",\"\"");
	snprintf(text + at, sizeof(text) - at, "]}}]");
	ck_assert_int_eq(read_text(text), 0);
	ck_assert_ptr_nonnull(config.command[IMAGE_WORDS_MAX - 1]);
	ck_assert_ptr_null(config.command[IMAGE_WORDS_MAX]);
	image_config_free(&config);
	snprintf(text + at, sizeof(text) - at, ",\"\"]}}]");
	ck_assert_int_eq(read_text(text), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "its Cmd is no list of at most"));
}
