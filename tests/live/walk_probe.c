// SPDX-License-Identifier: BSD-2-Clause
/*
 * Walk the stacks of a running JVM from outside:
 *
 *   walk_probe PID layout    the layout of the JVM
 *   walk_probe PID threads   the stack of each Java thread, in the form of jstack: "tid N", "  a.b.C.m(line)", ...,
 *			      "end REASON"
 *   walk_probe PID compare   compare the stack of each sleeping thread with the JVM's own thread dump: "same tid N",
 *			      or both stacks
 *
 * The JVM keeps running, so running threads are not compared.
 */
#include "user/hotspot/layout.h"
#include "user/hotspot/resolve.h"
#include "user/hotspot/page_cache.h"
#include "user/hotspot/threads.h"
#include "user/process/attach.h"
#include "user/process/find.h"
#include "user/process/dump.h"
#include "user/process/remote_mem.h"

#include <stdlib.h>

#define WALK_READ(w, to, size, address) mem_read((w)->context, address, to, size)
#define WALK_STACK(w, to, address)	mem_u64((w)->context, address, to)
#define WALK_CODE(w, pc, code)		walk_code_at(w, pc, code)
#include "bpf/walk.h"

#define MAX_FRAMES  4096
#define MAX_THREADS 4096

struct line {
	char text[512];
};

/* One thread's stack, from either source. */
struct stack {
	int tid;
	char end[96];
	int count;
	struct line *lines;
};

struct stacks {
	int count;
	struct stack stacks[MAX_THREADS];
};

struct probe {
	struct hotspot_layout layout;
	struct resolver *resolver;
	struct page_cache now;
	struct stacks walked, dumped;
};

static const char *const ends[FRT_WALK_ENDS] = {
	[FRT_WALK_BOTTOM] = "bottom",	      [FRT_WALK_DEPTH] = "depth", [FRT_WALK_CHUNK] = "chunk",
	[FRT_WALK_UNREADABLE] = "unreadable", [FRT_WALK_CODE] = "code",	  [FRT_WALK_STUCK] = "stuck",
};

static struct stack *add_stack(struct stacks *all, int tid)
{
	struct stack *s = &all->stacks[all->count];

	if (all->count == MAX_THREADS)
		exit(3);
	all->count++;
	*s = (struct stack){.tid = tid};
	return s;
}

static char *add_line(struct stack *s)
{
	s->lines = realloc(s->lines, (s->count + 1) * sizeof(*s->lines));
	if (!s->lines || s->count == MAX_FRAMES)
		exit(3);
	return s->lines[s->count++].text;
}

static void clear(struct stacks *all)
{
	for (int i = 0; i < all->count; i++)
		free(all->stacks[i].lines);
	all->count = 0;
}

/* Class names as in a thread dump, without the suffix of hidden classes. */
static void write_line(char *out, const char *class_name, const char *method, bool native, int line)
{
	int n = snprintf(out, 256, "%s", class_name);

	for (int i = 0; i < n && i < 255; i++)
		if (out[i] == '/')
			out[i] = '.';
	n = (int)strcspn(out, "+");
	if (strstr(out, "$$Lambda.") || strstr(out, "$$Lambda$") || strstr(out, "LambdaForm$"))
		for (char *p = strstr(out, "Lambda"); *p; p++)
			if (*p == '.')
				n = n < p - out ? n : (int)(p - out);
	if (native)
		sprintf(out + n, ".%s(native)", method);
	else
		sprintf(out + n, ".%s(%d)", method, line);
}

static void add_frame(struct probe *p, struct stack *s, const struct frt_frame *f)
{
	const struct resolved_frame *r;
	enum resolved_failure why = RESOLVE_OK;
	size_t count = resolver_frame(p->resolver, f, &r, &why);

	if (!count)
		sprintf(add_line(s), "? kind %u code %llx at %llx cookie %x: %u", f->kind, (unsigned long long)f->code,
			(unsigned long long)f->at, f->cookie, why);
	for (size_t i = 0; i < count; i++)
		write_line(add_line(s), r[i].method->class_name, r[i].method->name, r[i].method->modifiers & 0x100,
			   r[i].line);
}

static int walk_thread(uint64_t thread, int tid, void *context)
{
	struct probe *p = context;
	struct stack *s = add_stack(&p->walked, tid);
	struct walk w = {.layout = &p->layout.walk, .context = &p->now.mem, .high = UINT64_MAX};
	struct frt_frame f;
	int n = 0, deoptimised = 0;

	page_cache_clear(&p->now);
	if (walk_anchor(&w, thread + p->layout.walk.thread_anchor))
		while (n++ < MAX_FRAMES && walk_next(&w, &f)) {
			if (f.kind == FRT_FRAME_INTERPRETED)
				f.cookie = walk_fingerprint(&w, f.code);
			deoptimised += f.flags & FRT_FRAME_DEOPTIMISED;
			add_frame(p, s, &f);
		}
	sprintf(s->end, "end %s%s", ends[w.end], deoptimised ? " deoptimised" : "");
	if (w.end != FRT_WALK_BOTTOM)
		sprintf(s->end + strlen(s->end), " pc %llx", (unsigned long long)w.pc);
	return 0;
}

