// SPDX-License-Identifier: BSD-2-Clause
/*
 * Checking a layout against a thread dump. The dump prints names as java.lang.Throwable does: classes as a.b.C;
 * the name of a hidden class ends with a slash and a number (a.B$$Lambda/0x00007f..., JDK 8: /12345), where
 * HotSpot itself has a plus or, on 8, nothing. Hidden methods may be omitted.
 */
#include "user/jvm/layout_check.h"
#include "user/hotspot/page_cache.h"
#include "user/hotspot/threads.h"
#include "user/process/dump.h"
#include "user/process/target.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WALK_READ(w, to, size, address) mem_read((w)->context, address, to, size)
#define WALK_STACK(w, to, address)	layout_check_stack_word(w, to, address)
#define WALK_CODE(w, pc, code)		walk_code_at(w, pc, code)

struct walk;
static int layout_check_stack_word(const struct walk *w, uint64_t *to, uint64_t address);

#include "bpf/walk.h"

#define MOST_THREADS 64u
#define MOST_FRAMES  256u  /* raw */
#define MOST_METHODS 1024u /* the dump's own limit is -XX:MaxJavaStackTraceDepth=1024 */

static int layout_check_stack_word(const struct walk *w, uint64_t *to, uint64_t address)
{
	return address < w->low || address > w->high - 8 || mem_u64(w->context, address, to);
}

struct walked {
	uint64_t thread;
	int tid;
	enum frt_walk_end end;
	uint32_t count;
	struct frt_frame frame[MOST_FRAMES];
};

/* A thread of the check, and how far it has been compared with the dump. */
struct sleeper {
	struct walked walked;
	uint64_t switches;
	bool still; /* has not run since then, as far as known */
	bool different;
	char name[128]; /* as in the dump */
	uint32_t methods, at;
	struct resolved_frame method[MOST_METHODS];
};

struct layout_check {
	struct layout_check_setup setup;
	struct page_cache snapshot;
	unsigned int sleepers;
	struct sleeper sleeper[MOST_THREADS];
	struct walked again;
	struct layout_check_account *account;
};

struct layout_check *layout_check_new(const struct layout_check_setup *setup)
{
	struct layout_check *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->setup = *setup;
	page_cache_init(&p->snapshot, setup->mem);
	return p;
}

void layout_check_free(struct layout_check *p)
{
	free(p);
}

static void walk_thread(struct layout_check *p, uint64_t thread, int tid, struct walked *out)
{
	const struct frt_layout *l = &p->setup.layout->walk;
	struct walk w = {.layout = l, .context = &p->snapshot.mem, .low = 1};
	struct frt_frame f;

	memset(out, 0, sizeof(*out));
	out->thread = thread;
	out->tid = tid;
	out->end = FRT_WALK_UNREADABLE;
	/* the anchor is not on the stack, so the bounds are set after reading it */
	w.high = UINT64_MAX;
	if (!walk_anchor(&w, thread + l->thread_anchor)) {
		out->end = w.end;
		return;
	}
	w.low = w.sp;
	if (mem_u64(w.context, thread + l->thread_stack_base, &w.high) || w.high < 8)
		return;
	while (walk_next(&w, &f)) {
		if (f.kind == FRT_FRAME_INTERPRETED)
			f.cookie = walk_fingerprint(&w, f.code);
		if (out->count == MOST_FRAMES) {
			out->end = FRT_WALK_DEPTH;
			return;
		}
		out->frame[out->count++] = f;
	}
	out->end = w.end;
}

static struct sleeper *find_sleeper(struct layout_check *p, int tid)
{
	for (unsigned int i = 0; i < p->sleepers; i++)
		if (p->sleeper[i].walked.tid == tid)
			return &p->sleeper[i];
	return NULL;
}

static int on_java_thread(uint64_t thread, int tid, void *context)
{
	struct layout_check *p = context;

	if (p->sleepers == MOST_THREADS)
		return 1;
	if (tid)
		p->sleeper[p->sleepers++].walked = (struct walked){.thread = thread, .tid = tid};
	return 0;
}

static int note_task(const struct target_task *task, void *context)
{
	struct sleeper *s = find_sleeper(context, task->tid);

	if (s) {
		s->switches = task->switches;
		s->still = task->asleep;
	}
	return 0;
}

void layout_check_walk(struct layout_check *p)
{
	struct sleeper *s;

	memset(p->sleeper, 0, sizeof(p->sleeper));
	p->sleepers = 0;
	page_cache_clear(&p->snapshot);
	hotspot_each_thread(p->setup.layout, p->setup.mem, on_java_thread, p);
	target_each_task(p->setup.target, note_task, p);
	for (s = p->sleeper; s < p->sleeper + p->sleepers; s++)
		if (s->still)
			walk_thread(p, s->walked.thread, s->walked.tid, &s->walked);
}

/*
 * Returns false if there is nothing to compare. For a carrier of a virtual thread the dump shows other frames,
 * depending on the version.
 */
