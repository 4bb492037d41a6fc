/*  orchestrator/operate: up_images - what an image says fills what the scenario does not say
 *  (DU-3). */
#include "orchestrator/operate/up_images.h"

#include <stdlib.h>
#include <string.h>

#include "tests/testing.h"

#define PATH_DEFAULT "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

TEST_GROUP(up_images);

static char *command[] = { "/bin/serve", "a b", NULL };
static char *variables[] = { "A=image", "AB=image", NULL };
static char *none[] = { NULL };
static struct image_config image;
static struct scenario_host_settings *settings;

static void begin(void)
{
	image = (struct image_config){
		.command = command, .variables = variables, .user = "web", .folder = "/www"
	};
	settings = scenario_host_settings_new();
}

TEST(up_images_apply__fills_all)
{
	begin();
	ck_assert_int_eq(up_images_apply(settings, &image, "/cache/root"), 0);
	ck_assert_str_eq(settings->rootfs, "/cache/root");
	ck_assert_str_eq(settings->work_folder, "/www");
	ck_assert_str_eq(settings->user, "web");
	ck_assert(settings->user_of_image);
	ck_assert_uint_eq(settings->command_count, 1);
	ck_assert_str_eq(settings->commands[0].argv[0], "/bin/serve");
	ck_assert_str_eq(settings->commands[0].argv[1], "a b");
	ck_assert_ptr_null(settings->commands[0].argv[2]);
	ck_assert_str_eq(settings->commands[0].text, "/bin/serve 'a b'");
	ck_assert_uint_eq(settings->variable_count, 3);
	ck_assert_str_eq(settings->variables[0], "A=image");
	ck_assert_str_eq(settings->variables[2], PATH_DEFAULT);
	scenario_host_settings_release(settings);
}

TEST(up_images_apply__the_scenario_wins)
{
	begin();
	settings->user = strdup("own");
	settings->variables = calloc(1, sizeof(*settings->variables));
	settings->variables[0] = strdup("A=own");
	settings->variable_count = 1;
	settings->commands = calloc(1, sizeof(*settings->commands));
	settings->commands[0].argv = calloc(1, sizeof(char *));
	settings->commands[0].text = strdup("own");
	settings->command_count = 1;
	ck_assert_int_eq(up_images_apply(settings, &image, "/cache/root"), 0);
	ck_assert_str_eq(settings->user, "own");
	ck_assert(!settings->user_of_image);
	ck_assert_uint_eq(settings->command_count, 1);
	ck_assert_str_eq(settings->commands[0].text, "own");
	ck_assert_uint_eq(settings->variable_count, 3);
	ck_assert_str_eq(settings->variables[0], "A=own");
	ck_assert_str_eq(settings->variables[1], "AB=image");
	scenario_host_settings_release(settings);
}

/* an image without a program; its root is that of the host */
TEST(up_images_apply__nothing_said)
{
	static const char *const roots[] = { "", "0", "root", "0:0" };

	for (unsigned i = 0; i < 4; i++) {
		begin();
		image = (struct image_config){ .command = none,
					       .variables = none,
					       .folder = "",
					       .user = (char *)(uintptr_t)roots[i] };
		ck_assert_int_eq(up_images_apply(settings, &image, "/cache/root"), 0);
		ck_assert_ptr_null(settings->user);
		ck_assert_uint_eq(settings->command_count, 0);
		ck_assert_str_eq(settings->work_folder, "/");
		ck_assert_uint_eq(settings->variable_count, 1);
		scenario_host_settings_release(settings);
	}
}

TEST(up_images_apply__a_path_of_the_image_stays)
{
	static char *paths[] = { "PATH=/opt", NULL };

	begin();
	image.variables = paths;
	ck_assert_int_eq(up_images_apply(settings, &image, "/cache/root"), 0);
	ck_assert_uint_eq(settings->variable_count, 1);
	ck_assert_str_eq(settings->variables[0], "PATH=/opt");
	scenario_host_settings_release(settings);
}
