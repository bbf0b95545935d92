// SPDX-License-Identifier: BSD-2-Clause
/*
 * Compare the walker in the kernel with the same walker from outside:
 *
 *   bpf_walk PID    until SIGTERM, keep the stack of each thread that calls Object.wait(), as walk.bpf.c sees it; then
 *		     walk the threads, which must still wait, and compare
 *
 * Prints "on", then for each thread whose name begins with "w-", and for the carriers of virtual threads as "carrier",
 * a line "NAME END I interpreted C compiled N native D deoptimised: equal" or the difference, and the time per walk.
 */
#include "bpf/queue.h"
#include "tests/live/walked.h"
#include "user/hotspot/layout.h"
#include "user/process/maps.h"
#include "user/process/find.h"
#include "user/process/remote_mem.h"
#include "user/process/root_path.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <walk.skel.h>

#define WALK_READ(w, to, size, address) mem_read((w)->context, address, to, size)
#define WALK_STACK(w, to, address)	mem_u64((w)->context, address, to)
#define WALK_CODE(w, pc, code)		walk_code_at(w, pc, code)
#include "bpf/walk.h"

#define MAX_THREADS 64

struct probe {
	struct target target;
	struct remote_mem remote;
	struct hotspot_layout layout;
	struct walk_bpf *bpf;
	struct bpf_link *link;
	struct ring_buffer *walks;
	int stats;
	struct walked last[MAX_THREADS]; /* the last stack of each thread */
	unsigned int threads;
	uint64_t walked, frames; /* total */
};

static volatile sig_atomic_t stop;

static const char *const ends[FRT_WALK_ENDS] = {
	[FRT_WALK_BOTTOM] = "bottom",	      [FRT_WALK_DEPTH] = "depth", [FRT_WALK_CHUNK] = "chunk",
	[FRT_WALK_UNREADABLE] = "unreadable", [FRT_WALK_CODE] = "code",	  [FRT_WALK_STUCK] = "stuck",
};

static void on_signal(int number)
{
	stop = 1;
}

static int read_layout(struct probe *p, struct diag *d)
{
	uint64_t symbols[VMSTRUCTS_SYMBOLS], base;
	int e = remote_mem_find_libjvm(&p->target, &base, d);

	e = e ?: remote_mem_find_symbols(&p->remote.mem, base, vmstructs_symbol_names, VMSTRUCTS_SYMBOLS, symbols, d);
	return e ?: hotspot_layout_read(&p->layout, &p->remote.mem, symbols, d);
}

static int keep_last(void *context, void *data, size_t size)
{
	struct probe *p = context;
	const struct walked *w = data;
	unsigned int i = 0;

	p->walked++;
	p->frames += w->count;
	while (i < p->threads && p->last[i].env != w->env)
		i++;
	if (i == MAX_THREADS)
		return 0;
	if (i == p->threads)
		p->threads++;
	p->last[i] = *w;
	return 0;
}

static int attach(struct probe *p, struct diag *d)
{
	LIBBPF_OPTS(bpf_uprobe_opts, options, .func_name = "JVM_MonitorWait");
	char libjvm_path[PLACE_FD_PATH];
	struct mapping libjvm;
	int libjvm_fd;

	p->bpf = walk_bpf__open_and_load();
	if (!p->bpf)
		return diag_set(d, EINVAL, "the kernel rejected the program");
	p->bpf->bss->layout = p->layout.walk;
	p->bpf->bss->target.pid_ns_dev = p->target.pid_ns_dev;
	p->bpf->bss->target.pid_ns_ino = p->target.pid_ns_ino;
	p->bpf->bss->target.tgid = p->target.ns_pid;
	p->walks = ring_buffer__new(bpf_map__fd(p->bpf->maps.walks), keep_last, p, NULL);
	if (!p->walks || target_find_mapping(&p->target, "libjvm", &libjvm, d) != 1)
		return diag_set(d, EINVAL, "no ring buffer or no libjvm");
	libjvm_fd = target_open_mapping(&p->target, &libjvm, INT64_MAX, d);
	if (libjvm_fd < 0)
		return libjvm_fd;
	root_path_fd_path(libjvm_fd, libjvm_path);
	p->stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	p->link = bpf_program__attach_uprobe_opts(p->bpf->progs.walk_own, -1, libjvm_path, 0, &options);
	close(libjvm_fd);
	return p->link ? 0 : diag_errno(d, errno, "cannot attach to JVM_MonitorWait");
}

