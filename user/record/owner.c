// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/owner.h"

#include <stdlib.h>
#include <unistd.h>

static bool parse_id(const char *text, unsigned int *id)
{
	char *end;

	if (!text)
		return false;
	*id = strtoul(text, &end, 10);
	return end != text && !*end;
}

/* False when frtrace was not started by sudo. */
static bool user_behind_sudo(uid_t *uid, gid_t *gid)
{
	return !geteuid() && parse_id(getenv("SUDO_UID"), uid) && parse_id(getenv("SUDO_GID"), gid);
}

void owner_give(int fd)
{
	uid_t uid;
	gid_t gid;

	if (user_behind_sudo(&uid, &gid) && fchown(fd, uid, gid))
		return; /* the file stays root's; nothing is lost */
}

bool owner_is_ours(uid_t uid)
{
	uid_t sudo;
	gid_t gid;

	return !uid || uid == geteuid() || (user_behind_sudo(&sudo, &gid) && uid == sudo);
}
