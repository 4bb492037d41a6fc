/*  orchestrator/view/view_shelf: the recordings of a server, by ids that are never used again
 *  (SE-4, SE-6). */
#include "orchestrator/view/view_shelf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/testing.h"

static struct view_shelf shelf;
static json_t *list;

static void setup(void)
{
	view_shelf_init(&shelf);
}

static void teardown(void)
{
	json_decref(list);
	list = NULL;
	view_shelf_fini(&shelf);
}

/* a file of @bytes */
static int file_of(off_t bytes)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);

	ck_assert_int_eq(ftruncate(fd, bytes), 0);
	return fd;
}

static unsigned add(const char *name)
{
	return view_shelf_add(&shelf, file_of(7), name, NULL, NULL);
}

/* the row at @index of the list */
static const json_t *row(size_t index)
{
	json_decref(list);
	list = view_shelf_list(&shelf);
	ck_assert_ptr_nonnull(list);
	return json_array_get(list, index);
}

static const char *word(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

TEST_GROUP(view_shelf, .setup = setup, .teardown = teardown);

TEST(view_shelf_add__until_it_is_full)
{
	int fd;

	ck_assert_ptr_null(row(0));
	for (unsigned i = 1; i <= VIEW_RECORDINGS_MAX; i++)
		ck_assert_uint_eq(add("r"), i);
	fd = file_of(7);
	ck_assert_uint_eq(view_shelf_add(&shelf, fd, "r", json_string("heddle run"), json_array()),
			  0);
	ck_assert_int_eq(fcntl(fd, F_GETFD), -1); /* it was taken */
	row(0);
	ck_assert_uint_eq(json_array_size(list), VIEW_RECORDINGS_MAX);
}

TEST(view_shelf_list__what_is_known_of_one)
{
	view_shelf_add(&shelf, file_of(1234), "first", json_string("heddle run t.yaml"),
		       json_pack("[s]", "run.seed=2"));
	ck_assert_int_eq(json_integer_value(json_object_get(row(0), "id")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(row(0), "bytes")), 1234);
	ck_assert_str_eq(word(row(0), "name"), "first");
	ck_assert_str_eq(word(row(0), "state"), view_state_name(VIEW_GROWING));
	ck_assert_str_eq(word(row(0), "command"), "heddle run t.yaml");
	ck_assert_str_eq(json_string_value(json_array_get(json_object_get(row(0), "settings"), 0)),
			 "run.seed=2");
	ck_assert(json_is_null(json_object_get(row(0), "error")));
	ck_assert(json_is_null(json_object_get(row(0), "fork")));
}

/* none is left out because of its name */
TEST(view_shelf_list__any_name_of_a_file)
{
	add("r\xff");
	ck_assert_str_eq(word(row(0), "name"), "r?");
}

TEST(view_shelf_list__without_command_and_settings)
{
	add("r");
	ck_assert(json_is_null(json_object_get(row(0), "command")));
	ck_assert_uint_eq(json_array_size(json_object_get(row(0), "settings")), 0);
}

/* the place of one that is gone is used again, its id is not; the list is by id */
TEST(view_shelf_remove__ids_are_not_used_again)
{
	add("a");
	add("b");
	view_shelf_remove(view_shelf_find(&shelf, 1));
	ck_assert_ptr_null(view_shelf_find(&shelf, 1));
	ck_assert_uint_eq(add("c"), 3);
	ck_assert_str_eq(word(row(0), "name"), "b");
	ck_assert_str_eq(word(row(1), "name"), "c");
	ck_assert_uint_eq(json_array_size(list), 2);
}

/* 0 is what an empty place has */
TEST(view_shelf_find__no_recording_has_id_0)
{
	ck_assert_ptr_null(view_shelf_find(&shelf, 0));
	add("a");
	ck_assert_ptr_null(view_shelf_find(&shelf, 0));
	ck_assert_ptr_null(view_shelf_find(&shelf, 2));
	ck_assert_str_eq(view_shelf_find(&shelf, 1)->name, "a");
}

TEST(view_shelf_state__of_one_that_is_there)
{
	add("a");
	add("b");
	view_shelf_state(&shelf, 2, VIEW_FAILED, "no memory");
	view_shelf_state(&shelf, 9, VIEW_FAILED, "nothing");
	ck_assert_str_eq(word(row(1), "state"), view_state_name(VIEW_FAILED));
	ck_assert_str_eq(word(row(1), "error"), "no memory");
	ck_assert_str_eq(word(row(0), "state"), view_state_name(VIEW_GROWING));
	view_shelf_state(&shelf, 2, VIEW_COMPLETE, NULL);
	ck_assert(json_is_null(json_object_get(row(1), "error")));
}

/* the descriptor is the caller's */
TEST(view_shelf_open__a_descriptor_of_its_own)
{
	char name[VIEW_TEXT_MAX];
	enum view_state state = VIEW_FAILED;
	int fd;

	add("a");
	view_shelf_state(&shelf, 1, VIEW_COMPLETE, NULL);
	fd = view_shelf_open(&shelf, 1, &state, name);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_ne(fd, view_shelf_find(&shelf, 1)->fd);
	ck_assert_int_eq(state, VIEW_COMPLETE);
	ck_assert_str_eq(name, "a");
	ck_assert_int_eq(lseek(fd, 0, SEEK_END), 7);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	ck_assert_int_eq(view_shelf_open(&shelf, 2, &state, name), -1);
}
