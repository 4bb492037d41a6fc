/*  orchestrator/fabric/capture_file: which links `--capture` takes, which it refuses and why, and
 *  that no file is left of a run that does not start (TB-19). */
#include "orchestrator/fabric/capture_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/testing.h"

/* s1 has two links to s2, and 40 hosts; s2 has none */
#define TWO                                                                                  \
	"name: t\nseed: 7\nrun: {duration: 100us, warmup: 10us}\nrouting: {cycles: allow}\n" \
	"topology: {switches: [s1, s2], hosts: {%s}, links: [[s1, s2], [s1, s2]]}\n"
#define HOSTS 40

static struct plan plan;
static struct capture_files files;
static char folder[] = "/tmp/heddle-capture-XXXXXX";
static struct why why;

static void setup(void)
{
	char text[2048], hosts[1024] = "";
	struct scenario_errors errors = { 0 };
	struct scenario scenario;

	for (int i = 0; i < HOSTS; i++)
		snprintf(hosts + strlen(hosts), sizeof(hosts) - strlen(hosts), "%sh%d: s1",
			 i ? ", " : "", i);
	snprintf(text, sizeof(text), TWO, hosts);
	ck_assert_msg(
		!scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors),
		"%s", errors.count ? errors.texts[0] : "?");
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

/* how many files are in the folder */
static int left(void)
{
	DIR *all = opendir(folder);
	int count = 0;

	for (const struct dirent *entry; (entry = readdir(all));)
		count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
	closedir(all);
	return count;
}

static void teardown(void)
{
	capture_files_abort(&files);
	capture_files_abort(&files); /* twice is fine */
	ck_assert_int_eq(left(), 0);
	ck_assert_int_eq(chdir("/"), 0);
	rmdir(folder);
	plan_free(&plan);
}

/* @b NULL: one word */
static int capture(const char *a, const char *b)
{
	const char *const words[] = { a, b };

	return capture_files_open(&files, words, b ? 2 : 1, 128, &plan, &why);
}

static void refused(const char *word, const char *sentence)
{
	ck_assert_int_eq(capture(word, NULL), -EINVAL);
	ck_assert_str_eq(why.text, sentence);
	ck_assert_int_eq(left(), 0);
}

TEST_GROUP(capture_file, .setup = setup, .teardown = teardown);

TEST(capture_files_open__which_link)
{
	refused("s1", "--capture takes LINK=FILE, such as s1:h3=h3.pcapng, or all=FILE, not 's1'");
	refused("s1:h3=", "--capture takes LINK=FILE, such as s1:h3=h3.pcapng, or all=FILE, not "
			  "'s1:h3='");
	refused("s1=f",
		"a link is written node:peer or node:port, such as s1:s2 or s1:p3, not 's1'");
	refused(":h3=f", "there is no switch or host ''; there are s1, s2, h0, h1, h2, h3, h4, h5, "
			 "h6, h7, h8, h9");
	refused("h39x:s1=f", "there is no switch or host 'h39x' - did you mean 'h39'?");
	refused("s2:h3=f", "s2 has no port 'h3'; it has p0 s1, p1 s1");
	refused("s2:s1=f", "s2 has 2 links to s1; name one of its ports: p0 s1, p1 s1");
}

/* twelve ports are named */
TEST(capture_files_open__many_ports)
{
	ck_assert_int_eq(capture("s1:x=f", NULL), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "p11 h"));
	ck_assert_ptr_null(strstr(why.text, "p12 "));
	ck_assert_str_eq(why.text + strlen(why.text) - strlen(" and 30 more"), " and 30 more");
}

