/*  orchestrator/base/yaml_writer: any tree that yaml_reader has read is read back as the same one
 *  (DU-6). */
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/base/yaml_reader.h"
#include "orchestrator/base/yaml_writer.h"
#include "tests/testing.h"

static struct yaml_node *read_text(const char *text)
{
	struct scenario_errors errors = { 0 };
	struct yaml_node *root = NULL;
	int error = yaml_read("t", text, strlen(text), 0, &root, &errors);

	ck_assert_msg(!error, "%s in %s", errors.count ? errors.texts[0] : "", text);
	scenario_errors_free(&errors);
	return root;
}

static void same(const struct yaml_node *a, const struct yaml_node *b)
{
	const struct yaml_node *left = a->first, *right = b->first;

	ck_assert_int_eq(a->kind, b->kind);
	ck_assert_uint_eq(a->count, b->count);
	ck_assert_pstr_eq(a->key, b->key);
	ck_assert_pstr_eq(a->text, b->text);
	for (; left; left = left->next, right = right->next)
		same(left, right);
}

static const char *const documents[] = {
	"a: 1\nb: [x, 'y z', \"q\\\"\\\\\"]\nc: {d: {e: []}, f: {}}\n",
	"key: |\n  first\n  second: {}\n",
	"'h[0-3]': {'*': '#no comment', x: '- no list', y: 'a: b', z: ''}\n",
	"t: \"tab\\tand\\nline\"\np: '%x'\nq: 10%\nr: '--- x'\nx: \"\\x01\\x7f\"\ns: '!tag'\n",
	"t: \"a\\rb\"\n",
	"v: '&a'\nw: '*a'\n",
	"m: {}\nn: []\no:\n",
	"u: \"\xc3\xa9\"\nempty:\nlist:\n  - {a: 1}\n  - [1, 2]\n  - ''\n",
};

TEST_RANGE(yaml_section_write__is_read_back, 0, COUNT_OF(documents))
{
	struct yaml_node *before = read_text(documents[_i]), *after;
	char *sections = NULL, *flow = NULL;
	size_t size;
	FILE *out = open_memstream(&sections, &size);

	for (const struct yaml_node *child = before->first; child; child = child->next)
		yaml_section_write(child, out);
	fclose(out);
	after = read_text(sections);
	same(before, after);
	yaml_free(after);
	out = open_memstream(&flow, &size);
	yaml_flow_write(before, out);
	fclose(out);
	ck_assert_ptr_null(strchr(flow, '\n'));
	after = read_text(flow);
	same(before, after);
	yaml_free(after);
	yaml_free(before);
	free(sections);
	free(flow);
}

static void is_written(const char *document, const char *text)
{
	struct yaml_node *root = read_text(document);
	char *flow = NULL;
	size_t size;
	FILE *out = open_memstream(&flow, &size);

	yaml_flow_write(root, out);
	fclose(out);
	ck_assert_str_eq(flow, text);
	free(flow);
	yaml_free(root);
}

TEST(yaml_flow_write__escapes)
{
	is_written("\"a\\rb\\nc\\td\"\n", "\"a\\rb\\nc\\td\"");
	is_written("\"\\x1f \\x7f \\\" \\\\\"\n", "\"\\x1f \\x7f \\\" \\\\\"");
	is_written("' '\n", "\" \"");
}
