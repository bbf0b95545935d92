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
static uint64_t stack_pointer(pid_t pid, pid_t tid)
{
	char *text = proc_read_thread(pid, tid, "syscall", 1024), *at = text ? strrchr(text, ' ') : NULL;
	uint64_t sp = 0;

	if (at) {
		*at = 0;
		at = strrchr(text, ' ');
	}
	if (at)
		sp = strtoull(at, NULL, 16);
	free(text);
	return sp;
}

struct vote {
	pid_t pid;
	int memory, threads;
	const struct code_range *ranges;
	size_t count;
	uint32_t *votes;
};

static int count_votes(pid_t tid, void *context)
{
	struct vote *v = context;
	uint64_t words[STACK_WORDS], sp = stack_pointer(v->pid, tid);
	ssize_t n = sp && sp <= INT64_MAX ? pread(v->memory, words, sizeof(words), sp) : 0;

	for (ssize_t i = 0; i < n / (ssize_t)sizeof(words[0]); i++)
		for (size_t r = 0; r < v->count; r++)
			v->votes[r] += words[i] >= v->ranges[r].start && words[i] < v->ranges[r].end;
	return ++v->threads == MAX_THREADS;
}

size_t libjvm_choose(pid_t pid, const struct code_range *ranges, size_t count)
{
	struct vote v = {pid, proc_open(pid, "mem"), 0, ranges, count, calloc(count, sizeof(*v.votes))};
	size_t best = 0;

	if (v.votes && v.memory >= 0)
		proc_each_thread(pid, count_votes, &v);
	for (size_t i = 1; v.votes && i < count; i++)
		if (v.votes[i] > v.votes[best])
			best = i;
	io_close(v.memory);
	free(v.votes);
	return best;
}
