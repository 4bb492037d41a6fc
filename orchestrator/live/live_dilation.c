#include "orchestrator/live/live_dilation.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "orchestrator/base/beside.h"
#include "orchestrator/hosts/host_dilation.h"
#include "orchestrator/live/live_room.h"

#define LIBRARY "libheddle-dilate.so"

int live_dilation_open(struct live *live)
{
	if (live->plan->dilation == 1)
		return 0;
	return beside_find(LIBRARY, R_OK, live->dilation_library, sizeof(live->dilation_library));
}

/* has @rootfs the C library musl, whose loader accepts no library of glibc? */
static bool is_musl(const char *rootfs)
{
	char pattern[PATH_MAX];
	glob_t found = { 0 };
	bool musl;

	if (!*rootfs ||
	    snprintf(pattern, sizeof(pattern), "%s/lib/ld-musl-*", rootfs) >= (int)sizeof(pattern))
		return false;
	musl = !glob(pattern, GLOB_NOSORT, NULL, &found);
	globfree(&found);
	return musl;
}

bool live_dilation_reaches(const struct live *live, uint32_t index)
{
	return live->plan->dilation > 1 && !is_musl(live_room_rootfs(live, index));
}

bool live_dilation_mount(const struct live *live, uint32_t index, struct room_mount *mount)
{
	if (!live_dilation_reaches(live, index))
		return false;
	*mount = (struct room_mount){ live->dilation_library, HOST_DILATION_LIBRARY, true };
	return true;
}

const char *live_dilation_origin(const struct live *live, char text[LIVE_DILATION_ORIGIN_MAX])
{
	const struct clock_page *page = live->fabric.page;

	snprintf(text, LIVE_DILATION_ORIGIN_MAX, "%" PRIu32 " %" PRIu64 " %" PRIu64, page->dilation,
		 page->epoch_ns, page->epoch_utc_ns);
	return text;
}

void live_dilation_put(const struct live *live, uint32_t index, bool own, json_t *answer)
{
	char text[LIVE_DILATION_ORIGIN_MAX];

	if (!live_dilation_reaches(live, index))
		return;
	json_object_set_new(answer, "dilation", json_string(live_dilation_origin(live, text)));
	json_object_set_new(answer, "preload",
			    json_string(own ? HOST_DILATION_LIBRARY : live->dilation_library));
}
