// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/native_probes.h"
#include "format/vec.h"
#include "user/capture/bpf_programs.h"
#include "user/capture/kernel_probes.h"
#include "user/segment/native_rows.h"
#include "user/capture/uprobe_multi.h"
#include "user/hotspot/layout.h"
#include "user/process/map_lock.h"
#include "user/process/rights.h"
#include "user/process/root_path.h"

#include "frtrace.skel.h"
#include "native.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define TOGETHER 64 /* functions of a file that get their probes by one call, at most */

struct native_probes {
	struct native_probes_setup setup;
	struct native_bpf *bpf;
	bool session; /* one program sees both ends */
	bool multi;
	struct native_function *function;
	size_t functions, function_capacity, attached;
	int *fd; /* of each function that is not attached yet */
	size_t fd_capacity;
	int *link;
	size_t links, link_capacity;
	struct bpf_link **uprobe;
	size_t uprobes, uprobe_capacity;
	struct frt_native_function *rule; /* mapped */
};

/* ---- programs */

static int share_queue(struct native_bpf *bpf, const struct frtrace_bpf *of)
{
	bool perf = of->rodata->perf_buffers;

	bpf->rodata->perf_buffers = perf;
	bpf_map__set_autocreate(bpf->maps.queue, !perf);
	bpf_map__set_autocreate(bpf->maps.perf_queue, perf);
	bpf_map__set_autocreate(bpf->maps.staging, perf);
	if (!perf)
		return bpf_map__reuse_fd(bpf->maps.queue, bpf_map__fd(of->maps.queue));
	return bpf_map__reuse_fd(bpf->maps.perf_queue, bpf_map__fd(of->maps.perf_queue))
		       ?: bpf_map__reuse_fd(bpf->maps.staging, bpf_map__fd(of->maps.staging));
}

static int share_maps(struct native_probes *p)
{
	const struct frtrace_bpf *of = p->setup.bpf;
	int err = share_queue(p->bpf, of);

	err = err ?: bpf_map__reuse_fd(p->bpf->maps.drops, bpf_map__fd(of->maps.drops));
	err = err ?: bpf_map__reuse_fd(p->bpf->maps.waits, bpf_map__fd(of->maps.waits));
	err = err ?: bpf_map__reuse_fd(p->bpf->maps.wait_stacks, bpf_map__fd(of->maps.wait_stacks));
	return err ?: bpf_map__reuse_fd(p->bpf->maps.natives, bpf_map__fd(of->maps.natives));
}

static void choose_programs(struct native_probes *p)
{
	struct bpf_program *pair[] = {p->bpf->progs.native_entry, p->bpf->progs.native_return};

	p->multi = p->setup.settings->attach != SETTINGS_ATTACH_PERF && uprobe_multi_works();
	p->session = p->multi && uprobe_session_works();
	bpf_program__set_autoload(p->bpf->progs.native_session, p->session);
	bpf_program__set_expected_attach_type(p->bpf->progs.native_session,
					      (enum bpf_attach_type)UPROBE_SESSION_ATTACH_TYPE);
	for (size_t i = 0; i < 2; i++) {
		bpf_program__set_autoload(pair[i], !p->session);
		if (p->multi)
			bpf_program__set_expected_attach_type(pair[i], (enum bpf_attach_type)UPROBE_MULTI_ATTACH_TYPE);
	}
}

static void describe_jvm(struct native_probes *p)
{
	struct frt_native_setup *s = &p->bpf->bss->native_setup;

	s->layout = p->setup.layout->walk;
	s->thread_pending = p->setup.layout->thread_pending;
	s->stacks = p->setup.stacks;
	s->inside = p->setup.inside;
	p->bpf->bss->target = p->setup.bpf->bss->target;
	p->bpf->bss->wake_level = p->setup.bpf->bss->wake_level;
}

static int map_rules(struct native_probes *p, struct diag *d)
{
	void *at = mmap(NULL, FRT_NATIVE_FUNCTIONS * sizeof(*p->rule), PROT_READ | PROT_WRITE, MAP_SHARED,
			bpf_map__fd(p->bpf->maps.native_functions), 0);

	if (at == MAP_FAILED)
		return diag_errno(d, errno, "cannot map the rules of native methods");
	p->rule = at;
	return 0;
}

