// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/kernel_probes.h"
#include "user/capture/kernel_btf.h"
#include "user/text/io.h"
#include "user/text/log.h"
#include "user/capture/usdt.h"
#include "user/process/maps.h"

#include "frtrace.skel.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Offset of the preempt count from the run queue. 0: unknown, so wakers are not named. */
static int64_t count_offset(const struct btf *btf)
{
	int64_t rq = kernel_btf_variable(btf, "runqueues");
	int64_t hot = kernel_btf_variable(btf, "pcpu_hot"); /* Linux 6.2 to 6.14 */
	int64_t inside = kernel_btf_member(btf, "pcpu_hot", "preempt_count");
	int64_t count = hot >= 0 && inside >= 0 ? hot + inside : kernel_btf_variable(btf, "__preempt_count");

	return rq < 0 || count < 0 ? 0 : count - rq;
}

/* Check for the tracepoints that bpf/syscall.bpf.c attaches to. */
static int check_tracepoints(const struct btf *btf, struct diag *d)
{
	static const char *const needed[] = {"sys_enter", "sys_exit", "page_fault_user"};

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!kernel_btf_has_tracepoint(btf, needed[i]))
			return diag_set(d, ENOENT, "this kernel has no tracepoint %s", needed[i]);
	return 0;
}

static void choose_usage(struct kernel_probes *k, struct frtrace_bpf *bpf, const struct btf *btf, bool wanted)
{
	struct bpf_program *programs[] = {bpf->progs.sys_enter, bpf->progs.sys_exit, bpf->progs.page_fault_user,
					  bpf->progs.running_usage};

	k->usage = wanted && btf && !check_tracepoints(btf, &k->no_usage);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		bpf_program__set_autoload(programs[i], k->usage);
	bpf_map__set_autocreate(bpf->maps.thread_usages, k->usage);
	bpf->rodata->usage_wanted = k->usage;
}

void kernel_probes_choose(struct kernel_probes *k, struct frtrace_bpf *bpf, enum settings_kernel kernel,
			  const struct settings *settings, int64_t clock_offset)
{
	bool wanted = kernel != SETTINGS_KERNEL_OFF;
	struct btf *btf = wanted ? btf__load_vmlinux_btf() : NULL; /* NULL: without it, no program can be loaded */
	struct bpf_program *programs[] = {bpf->progs.jvm_site, bpf->progs.sched_switch, bpf->progs.sched_waking,
					  bpf->progs.waits_now, bpf->progs.waits_held};
	bool peers = wanted && settings_names_resources(settings);

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		bpf_program__set_autoload(programs[i], wanted);
	bpf_program__set_autoload(bpf->progs.peers_look, peers);
	bpf_map__set_autocreate(bpf->maps.peers, peers);
	bpf_program__set_autoload(bpf->progs.waits_follow, wanted && settings->path);
	bpf_program__set_autoload(bpf->progs.task_newtask, wanted && settings->path);
	if (btf)
		bpf->rodata->count_offset = count_offset(btf);
	bpf->rodata->clock_offset = clock_offset;
	/* Can a map's value contain pointers to user memory (Linux 6.13)? */
	k->maps_slots = btf && kernel_btf_has_value(btf, "btf_field_type", "BPF_UPTR");
	bpf_map__set_autocreate(bpf->maps.mapped_slots, k->maps_slots);
	k->cpu_ns = wanted && !k->no_samples.text[0] ? settings->cpu_ns : 0;
	bpf_program__set_autoload(bpf->progs.cpu_sample, k->cpu_ns);
	bpf_program__set_autoload(bpf->progs.queue_touch, k->cpu_ns);
	choose_usage(k, bpf, btf, kernel == SETTINGS_KERNEL_FULL);
	btf__free(btf);
}

static int attach_tracepoint(struct kernel_probes *k, struct bpf_program *program, struct diag *d)
{
	struct bpf_link *link = bpf_program__attach_trace(program);

	if (!link)
		return diag_errno(d, errno, "cannot attach to tracepoint %s", bpf_program__name(program));
	k->links[k->count++] = link;
	return 0;
}

