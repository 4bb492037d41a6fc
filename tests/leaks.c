/*  leaks - when the leak sanitizer may not look for leaks, in heddle of KIND=asan.
 *
 *  At the end of a process it starts a thread of its own that stops the others, and waits for it.
 *  That thread ends at once if it does not see its parent. `heddle exec` has entered the process
 *  namespace of a host: what it starts sees nothing outside, and the sanitizer would wait forever.
 */
#include <string.h>
#include <unistd.h>

int __lsan_is_turned_off(void);

/* the namespace of a file of /proc/self/ns: "pid:[4026531836]" */
static void namespace_read(const char *path, char name[64])
{
	ssize_t length = readlink(path, name, 63);

	name[length < 0 ? 0 : length] = '\0';
}

/* Return: would a new process be in another process namespace? Also if /proc does not tell, as in
 * the file system of a host. */
int __lsan_is_turned_off(void)
{
	char own[64], next[64];

	namespace_read("/proc/self/ns/pid", own);
	namespace_read("/proc/self/ns/pid_for_children", next);
	return !own[0] || strcmp(own, next) != 0;
}