static void walk_from_outside(struct probe *p, uint64_t env, struct walked *out)
{
	const struct frt_layout *l = &p->layout.walk;
	struct walk w = {.layout = l, .context = &p->remote.mem};
	struct frt_frame f;

	out->count = 0;
	out->end = FRT_WALK_DEPTH;
	if (walk_anchor(&w, env - l->thread_env + l->thread_anchor))
		while (walk_next(&w, &f)) {
			if (out->count == WALKED_FRAMES)
				return;
			out->frames[out->count++] = f;
		}
	out->end = w.end;
}

static void print_difference(const struct walked *kernel, const struct walked *outside)
{
	unsigned int i = 0;

	while (i < kernel->count && i < outside->count &&
	       !memcmp(&kernel->frames[i], &outside->frames[i], sizeof(struct frt_frame)))
		i++;
	if (i == kernel->count && i == outside->count && kernel->end == outside->end) {
		printf("equal\n");
		return;
	}
	printf("from outside %u frames, %s; frame %u differs\n", outside->count, ends[outside->end], i);
}

static void print_thread(struct probe *p, const struct walked *kernel)
{
	unsigned int kinds[FRT_FRAME_NAMED + 1] = {0}, deoptimised = 0;
	bool carrier = !strncmp(kernel->name, "ForkJ", 5);
	struct walked outside;

	if (!carrier && strncmp(kernel->name, "w-", 2))
		return;
	for (unsigned int i = 0; i < kernel->count; i++) {
		kinds[kernel->frames[i].kind % (FRT_FRAME_NAMED + 1)]++;
		deoptimised += kernel->frames[i].flags & FRT_FRAME_DEOPTIMISED;
	}
	printf("%.16s %s %u interpreted %u compiled %u native %u deoptimised: ", carrier ? "carrier" : kernel->name,
	       ends[kernel->end % FRT_WALK_ENDS], kinds[FRT_FRAME_INTERPRETED], kinds[FRT_FRAME_COMPILED],
	       kinds[FRT_FRAME_NATIVE], deoptimised);
	walk_from_outside(p, kernel->env, &outside);
	print_difference(kernel, &outside);
}

static void print_cost(const struct probe *p)
{
	struct bpf_prog_info info = {0};
	unsigned int size = sizeof(info);

	bpf_obj_get_info_by_fd(bpf_program__fd(p->bpf->progs.walk_own), &info, &size);
	printf("cost: %u instructions verified, %llu walks, %llu frames", info.verified_insns,
	       (unsigned long long)p->walked, (unsigned long long)p->frames);
	if (p->frames)
		printf(", %llu ns each", (unsigned long long)info.run_time_ns / (unsigned long long)p->frames);
	printf("\n");
}

static int run(struct probe *p, struct diag *d)
{
	int e = read_layout(p, d);

	e = e ?: attach(p, d);
	if (e)
		return e;
	printf("on\n");
	fflush(stdout);
	while (!stop)
		ring_buffer__poll(p->walks, 50);
	bpf_link__destroy(p->link);
	ring_buffer__consume(p->walks);
	for (unsigned int i = 0; i < p->threads; i++)
		print_thread(p, &p->last[i]);
	print_cost(p);
	return 0;
}

int main(int argc, char **argv)
{
	struct probe *p = calloc(1, sizeof(*p));
	struct diag d = {0};
	int e = -EINVAL;

	if (argc != 2 || !p)
		return 2;
	p->remote.fd = p->target.pidfd = p->stats = -1;
	signal(SIGTERM, on_signal);
	e = target_open(argv[1], &p->target, &d);
	e = e ?: remote_mem_open(&p->remote, &p->target, &d);
	e = e ?: run(p, &d);
	if (e)
		printf("error: %s\n", d.text);
	ring_buffer__free(p->walks);
	walk_bpf__destroy(p->bpf);
	if (p->stats >= 0)
		close(p->stats);
	remote_mem_close(&p->remote);
	target_close(&p->target);
	free(p);
	return e != 0;
}
