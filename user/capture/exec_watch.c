// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/exec_watch.h"
#include "bpf/execs.h"
#include "user/capture/bpf_programs.h"

#include "frtrace.skel.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

struct exec_watch {
	struct frtrace_bpf *bpf;
	struct bpf_link *link;
	struct ring_buffer *execs;
	void (*visit)(pid_t pid, void *context);
	void *context;
	uint64_t lost; /* up to the last exec_watch_lost() */
};

/* Load this program and its map alone. */
static void choose_program(struct frtrace_bpf *bpf)
{
	struct bpf_program *program;
	struct bpf_map *map;

	bpf_object__for_each_program(program, bpf->obj)
		bpf_program__set_autoload(program, program == bpf->progs.process_exec);
	bpf_object__for_each_map(map, bpf->obj)
		bpf_map__set_autocreate(map, map == bpf->maps.execs || bpf_map__is_internal(map));
}

static int on_exec_record(void *context, void *data, size_t size)
{
	const struct exec_watch *w = context;
	const struct frt_exec *e = data;

	if (size >= sizeof(*e))
		w->visit(e->pid, w->context);
	return 0;
}

static int exec_watch_attach(struct exec_watch *w, struct diag *d)
{
	w->link = bpf_program__attach_trace(w->bpf->progs.process_exec);
	if (!w->link)
		return diag_errno(d, errno, "cannot attach to tracepoint sched_process_exec");
	w->execs = ring_buffer__new(bpf_map__fd(w->bpf->maps.execs), on_exec_record, w, NULL);
	return w->execs ? 0 : diag_errno(d, errno, "cannot map the BPF ring buffer");
}

int exec_watch_open(struct exec_watch **out, struct diag *d)
{
	struct exec_watch *w = calloc(1, sizeof(*w));
	struct stat own;
	int err;

	*out = NULL;
	if (!w)
		return diag_errno(d, ENOMEM, "cannot watch for new processes");
	if (stat("/proc/self/ns/pid", &own)) {
		free(w);
		return diag_errno(d, errno, "cannot read '/proc/self/ns/pid'");
	}
	err = bpf_programs_open(&w->bpf, d);
	if (!err) {
		choose_program(w->bpf);
		w->bpf->rodata->execs_pid_ns = own.st_ino;
		err = bpf_programs_load_opened(w->bpf, d) ?: exec_watch_attach(w, d);
	}
	if (err)
		exec_watch_close(w);
	else
		*out = w;
	return err;
}

void exec_watch_close(struct exec_watch *w)
{
	if (!w)
		return;
	ring_buffer__free(w->execs);
	bpf_link__destroy(w->link);
	frtrace_bpf__destroy(w->bpf);
	free(w);
}

int exec_watch_fd(const struct exec_watch *w)
{
	return ring_buffer__epoll_fd(w->execs);
}

void exec_watch_read(struct exec_watch *w, void (*visit)(pid_t pid, void *context), void *context)
{
	w->visit = visit;
	w->context = context;
	ring_buffer__consume(w->execs);
}

bool exec_watch_lost(struct exec_watch *w)
{
	uint64_t lost = __atomic_load_n(&w->bpf->bss->execs_lost, __ATOMIC_RELAXED);
	bool some = lost != w->lost;

	w->lost = lost;
	return some;
}
