// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kernel's part of bpf_walk.c: each thread of the target sends its stack when it is about to wait. */
#include "bpf/stack.bpf.h"
#include "bpf/target.bpf.h"
#include "tests/live/walked.h"

#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

_Static_assert(WALKED_FRAMES == STACK_FRAMES, "frames");

volatile struct frt_target target = {};
struct frt_layout layout = {};

struct code_map codes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16 << 20);
} walks SEC(".maps");

/* JVM_MonitorWait(JNIEnv *, ...) */
SEC("uprobe")
int BPF_KPROBE(walk_own, __u64 env)
{
	struct walked *w;

	if (!is_target())
		return 0;
	w = bpf_ringbuf_reserve(&walks, sizeof(*w), 0);
	if (!w)
		return 0;
	w->env = env;
	bpf_get_current_comm(w->name, sizeof(w->name));
	w->end = stack_walk_own(&layout, env - layout.thread_env + layout.thread_anchor, w->frames, &w->count);
	bpf_ringbuf_submit(w, 0);
	return 0;
}
