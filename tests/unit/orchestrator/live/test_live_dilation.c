/*  orchestrator/live/live_dilation: which hosts see the time of a dilated fabric, and what their
 *  programs are told of it (SC-8). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/hosts/host_dilation.h"
#include "orchestrator/live/live_dilation.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/live/live_plan.h"

static struct plan plan;
static struct clock_page page = { .dilation = 10,
				  .epoch_ns = 18446744073709551615u,
				  .epoch_utc_ns = 1700000000000000001 };
static struct live live;
static char rootfs[] = "/tmp/live-dilation-XXXXXX";

static void setup(void)
{
	char text[256];

	strcpy(rootfs, "/tmp/live-dilation-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(rootfs));
	ck_assert_int_eq(chdir(rootfs), 0);
	snprintf(text, sizeof(text),
		 "name: t\nrun: {duration: 1ms}\n"
		 "topology: {switches: [s1], hosts: {A: {switch: s1}, B: {switch: s1, rootfs: "
		 "%s}}}\n",
		 rootfs);
	live_plan_make(text, &plan);
	live = (struct live){ .plan = &plan, .fabric = { .plan = &plan, .page = &page } };
	live.fabric.nodes = live_nodes_make(&plan);
	strcpy(live.dilation_library, "/opt/dilate.so");
	plan.dilation = 10;
}

static void teardown(void)
{
	free(live.fabric.nodes);
	plan_free(&plan);
	unlink("lib/ld-musl-x86_64.so.1");
	rmdir("lib");
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(rootfs), 0);
}

TEST_GROUP(live_dilation, .setup = setup, .teardown = teardown);

static void object_is(uint32_t host, bool own, const char *expected)
{
	json_t *object = json_object();
	char *text;

	live_dilation_put(&live, host, own, object);
	text = json_dumps(object, JSON_SORT_KEYS);
	ck_assert_str_eq(text, expected);
	free(text);
	json_decref(object);
}

TEST(live_dilation__nothing_at_the_speed_of_the_machine)
{
	struct room_mount mount;

	plan.dilation = 1;
	ck_assert_int_eq(live_dilation_open(&live), 0);
	ck_assert_str_eq(live.dilation_library, "/opt/dilate.so");
	ck_assert(!live_dilation_reaches(&live, 0));
	ck_assert(!live_dilation_mount(&live, 0, &mount));
	object_is(0, true, "{}");
}

TEST(live_dilation__least_one)
{
	plan.dilation = 2;
	ck_assert(live_dilation_reaches(&live, 0));
}

/* the factor, and the origins in time of the machine and of the day */
TEST(live_dilation_put__origin_and_library)
{
	object_is(0, true,
		  "{\"dilation\": \"10 18446744073709551615 1700000000000000001\", \"preload\": "
		  "\"" HOST_DILATION_LIBRARY "\"}");
	object_is(1, false,
		  "{\"dilation\": \"10 18446744073709551615 1700000000000000001\", \"preload\": "
		  "\"/opt/dilate.so\"}");
}

TEST(live_dilation_mount__read_only_at_its_place)
{
	struct room_mount mount;

	ck_assert(live_dilation_mount(&live, 0, &mount));
	ck_assert_str_eq(mount.from, "/opt/dilate.so");
	ck_assert_str_eq(mount.to, HOST_DILATION_LIBRARY);
	ck_assert(mount.read_only);
}

/* files of a host for another C library than ours */
TEST(live_dilation_reaches__not_musl)
{
	struct room_mount mount;
	FILE *loader;

	ck_assert(live_dilation_reaches(&live, 1));
	ck_assert_int_eq(mkdir("lib", 0700), 0);
	ck_assert(live_dilation_reaches(&live, 1));
	loader = fopen("lib/ld-musl-x86_64.so.1", "we");
	ck_assert_ptr_nonnull(loader);
	fclose(loader);
	ck_assert(!live_dilation_reaches(&live, 1));
	ck_assert(live_dilation_reaches(&live, 0));
	ck_assert(!live_dilation_mount(&live, 1, &mount));
	object_is(1, true, "{}");
}

/* without the library no fabric can be dilated */
TEST(live_dilation_open__library_beside_the_program)
{
	int error = live_dilation_open(&live);

	ck_assert(error == -ENOENT ||
		  (!error && strstr(live.dilation_library, "/libheddle-dilate.so")));
}
