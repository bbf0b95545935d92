// SPDX-License-Identifier: BSD-2-Clause
/*
 * load_programs: load each BPF program alone, with either buffer, as the verifier of this kernel sees it. Prints a line for
 * each that is refused, with the end of the verifier's log, then the number of those that are not.
 */
#include "bpf/probes.h"
#include "bpf/queue.h"
#include "user/capture/bpf_programs.h"

#include "frtrace.skel.h"
#include "native.skel.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_SIZE (16u << 20)
#define LOG_ENDS 1500

static char *verified;
static int loaded, refused;

/* The name of the program with this number is set; false: there is none. */
static bool choose(struct bpf_object *object, int number, const char **name)
{
	struct bpf_program *program;
	bool found = false;

	bpf_object__for_each_program(program, object)
	{
		bool it = number-- == 0;

		bpf_program__set_autoload(program, it);
		if (!it)
			continue;
		found = true;
		*name = bpf_program__name(program);
		bpf_program__set_log_buf(program, verified, LOG_SIZE);
	}
	return found;
}

static void took(int err, const char *name, bool perf)
{
	size_t size = strlen(verified);

	if (err == -ESRCH && !strcmp(name, "page_fault_user"))
		return; /* only x86-64's kernels have that tracepoint */
	if (err == -EINVAL && !strncmp(name, "hotspot_", 8) &&
	    !libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_loop, NULL))
		return; /* HotSpot's own probes need Linux 5.17 */
	if (err)
		printf("%s%s: %s\n%s\n", name, perf ? ", --buffer=perf" : "", strerror(-err),
		       verified + (size > LOG_ENDS ? size - LOG_ENDS : 0));
	refused += !!err;
	loaded += !err;
}

static bool try_frtrace(int number, bool perf)
{
	struct frtrace_bpf *bpf = NULL;
	struct diag d = {0};
	const char *name;
	bool found = !bpf_programs_open(&bpf, &d) && choose(bpf->obj, number, &name);

	if (found) {
		verified[0] = '\0';
		bpf->rodata->perf_buffers = perf;
		bpf->rodata->count_offset = 8;
		bpf->rodata->usage_wanted = true;
		took(frtrace_bpf__load(bpf), name, perf);
	}
	frtrace_bpf__destroy(bpf);
	return found;
}

static bool try_native(int number, bool perf)
{
	struct native_bpf *bpf = native_bpf__open();
	const char *name;
	bool found = bpf && choose(bpf->obj, number, &name);

	if (found) {
		verified[0] = '\0';
		bpf->rodata->perf_buffers = perf;
		took(native_bpf__load(bpf), name, perf);
	}
	native_bpf__destroy(bpf);
	return found;
}

int main(void)
{
	verified = malloc(LOG_SIZE);
	if (!verified)
		return 1;
	for (int perf = 0; perf < 2; perf++) {
		for (int i = 0; try_frtrace(i, perf); i++)
			;
		for (int i = 0; try_native(i, perf); i++)
			;
	}
	printf("%d loaded, %d refused\n", loaded, refused);
	free(verified);
	return refused || !loaded;
}
