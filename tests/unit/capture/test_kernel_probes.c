// SPDX-License-Identifier: BSD-2-Clause
/* Which programs are loaded: only those that the settings need. */
#include "user/capture/kernel_probes.h"
#include "tests/lib/test.h"

#include "frtrace.skel.h"

#include <bpf/libbpf.h>

static struct frtrace_bpf *bpf;
static struct kernel_probes probes;

static int setup(void **state)
{
	bpf = frtrace_bpf__open();
	memset(&probes, 0, sizeof(probes));
	return bpf ? 0 : -1;
}

static int teardown(void **state)
{
	frtrace_bpf__destroy(bpf);
	return 0;
}

static void assert_chosen(enum settings_kernel kernel, bool path, bool waits, bool follows)
{
	const struct settings settings = {.path = path};

	kernel_probes_choose(&probes, bpf, kernel, &settings, 0);
	assert_int_equal(bpf_program__autoload(bpf->progs.sched_switch), waits);
	assert_int_equal(bpf_program__autoload(bpf->progs.sched_waking), waits);
	assert_int_equal(bpf_program__autoload(bpf->progs.waits_follow), follows);
	assert_int_equal(bpf_program__autoload(bpf->progs.task_newtask), follows);
}

CASE(programs_of_paths_are_loaded_for_paths_only, setup, teardown)
{
	assert_chosen(SETTINGS_KERNEL_ON, true, true, true);
	assert_chosen(SETTINGS_KERNEL_ON, false, true, false);
	assert_chosen(SETTINGS_KERNEL_FULL, false, true, false);
}

CASE(without_the_kernels_part_no_program_of_waits_is_loaded, setup, teardown)
{
	assert_chosen(SETTINGS_KERNEL_OFF, false, false, false);
	assert_chosen(SETTINGS_KERNEL_OFF, true, false, false);
}