static int on_dumped_frame(const struct active_frame *f, void *context)
{
	struct stacks *all = context;
	struct stack *s = all->count ? &all->stacks[all->count - 1] : NULL;

	if (!f->tid) /* a virtual thread, or its carrier without it */
		return 0;
	if (!s || s->tid != (int)f->tid)
		s = add_stack(all, (int)f->tid);
	write_line(add_line(s), f->class_name, f->method, f->native, f->line);
	return 0;
}

static void print_stack(const struct stack *s)
{
	printf("tid %d\n", s->tid);
	for (int i = 0; i < s->count; i++)
		printf("  %s\n", s->lines[i].text);
	printf("%s\n", s->end);
}

static bool same(const struct stack *a, const struct stack *b)
{
	if (a->count != b->count)
		return false;
	for (int i = 0; i < a->count; i++)
		if (strcmp(a->lines[i].text, b->lines[i].text))
			return false;
	return true;
}

static void compare(const struct probe *p)
{
	for (int i = 0; i < p->dumped.count; i++) {
		const struct stack *d = &p->dumped.stacks[i], *w = NULL;

		for (int k = 0; k < p->walked.count; k++)
			if (p->walked.stacks[k].tid == d->tid)
				w = &p->walked.stacks[k];
		if (w && same(d, w)) {
			printf("same tid %d: %d frames, %s, %s\n", d->tid, d->count, d->lines[0].text, w->end);
			continue;
		}
		printf("differs: the JVM says\n");
		print_stack(d);
		printf("walked\n");
		if (w)
			print_stack(w);
	}
}

static int walk_all(struct probe *p, const struct mem *m)
{
	int e = -EAGAIN;

	for (int i = 0; e == -EAGAIN && i < 10; i++) {
		clear(&p->walked);
		e = hotspot_each_thread(&p->layout, m, walk_thread, p);
	}
	return e;
}

static int compare_all(struct probe *p, const struct target *t, const struct mem *m, struct diag *d)
{
	char *text = NULL;
	int code, e = attach_command(t, "threaddump", (const char *const[]){NULL}, 30000, &code, &text, d);

	if (!e)
		e = dump_each_frame(text, on_dumped_frame, &p->dumped);
	e = e ?: walk_all(p, m);
	if (!e)
		compare(p);
	free(text);
	return e;
}

static void print_layout(const struct hotspot_layout *l)
{
	const struct frt_layout *w = &l->walk;

	printf("feature %u heaps %u segment %u missing '%s'\n", w->jdk_version, w->heaps, w->segment_log2, l->missing);
	for (unsigned int i = 0; i < w->heaps; i++)
		printf("heap %llx-%llx\n", (unsigned long long)w->heap[i].low, (unsigned long long)w->heap[i].high);
	printf("interpreter %llx-%llx\ncall_stub %llx\ncontinuation %llx\n", (unsigned long long)w->interpreter,
	       (unsigned long long)w->interpreter_end, (unsigned long long)w->call_stub_return,
	       (unsigned long long)w->continuation_return);
	printf("hidden %x in %u, class %x\nupcall %u\n", l->method_hidden, l->method_flags, l->klass_hidden,
	       w->upcall_frame_data);
}

static int read_layout(struct probe *p, struct target *t, struct remote_mem *r, struct diag *d)
{
	uint64_t symbols[VMSTRUCTS_SYMBOLS], base;
	int e = remote_mem_find_libjvm(t, &base, d);

	e = e ?: remote_mem_find_symbols(&r->mem, base, vmstructs_symbol_names, VMSTRUCTS_SYMBOLS, symbols, d);
	return e ?: hotspot_layout_read(&p->layout, &r->mem, symbols, d);
}

int main(int argc, char **argv)
{
	struct probe *p = calloc(1, sizeof(*p));
	struct target t = {.pidfd = -1};
	struct remote_mem r = {.fd = -1};
	struct diag d = {0};
	int e = -EINVAL;

	if (argc != 3 || !p)
		goto out;
	e = target_open(argv[1], &t, &d);
	e = e ?: remote_mem_open(&r, &t, &d);
	e = e ?: read_layout(p, &t, &r, &d);
	if (e)
		goto out;
	page_cache_init(&p->now, &r.mem);
	e = resolver_new(&p->resolver, &r.mem, &p->layout, &d);
	if (e)
		goto out;
	if (!strcmp(argv[2], "layout"))
		print_layout(&p->layout);
	else if (!strcmp(argv[2], "compare"))
		e = compare_all(p, &t, &r.mem, &d);
	else
		e = walk_all(p, &r.mem);
	for (int i = 0; !e && !strcmp(argv[2], "threads") && i < p->walked.count; i++)
		print_stack(&p->walked.stacks[i]);
	resolver_free(p->resolver);
out:
	if (e)
		fprintf(stderr, "walk_probe: %s (%s)\n", d.text, strerror(-e));
	remote_mem_close(&r);
	target_close(&t);
	if (p) {
		clear(&p->walked);
		clear(&p->dumped);
	}
	free(p);
	return e ? 1 : 0;
}
