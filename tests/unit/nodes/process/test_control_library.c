/*  nodes/process/control_library: what is no library with a congestion control is refused, with the
 *  reason (SE-10). tests/system/test_own_control.sh loads those that are. */
#include "nodes/process/control_library.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/testing.h"

static struct control_call call;
static char why[256];

TEST(control_library_load__no_library)
{
	int fd = memfd_create("control", MFD_CLOEXEC);

	ck_assert_int_eq(write(fd, "#!/bin/sh\n", 10), 10);
	ck_assert_ptr_null(control_library_load(fd, &call, why, sizeof(why)));
	ck_assert_str_eq(why, "file too short"); /* without the path, which is of this process */
	ck_assert_int_eq(call.function, CONTROL_NONE);
	ck_assert_uint_eq(call.count, 1);
	close(fd);
}

TEST(control_library_load__library_without_a_control)
{
	int fd = open("/lib/x86_64-linux-gnu/libz.so.1", O_RDONLY | O_CLOEXEC);

	if (fd < 0) /* another machine has it elsewhere */
		return;
	ck_assert_ptr_null(control_library_load(fd, &call, why, sizeof(why)));
	ck_assert_str_eq(why, "it does not define the object heddle_control");
	ck_assert_int_eq(call.function, CONTROL_NONE);
	close(fd);
}
