#include "orchestrator/view/nameless_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

int nameless_file(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder && folder[0] ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : memfd_create("recording", MFD_CLOEXEC);
}