static bool resolve(struct layout_check *p, struct sleeper *s)
{
	const struct resolved_frame *methods;
	enum resolved_failure why;
	size_t n;

	for (uint32_t i = 0; i < s->walked.count; i++) {
		n = resolver_frame(p->setup.resolver, &s->walked.frame[i], &methods, &why);
		if (!n)
			return false;
		for (size_t j = 0; j < n && s->methods < MOST_METHODS; j++) {
			if (!strcmp(methods[j].method->class_name, "jdk/internal/vm/Continuation"))
				return false;
			s->method[s->methods++] = methods[j];
		}
	}
	return s->walked.count && s->walked.end != FRT_WALK_CHUNK;
}

static void check_still(struct layout_check *p, struct sleeper *s)
{
	if (!s->still)
		return;
	walk_thread(p, s->walked.thread, s->walked.tid, &p->again);
	s->still = !memcmp(&p->again, &s->walked, sizeof(p->again)) && resolve(p, s);
}

static int check_task(const struct target_task *task, void *context)
{
	struct sleeper *s = find_sleeper(context, task->tid);

	if (s && (task->switches != s->switches || !task->asleep))
		s->still = false;
	return 0;
}

/* Length without the number of a hidden class's name, which has several forms. */
static size_t plain_length(const char *name)
{
	for (const char *c = name; *c; c++)
		if ((*c == '/' || *c == '+') && isdigit((unsigned char)c[1]))
			return c - name;
	return strlen(name);
}

/* `shown` may be cut at size - 1. */
static bool is_class(const char *internal, const char *shown, size_t size)
{
	size_t length = plain_length(internal), shown_length = plain_length(shown);

	if (length != shown_length && (strlen(shown) < size - 1 || length < shown_length))
		return false;
	for (size_t i = 0; i < shown_length; i++)
		if ((internal[i] == '/' ? '.' : internal[i]) != shown[i])
			return false;
	return true;
}

static bool is_frame(const struct layout_check *p, const struct resolved_frame *r, const struct active_frame *f)
{
	if (!is_class(r->method->class_name, f->class_name, sizeof(f->class_name)) ||
	    strncmp(r->method->name, f->method, sizeof(f->method) - 1))
		return false;
	if (f->native || r->kind == RESOLVED_NATIVE)
		return f->native && r->kind == RESOLVED_NATIVE;
	return r->line == f->line || f->unknown || p->setup.layout->without & HOTSPOT_NO_LINES;
}

static void say_difference(const struct layout_check *p, struct sleeper *s, const struct active_frame *f)
{
	const struct resolved_frame *r = s->at < s->methods ? &s->method[s->at] : NULL;
	struct layout_check_account *a = p->account;

	s->different = true;
	if (a->difference[0])
		return;
	if (r)
		snprintf(a->difference, sizeof(a->difference),
			 "thread '%s', frame %u: %s.%s line %d, the JVM says %s.%s line %d", s->name, s->at,
			 r->method->class_name, r->method->name, r->line, f->class_name, f->method, f->line);
	else
		snprintf(a->difference, sizeof(a->difference),
			 "thread '%s', frame %u: none, the JVM says %s.%s line %d", s->name, s->at, f->class_name,
			 f->method, f->line);
}

static int on_dumped_frame(const struct active_frame *f, void *context)
{
	struct layout_check *p = context;
	struct sleeper *s = f->tid ? find_sleeper(p, f->tid) : NULL;

	if (!s || !s->still || s->different)
		return 0;
	if (!s->at)
		snprintf(s->name, sizeof(s->name), "%s", f->thread);
	while (s->at < s->methods && s->method[s->at].method->hidden && !is_frame(p, &s->method[s->at], f))
		s->at++;
	if (s->at == s->methods && (s->walked.end == FRT_WALK_DEPTH || s->methods == MOST_METHODS))
		return 0;
	if (s->at == s->methods || !is_frame(p, &s->method[s->at], f))
		say_difference(p, s, f);
	else
		s->at++;
	return 0;
}

/* Check that the frames missing in the dump are all hidden. */
static void check_rest(const struct layout_check *p, struct sleeper *s)
{
	struct active_frame none = {.class_name = "nothing", .method = "more", .line = -1};

	while (s->at < s->methods && s->method[s->at].method->hidden)
		s->at++;
	if (s->at && s->at < s->methods && s->at < MOST_METHODS)
		say_difference(p, s, &none);
}

enum layout_check_result layout_check_compare(struct layout_check *p, const char *dump,
					      struct layout_check_account *out)
{
	bool given = false;
	struct sleeper *s;

	*out = (struct layout_check_account){0};
	p->account = out;
	page_cache_clear(&p->snapshot);
	for (s = p->sleeper; s < p->sleeper + p->sleepers; s++)
		check_still(p, s);
	target_each_task(p->setup.target, check_task, p);
	dump_each_frame(dump, on_dumped_frame, p);
	for (s = p->sleeper; s < p->sleeper + p->sleepers; s++) {
		if (!s->still || s->different || !s->at)
			continue;
		check_rest(p, s);
		if (s->different)
			continue;
		out->threads++;
		out->frames += s->at;
		given |= s->at >= 2;
	}
	if (out->difference[0])
		return LAYOUT_CHECK_DIFFERENT;
	return given ? LAYOUT_CHECK_PASSED : LAYOUT_CHECK_NOTHING;
}
