#include "orchestrator/hosts/room_program.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "orchestrator/base/text_pack.h"
#include "orchestrator/hosts/room_files.h"

extern char **environ;

int room_program_pack(const struct room_program *program)
{
	const struct host_user none = { "", "", 0, 0 };
	const struct host_user *user = program->user ? program->user : &none;
	FILE *out = text_pack_begin();

	if (!out)
		return -errno;
	text_pack_list(out, program->argv);
	text_pack_list(out, program->env);
	text_pack_put(out, program->cwd);
	text_pack_put(out, user->name);
	text_pack_put(out, user->home);
	text_pack_number(out, user->user);
	text_pack_number(out, user->group);
	return text_pack_end(out);
}

static struct room_status program_become(const struct room_program *program, int tmp_fd,
					 const struct host_rights *rights)
{
	struct room_status failed = { ROOM_NOT_STARTED, 0, true };

	/* what of the machine's /tmp it names becomes visible */
	room_files_show_all(tmp_fd, program->argv, program->env, program->cwd);
	environ = (char **)program->env;
	if (chdir(program->cwd))
		(void)!chdir("/");
	failed.value = host_rights_drop(rights, program->user);
	if (!failed.value) {
		execvp(program->argv[0], program->argv);
		failed = (struct room_status){ ROOM_NOT_STARTED, -errno, false };
	}
	return failed;
}

struct room_status room_program_run(int words_fd, int tmp_fd, const struct host_rights *rights)
{
	struct room_status failed = { ROOM_NOT_STARTED, -EINVAL, false };
	struct text_pack pack;
	int error = text_pack_read(&pack, words_fd);
	struct room_program program = { 0 };
	struct host_user user = { 0 };

	if (error) {
		failed.value = error;
		return failed;
	}
	program.argv = text_pack_take_list(&pack);
	program.env = text_pack_take_list(&pack);
	program.cwd = text_pack_take(&pack);
	user.name = text_pack_take(&pack);
	user.home = text_pack_take(&pack);
	user.user = (uid_t)text_pack_take_number(&pack);
	user.group = (gid_t)text_pack_take_number(&pack);
	if (user.name && *user.name)
		program.user = &user;
	if (program.argv && program.argv[0] && program.env && program.cwd && user.home)
		failed = program_become(&program, tmp_fd, rights);
	/* the process ends; what was taken need not be freed */
	return failed;
}
