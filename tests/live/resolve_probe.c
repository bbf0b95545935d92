// SPDX-License-Identifier: BSD-2-Clause
/*
 * Print all that can be read from outside about the stack of one thread of a running JVM. The thread should not move:
 *
 *   resolve_probe PID TID
 *
 * prints a line per method, innermost first, with fields separated by '|': class, name, descriptor, modifiers, hidden,
 * class modifiers, class hidden, loader type, loader name, line, bci, frame type (as in JFR). A frame that cannot be
 * resolved is "? " and the reason.
 */
#include "user/hotspot/resolve.h"
#include "user/hotspot/page_cache.h"
#include "user/hotspot/threads.h"
#include "user/process/remote_mem.h"
#include "user/process/find.h"

#include <stdio.h>
#include <stdlib.h>

#define WALK_READ(w, to, size, address) mem_read((w)->context, address, to, size)
#define WALK_STACK(w, to, address)	mem_u64((w)->context, address, to)
#define WALK_CODE(w, pc, code)		walk_code_at(w, pc, code)
#include "bpf/walk.h"

struct probe {
	struct hotspot_layout layout;
	struct resolver *resolver;
	struct page_cache now;
	struct remote_mem remote;
	int tid;
};

static void print_method(const struct resolved_frame *f)
{
	static const char *const kinds[] = {"Interpreted", "JIT compiled", "Inlined", "Native"};
	const struct resolved_method *m = f->method;

	printf("%s|%s|%s|%u|%d|%u|%d|%s|%s|%d|%d|%s\n", m->class_name, m->name, m->descriptor, m->modifiers, m->hidden,
	       m->class_modifiers, m->class_hidden, m->loader_type ?: "", m->loader_name ?: "", f->line, f->bci,
	       kinds[f->kind]);
}

static void print_frame(struct probe *p, const struct frt_frame *f)
{
	const struct resolved_frame *out;
	enum resolved_failure why;
	size_t count = resolver_frame(p->resolver, f, &out, &why);

	if (!count)
		printf("? %d\n", why);
	for (size_t i = 0; i < count; i++)
		print_method(&out[i]);
}

static int visit_thread(uint64_t thread, int tid, void *context)
{
	struct probe *p = context;
	struct walk w = {.layout = &p->layout.walk, .context = &p->now.mem, .high = UINT64_MAX};
	struct frt_frame f;

	if (tid != p->tid)
		return 0;
	page_cache_clear(&p->now);
	if (walk_anchor(&w, thread + p->layout.walk.thread_anchor)) {
		while (walk_next(&w, &f)) {
			if (f.kind == FRT_FRAME_INTERPRETED)
				f.cookie = walk_fingerprint(&w, f.code);
			print_frame(p, &f);
		}
	}
	return 1;
}

static int probe(struct probe *p, struct target *t, struct diag *d)
{
	uint64_t symbols[VMSTRUCTS_SYMBOLS], base;
	int e = remote_mem_open(&p->remote, t, d);

	e = e ?: remote_mem_find_libjvm(t, &base, d);
	e = e ?: remote_mem_find_symbols(&p->remote.mem, base, vmstructs_symbol_names, VMSTRUCTS_SYMBOLS, symbols, d);
	e = e ?: hotspot_layout_read(&p->layout, &p->remote.mem, symbols, d);
	if (e)
		return e;
	page_cache_init(&p->now, &p->remote.mem);
	e = resolver_new(&p->resolver, &p->remote.mem, &p->layout, d);
	if (e)
		return e;
	e = hotspot_each_thread(&p->layout, &p->remote.mem, visit_thread, p);
	return e > 0 ? 0 : e ? e : diag_set(d, ESRCH, "no Java thread '%d'", p->tid);
}

int main(int argc, char **argv)
{
	struct probe *p = calloc(1, sizeof(*p));
	struct target t = {.pidfd = -1};
	struct diag d = {0};
	int e = -EINVAL;

	if (argc == 3 && p) {
		p->remote.fd = -1;
		p->tid = atoi(argv[2]);
		e = target_open(argv[1], &t, &d);
		e = e ?: probe(p, &t, &d);
		resolver_free(p->resolver);
		remote_mem_close(&p->remote);
		target_close(&t);
	}
	if (e)
		fprintf(stderr, "resolve_probe: %s (%s)\n", d.text, strerror(-e));
	free(p);
	return e ? 1 : 0;
}
