/*  orchestrator/hosts: image_engine, image_cache, room_root; operate: up_images, cmd_image,
 *  cmd_mpirun - hosts with the files of an image, and jobs over hosts (DU-3). podman and mpirun are
 *  scripts of the test, which note how they are called. The image has busybox and two files. */
#include "tests/unit/orchestrator/whole_fabric.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define CACHE "heddle/images/"

static const char podman[] = "#!/bin/sh\n"
			     "here=$(dirname \"$0\")\n"
			     "echo \"$*\" >>\"$here/calls\"\n"
			     "test -e \"$here/fail-$1\" && { echo \"no $1 today\" >&2; exit 9; }\n"
			     "case \"$1 $2\" in\n"
			     "'image exists') test -e \"$here/stored\" ;;\n"
			     "pull*) >\"$here/stored\" ;;\n"
			     "'image inspect') cat \"$here/inspect.json\" ;;\n"
			     "export*) tar -C \"$here/tree\" -c . ;;\n"
			     "esac\n";

static void script_write(const char *name, const char *text)
{
	file_write(name, text);
	ck_assert_int_eq(chmod(name, 0755), 0);
}

static void setup(void)
{
	char path[512];

	fabric_setup();
	ck_assert(!mkdir("bin", 0755) && !chmod(".", 0755));
	script_write("bin/podman", podman);
	file_write("bin/inspect.json",
		   "[{\"Id\": \"" ID
		   "\", \"Os\": \"linux\", \"Size\": 2000000, \"Config\": {\"Env\": "
		   "[\"PATH=/bin\", \"OF=image\"], \"Cmd\": [\"sleep\", \"1000\"], \"WorkingDir\": "
		   "\"/work\"}}]");
	snprintf(path, sizeof(path), "%s/bin:/usr/sbin:/usr/bin:/sbin:/bin", whole_folder);
	setenv("PATH", path, 1);
	file_write("u.yaml", "name: u\ntopology:\n  switches: [s1]\n  hosts:\n    A: {switch: s1, "
			     "image: tiny}\n    B: s1\nlinks: {rate: 100Mb/s, delay: 1ms}\n");
}

TEST_GROUP(whole_images, .setup_once = whole_begin, .teardown_once = whole_end, .setup = setup,
	   .teardown = whole_teardown);

/* the files of the image; false: there is no busybox here */
static bool tree_make(void)
{
	return !access("/bin/busybox", X_OK) &&
	       !system("mkdir -p bin/tree/bin bin/tree/etc bin/tree/work bin/tree/tmp "
		       "bin/tree/proc "
		       "bin/tree/sys bin/tree/dev && cp /bin/busybox bin/tree/bin/ && "
		       "for a in sh cat sleep hostname grep test echo; do ln bin/tree/bin/busybox "
		       "bin/tree/bin/$a; done && echo tiny >bin/tree/etc/made && "
		       "echo root:x:0:0::/:/bin/sh >bin/tree/etc/passwd");
}

/* ---- images ---- */

/* of two hosts it is asked for once, and what fails is said once */
TEST(up__one_image_of_two_hosts)
{
	char *calls;

	file_write("bin/fail-pull", "");
	file_write("two.yaml", "name: u\ntopology:\n  switches: [s1]\n  hosts:\n    A: {switch: "
			       "s1, image: tiny}\n    B: {switch: s1, image: tiny}\n    C: "
			       "{switch: s1, image: other}\n");
	ASSERT_STATUS("up|two.yaml", 2);
	ck_assert_uint_eq(times(said, "image 'tiny': "), 1);
	ck_assert_uint_eq(times(said, "image 'other': "), 1);
	ASSERT_HAS(said, "no pull today");
	calls = file_read("bin/calls");
	ck_assert_str_eq(calls, "image exists tiny\npull tiny\nimage exists other\npull other\n");
	free(calls);
}

