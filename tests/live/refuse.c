// SPDX-License-Identifier: BSD-2-Clause
/*
 * Preloaded into frtrace: simulates a kernel without BTF trampolines, which loads no programs on its own tracepoints, or
 * with REFUSE=ring one that makes no BPF ring buffers.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>

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
	if (getenv("REFUSE") && number == __NR_bpf && a[0] == BPF_MAP_CREATE &&
	    ((const union bpf_attr *)a[1])->map_type == BPF_MAP_TYPE_RINGBUF) {
		errno = EPERM;
		return -1;
	}
	if (!getenv("REFUSE") && number == __NR_bpf && a[0] == BPF_PROG_LOAD &&
	    ((const union bpf_attr *)a[1])->prog_type == BPF_PROG_TYPE_TRACING) {
		errno = EINVAL;
		return -1;
	}
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
