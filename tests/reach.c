/*  reach - notes which places of a program run, for tests/mutants.py.
 *
 *  Programs of KIND=reach call __sanitizer_cov_trace_pc() at the start of every basic block. It
 *  sets the byte of that address in the file $REACH/PROGRAM, which all processes of the program
 *  share: what a process noted stays if it is killed, and no system call is made after the start,
 *  so nodes with a system call filter note as well. Without REACH nothing is noted.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void __sanitizer_cov_trace_pc(void);

extern const char __executable_start[], etext[];
static unsigned char *noted; /* a byte per byte of the program; NULL: nothing is noted */

__attribute__((constructor(101))) static void begin(void)
{
	const char *folder = getenv("REACH");
	size_t bytes = (size_t)(etext - __executable_start);
	char self[4096], path[8192];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	void *map;
	int file;

	if (!folder || length < 0)
		return;
	self[length] = '\0';
	snprintf(path, sizeof(path), "%s/%s", folder, basename(self));
	file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (file < 0)
		return;
	if (!ftruncate(file, (off_t)bytes)) {
		map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
		if (map != MAP_FAILED)
			noted = map;
	}
	close(file);
}

void __sanitizer_cov_trace_pc(void)
{
	const char *place = __builtin_return_address(0);

	if (noted && place < etext && !noted[place - __executable_start])
		noted[place - __executable_start] = 1;
}
