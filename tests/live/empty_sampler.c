// SPDX-License-Identifier: BSD-2-Clause
/* empty_sampler FILE NS: have a timer on each CPU call the program in FILE every NS, print "on", and keep running. */
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int attach(struct bpf_program *program, int cpu, long period)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .sample_period = period,
				       .exclude_idle = 1};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd >= 0 && bpf_program__attach_perf_event(program, fd) ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct bpf_object *object = argc == 3 ? bpf_object__open(argv[1]) : NULL;

	if (!object || bpf_object__load(object))
		return 1;
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++)
		if (attach(bpf_object__next_program(object, NULL), cpu, atol(argv[2])))
			return 1;
	puts("on");
	fflush(stdout);
	pause();
	return 0;
}
