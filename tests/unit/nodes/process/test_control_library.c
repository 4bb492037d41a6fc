/*  nodes/process/control_library: what is no library with a congestion control is refused, with the
 *  reason, and a call without end ends the process (SE-10). tests/system/test_own_control.sh runs
 *  real ones; here a library is the least that the loader takes: a table of numbers. */
#include "nodes/process/control_library.h"

#include <elf.h>
#include <fcntl.h>
#include <heddle/congestion_control.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/testing.h"

static struct control_call call;
static struct why why;

TEST(control_library_load__no_library)
{
	int fd = memfd_create("control", MFD_CLOEXEC);

	ck_assert_int_eq(write(fd, "#!/bin/sh\n", 10), 10);
	ck_assert_ptr_null(control_library_load(fd, &call, &why));
	ck_assert_str_eq(why.text,
			 "file too short"); /* without the path, which is of this process */
	ck_assert_int_eq(call.function, CONTROL_NONE);
	ck_assert_uint_eq(call.count, 1);
	close(fd);
}

TEST(control_library_load__library_without_a_control)
{
	int fd = open("/lib/x86_64-linux-gnu/libz.so.1", O_RDONLY | O_CLOEXEC);

	if (fd < 0) /* another machine has it elsewhere */
		return;
	ck_assert_ptr_null(control_library_load(fd, &call, &why));
	ck_assert_str_eq(why.text, "it does not define the object heddle_control");
	ck_assert_int_eq(call.function, CONTROL_NONE);
	close(fd);
}

/* ---- libraries with a table ---- */

/* a shared library in one segment, which defines the object heddle_control */
struct library {
	ElfW(Ehdr) head;
	ElfW(Phdr) parts[2];
	ElfW(Dyn) dynamic[6];
	ElfW(Sym) symbols[2];
	uint32_t hash[5]; /* one bucket, two symbols */
	char names[32];
	struct heddle_control control;
};

#define AT(member) offsetof(struct library, member)

/* its descriptor */
static int library_make(struct heddle_control control)
{
	static const char name[] = "heddle_control";
	struct library library = { .control = control };
	int own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int fd = memfd_create("control", MFD_CLOEXEC);

	/* the machine of this process */
	ck_assert_int_eq(read(own, &library.head, sizeof(library.head)), sizeof(library.head));
	close(own);
	library.head.e_type = ET_DYN;
	library.head.e_entry = library.head.e_shoff = 0;
	library.head.e_shnum = library.head.e_shstrndx = 0;
	library.head.e_phoff = AT(parts);
	library.head.e_phnum = 2;
	library.parts[0] = (ElfW(Phdr)){ .p_type = PT_LOAD,
					 .p_flags = PF_R | PF_W,
					 .p_filesz = sizeof(library),
					 .p_memsz = sizeof(library),
					 .p_align = 65536 };
	library.parts[1] = (ElfW(Phdr)){ .p_type = PT_DYNAMIC,
					 .p_flags = PF_R | PF_W,
					 .p_offset = AT(dynamic),
					 .p_vaddr = AT(dynamic),
					 .p_paddr = AT(dynamic),
					 .p_filesz = sizeof(library.dynamic),
					 .p_memsz = sizeof(library.dynamic),
					 .p_align = 8 };
	library.dynamic[0] = (ElfW(Dyn)){ DT_HASH, { AT(hash) } };
	library.dynamic[1] = (ElfW(Dyn)){ DT_SYMTAB, { AT(symbols) } };
	library.dynamic[2] = (ElfW(Dyn)){ DT_STRTAB, { AT(names) } };
	library.dynamic[3] = (ElfW(Dyn)){ DT_STRSZ, { sizeof(library.names) } };
	library.dynamic[4] = (ElfW(Dyn)){ DT_SYMENT, { sizeof(library.symbols[0]) } };
	library.symbols[1] = (ElfW(Sym)){ .st_name = 1,
					  .st_info = STB_GLOBAL << 4 | STT_OBJECT,
					  .st_shndx = 1,
					  .st_value = AT(control),
					  .st_size = sizeof(control) };
	memcpy(library.hash, (uint32_t[]){ 1, 2, 1, 0, 0 }, sizeof(library.hash));
	memcpy(library.names + 1, name, sizeof(name));
	ck_assert_int_eq(write(fd, &library, sizeof(library)), sizeof(library));
	return fd;
}