static int native_probes_load(struct native_probes *p, struct diag *d)
{
	int err;

	p->bpf = native_bpf__open();
	if (!p->bpf)
		return diag_errno(d, errno, "cannot load BPF programs for native methods");
	p->bpf->rodata->clock_offset = p->setup.target->own_monotonic_offset;
	choose_programs(p);
	err = share_maps(p) ?: native_bpf__load(p->bpf);
	if (err)
		return diag_errno(d, -err, "cannot load BPF programs for native methods (-v shows why)");
	err = bpf_variables_mapped(p->bpf->rodata && p->bpf->bss, d);
	if (err)
		return err;
	describe_jvm(p);
	return map_rules(p, d);
}

int native_probes_new(struct native_probes **out, const struct native_probes_setup *setup, struct diag *d)
{
	struct native_probes *p = calloc(1, sizeof(*p));
	int err;

	*out = NULL;
	if (!p)
		return diag_errno(d, ENOMEM, "cannot load BPF programs for native methods");
	p->setup = *setup;
	err = native_probes_load(p, d);
	if (err)
		native_probes_free(p);
	else
		*out = p;
	return err;
}

void native_probes_remove(struct native_probes *p)
{
	map_guard_enter();
	while (p->links)
		close(p->link[--p->links]);
	while (p->uprobes)
		bpf_link__destroy(p->uprobe[--p->uprobes]);
	map_guard_leave();
}

void native_probes_free(struct native_probes *p)
{
	if (!p)
		return;
	native_probes_remove(p);
	for (size_t i = p->attached; i < p->functions; i++)
		close(p->fd[i]);
	if (p->rule)
		munmap(p->rule, FRT_NATIVE_FUNCTIONS * sizeof(*p->rule));
	native_bpf__destroy(p->bpf);
	free(p->function);
	free(p->fd);
	free(p->link);
	free(p->uprobe);
	free(p);
}

/* ---- functions */

static bool is_same(const struct native_function *a, const struct native_function *b)
{
	return a->device == b->device && a->inode == b->inode && a->offset == b->offset;
}

int native_probes_add(struct native_probes *p, const struct native_function *function, int fd)
{
	for (size_t i = 0; i < p->functions; i++) {
		if (is_same(&p->function[i], function)) {
			close(fd);
			return i;
		}
	}
	if (p->functions == FRT_NATIVE_FUNCTIONS ||
	    vec_reserve(&p->function, &p->function_capacity, p->functions + 1) ||
	    vec_reserve(&p->fd, &p->fd_capacity, p->functions + 1)) {
		close(fd);
		return -ENOSPC;
	}
	p->fd[p->functions] = fd;
	p->function[p->functions] = *function;
	return p->functions++;
}

/* Uprobes on functions [first, first + count), which are in the same file. */
static int attach_by_link(struct native_probes *p, size_t first, size_t count, const char *path)
{
	uint64_t offset[TOGETHER], cookie[TOGETHER];
	struct uprobe_multi places = {
		.path = path, .pid = p->setup.target->pid, .offsets = offset, .cookies = cookie, .count = count};
	int passes = p->session ? 1 : 2, fd;

	for (size_t i = 0; i < count; i++) {
		offset[i] = p->function[first + i].offset;
		cookie[i] = first + i;
	}
	if (vec_reserve(&p->link, &p->link_capacity, p->links + passes))
		return -ENOMEM;
	if (p->session)
		places.type = UPROBE_SESSION_ATTACH_TYPE;
	for (int pass = 0; pass < passes; pass++) { /* returns first: a return without an entry does no harm */
		const struct bpf_program *program = p->session ? p->bpf->progs.native_session
						    : pass     ? p->bpf->progs.native_entry
							       : p->bpf->progs.native_return;

		places.returns = !p->session && !pass;
		fd = uprobe_multi_attach(bpf_program__fd(program), &places);
		if (fd < 0)
			return fd;
		p->link[p->links++] = fd;
	}
	return 0;
}

