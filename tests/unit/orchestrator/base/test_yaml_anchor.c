/*  orchestrator/base/yaml_anchor, with yaml_reader: anchors, aliases and merges of files of other
 *  programs (DU-3); scenarios have none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "orchestrator/base/yaml_reader.h"
#include "tests/testing.h"

static struct scenario_errors errors;
static struct yaml_node *root;

static void setup(void)
{
	errors = (struct scenario_errors){ 0 };
	root = NULL;
}

static void teardown(void)
{
	yaml_free(root);
	scenario_errors_free(&errors);
}

TEST_GROUP(yaml_anchor, .setup = setup, .teardown = teardown);

static int read(const char *text)
{
	return yaml_read_anchored("t", text, strlen(text), &root, &errors);
}

/* the tree as text: {key: value} and [value] */
static void print(const struct yaml_node *node, FILE *out)
{
	uint32_t count = 0;

	if (node->key)
		fprintf(out, "%s:", node->key);
	if (node->kind == YAML_SCALAR)
		fputs(node->text, out);
	else
		fputc(node->kind == YAML_MAPPING ? '{' : '[', out);
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		print(child, out);
		if (child->next)
			fputc(' ', out);
		count++;
	}
	ck_assert_uint_eq(node->count, count);
	if (node->kind != YAML_SCALAR)
		fputc(node->kind == YAML_MAPPING ? '}' : ']', out);
}

static void reads_as(const char *text, const char *tree)
{
	char *printed = NULL;
	size_t length;
	FILE *out = open_memstream(&printed, &length);

	ck_assert_msg(!read(text), "%s", errors.count ? errors.texts[0] : "no memory");
	print(root, out);
	fclose(out);
	ck_assert_str_eq(printed, tree);
	free(printed);
}

static void refused(const char *text, const char *says)
{
	ck_assert_int_eq(read(text), -EINVAL);
	ck_assert_uint_eq(errors.count, 1);
	ck_assert_msg(strstr(errors.texts[0], says) != NULL, "%s", errors.texts[0]);
}

TEST(yaml_read_anchored__alias_is_a_copy)
{
	reads_as("a: &x {k: [1, &y 2]}\nb: *x\nc: [*y, *x]\n",
		 "{a:{k:[1 2]} b:{k:[1 2]} c:[2 {k:[1 2]}]}");
}

TEST(yaml_read_anchored__last_anchor_of_a_name_counts)
{
	reads_as("a: &x 1\nb: &x 2\nc: *x\n", "{a:1 b:2 c:2}");
}

TEST(yaml_read_anchored__merge_keeps_own_keys)
{
	reads_as("a: &x {k: 1, l: 2}\nb:\n  l: 3\n  <<: *x\n  m: 4\n",
		 "{a:{k:1 l:2} b:{l:3 m:4 k:1}}");
}

TEST(yaml_read_anchored__first_of_several_merges_wins)
{
	reads_as("a: &x {k: 1}\nb: &y {k: 2, l: 3}\nc: {<<: [*x, *y]}\n",
		 "{a:{k:1} b:{k:2 l:3} c:{k:1 l:3}}");
}

/* an anchor within what is merged names it still */
TEST(yaml_read_anchored__anchor_of_a_merge)
{
	reads_as("a: {<<: &x {k: &y 1, l: 2}, k: 5}\nb: *x\nc: *y\n",
		 "{a:{k:5 l:2} b:{k:1 l:2} c:1}");
}

TEST(yaml_read_anchored__mistakes)
{
	refused("a: *x\n", "no anchor '&x' stands before this");
	teardown();
	setup();
	refused("a: &x [1, *x]\n", "'*x' stands within what it names");
	teardown();
	setup();
	refused("a: &x 1\nb: {<<: *x}\n", "'<<' takes a mapping, or a list of mappings");
	teardown();
	setup();
	refused("a: !!str 1\n", "tags (!) have no place");
	teardown();
	setup();
	refused("a: &x 1\n? *x\n: 2\n", "a key must be a plain word");
}

/* nine lines that stand for 10^9 values */
TEST(yaml_read_anchored__alias_bomb)
{
	char text[4096] = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n";

	for (int i = 1; i < 10; i++) {
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used,
			 "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i, i,
			 i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
	}
	refused(text, "too many values");
}

/* 100 aliases of a text of 256 KiB, as values, as keys and in merges */
static void long_text_refused(const char *first, const char *last, const char *alias,
			      const char *place)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	fprintf(out, "a: &x %s%0*d%s\nb:\n", first, 256 << 10, 1, last);
	for (unsigned i = 0; i < 100; i++)
		fprintf(out, "- %s\n", alias);
	fclose(out);
	refused(text, "what aliases (*) copy is too long (16 MiB of text at most)");
	ck_assert_msg(strstr(errors.texts[0], place) != NULL, "%s", errors.texts[0]);
	free(text);
	teardown();
	setup();
}

TEST(yaml_read_anchored__aliases_of_a_long_text)
{
	long_text_refused("", "", "*x", "t:66:"); /* 63 are fine */
	long_text_refused("{k: ", "}", "*x", "t:66:");
	long_text_refused("{? ", " : 1}", "*x", "t:66:");
	/* what is merged is a copy, of which each pair is copied */
	long_text_refused("{k: ", "}", "<<: *x", "t:34:");
}

/* 4 MiB of @piece are refused with @says, without much memory: in MiB, with all that a sanitizer
 * adds */
