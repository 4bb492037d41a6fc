/*  orchestrator/cli/cmd_gen, cmd_list: scenarios to start from, and those of a folder (TB-10,
 *  TB-11). */
#include "orchestrator/cli/cmd_gen.h"

#include "orchestrator/cli/cmd_list.h"
#include "tests/unit/orchestrator/operate/one_daemon.h"

static void setup(void)
{
	daemon_setup();
	ck_assert_int_eq(chdir(root), 0);
}

TEST_GROUP(cmd_gen, .setup = setup, .teardown = daemon_teardown);

/* ---- gen ---- */

static void has(const char *line, const char *text)
{
	ck_assert_msg(!command_run(cmd_gen, line), "%s", said);
	ck_assert_msg(strstr(printed, text) != NULL, "'%s' is not in %s", text, printed);
	ck_assert_str_eq(said, "");
}

TEST(cmd_gen__sizes)
{
	has("gen|star", "\n  hosts: 8\n");
	has("gen|star|hosts=3", "\n  hosts: 3\n");
	has("gen|star|fabric=roce", "\nfabric: roce");
	has("gen|star|fabric=port-group", "\nfabric: port-group");
	has("gen|torus", "shape: [3, 3]\n");
	has("gen|torus|shape=2x3x4", "shape: [2, 3, 4]\n");
	has("gen|star|hosts=2|--explicit", "h1: s0");
}

static void is_wrong(const char *line, const char *sentence)
{
	ck_assert_int_eq(command_run(cmd_gen, line), 2);
	ck_assert_str_eq(printed, "");
	ck_assert_msg(!strncmp(said, sentence, strlen(sentence)), "%s", said);
}

TEST(cmd_gen__wrong_words)
{
	is_wrong("gen|stars", "heddle gen: there is no topology 'stars' - did you mean 'star'?\n");
	is_wrong("gen|star|host=2",
		 "heddle gen: a star takes no 'host=2' - did you mean 'hosts'?\n");
	is_wrong("gen|star|hosts", "heddle gen: hosts: expected hosts=N\n");
	is_wrong("gen|star|hosts=0", "heddle gen: hosts: expected 1 to 32768\n");
	is_wrong("gen|star|hosts=32769", "heddle gen: hosts: expected 1 to 32768\n");
	is_wrong("gen|star|hosts=x", "heddle gen: hosts: ");
	is_wrong("gen|star|shape=2x2", "heddle gen: a star takes no 'shape=2x2'");
	is_wrong("gen|torus|shape", "heddle gen: shape: expected shape=3x3\n");
	is_wrong("gen|torus|shape=2x", "heddle gen: shape: '' is empty");
	is_wrong("gen|torus|shape=2x2x2x2x2x2x2x2x2",
		 "heddle gen: shape: '2x2x2x2x2x2x2x2x2' has more "
		 "than ");
	is_wrong("gen|star|fabric=roze", "heddle gen: fabric: expected flow-channel, roce or "
					 "port-group, not 'roze' - did you mean 'roce'?\n");
	is_wrong("gen|torus|shape=100x100", "heddle gen: 10000 switches and ");
	/* each pair of groups has a link: as many groups as that gives */
	is_wrong("gen|dragonfly|switches-per-group=256|global-links=128",
		 "heddle gen: switches-per-group * global-links is too large\n");
	is_wrong("gen|dragonfly|switches-per-group=217|global-links=151|hosts-per-switch=1",
		 "heddle gen: 7110656 switches and 7110656 hosts; ");
	is_wrong("gen|star|hosts=70|--real", "heddle gen:10:3: switch 's0' has 70 hosts and "
					     "links, but 64 ports at most\n");
}

/* ---- list ---- */

static void scenario_write(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void scenarios_write(void)
{
	scenario_write("b.yaml",
		       "name: b\nabout: \"Two hosts.\"\nrun: {duration: 1us}\ntopology: "
		       "{switches: [s1], hosts: {h1: s1, h2: s1}}\ncompare: {columns: [resent], "
		       "variants: [{name: one}, {name: two, set: {seed: 3}}]}\n");
	scenario_write("a.yaml", "name: quiet\nrun: {duration: 1us}\nfabric: roce\ntopology: "
				 "{switches: [s1], hosts: {h1: s1, h2: s1}}\n");
}

static int list(const char *words)
{
	char line[256];

	snprintf(line, sizeof(line), "list|%s/%s", root, words);
	return command_run(cmd_list, line);
}

/* the list without its first line, which names the folder */
static void lists(const char *words, const char *lines)
{
	ck_assert_msg(!list(words), "%s", said);
	ck_assert_int_eq(printed[0], '#');
	ck_assert_str_eq(strchr(printed, '\n') + 1, lines);
}

TEST(cmd_list__folder)
{
	static const char both[] = "a                        roce          quiet\n"
				   "b                        flow-channel  Two hosts.\n";

	scenarios_write();
	lists("", both);
	lists("|--fabric|roce", "a                        roce          quiet\n");
	lists("|--fabric|port-group", "none\n");
	lists("|--with|HOSTS", "b                        flow-channel  Two hosts.\n");
	lists("|--with|A", "a                        roce          quiet\n");
	lists("|--variants|--with|b", "b                        flow-channel  Two hosts.\n"
				      "                           variant 'one'\n"
				      "                           variant 'two'\n");
	ck_assert_int_eq(list("|--json|--with|b"), 0);
	ck_assert_ptr_nonnull(strstr(printed, "\"name\": \"b\""));
	ck_assert_ptr_nonnull(strstr(printed, "\"about\": \"Two hosts.\""));
	ck_assert_ptr_nonnull(strstr(printed, "\"one\","));
	ck_assert_ptr_null(strstr(printed, "\"name\": \"a\""));
	unlink("a.yaml");
	unlink("b.yaml");
}

TEST(cmd_list__wrong)
{
	ck_assert_int_eq(list("nothing"), 2);
	ck_assert_ptr_nonnull(strstr(said, "heddle list: no scenarios in "));
	scenario_write("a.yaml", "name: [\n");
	ck_assert_int_eq(list(""), 2);
	unlink("a.yaml");
}
