/*  orchestrator/operate/up_machines: the options of `heddle up` for several machines (SC-5). */
#include "orchestrator/operate/up_machines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/exit_status.h"
#include "tests/said.h"
#include "tests/testing.h"

static char key_file[] = "/tmp/heddle-key-XXXXXX";

static void setup(void)
{
	int fd = mkstemp(key_file);

	ck_assert_int_ge(fd, 0);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(write(fd, "0123456789abcdef", 16), 16);
	close(fd);
	said_begin();
}

static void teardown(void)
{
	said_end();
	unlink(key_file);
}

TEST_GROUP(up_machines, .setup = setup, .teardown = teardown);

/* the options are refused, and @text is said of them */
static void refused(struct up_machines up, const char *text)
{
	rewind(stderr);
	ck_assert_int_eq(up_machines_read(&up), EXIT_USAGE);
	fflush(stderr);
	ck_assert_msg(!strncmp(said, "heddle up: ", 11) && strstr(said, text), "%s", said);
}

TEST(up_machines_read__one_machine)
{
	struct up_machines up = { 0 };

	ck_assert_int_eq(up_machines_read(&up), 0);
	ck_assert_uint_eq(up.machines.count, 0);
	refused((struct up_machines){ .self = "a" }, "--machine and --key need --machines");
	refused((struct up_machines){ .key_file = key_file }, "need --machines");
}

TEST(up_machines_read__several)
{
	struct up_machines up = { .list = "a=10.0.0.1,b=10.0.0.2,c=10.0.0.3",
				  .self = "c",
				  .key_file = key_file };

	ck_assert_int_eq(up_machines_read(&up), 0);
	ck_assert_uint_eq(up.machines.count, 3);
	ck_assert_uint_eq(up.machines.self, 2);
	ck_assert_uint_eq(up.tunnel.self, 2);
	ck_assert_uint_eq(up.tunnel.machine_count, 3);
	ck_assert_str_eq(up.machines.names[0], "a");
	ck_assert_str_eq(up.machines.names[1], "b");
	ck_assert_str_eq(up.machines.names[2], "c");
}

TEST(up_machines_read__wrong_list)
{
	char many[64 * 18] = "";

	refused((struct up_machines){ .list = "a=10.0.0.1" }, "two machines or more");
	refused((struct up_machines){ .list = "a=10.0.0.1,a=10.0.0.2" }, "names a twice");
	refused((struct up_machines){ .list = "a=10.0.0.1:7,b=10.0.0.1,c=10.0.0.1:7" },
		"a and c have the same address and port");
	refused((struct up_machines){ .list = "a=10.0.0.1,b" }, "");
	for (uint32_t i = 0; i <= SCENARIO_MACHINES_MAX; i++)
		sprintf(many + strlen(many), "%sm%u=10.0.0.%u", i ? "," : "", i, i);
	refused((struct up_machines){ .list = many, .self = "m0" }, "there are at most");
	*strrchr(many, ',') = 0;
	{
		struct up_machines up = { .list = many, .self = "m0", .key_file = key_file };

		ck_assert_int_eq(up_machines_read(&up), 0);
		ck_assert_uint_eq(up.machines.count, SCENARIO_MACHINES_MAX);
	}
}

/* no machine has an empty name, so that no list ends in one */
TEST(up_machines_read__which_is_this)
{
	const char *list = "a=10.0.0.1,b=10.0.0.2";

	refused((struct up_machines){ .list = list, .self = "x", .key_file = key_file },
		"expected one of --machines, not 'x'\n");
	refused((struct up_machines){ .list = list, .self = "", .key_file = key_file },
		"expected one of --machines, not ''\n");
	refused((struct up_machines){ .list = list, .key_file = key_file },
		"(the name of this host)");
}

TEST(up_machines_read__the_key)
{
	const char *list = "a=10.0.0.1,b=10.0.0.2";

	refused((struct up_machines){ .list = list, .self = "a" }, "--machines needs --key FILE");
	refused((struct up_machines){ .list = list, .self = "a", .key_file = "/none" }, "--key: ");
}

/* the digest is of the version, the names and their order */
TEST(up_machines_digest__names)
{
	struct up_machines up = { .list = "a=10.0.0.1,b=10.0.0.2",
				  .self = "a",
				  .key_file = key_file },
			   there = up, other = up;
	struct plan plan = { 0 };

	there.self = "b";
	other.list = "b=10.0.0.2,a=10.0.0.1";
	ck_assert_int_eq(up_machines_read(&up), 0);
	ck_assert_int_eq(up_machines_read(&there), 0);
	ck_assert_int_eq(up_machines_read(&other), 0);
	up_machines_digest(&up, &plan);
	up_machines_digest(&there, &plan);
	up_machines_digest(&other, &plan);
	ck_assert_mem_eq(up.tunnel.digest, there.tunnel.digest, TUNNEL_DIGEST_BYTES);
	ck_assert_mem_ne(up.tunnel.digest, other.tunnel.digest, TUNNEL_DIGEST_BYTES);
}

/* the digest of the machines for a scenario with this text and setting */
static void digest_of(uint8_t digest[TUNNEL_DIGEST_BYTES], const char *text, const char *setting)
{
	struct up_machines up = { .list = "a=10.0.0.1,b=10.0.0.2",
				  .self = "a",
				  .key_file = key_file };
	struct plan plan = { .origin = origin_new(text, strlen(text), &setting, 1) };

	ck_assert_int_eq(up_machines_read(&up), 0);
	up_machines_digest(&up, &plan);
	memcpy(digest, up.tunnel.digest, TUNNEL_DIGEST_BYTES);
	origin_release(plan.origin);
}

/* ... and of the scenario, to the last character of a setting */
TEST(up_machines_digest__scenario)
{
	uint8_t one[TUNNEL_DIGEST_BYTES], other[TUNNEL_DIGEST_BYTES];

	digest_of(one, "name: t", "seed=1");
	digest_of(other, "name: t", "seed=1");
	ck_assert_mem_eq(one, other, sizeof(one));
	digest_of(other, "name: t", "seed=2");
	ck_assert_mem_ne(one, other, sizeof(one));
	digest_of(other, "name: u", "seed=1");
	ck_assert_mem_ne(one, other, sizeof(one));
}