TEST(capture_files_open__marks_the_port_and_begins_the_file)
{
	struct stat status;
	int fd;

	ck_assert_int_eq(capture("s2:p1=f", "h3:s1=g"), 0);
	ck_assert_uint_eq(files.count, 2);
	ck_assert_str_eq(files.files[0].link, "s2:s1");
	ck_assert_uint_eq(plan.nodes[1].ports[1].capture_bytes, 128);
	ck_assert_uint_eq(plan.nodes[1].ports[0].capture_bytes, 0);
	ck_assert_uint_eq(plan.nodes[5].ports[0].capture_bytes, 128);
	fd = capture_files_find(&files, 1, 1);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &status), 0);
	ck_assert_int_gt(status.st_size, 100);
	ck_assert_int_ne(capture_files_find(&files, 5, 0), fd);
	ck_assert_int_eq(capture_files_find(&files, 1, 0), -1);
	ck_assert_int_eq(capture_files_find(&files, 0, 1), -1);
	ck_assert_int_eq(capture_files_find(&files, 1, NODE_PORTS_MAX), -1);
}

TEST(capture_files_open__twice)
{
	ck_assert_int_eq(capture("h3:s1=f", "h3:p0=g"), -EINVAL);
	ck_assert_str_eq(why.text, "h3:s1 is captured twice");
	ck_assert_int_eq(left(), 0);
}

/* two links, one file that is there: each capture would write it */
TEST(capture_files_open__one_file_for_two)
{
	int reader;

	ck_assert_int_eq(mkfifo("f", 0600), 0);
	reader = open("f", O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(reader, 0);
	ck_assert_int_eq(capture("h3:s1=f", "h4:s1=f"), -EINVAL);
	ck_assert_str_eq(why.text, "f is the file of two captures: h3:s1 and h4:s1");
	close(reader);
	unlink("f");
}

TEST(capture_files_open__no_such_folder)
{
	ck_assert_int_eq(capture("h3:s1=none/f", NULL), -ENOENT);
	ck_assert_msg(!strncmp(why.text, "cannot write the capture none/f: ", 33), "%s", why.text);
}

/* all links, and no other */
TEST(capture_files_open__all)
{
	ck_assert_int_eq(capture("all=f", "h3:s1=g"), -EINVAL);
	ck_assert_str_eq(why.text, "--capture all=... has every link; give no other one");
	ck_assert_int_eq(capture("h3:s1=g", "all=f"), -EINVAL);
	ck_assert_str_eq(why.text,
			 "--capture all=... has every link, h3:s1 too; give no other one");
	for (uint32_t i = 0; i < plan.node_count; i++)
		for (uint32_t p = 0; p < plan.nodes[i].port_count; p++)
			plan.nodes[i].ports[p].capture_bytes = 0;
	ck_assert_int_eq(capture("all=f", NULL), 0);
	ck_assert(files.all.wanted);
	ck_assert_int_ge(capture_files_find(&files, 5, NODE_PORTS_MAX), 0);
	ck_assert_int_ge(capture_files_find(&files, 0, NODE_PORTS_MAX), 0);
	ck_assert_int_eq(capture_files_find(&files, 0, 0), -1);
}

/* the limit is that of a node, and of captures, not of links */
TEST(capture_files_open__the_most_that_a_node_can)
{
	struct node_config *s1 = &plan.nodes[0];

	for (uint32_t p = 0; p < NODE_CAPTURES_MAX - 1; p++)
		s1->ports[s1->port_count - 1 - p].capture_bytes = 64;
	ck_assert_int_eq(capture("s1:p0=f", NULL), 0);
	capture_files_abort(&files);
	ck_assert_int_eq(capture("s1:p1=f", NULL), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text,
				     "s1 captures 32 of its links already, the most that a node "
				     "can; capture s1:"));
}

/* a port of which the link was removed */
TEST(capture_files_open__no_link)
{
	plan.nodes[1].ports[1].vacant = true;
	refused("s2:p1=f", "s2:p1 has no link; s2 has p0 s1");
	ck_assert_int_eq(capture("s2:p0=f", NULL), 0);
	ck_assert_str_eq(files.files[0].link, "s2:s1");
}
