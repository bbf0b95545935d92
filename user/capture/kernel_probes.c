// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/kernel_probes.h"
#include "user/text/log.h"
#include "user/capture/usdt.h"
#include "user/process/maps.h"

#include "frtrace.skel.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Offset of a per-CPU variable in its section; -1: there is no such variable. */
static int64_t variable_offset(const struct btf *btf, const char *name)
{
	int32_t id = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	int32_t variable = btf__find_by_name_kind(btf, name, BTF_KIND_VAR);
	const struct btf_type *section = id < 0 ? NULL : btf__type_by_id(btf, id);

	for (int i = 0; section && variable >= 0 && i < btf_vlen(section); i++)
		if (btf_var_secinfos(section)[i].type == (uint32_t)variable)
			return btf_var_secinfos(section)[i].offset;
	return -1;
}

/* Offset of the preempt count from the run queue. 0: unknown, so wakers are not named. */
static int64_t count_offset(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int64_t rq, count;

	if (!btf)
		return 0;
	rq = variable_offset(btf, "runqueues");
	count = variable_offset(btf, "pcpu_hot"); /* Linux 6.2 to 6.14 */
	if (count < 0)
		count = variable_offset(btf, "__preempt_count");
	btf__free(btf);
	return rq < 0 || count < 0 ? 0 : count - rq;
}

/* Check for the tracepoints that bpf/syscall.bpf.c attaches to. */
static int check_tracepoints(struct diag *d)
{
	static const char *const needed[] = {"sys_enter", "sys_exit", "page_fault_user"};
	struct btf *btf = btf__load_vmlinux_btf();
	char name[64];
	int err = btf ? 0 : diag_errno(d, errno, "cannot read the kernel's BTF");

	for (size_t i = 0; !err && i < sizeof(needed) / sizeof(needed[0]); i++) {
		snprintf(name, sizeof(name), "btf_trace_%s", needed[i]);
		if (btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF) < 0)
			err = diag_set(d, ENOENT, "this kernel has no tracepoint %s", needed[i]);
	}
	btf__free(btf);
	return err;
}

/* Can a map's value contain pointers to user memory (Linux 6.13)? */
static bool can_map_slots(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int32_t id = btf ? btf__find_by_name_kind(btf, "btf_field_type", BTF_KIND_ENUM) : -1;
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, id);
	bool can = false;

	for (int i = 0; type && i < btf_vlen(type); i++)
		can |= !strcmp(btf__name_by_offset(btf, btf_enum(type)[i].name_off), "BPF_UPTR");
	btf__free(btf);
	return can;
}

static void choose_usage(struct kernel_probes *k, struct frtrace_bpf *bpf, bool wanted)
{
	struct bpf_program *programs[] = {bpf->progs.thread_usage, bpf->progs.sys_enter, bpf->progs.sys_exit,
					  bpf->progs.page_fault_user, bpf->progs.running_usage};

	k->usage = wanted && !check_tracepoints(&k->no_usage);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		bpf_program__set_autoload(programs[i], k->usage);
	bpf_map__set_autocreate(bpf->maps.thread_usages, k->usage);
	bpf->rodata->usage_wanted = k->usage;
}

void kernel_probes_choose(struct kernel_probes *k, struct frtrace_bpf *bpf, enum settings_kernel kernel,
			  int64_t clock_offset)
{
	bool wanted = kernel != SETTINGS_KERNEL_OFF;
	struct bpf_program *programs[] = {bpf->progs.thread,	       bpf->progs.mount,
					  bpf->progs.sched_switch,     bpf->progs.sched_waking,
					  bpf->progs.waits_now,	       bpf->progs.sleep_begin,
					  bpf->progs.sleep_end,	       bpf->progs.safepoint_begin,
					  bpf->progs.safepoint_end,    bpf->progs.operation_begin,
					  bpf->progs.collection_begin, bpf->progs.collection_end,
					  bpf->progs.waits_held};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		bpf_program__set_autoload(programs[i], wanted);
	if (wanted)
		bpf->rodata->count_offset = count_offset();
	bpf->rodata->clock_offset = clock_offset;
	k->maps_slots = wanted && can_map_slots();
	bpf_map__set_autocreate(bpf->maps.mapped_slots, k->maps_slots);
	choose_usage(k, bpf, kernel == SETTINGS_KERNEL_FULL);
}