/* Attach to the JVM's own USDT sites, which some builds lack. */
static void attach_jvm(struct kernel_probes *k, struct frtrace_bpf *bpf, const struct target *t)
{
	static const struct usdt_site sites[] = {
		{FRT_SITE_SLEEP_BEGIN, "hotspot", "thread__sleep__begin"},
		{FRT_SITE_SLEEP_END, "hotspot", "thread__sleep__end"},
		{FRT_SITE_SAFEPOINT_BEGIN, "hs_private", "safepoint__begin"},
		{FRT_SITE_SAFEPOINT_END, "hs_private", "safepoint__end"},
		{FRT_SITE_OPERATION_BEGIN, "hotspot", "vmops__begin"},
		{FRT_SITE_COLLECTION_BEGIN, "hotspot", "gc__begin"},
		{FRT_SITE_COLLECTION_END, "hotspot", "gc__end"},
	};
	struct usdt_file file = {.pid = t->pid};
	struct mapping m;

	if (target_find_libjvm(t, &m, &k->no_pauses) != 1) {
		diag_set(&k->no_pauses, ENOENT, "cannot find libjvm.so in the target's mappings");
		return;
	}
	file.path = m.path;
	file.fd = target_open_mapping(t, &m, INT64_MAX, &k->no_pauses);
	if (file.fd < 0)
		return;
	usdt_attach(&k->jvm, bpf->progs.jvm_site, &file, sites, sizeof(sites) / sizeof(sites[0]), &k->no_pauses);
	close(file.fd);
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

static int attach_usage(struct kernel_probes *k, struct frtrace_bpf *bpf, struct diag *d)
{
	struct bpf_program *programs[] = {bpf->progs.sys_exit, bpf->progs.sys_enter, bpf->progs.page_fault_user};
	int err = 0;

	if (run_on_cpu(bpf->progs.running_usage, sched_getcpu()) < 0)
		err = diag_set(d, ENOTSUP, "this kernel cannot run a BPF program on a CPU; it needs Linux 5.10");
	for (size_t i = 0; !err && i < sizeof(programs) / sizeof(programs[0]); i++)
		err = attach_tracepoint(k, programs[i], d);
	return err;
}

/* A timer on this CPU. It runs on when the CPU is idle, but does nothing there. */
static int open_timer(int cpu, uint64_t period_ns)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .sample_period = period_ns,
				       .exclude_idle = 1};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void samplers_stop(struct kernel_probes *k)
{
	while (k->sampler_count)
		bpf_link__destroy(k->samplers[--k->sampler_count]);
	free(k->samplers);
	k->samplers = NULL;
}

/* Sample on all CPUs: which of them run threads of the target is decided by the program. */
static void samplers_start(struct kernel_probes *k, struct frtrace_bpf *bpf, struct diag *d)
{
	int cpus = libbpf_num_possible_cpus();

	k->samplers = calloc(cpus > 0 ? cpus : 1, sizeof(*k->samplers));
	for (int cpu = 0; k->samplers && cpu < cpus; cpu++) {
		int fd = open_timer(cpu, k->cpu_ns);
		struct bpf_link *link = fd < 0 ? NULL : bpf_program__attach_perf_event(bpf->progs.cpu_sample, fd);

		if (link) {
			k->samplers[k->sampler_count++] = link;
		} else if (fd >= 0 || (errno != ENODEV && errno != ENXIO)) { /* else it is offline */
			diag_errno(d, errno, "cannot sample CPU %d", cpu);
			io_close(fd);
			samplers_stop(k);
			return;
		}
	}
}