/* podman ends with an error after all files: they may not be all */
TEST(up__image_that_is_not_exported)
{
	char script[sizeof(podman) + 64], *end;

	snprintf(script, sizeof(script), "%s", podman);
	end = strstr(script, " -c . ;;");
	ck_assert_ptr_nonnull(end);
	strcpy(end, " -c .; echo 'a disk is lost' >&2; exit 5 ;;\nesac\n");
	script_write("bin/podman", script);
	if (!tree_make())
		return;
	ASSERT_STATUS("up|u.yaml", 2);
	ASSERT_HAS(said, "image 'tiny': exporting it: ");
	ASSERT_HAS(said, "a disk is lost\n");
	ASSERT_STATUS("image|list", 0);
	ck_assert_str_eq(printed, "no image is unpacked\n");
	ck_assert(!system("test \"$(ls " CACHE ")\" = lock"));
	ck_assert(file_has("bin/calls", "export"));
}

/* the folder of a root file system has to have folders, and be the user's */
TEST(up__root_file_system_that_cannot_be)
{
	char text[512], wanted[512];

	snprintf(text, sizeof(text),
		 "name: u\ntopology:\n  switches: [s1]\n  hosts:\n    A: {switch: s1, rootfs: "
		 "%s/r}\n    B: s1\nlinks: {rate: 100Mb/s, delay: 1ms}\n",
		 whole_folder);
	file_write("r.yaml", text);
	ck_assert(!mkdir("r", 0755));
	file_write("r/etc", "no folder\n");
	ck_assert_int_ne(heddle("up|r.yaml"), 0);
	if (strstr(said, "namespace") || strstr(said, ": an overlay of it: ")) {
		printf("skipped, needs namespaces: %s\n", said);
		return;
	}
	snprintf(wanted, sizeof(wanted),
		 "its root file system %s/r: files in its etc, which must belong to the fabric's "
		 "user: Not a directory\n",
		 whole_folder);
	ASSERT_HAS(said, wanted);
	ck_assert(!file_there("run/u"));
	ck_assert(file_has("r/etc", "no folder\n"));
}

/* others may come near its files: nothing is unpacked there, or listed */
TEST(image__folder_of_others)
{
	char wanted[512];

	snprintf(wanted, sizeof(wanted),
		 "heddle image list: the folder of images %s/heddle/images: Operation not "
		 "permitted\n",
		 whole_folder);
	ck_assert(!mkdir("heddle", 0700) && !mkdir("heddle/images", 0700));
	if (chown("heddle/images", 65534, (gid_t)-1)) {
		printf("skipped: no folder can be another user's\n");
		return;
	}
	ASSERT_STATUS("image|list", 2);
	ck_assert_str_eq(said, wanted);
	ck_assert_str_eq(printed, "");
	ASSERT_STATUS("image|prune", 2);
	ASSERT_HAS(said, "heddle image prune: the folder of images ");
	ASSERT_HAS(said, ": Operation not permitted\n");
	/* one of ours is closed to others */
	ck_assert_int_eq(chown("heddle/images", geteuid(), (gid_t)-1), 0);
	ck_assert_int_eq(chmod("heddle/images", 0755), 0);
	ASSERT_STATUS("image|list|--json", 0);
	ck_assert_str_eq(printed, "[]\n");
	ck_assert(!system("test $(stat -c %a heddle/images) = 700"));
}

TEST(image__folder_with_a_name_too_long)
{
	char name[5000];

	memset(name, 'x', sizeof(name));
	name[0] = '/';
	name[sizeof(name) - 1] = 0;
	setenv("XDG_CACHE_HOME", name, 1);
	ASSERT_STATUS("image|list", 2);
	ck_assert_str_eq(said, "heddle image list: the folder of images below $XDG_CACHE_HOME or "
			       "$HOME: File name too long\n");
}

TEST(image__list_of_none)
{
	ASSERT_STATUS("image|list", 0);
	ck_assert_str_eq(printed, "no image is unpacked\n");
	ASSERT_STATUS("image|list|--json", 0);
	ck_assert_str_eq(printed, "[]\n");
	ASSERT_STATUS("image|prune", 0);
	ck_assert_str_eq(printed, "nothing to remove\n");
	ASSERT_STATUS("image|list|x", 2);
	ck_assert_str_eq(said, "heddle image list: 'x' is one word too many\n");
	ck_assert(!file_there("heddle"));
}

