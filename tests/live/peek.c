/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peek PID FIELD: print a number from the control segment of a traced JVM, read through /proc/PID/fd. Status 1: none.
 */
#include "bpf/frtrace.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	size_t at, size;
} fields[] = {
#define FIELD(f) {#f, offsetof(struct frt_header, f), sizeof(((struct frt_header *)0)->f)}
	FIELD(state),
	FIELD(epoch),
	FIELD(ring_cap),
	FIELD(ring_used),
	FIELD(slots),
	FIELD(methods),
	FIELD(recording[0].state),
	FIELD(recording[0].skips),
	FIELD(slots_missing),
	FIELD(recording[0].unslotted),
	FIELD(healed),
	FIELD(thread_serial),
};

static int segment_open(const char *pid)
{
	char path[300];
	struct dirent *entry;
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		char target[256] = "";
		uint64_t magic = 0;

		snprintf(path, sizeof(path), "/proc/%s/fd/%s", pid, entry->d_name);
		if (readlink(path, target, sizeof(target) - 1) < 0 || strncmp(target, "/memfd:", 7))
			continue;
		fd = open(path, O_RDONLY);
		if (fd >= 0 && pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) && magic == FRT_MAGIC)
			return fd;
	}
	return -1;
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? segment_open(argv[1]) : -1;

	for (size_t i = 0; fd >= 0 && i < sizeof(fields) / sizeof(*fields); i++) {
		uint64_t value = 0;

		if (strcmp(fields[i].name, argv[2]))
			continue;
		if (pread(fd, &value, fields[i].size, FRT_HEADER_AT + fields[i].at) < 0)
			return 1;
		printf("%llu\n", (unsigned long long)value);
		return 0;
	}
	return 1;
}
