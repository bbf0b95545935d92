// SPDX-License-Identifier: BSD-2-Clause
/*
 * Preloaded into frtrace: simulates a kernel without BTF trampolines, which loads no programs on its own tracepoints, or
 * with REFUSE=ring one that makes no BPF ring buffers, and with REFUSE=samples one that loads no program for perf events.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

static int is_refused(long number, const long a[])
{
	const char *what = getenv("REFUSE");
	const union bpf_attr *attr = (const union bpf_attr *)a[1];

	if (number != __NR_bpf)
		return 0;
	if (what && !strcmp(what, "ring"))
		return a[0] == BPF_MAP_CREATE && attr->map_type == BPF_MAP_TYPE_RINGBUF;
	return a[0] == BPF_PROG_LOAD && attr->prog_type == (what ? BPF_PROG_TYPE_PERF_EVENT : BPF_PROG_TYPE_TRACING);
}

long syscall(long number, ...)
{
	static long (*next)(long, ...);
	long a[6];
	va_list list;

	if (!next)
		next = dlsym(RTLD_NEXT, "syscall");
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (is_refused(number, a)) {
		errno = a[0] == BPF_MAP_CREATE ? EPERM : EINVAL;
		return -1;
	}
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