TEST(up__host_with_an_image)
{
	if (!tree_make())
		return;
	if (heddle("up|u.yaml")) {
		ck_assert_msg(strstr(said, "namespace") != NULL, "%s", said);
		printf("skipped, needs namespaces: %s\n", said);
		return;
	}
	ASSERT_HAS(said, "heddle up: image tiny is not here; podman pulls it\n");
	ASSERT_HAS(said, "heddle up: unpacking image tiny, once, into ");
	ck_assert(file_has("bin/calls",
			   "image exists tiny\npull tiny\nimage inspect tiny\n"
			   "rm --force --ignore heddle-unpacks-0123456789abcdef\n"
			   "create --pull=never --network=none --name "
			   "heddle-unpacks-0123456789abcdef " ID " /heddle-never-runs\n"
			   "export heddle-unpacks-0123456789abcdef\n"
			   "rm --force --ignore heddle-unpacks-0123456789abcdef\n"));
	ck_assert(file_has(CACHE ID "/root/etc/made", "tiny"));
	ck_assert(file_has(CACHE ID "/image.json", "\"bytes\": 2000000"));
	/* its files, which it can change for itself */
	ASSERT_STATUS(
		"exec|A|--|sh|-c|cat /etc/made; hostname; echo own >/etc/made; cat /etc/made; "
		"cat /etc/hosts",
		0);
	ck_assert_int_eq(strncmp(printed, "tiny\nA\nown\n", 11), 0);
	ASSERT_HAS(printed, "10.0.0.2");
	ck_assert(file_has(CACHE ID "/root/etc/made", "tiny"));
	ASSERT_STATUS("exec|A|--|test|-e|/bin/bash", 1);
	ASSERT_STATUS("exec|B|--|test|-e|/etc/made", 1);
	ASSERT_STATUS("exec|A|--|grep|-q|nameserver|/etc/nothing", 2);
	ASSERT_STATUS("image|list", 0);
	ck_assert_str_eq(printed, "0123456789ab    2.000 MB  used    tiny\n");
	ASSERT_STATUS("image|prune", 0);
	ck_assert_str_eq(printed, "nothing to remove\n");
	ASSERT_STATUS("down", 0);
	/* a second time it is there */
	unlink("bin/calls");
	ASSERT_STATUS("up|u.yaml", 0);
	ASSERT_LACKS(said, "unpacking");
	ck_assert(!file_has("bin/calls", "export") && !file_has("bin/calls", "pull"));
	ASSERT_STATUS("exec|A|--|cat|/etc/made", 0);
	ck_assert_str_eq(printed, "tiny\n");
	ASSERT_STATUS("down", 0);
	/* what a killed process has left goes too, and other files stay */
	ck_assert(!mkdir(CACHE ID ".new.abcdef", 0700) && !mkdir(CACHE "other", 0700));
	ASSERT_STATUS("image|list", 0);
	ck_assert_str_eq(printed, "0123456789ab    2.000 MB  unused  tiny\n");
	ASSERT_STATUS("image|prune|--json", 0);
	ASSERT_HAS(printed, "\"id\": \"" ID "\"");
	ASSERT_HAS(printed, "\"used\": false");
	ck_assert(!file_there(CACHE ID) && !file_there(CACHE ID ".new.abcdef"));
	ck_assert(file_there(CACHE "other"));
}

