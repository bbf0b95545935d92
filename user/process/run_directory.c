// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/run_directory.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

void run_directory_name(char out[RUN_DIRECTORY])
{
	if (geteuid())
		snprintf(out, RUN_DIRECTORY, "/tmp/frtrace-%u", (unsigned int)geteuid());
	else
		snprintf(out, RUN_DIRECTORY, "/run/frtrace");
}

bool run_directory_is_own(void)
{
	char name[RUN_DIRECTORY];
	struct stat st;

	run_directory_name(name);
	return !lstat(name, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022);
}

int run_directory_make(void)
{
	char name[RUN_DIRECTORY];

	run_directory_name(name);
	return (mkdir(name, 0700) && errno != EEXIST) || !run_directory_is_own() ? -EACCES : 0;
}
