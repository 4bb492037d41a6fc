/*  orchestrator/view/view_page: the page is whole, and its policy allows its own scripts alone
 *  (SE-4). */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/view/view_page.h"
#include "tests/testing.h"

static unsigned times_in(const char *text, const char *word)
{
	unsigned count = 0;

	for (; (text = strstr(text, word)); text++)
		count++;
	return count;
}

TEST(view_page_text__is_a_page_that_loads_nothing)
{
	ck_assert_uint_eq(strlen(view_page_text), view_page_length);
	ck_assert_int_eq(strncmp(view_page_text, "<!doctype html>", 15), 0);
	ck_assert_ptr_nonnull(strstr(view_page_text, "</html>"));
	ck_assert_ptr_null(strstr(view_page_text, "<link rel=\"stylesheet\""));
	ck_assert_uint_eq(times_in(view_page_text, " src=\"http"), 0);
	ck_assert_uint_eq(times_in(view_page_text, "<noscript>"), 1);
}

TEST(view_page_policy__a_digest_for_each_script)
{
	static const char page[] = "<script>a</script><script type=\"module\">b</script>";
	char *policy = view_page_policy(page, sizeof(page) - 1);

	ck_assert_ptr_nonnull(policy);
	ck_assert_uint_eq(times_in(policy, "'sha256-"), 2);
	/* printf a | sha256sum, in base64 */
	ck_assert_ptr_nonnull(
		strstr(policy, "'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='"));
	ck_assert_ptr_null(strstr(policy, "unsafe-eval"));
	ck_assert_ptr_null(strstr(policy, "script-src 'unsafe-inline'"));
	free(policy);
}

/* a script that is in a script is none of its own */
TEST(view_page_policy__as_a_whole)
{
	static const char page[] = "<p><script>a</script>b<script x='1'>b</script>";
	char *policy = view_page_policy(page, sizeof(page) - 1);

	ck_assert_str_eq(policy,
			 "default-src 'none'; script-src "
			 "'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=' "
			 "'sha256-PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0='; style-src "
			 "'unsafe-inline'; img-src data: blob:; connect-src 'self'; worker-src "
			 "blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
	free(policy);
	policy = view_page_policy("<script>a <script>a</script>", 28);
	ck_assert_uint_eq(times_in(policy, "'sha256-"), 1);
	free(policy);
}

TEST(view_page_policy__no_script_and_an_open_one)
{
	char *none = view_page_policy("", 0), *open = view_page_policy("<script>a", 9);

	ck_assert_uint_eq(times_in(none, "sha256"), 0);
	ck_assert_uint_eq(times_in(open, "sha256"), 0);
	free(none);
	free(open);
}