static int attach_by_event(struct native_probes *p, size_t number, const char *path)
{
	if (vec_reserve(&p->uprobe, &p->uprobe_capacity, p->uprobes + 2))
		return -ENOMEM;
	for (int pass = 0; pass < 2; pass++) {
		LIBBPF_OPTS(bpf_uprobe_opts, options, .bpf_cookie = number, .retprobe = !pass);
		struct bpf_link *link = bpf_program__attach_uprobe_opts(
			pass ? p->bpf->progs.native_entry : p->bpf->progs.native_return, p->setup.target->pid, path,
			p->function[number].offset, &options);

		if (!link)
			return -errno;
		p->uprobe[p->uprobes++] = link;
	}
	return 0;
}

/* How many functions from `first` on are in the same file. */
static size_t functions_together(const struct native_probes *p, size_t first)
{
	size_t i = first;

	while (i < p->functions && i - first < TOGETHER && p->function[i].device == p->function[first].device &&
	       p->function[i].inode == p->function[first].inode)
		i++;
	return i - first;
}

bool native_probes_are_due(const struct native_probes *p)
{
	return p->attached < p->functions;
}

static int describe_failure(const struct native_probes *p, int err, struct diag *d)
{
	char why[RIGHT_TEXT];

	if (err == -EPERM || err == -EACCES)
		return diag_set(d, -err, "cannot put an uprobe on it: no right to (%s): %s",
				right_why(p->multi ? RIGHT_PERFMON : RIGHT_UPROBES, -err, why), right_advice());
	return diag_errno(d, -err, "cannot put an uprobe on it");
}

int native_probes_attach(struct native_probes *p, struct diag *d)
{
	int held = map_locks_check(d), first_err = 0;

	map_guard_enter();
	for (size_t count; p->attached < p->functions; p->attached += count) {
		char path[PLACE_FD_PATH];
		int err = 0;

		count = functions_together(p, p->attached);
		root_path_fd_path(p->fd[p->attached], path);
		if (!held && p->multi)
			err = attach_by_link(p, p->attached, count, path);
		for (size_t i = 0; !held && !p->multi && !err && i < count; i++)
			err = attach_by_event(p, p->attached + i, path);
		for (size_t i = 0; i < count; i++)
			close(p->fd[p->attached + i]);
		first_err = first_err ?: err;
	}
	map_guard_leave();
	if (held)
		return held;
	return first_err ? describe_failure(p, first_err, d) : 0;
}

bool native_probes_are_events(const struct native_probes *p)
{
	return !p->multi;
}

/* ---- what the programs share with this process */

struct frt_native_function *native_probes_rule(struct native_probes *p, uint32_t number)
{
	return &p->rule[number % FRT_NATIVE_FUNCTIONS];
}

struct frt_native_sum *native_probes_sums(const struct native_probes *p)
{
	int cpus = libbpf_num_possible_cpus(), map = bpf_map__fd(p->bpf->maps.native_sums);
	struct frt_native_sum *of_cpu = cpus > 0 ? calloc(cpus, sizeof(*of_cpu)) : NULL;
	struct frt_native_sum *sums = of_cpu ? calloc(p->functions + 1, sizeof(*sums)) : NULL;

	for (uint32_t i = 0; sums && i < p->functions; i++)
		if (!bpf_map_lookup_elem(map, &i, of_cpu))
			for (int cpu = 0; cpu < cpus; cpu++)
				native_sum_add(&sums[i], &of_cpu[cpu]);
	free(of_cpu);
	return sums;
}

void native_probes_dump(const struct native_probes *p)
{
	kernel_probes_run_for_tasks(p->bpf->progs.native_open, "the native calls that are open");
}

void native_probes_forget_stack(const struct native_probes *p, uint64_t identity)
{
	bpf_map_delete_elem(bpf_map__fd(p->bpf->maps.call_stacks), &identity);
}

uint64_t native_probes_lost(const struct native_probes *p)
{
	return p->bpf->bss->natives_lost;
}

uint64_t native_probes_missed(const struct native_probes *p)
{
	return p->bpf->bss->natives_missed;
}
