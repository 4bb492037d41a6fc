#include "orchestrator/hosts/host_user.h"

#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return: false: @text is no number of a user */
static bool number_parse(const char *text, uid_t *number)
{
	unsigned long value = strtoul(text, NULL, 10);

	*number = (uid_t)value;
	return *text && !text[strspn(text, "0123456789")] && value < UINT32_MAX;
}

/* in the file of @rootfs; a name wins over a number */
static const struct passwd *file_find(const char *rootfs, const char *name)
{
	static char line[4096];
	static struct passwd entry;
	struct passwd *user = NULL;
	char path[PATH_MAX];
	bool by_name, found = false;
	uid_t number;
	FILE *file;

	snprintf(path, sizeof(path), "%s/etc/passwd", rootfs);
	for (by_name = true; !found; by_name = false) {
		if (!by_name && !number_parse(name, &number))
			return NULL;
		file = fopen(path, "re");
		while (file && !found && !fgetpwent_r(file, &entry, line, sizeof(line), &user))
			found = by_name ? !strcmp(user->pw_name, name) : user->pw_uid == number;
		if (file)
			fclose(file);
		if (!by_name)
			break;
	}
	return found ? &entry : NULL;
}

bool host_user_find(const char *rootfs, const char *name, struct host_user *found)
{
	const struct passwd *user;
	uid_t number;

	if (rootfs && *rootfs) {
		user = file_find(rootfs, name);
	} else {
		user = getpwnam(name);
		if (!user && number_parse(name, &number))
			user = getpwuid(number);
	}
	if (user)
		*found = (struct host_user){ user->pw_name, user->pw_dir, user->pw_uid,
					     user->pw_gid };
	return user;
}

/* ---- of an image ---- */

/* in the file of @rootfs; a name wins over a number, which need not be there */
static bool group_find(const char *rootfs, const char *name, gid_t *group)
{
	char path[PATH_MAX], line[4096];
	struct group entry, *found = NULL;
	bool is_found = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/etc/group", rootfs);
	file = fopen(path, "re");
	while (file && !is_found && !fgetgrent_r(file, &entry, line, sizeof(line), &found))
		is_found = !strcmp(found->gr_name, name);
	if (file)
		fclose(file);
	if (is_found)
		*group = found->gr_gid;
	return is_found || number_parse(name, group);
}

bool host_user_of_image(const char *rootfs, const char *text, struct host_user *found)
{
	static char user[256];
	char *group;

	if (snprintf(user, sizeof(user), "%s", text) >= (int)sizeof(user))
		return false;
	group = strchr(user, ':');
	if (group)
		*group++ = 0;
	if (!host_user_find(rootfs, user, found)) {
		*found = (struct host_user){ user, "/", 0, 0 };
		if (!number_parse(user, &found->user))
			return false;
	}
	return !group || group_find(rootfs, group, &found->group);
}
