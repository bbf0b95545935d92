// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/libjvm.h"
#include "user/process/proc.h"
#include "user/text/io.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_THREADS 64
#define STACK_WORDS 512

/*
 * The stack pointer in /proc/PID/task/TID/syscall: "NUMBER ARGUMENTS SP PC", "-1 SP PC" outside of system calls,
 * or "running". 0: unknown.
 */
static uint64_t stack_pointer(pid_t pid, const char *tid)
{
	char name[300], *text, *at;
	uint64_t sp = 0;

	snprintf(name, sizeof(name), "task/%s/syscall", tid);
	text = proc_read(pid, name, 1024, NULL);
	at = text ? strrchr(text, ' ') : NULL;
	if (at) {
		*at = 0;
		at = strrchr(text, ' ');
	}
	if (at)
		sp = strtoull(at, NULL, 16);
	free(text);
	return sp;
}

static void count_words(const uint64_t *words, size_t n, const struct code_range *ranges, size_t count,
			uint32_t votes[])
{
	for (size_t i = 0; i < n; i++)
		for (size_t r = 0; r < count; r++)
			votes[r] += words[i] >= ranges[r].start && words[i] < ranges[r].end;
}

static void count_votes(pid_t pid, DIR *tasks, int memory, const struct code_range *ranges, size_t count,
			uint32_t votes[])
{
	uint64_t words[STACK_WORDS], sp;
	struct dirent *entry;
	ssize_t n;

	for (int seen = 0; seen < MAX_THREADS && (entry = readdir(tasks));) {
		if (entry->d_name[0] == '.')
			continue;
		seen++;
		sp = stack_pointer(pid, entry->d_name);
		n = sp && sp <= INT64_MAX ? pread(memory, words, sizeof(words), sp) : 0;
		if (n > 0)
			count_words(words, n / sizeof(words[0]), ranges, count, votes);
	}
}

size_t libjvm_choose(pid_t pid, const struct code_range *ranges, size_t count)
{
	uint32_t *votes = calloc(count, sizeof(*votes));
	int memory = proc_open(pid, "mem");
	size_t best = 0;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	if (votes && tasks && memory >= 0)
		count_votes(pid, tasks, memory, ranges, count, votes);
	for (size_t i = 1; votes && i < count; i++)
		if (votes[i] > votes[best])
			best = i;
	if (tasks)
		closedir(tasks);
	io_close(memory);
	free(votes);
	return best;
}