void kernel_probes_attach(struct kernel_probes *k, struct frtrace_bpf *bpf, const struct target *t,
			  const struct segment *segment, const struct mapping *agent)
{
	int err = attach_tracepoint(k, bpf->progs.sched_waking, &k->why);

	k->target = t;
	k->segment = segment;
	k->mapped_fd = bpf_map__fd(bpf->maps.mapped_slots);
	bpf->bss->agent_code = (struct frt_code){agent->start, agent->end};
	if (!err)
		err = attach_tracepoint(k, bpf->progs.sched_switch, &k->why);
	if (!err && bpf_program__fd(bpf->progs.task_newtask) >= 0)
		err = attach_tracepoint(k, bpf->progs.task_newtask, &k->why);
	if (err) {
		kernel_probes_detach(k);
		return;
	}
	if (k->cpu_ns)
		samplers_start(k, bpf, &k->no_samples);
	attach_jvm(k, bpf, t);
	if (k->usage)
		k->usage = !attach_usage(k, bpf, &k->no_usage);
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

static void kernel_look_end(struct kernel_probes *k)
{
	if (k->look)
		io_close(k->look_fd);
	bpf_link__destroy(k->look);
	k->look = NULL;
}

void kernel_probes_detach(struct kernel_probes *k)
{
	if (k->count && k->maps_slots)
		log_detail("slots mapped for %u of %u threads", k->mapped, k->owners);
	usdt_detach(k->jvm);
	k->jvm = NULL;
	kernel_look_end(k);
	samplers_stop(k);
	while (k->count)
		bpf_link__destroy(k->links[--k->count]);
}

/* The program runs for each task while its file is read; it writes nothing to that file. */
int kernel_probes_run_for_tasks(struct bpf_program *program, const char *what)
{
	struct bpf_link *link = bpf_program__attach_iter(program, NULL);
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	char nothing[64];
	int err = fd < 0 || read(fd, nothing, sizeof(nothing)) < 0 ? -errno : 0;

	if (err)
		log_detail("cannot read %s: %s", what, strerror(-err));
	io_close(fd);
	bpf_link__destroy(link);
	return err;
}

void kernel_probes_write_waits(const struct kernel_probes *k, struct frtrace_bpf *bpf)
{
	if (k->count)
		kernel_probes_run_for_tasks(bpf->progs.waits_now, "the waits that the kernel has");
}

void kernel_probes_release_waits(const struct kernel_probes *k, struct frtrace_bpf *bpf)
{
	if (k->count && (bpf->bss->wait_setup.hold || bpf->bss->wait_setup.path))
		kernel_probes_run_for_tasks(bpf->progs.waits_held, "the waits that the kernel has");
}

void kernel_probes_follow_threads(const struct kernel_probes *k, struct frtrace_bpf *bpf)
{
	if (k->count && bpf->bss->wait_setup.path)
		kernel_probes_run_for_tasks(bpf->progs.waits_follow, "which threads there are");
}

static int kernel_look_begin(struct kernel_probes *k, struct frtrace_bpf *bpf, const struct peer_look *looks, size_t n)
{
	int map = bpf_map__fd(bpf->maps.peers), err = k->count ? 0 : -ESRCH;

	for (size_t i = 0; !err && i < n; i++)
		err = bpf_map_update_elem(map, &looks[i].ends, &looks[i].found, BPF_ANY);
	if (err)
		return err;
	k->look = bpf_program__attach_iter(bpf->progs.peers_look, NULL);
	k->look_fd = k->look ? bpf_iter_create(bpf_link__fd(k->look)) : -1;
	return k->look_fd < 0 ? -errno : 0;
}

#define LOOK_DESCRIPTORS 16384 /* at a time */

/* The program writes a byte for each descriptor. Returns 1 if there are more. */
static int kernel_look_on(struct kernel_probes *k)
{
	char bytes[1024];
	ssize_t got = 1;

	for (size_t seen = 0; got > 0 && seen < LOOK_DESCRIPTORS; seen += got)
		got = read(k->look_fd, bytes, sizeof(bytes));
	return got < 0 ? -errno : got > 0;
}

int kernel_probes_find_peers(struct kernel_probes *k, struct frtrace_bpf *bpf, struct peer_look *looks, size_t n)
{
	int map = bpf_map__fd(bpf->maps.peers), err = k->look ? 0 : kernel_look_begin(k, bpf, looks, n);

	err = err ?: kernel_look_on(k);
	if (err > 0)
		return err;
	if (err)
		log_detail("cannot read who has the peers: %s", strerror(-err));
	kernel_look_end(k);
	for (size_t i = 0; !err && i < n; i++) {
		uint64_t inode = looks[i].found.inode;

		err = bpf_map_lookup_elem(map, &looks[i].ends, &looks[i].found);
		if (looks[i].found.inode != inode) /* of two sockets with the same ends, one after the other */
			looks[i].found.connected = 0;
	}
	for (size_t i = 0; i < n; i++)
		bpf_map_delete_elem(map, &looks[i].ends);
	return err;
}
