/*  orchestrator/hosts/host_dilation: LD_PRELOAD of programs whose time is dilated (SC-8). */
#include "orchestrator/hosts/host_dilation.h"

#include <stdlib.h>

#include "tests/testing.h"

static void preload(const char *before, const char *expected)
{
	char *text = host_dilation_preload("/l.so", before);

	ck_assert_str_eq(text, expected);
	free(text);
}

TEST(host_dilation_preload__first_and_once)
{
	preload(NULL, "/l.so");
	preload("", "/l.so");
	preload("/other.so", "/l.so:/other.so");
	preload("/a.so /b.so", "/l.so:/a.so /b.so");
	preload("/l.so", "/l.so");
	preload("/a.so:/l.so", "/a.so:/l.so");
	preload("/a.so /l.so /b.so", "/a.so /l.so /b.so");
	preload("/l.so:/b.so", "/l.so:/b.so");
}

/* a name that ends or begins like it is another library */
TEST(host_dilation_preload__whole_names)
{
	preload("/usr/l.so", "/l.so:/usr/l.so");
	preload("/l.so.1", "/l.so:/l.so.1");
	preload("/l.so.1:/l.so", "/l.so.1:/l.so");
}