static void refused_cheaply(const char *piece, const char *says)
{
	const size_t count = (4u << 20) / strlen(piece);
	struct rusage before, after;
	char *text = malloc((4u << 20) + 8), *end = text;

	*end = 0;
	for (size_t i = 0; i < count; i++)
		end = stpcpy(end, piece);
	getrusage(RUSAGE_SELF, &before);
	refused(text, says);
	getrusage(RUSAGE_SELF, &after);
	ck_assert_int_lt((after.ru_maxrss - before.ru_maxrss) >> 10, 100);
	free(text);
	teardown();
	setup();
}

TEST(yaml_read__what_is_refused_takes_little_memory)
{
	refused_cheaply("[", "t:1:1001: too many brackets are open here");
	refused_cheaply("{", "nested too deeply (12 levels at most)");
	refused_cheaply("[a,", "nested too deeply (12 levels at most)");
	refused_cheaply("[ ", "nested too deeply (12 levels at most)");
	refused_cheaply("[],", "too many values (200000 at most)");
	refused_cheaply("1,", "too many values (200000 at most)");
	refused_cheaply("&a ", "too many values (200000 at most)");
	refused_cheaply(": ", "too many values (200000 at most)");
	refused_cheaply("?\n", "too many values (200000 at most)");
}

/* the deepest copies that there may be, of an alias and in a merge, and one level more */
TEST(yaml_read_anchored__deepest_copies)
{
	reads_as("a: &x [[[[[[1]]]]]]\nb: [[[[*x]]]]\n",
		 "{a:[[[[[[1]]]]]] b:[[[[[[[[[[1]]]]]]]]]]}");
	teardown();
	setup();
	reads_as("a: &x {k: [[[[[[1]]]]]]}\nb: [[[{<<: *x}]]]\n",
		 "{a:{k:[[[[[[1]]]]]]} b:[[[{k:[[[[[[1]]]]]]}]]]}");
	teardown();
	setup();
	refused("a: &x {k: [[[[[[1]]]]]]}\nb: [[[[{<<: *x}]]]]\n", "nested too deeply");
}

TEST(yaml_read_anchored__copy_is_too_deep)
{
	refused("a: &x [[[[[[[1]]]]]]]\nb: [[[[[*x]]]]]\n", "nested too deeply");
}

TEST(yaml_read_anchored__too_many_anchors)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	for (unsigned i = 0; i <= YAML_ANCHORS_MAX; i++)
		fprintf(out, "- &x%u 1\n", i);
	fclose(out);
	refused(text, "too many anchors (256 at most)");
	free(text);
}

TEST(yaml_read__scenarios_have_no_anchors)
{
	ck_assert_int_eq(yaml_read("t", "a: &x 1\nb: *x\n", 14, 0, &root, &errors), -EINVAL);
	ck_assert_ptr_nonnull(strstr(errors.texts[0], "anchors (&), aliases (*) and tags (!)"));
}

TEST(yaml_read_anchored__anchor_of_the_document)
{
	reads_as("&x 5\n", "5");
}

static void place_is(const struct yaml_node *node, int line, int column)
{
	ck_assert_int_eq(node->place.line, line);
	ck_assert_int_eq(node->place.column, column);
}

/* a value that is missing is where its key is, or its list, or at the start */
TEST(yaml_read__places)
{
	ck_assert_int_eq(read("a: 1\n  # c\nbc:\nd: [x,\n  {e: }]\n"), 0);
	place_is(root, 1, 1);
	place_is(root->first, 1, 4);
	place_is(root->first->next, 3, 1);
	place_is(root->last, 4, 4);
	place_is(root->last->first, 4, 5);
	place_is(root->last->last, 5, 3);
	place_is(root->last->last->first, 5, 4);
	yaml_free(root);
	ck_assert_int_eq(read("# c\n- 1\n-\n"), 0);
	place_is(root->first, 2, 3);
	place_is(root->last, 2, 1);
	yaml_free(root);
	ck_assert_int_eq(read("\n"), 0);
	ck_assert_str_eq(root->text, "");
	place_is(root, 1, 1);
}

/* the list is one as well */
TEST(yaml_read__as_many_values_as_there_may_be)
{
	char *text = malloc(4 * YAML_NODES_MAX + 1), *end = text;

	for (unsigned i = 1; i < YAML_NODES_MAX; i++)
		end = stpcpy(end, "- 1\n");
	ck_assert_int_eq(read(text), 0);
	ck_assert_uint_eq(root->count, YAML_NODES_MAX - 1);
	yaml_free(root);
	root = NULL;
	stpcpy(end, "- 1\n");
	refused(text, "t:200000:3: the document has too many values (200000 at most)");
	free(text);
}

TEST(yaml_read__character_0)
{
	refused("a: \"x\\0y\"\n", "t:1:5: a value must not contain the character 0");
}

TEST(yaml_text_mend__what_is_no_text)
{
	char text[] = "a\xff\x01\xc3\xa9\xc3 b\n", fine[] = "a\xc3\xa9\t\n";

	ck_assert(yaml_text_mend(text));
	ck_assert_str_eq(text, "a??\xc3\xa9? b\n");
	ck_assert(!yaml_text_mend(text));
	ck_assert(!yaml_text_mend(fine));
	ck_assert_str_eq(fine, "a\xc3\xa9\t\n");
}