static const struct heddle_control *load(struct heddle_control control)
{
	int fd = library_make(control);
	const struct heddle_control *loaded = control_library_load(fd, &call, &why);

	testing_leaves(); /* a library stays until its process ends */
	ck_assert_int_eq(call.function, CONTROL_NONE);
	close(fd);
	return loaded;
}

static void on_nothing(struct heddle_flow *flow)
{
	(void)flow;
}

static struct heddle_control sound(void)
{
	return (struct heddle_control){ .version = HEDDLE_CONTROL_VERSION,
					.state_bytes = HEDDLE_STATE_BYTES_MAX,
					.open = on_nothing };
}

TEST(control_library_load__its_table)
{
	const struct heddle_control *control = load(sound());

	ck_assert_msg(control, "%s", why.text);
	ck_assert_uint_eq(control->version, HEDDLE_CONTROL_VERSION);
	ck_assert_uint_eq(control->state_bytes, HEDDLE_STATE_BYTES_MAX);
}

TEST(control_library_load__another_version)
{
	struct heddle_control control = sound();
	char expected[128];

	control.version++;
	snprintf(expected, sizeof(expected),
		 "it is for version %u of the interface, this is version %u",
		 HEDDLE_CONTROL_VERSION + 1, HEDDLE_CONTROL_VERSION);
	ck_assert_ptr_null(load(control));
	ck_assert_str_eq(why.text, expected);
}

TEST(control_library_load__too_much_state)
{
	struct heddle_control control = sound();
	char expected[128];

	control.state_bytes++;
	snprintf(expected, sizeof(expected), "state_bytes is %u, more than %u",
		 HEDDLE_STATE_BYTES_MAX + 1, HEDDLE_STATE_BYTES_MAX);
	ck_assert_ptr_null(load(control));
	ck_assert_str_eq(why.text, expected);
}

/* each function is enough */
TEST_RANGE(control_library_load__one_function, 0, 7)
{
	struct heddle_control control = sound();
	void (*functions[6])(void) = { 0 };

	_Static_assert(offsetof(struct heddle_control, open) + sizeof(functions) ==
			       sizeof(struct heddle_control),
		       "all functions");
	if (_i < 6)
		functions[_i] = (void (*)(void))on_nothing;
	memcpy(&control.open, functions, sizeof(functions));
	if (_i < 6) {
		ck_assert_msg(load(control), "%s", why.text);
		return;
	}
	ck_assert_ptr_null(load(control));
	ck_assert_str_eq(why.text, "its heddle_control has no function");
}

/* ---- a call without end ---- */

/* the timer has looked @times, without CPU time that passes. @calls: further calls before each
 * look. Return: is the process alive? */
static bool alive_after(unsigned times, enum control_function function, unsigned calls)
{
	static struct control_call *shared;
	int status;
	pid_t pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	*shared = (struct control_call){ .function = function, .count = 7 };
	pid = fork();
	if (!pid) {
		control_library_watch(shared);
		for (unsigned i = 0; i < times; i++) {
			shared->count += calls;
			raise(SIGPROF);
		}
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_uint_eq(shared->fault, WIFEXITED(status) ? CONTROL_FINE : CONTROL_LOOP);
	if (WIFSIGNALED(status))
		ck_assert_int_eq(WTERMSIG(status), SIGABRT);
	munmap(shared, sizeof(*shared));
	return WIFEXITED(status);
}

/* the first look sees the call, four more see it again */
TEST(control_library_watch__a_call_without_end)
{
	ck_assert(alive_after(4, CONTROL_ON_ACK, 0));
	ck_assert(!alive_after(5, CONTROL_ON_ACK, 0));
	ck_assert(alive_after(20, CONTROL_ON_ACK, 1)); /* each a new one */
	ck_assert(alive_after(20, CONTROL_NONE, 0));
}

/* it looks every quarter of a second of CPU time */
TEST(control_library_watch__timer)
{
	struct itimerval timer;
	pid_t pid = fork();
	int status;

	if (!pid) {
		control_library_watch(&call);
		getitimer(ITIMER_PROF, &timer);
		_exit(timer.it_interval.tv_sec || timer.it_interval.tv_usec != 250000 ||
		      (!timer.it_value.tv_usec && !timer.it_value.tv_sec));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
