// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/workdir.h"
#include "tests/lib/test.h"

#include <dirent.h>

char workdir[32];

int workdir_make(void **state)
{
	strcpy(workdir, "/tmp/frtrace-test-XXXXXX");
	return mkdtemp(workdir) ? 0 : -1;
}

int workdir_remove(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", workdir);
	return system(command);
}

const char *workdir_path(const char *name)
{
	static char paths[16][256];
	static unsigned int next;
	char *path = paths[next++ % 16];

	snprintf(path, sizeof(paths[0]), "%s/%s", workdir, name);
	return path;
}

const char *workdir_write(const char *name, const void *data, size_t size)
{
	const char *path = workdir_path(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
	return path;
}

unsigned int workdir_count(void)
{
	DIR *dir = opendir(workdir);
	struct dirent *e;
	unsigned int n = 0;

	while (dir && (e = readdir(dir)))
		n += e->d_name[0] != '.';
	closedir(dir);
	return n;
}