/* each call of podman that fails is told with its message, and leaves nothing */
TEST_RANGE(up__image_that_podman_refuses, 0, 4)
{
	static const struct {
		const char *fail, *message;
	} cases[] = { { "bin/fail-pull", "podman cannot pull it (status 9, " },
		      { "bin/fail-create",
			"making a container of it: podman, status 9: no create" },
		      { "bin/fail-export",
			"unpacking it: tar, status 2: tar: This does not look like a tar "
			"archive" },
		      { "bin/fail-image", "looking it up: podman, status 9: no image today" } };

	if (!tree_make())
		return;
	file_write(cases[_i].fail, "");
	ASSERT_STATUS("up|u.yaml", 2);
	ASSERT_HAS(said, cases[_i].message);
	ASSERT_HAS(said, "u.yaml:5:28: image 'tiny': ");
	ck_assert(!file_there(CACHE ID));
	ASSERT_STATUS("image|list", 0);
	ck_assert_str_eq(printed, "no image is unpacked\n");
	ASSERT_STATUS("ps", 0);
	ck_assert_str_eq(printed, "no fabric runs; start one with 'heddle up SCENARIO'\n");
}

TEST(up__image_that_is_none)
{
	if (!tree_make())
		return;
	file_write("bin/inspect.json", "{\"Id\": 5}");
	ASSERT_STATUS("up|u.yaml", 2);
	ASSERT_HAS(said, "u.yaml:5:28: image 'tiny': what podman says of it is not about one "
			 "image\n");
	ck_assert(!file_there(CACHE));
	/* without podman */
	unlink("bin/podman");
	setenv("PATH", "/none", 1);
	ASSERT_STATUS("up|u.yaml", 2);
	ASSERT_HAS(said, "podman is not installed; as root: apt-get install podman");
	setenv("PATH", "/usr/bin:/bin", 1);
}

/* ---- jobs ---- */

TEST(mpirun__words_and_status)
{
	char *text;

	script_write("bin/mpirun", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n"
				   "echo $OMPI_ALLOW_RUN_AS_ROOT$OMPI_ALLOW_RUN_AS_ROOT_CONFIRM\n"
				   "hostname\nexit 7\n");
	file_write("m.yaml",
		   "name: u\ntopology:\n  switches: [s1]\n  hosts: {A: s1, B: s1, C: s1}\n"
		   "links: {rate: 100Mb/s, delay: 1ms}\n");
	ASSERT_STATUS("mpirun", 2);
	ASSERT_HAS(said, "heddle mpirun: missing PROGRAM; 'heddle mpirun --help' explains\n");
	ASSERT_STATUS("mpirun|-n|0|true", 2);
	ASSERT_STATUS("mpirun|true", 2);
	if (heddle("up|m.yaml")) {
		ck_assert_msg(strstr(said, "namespace") != NULL, "%s", said);
		printf("skipped, needs namespaces: %s\n", said);
		return;
	}
	ASSERT_STATUS("mpirun|-n|4|--|--map-by|node|./a.out|-x", 7);
	ASSERT_HAS(printed, "--host\nA:2,B:2,C:2\n-np\n4\n--mca\nplm_rsh_agent\n");
	ASSERT_HAS(printed,
		   " exec -f u --rsh\n--mca\nbtl\ntcp,self\n--mca\nbtl_tcp_if_include\neth0\n"
		   "--mca\noob_tcp_if_include\neth0\n--map-by\nnode\n./a.out\n-x\n11\nA\n");
	ASSERT_STATUS("mpirun|--hosts|[BC]|./a.out", 7);
	ASSERT_HAS(printed, "--host\nB:1,C:1\n-np\n2\n");
	ck_assert(strstr(printed, "\n11\nB\n") != NULL);
	/* what it starts in other hosts */
	ASSERT_STATUS("exec|-f|u|--rsh|C|hostname; exit 5", 5);
	ck_assert_str_eq(printed, "C\n");
	ASSERT_STATUS("mpirun|--hosts|X|true", 2);
	/* many, for programs: a list with the end of each */
	ASSERT_STATUS("exec|--all|--json|--|sh|-c|echo $HEDDLE_HOST; test $HEDDLE_HOST = A", 1);
	text = strstr(printed, "\"B\"");
	ck_assert_ptr_nonnull(text);
	ASSERT_HAS(printed, "\"A\\n\"");
	ASSERT_HAS(text, "\"B\\n\"");
	ASSERT_STATUS("down", 0);
}