static int kernel_probes_keep(struct kernel_probes *k, struct bpf_link *link)
{
	k->links[k->count++] = link;
	return 0;
}

static int attach_tracepoint(struct kernel_probes *k, struct bpf_program *program, struct diag *d)
{
	struct bpf_link *link = bpf_program__attach_trace(program);

	return link ? kernel_probes_keep(k, link)
		    : diag_errno(d, errno, "cannot attach to tracepoint %s", bpf_program__name(program));
}

static int attach_site(struct kernel_probes *k, struct bpf_program *program, const struct usdt_site *site,
		       struct diag *d)
{
	struct bpf_link *link;
	int err = usdt_attach(program, site, &link, d);

	return err ?: kernel_probes_keep(k, link);
}

static struct usdt_site agent_site(const struct mapping *agent, const char *name)
{
	return (struct usdt_site){.path = agent->open_path, .pid = -1, .provider = "frtrace", .name = name};
}

/* Attach to the JVM's own USDT sites, which some builds lack. */
static void attach_jvm(struct kernel_probes *k, struct frtrace_bpf *bpf, const struct target *t)
{
	const struct {
		struct bpf_program *program;
		const char *provider, *name;
	} sites[] = {
		{bpf->progs.sleep_begin, "hotspot", "thread__sleep__begin"},
		{bpf->progs.sleep_end, "hotspot", "thread__sleep__end"},
		{bpf->progs.safepoint_begin, "hs_private", "safepoint__begin"},
		{bpf->progs.safepoint_end, "hs_private", "safepoint__end"},
		{bpf->progs.operation_begin, "hotspot", "vmops__begin"},
		{bpf->progs.collection_begin, "hotspot", "gc__begin"},
		{bpf->progs.collection_end, "hotspot", "gc__end"},
	};
	struct mapping m;

	if (target_find_libjvm(t, &m, &k->no_pauses) != 1) {
		diag_set(&k->no_pauses, ENOENT, "cannot find libjvm.so in the target's mappings");
		return;
	}
	for (size_t i = 0; i < sizeof(sites) / sizeof(sites[0]); i++) {
		struct usdt_site site = {
			.path = m.open_path, .pid = t->pid, .provider = sites[i].provider, .name = sites[i].name};

		int err = attach_site(k, sites[i].program, &site, &k->no_pauses);

		if (err == -ENOENT)
			diag_set(&k->no_pauses, ENOENT, "this JVM was built without the USDT site %s:%s", site.provider,
				 site.name);
		if (err)
			return;
	}
}

/*
 * Run the program on that CPU, interrupting whatever runs there. Returns the program's result or -errno; -ENXIO: the
 * CPU is offline and runs nothing.
 */
static int run_on_cpu(struct bpf_program *program, int cpu)
{
	DECLARE_LIBBPF_OPTS(bpf_test_run_opts, options, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = cpu);
	int err = bpf_prog_test_run_opts(bpf_program__fd(program), &options);

	return err ?: (int)options.retval;
}

/* The program that creates a thread's state is attached first: without that state nothing is counted. */
static int attach_usage(struct kernel_probes *k, struct frtrace_bpf *bpf, const struct mapping *agent, struct diag *d)
{
	struct bpf_program *programs[] = {bpf->progs.sys_exit, bpf->progs.sys_enter, bpf->progs.page_fault_user};
	struct usdt_site thread = agent_site(agent, "thread");
	int err = attach_site(k, bpf->progs.thread_usage, &thread, d);

	if (!err && run_on_cpu(bpf->progs.running_usage, sched_getcpu()) < 0)
		err = diag_set(d, ENOTSUP, "this kernel cannot run a BPF program on a CPU; it needs Linux 5.10");
	for (size_t i = 0; !err && i < sizeof(programs) / sizeof(programs[0]); i++)
		err = attach_tracepoint(k, programs[i], d);
	return err;
}

