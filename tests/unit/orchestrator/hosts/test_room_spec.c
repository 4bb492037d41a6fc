/*  orchestrator/hosts/host_room, base/text_pack: the words from which the init process of a host is
 *  made come whole or not at all (DU-3). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "nodes/base/sanitizer.h"
#include "orchestrator/base/text_pack.h"
#include "orchestrator/hosts/host_room.h"
#include "orchestrator/hosts/room_init.h"
#include "tests/testing.h"

#if SANITIZER_ADDRESS
#include <sanitizer/lsan_interface.h>
#endif

#define FIELDS 13u /* of the words below; the second mount has none but its source */

static char first[] = "/run/a", second[] = "/tmp/b";

/* the first @count words of a host with two mounts.   Return: a descriptor */
static int words(unsigned count)
{
	char *kept[] = { first, second, NULL };
	FILE *out = text_pack_begin();
	unsigned at = 0;
	int fd;

#define WORD(put)         \
	if (at++ < count) \
	put
	WORD(text_pack_put(out, "A"));
	WORD(text_pack_put(out, "nameserver 10.0.0.1"));
	WORD(text_pack_list(out, kept));
	WORD(text_pack_number(out, 1));
	WORD(text_pack_number(out, 1024));
	WORD(text_pack_number(out, 77));
	WORD(text_pack_number(out, 1ull << 40));
	WORD(text_pack_put(out, "/srv/root"));
	WORD(text_pack_number(out, 2));
	WORD(text_pack_put(out, "/from"));
	WORD(text_pack_put(out, "/to"));
	WORD(text_pack_number(out, 1));
	WORD(text_pack_put(out, ""));
	WORD(text_pack_put(out, "/own"));
	WORD(text_pack_number(out, 0));
#undef WORD
	fd = text_pack_end(out);
	ck_assert_int_ge(fd, 0);
	return fd;
}

/* an init process keeps what it has read until its end */
static int spec_read(struct host_room_spec *spec, int fd)
{
	int error;

#if SANITIZER_ADDRESS
	__lsan_disable();
#endif
	error = host_room_spec_read(spec, fd);
#if SANITIZER_ADDRESS
	__lsan_enable();
#endif
	return error;
}

TEST(host_room_spec_read__all_words)
{
	struct host_room_spec spec;
	int fd = words(FIELDS + 2);

	ck_assert_int_eq(spec_read(&spec, fd), 0);
	ck_assert_str_eq(spec.name, "A");
	ck_assert_str_eq(spec.resolver, "nameserver 10.0.0.1");
	ck_assert_str_eq(spec.kept[0], "/run/a");
	ck_assert_str_eq(spec.kept[1], "/tmp/b");
	ck_assert_ptr_null(spec.kept[2]);
	ck_assert(spec.rights.full);
	ck_assert_uint_eq(spec.rights.limits.files, 1024);
	ck_assert_uint_eq(spec.rights.limits.processes, 77);
	ck_assert_uint_eq(spec.rights.limits.address_bytes, 1ull << 40);
	ck_assert_str_eq(spec.rootfs, "/srv/root");
	ck_assert_uint_eq(spec.mount_count, 2);
	ck_assert_str_eq(spec.mounts[0].from, "/from");
	ck_assert_str_eq(spec.mounts[0].to, "/to");
	ck_assert(spec.mounts[0].read_only);
	ck_assert_str_eq(spec.mounts[1].from, "");
	ck_assert_str_eq(spec.mounts[1].to, "/own");
	ck_assert(!spec.mounts[1].read_only);
	close(fd);
}

TEST_RANGE(host_room_spec_read__words_are_missing, 0, FIELDS)
{
	struct host_room_spec spec;
	int fd = words((unsigned)_i);

	/* without the number of mounts there are none */
	ck_assert_int_eq(spec_read(&spec, fd), _i == 8 ? 0 : -EINVAL);
	close(fd);
}

TEST(host_room_spec_read__no_file)
{
	struct host_room_spec spec;

	ck_assert_int_eq(spec_read(&spec, -1), -EBADF);
}

TEST(host_room_make__no_descriptor_for_its_words)
{
	const struct fabric_namespaces namespaces = { .init_fd = -1 };
	const struct host_room_spec spec = { .name = "A" };
	struct rlimit before, none = { 0, 0 };
	struct host_room room;
	struct why why;
	int error;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none.rlim_max = before.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	error = host_room_make(&room, &namespaces, -1, -1, &spec, &why);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_int_eq(error, -EMFILE);
	ck_assert_str_eq(why.text, "host A: not enough memory");
	ck_assert_int_eq(room.socket_fd, -1);
}