void kernel_probes_attach(struct kernel_probes *k, struct frtrace_bpf *bpf, const struct target *t,
			  const struct segment *segment, const struct mapping *agent)
{
	struct usdt_site thread = agent_site(agent, "thread"), mount = agent_site(agent, "mount");
	int err = attach_tracepoint(k, bpf->progs.sched_waking, &k->why);

	k->target = t;
	k->segment = segment;
	k->mapped_fd = bpf_map__fd(bpf->maps.mapped_slots);
	bpf->bss->agent_code = (struct frt_code){agent->start, agent->end};
	if (!err)
		err = attach_tracepoint(k, bpf->progs.sched_switch, &k->why);
	if (!err)
		err = attach_site(k, bpf->progs.thread, &thread, &k->why);
	if (!err)
		err = attach_site(k, bpf->progs.mount, &mount, &k->why);
	if (err) {
		kernel_probes_detach(k);
		return;
	}
	attach_jvm(k, bpf, t);
	if (k->usage)
		k->usage = !attach_usage(k, bpf, agent, &k->no_usage);
}

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL /* Linux 6.9 */
#endif

/* The thread's number in our pid namespace, if that is the initial one or the target's. 0: unknown. */
static uint32_t number_here(const struct kernel_probes *k, const struct frt_slot_owner *o)
{
	if (k->target->own_pid_ns_ino == PROC_INITIAL_PID_NAMESPACE)
		return o->task;
	return k->target->own_pid_ns_ino == k->target->pid_ns_ino ? segment_tid(k->segment, o->thread) : 0;
}

/*
 * The kernel pins the page until the thread or the map is gone. The thread may have ended meanwhile and its number
 * been reused: the programs therefore compare the serials. They also work without the mapped slot.
 */
void kernel_probes_map_slot(void *kernel, const struct frt_slot_owner *o)
{
	struct kernel_probes *k = kernel;
	const struct frt_slot *slot = segment_slot(k->segment, o->slot);
	uint32_t number = slot && k->maps_slots ? number_here(k, o) : 0;
	int pidfd = number ? syscall(SYS_pidfd_open, number, PIDFD_THREAD) : -1;

	k->owners += k->maps_slots;
	if (pidfd < 0)
		return;
	if (!bpf_map_update_elem(k->mapped_fd, &pidfd, &slot, BPF_ANY))
		k->mapped++;
	close(pidfd);
}

void kernel_probes_flush(const struct kernel_probes *k, const struct frtrace_bpf *bpf)
{
	int cpus = k->usage ? libbpf_num_possible_cpus() : 0;

	for (int cpu = 0; cpu < cpus; cpu++)
		while (run_on_cpu(bpf->progs.running_usage, cpu) > 0)
			;
}

void kernel_probes_detach(struct kernel_probes *k)
{
	if (k->count && k->maps_slots)
		log_detail("slots mapped for %u of %u threads", k->mapped, k->owners);
	while (k->count)
		bpf_link__destroy(k->links[--k->count]);
}

/* The program runs for each task while its file is read; it writes nothing to that file. */
static void run_for_tasks(const struct kernel_probes *k, struct bpf_program *program)
{
	struct bpf_link *link = k->count ? bpf_program__attach_iter(program, NULL) : NULL;
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	char nothing[64];

	if (k->count && (fd < 0 || read(fd, nothing, sizeof(nothing)) < 0))
		log_detail("cannot read the waits that the kernel has: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
}

void kernel_probes_write_waits(const struct kernel_probes *k, struct frtrace_bpf *bpf)
{
	run_for_tasks(k, bpf->progs.waits_now);
}

void kernel_probes_release_waits(const struct kernel_probes *k, struct frtrace_bpf *bpf)
{
	if (bpf->bss->wait_setup.hold)
		run_for_tasks(k, bpf->progs.waits_held);
}
