// SPDX-License-Identifier: BSD-2-Clause
#include "user/stacks/frames.h"
#include "user/stacks/kernel_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TABLE (2 * FRT_STACKS)
#define KEPT  (1u << 21)

/* A jfr_frame in half the space. */
struct kept_frame {
	uint32_t method;
	int32_t line, bci;
	uint32_t type;
};

struct frames_entry {
	uint32_t id;
	uint32_t chunk; /* chunk in which `key` was last valid */
	uint64_t key;
	uint64_t kept;			   /* number of its first frame in `kept` */
	const struct resolved_method *top; /* the innermost method, which was left out; NULL: none was */
	struct frames_caller caller;
	uint32_t traced; /* the method that `top` was compared with; is_traced is the result */
	uint16_t count;
	bool is_traced, truncated;
};

struct frames {
	struct frames_setup setup;
	struct stacks stacks;
	struct frames_entry table[FRAMES_SOURCES][TABLE]; /* indexed by id */
	struct kept_frame *kept;			  /* a ring */
	uint64_t kept_next;
	uint32_t chunk;
	struct kernel_symbols *kernel; /* read with the first kernel stack; NULL: not read yet, or hidden */
	bool kernel_read;
	bool behind;
	uint64_t unknown_key;
	uint32_t unknown_chunk;
	struct frames_counts counts[FRAMES_SOURCES];
	struct jfr_frame scratch[JFR_STACK_FRAMES];
};

int frames_new(struct frames **out, const struct frames_setup *setup, struct diag *d)
{
	struct frames *f = calloc(1, sizeof(*f));

	*out = NULL;
	if (f)
		f->kept = calloc(KEPT, sizeof(*f->kept));
	if (!f || !f->kept) {
		frames_free(f);
		return diag_errno(d, ENOMEM, "cannot make room for stacks");
	}
	f->setup = *setup;
	f->stacks.budget = setup->budget;
	stacks_begin(&f->stacks, setup->methods->segment);
	*out = f;
	return 0;
}

void frames_free(struct frames *f)
{
	if (!f)
		return;
	kernel_symbols_free(f->kernel);
	free(f->kept);
	free(f);
}

/* State while a stack is being resolved. */
struct build {
	struct frames *frames;
	struct frames_entry *entry;
	struct frames_counts *counts;
	uint32_t depth;
	bool drop;    /* the next method is the traced one */
	bool over;    /* deep enough, or at the end of a virtual thread */
	bool entered; /* the last one was Continuation.enter() */
};

static struct kept_frame *kept_at(const struct frames *f, uint64_t number)
{
	return &f->kept[number % KEPT];
}

static void frames_put(struct build *b, const struct kept_frame *frame)
{
	struct frames_entry *e = b->entry;

	b->entered = false;
	if (e->count >= b->depth) {
		e->truncated = true;
		b->over = true;
		return;
	}
	*kept_at(b->frames, e->kept + e->count++) = *frame;
}

static void frames_put_unknown(struct build *b)
{
	b->drop = false;
	frames_put(b, &(struct kept_frame){.line = -1, .bci = -1, .type = JFR_FRAME_UNKNOWN});
}

static void set_caller(struct build *b, struct frames_caller caller)
{
	if (!b->entry->count)
		b->entry->caller = caller;
}

static enum jfr_frame_type type_of(enum resolved_kind kind)
{
	switch (kind) {
	case RESOLVED_INTERPRETED: return JFR_FRAME_INTERPRETED;
	case RESOLVED_JIT: return JFR_FRAME_JIT;
	case RESOLVED_INLINED: return JFR_FRAME_INLINED;
	case RESOLVED_NATIVE: return JFR_FRAME_NATIVE;
	}
	return JFR_FRAME_UNKNOWN;
}

/*
 * The bottom of a virtual thread's stack as JEP 520 has it: Continuation.enterSpecial(), a native method. Its code is
 * a stub. If the layout knows the stub, the walk ends above it; else it is walked like any other frame and the
 * carrier's frames follow, which do not belong to the stack.
 */
static void put_continuation_entry(struct build *b)
{
	b->over = true;
	frames_put(b, &(struct kept_frame){.method = method_keys_continuation_entry(b->frames->setup.methods),
					   .line = -1,
					   .type = JFR_FRAME_NATIVE});
}

static bool frames_is_continuation(const char *class_name, const char *name, const char *wanted)
{
	return !strcmp(name, wanted) && !strcmp(class_name, "jdk/internal/vm/Continuation");
}

static void put_resolved(struct build *b, const struct resolved_frame *r)
{
	if (b->drop) {
		b->drop = false;
		b->entry->top = r->method;
		return;
	}
	if (frames_is_continuation(r->method->class_name, r->method->name, "enterSpecial")) {
		put_continuation_entry(b);
		return;
	}
	set_caller(b, (struct frames_caller){.resolved = r->method, .line = r->line});
	frames_put(b, &(struct kept_frame){.method = method_keys_resolved(b->frames->setup.methods, r->method),
					   .line = r->line,
					   .bci = r->bci,
					   .type = type_of(r->kind)});
	b->entered = frames_is_continuation(r->method->class_name, r->method->name, "enter");
}

#define ACC_NATIVE 0x0100

/* JVMTI does not tell whether the code was interpreted or compiled. */
static void put_named(struct build *b, const struct frt_frame *raw)
{
	struct method_keys *keys = b->frames->setup.methods;
	uint32_t id = raw->code < FRT_MAX_METHODS ? raw->code : FRT_NO_METHOD;
	const struct frt_method *m = segment_method(keys->segment, id);
	const struct frt_class *c = m ? segment_class(keys->segment, m->class_id) : NULL;
	struct kept_frame frame = {.method = method_keys_traced(keys, id),
				   .line = (int32_t)raw->at,
				   .bci = (int32_t)(raw->at >> 32),
				   .type = JFR_FRAME_UNKNOWN};
	char class_name[64], name[64];

	if (!frame.method || !c) { /* a forged table may have changed since the key was made */
		/* Code 0: the agent's table was full. */
		b->counts->unknown[raw->code ? RESOLVE_CORRUPT : RESOLVE_MEMORY]++;
		frames_put_unknown(b);
		return;
	}
	if (b->drop) {
		b->drop = false;
		return;
	}
	if (frame.line <= 0)
		frame.line = -1;
	if (m->modifiers & ACC_NATIVE)
		frame = (struct kept_frame){frame.method, -1, 0, JFR_FRAME_NATIVE};
	set_caller(b, (struct frames_caller){.named = id, .line = frame.line});
	frames_put(b, &frame);
	segment_string(keys->segment, m->name, name, sizeof(name));
	segment_string(keys->segment, c->name, class_name, sizeof(class_name));
	b->entered = frames_is_continuation(class_name, name, "enter");
}

/* A waker's stack is taken by a BPF program on top of it. */
static bool is_tracing(const char *function)
{
	static const char *const begins[] = {"__bpf_get_", "bpf_get_", "bpf_prog_", "bpf_trace_run", "__traceiter_"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (strncmp(function, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

static void put_kernel(struct build *b, const struct frt_frame *raw)
{
	struct frames *f = b->frames;
	const char *name;

	if (!f->kernel_read)
		f->kernel = kernel_symbols_read();
	f->kernel_read = true;
	name = f->kernel ? kernel_symbols_find(f->kernel, raw->code) : NULL;
	if (!name)
		frames_put_unknown(b);
	else if (!is_tracing(name))
		frames_put(b, &(struct kept_frame){.method = method_keys_function(f->setup.methods, "kernel", name),
						   .line = -1,
						   .bci = -1,
						   .type = JFR_FRAME_KERNEL});
}

static void put_function(struct build *b, const struct frt_frame *raw)
{
	struct frames *f = b->frames;
	char library[NATIVE_STACKS_NAME], name[NATIVE_STACKS_NAME];

	if (!f->setup.natives || !native_stacks_name(f->setup.natives, raw, library, name))
		frames_put_unknown(b);
	else
		frames_put(b, &(struct kept_frame){.method = method_keys_function(f->setup.methods, library, name),
						   .line = -1,
						   .bci = -1,
						   .type = JFR_FRAME_NATIVE});
}

static void put_raw(struct build *b, const struct frt_frame *raw)
{
	enum resolved_failure why = RESOLVE_UNKNOWN;
	const struct resolved_frame *resolved;
	struct frames *f = b->frames;
	size_t n = 0;

	if (raw->kind == FRT_FRAME_NAMED) {
		put_named(b, raw);
		return;
	}
	if (raw->kind == FRT_FRAME_KERNEL) {
		put_kernel(b, raw);
		return;
	}
	if (raw->kind == FRT_FRAME_FUNCTION) {
		put_function(b, raw);
		return;
	}
	if (f->setup.resolver)
		n = resolver_frame(f->setup.resolver, raw, &resolved, &why);
	for (size_t i = 0; i < n && !b->over; i++)
		put_resolved(b, &resolved[i]);
	if (n)
		return;
	b->counts->unknown[why < RESOLVE_FAILURES ? why : RESOLVE_UNKNOWN]++;
	frames_put_unknown(b);
}

/* Resolve a stack and keep the result. */
static void frames_keep(struct frames *f, enum frames_source source, const struct stack *stack)
{
	struct frames_entry *e = &f->table[source][stack->id % TABLE];
	struct frames_counts *counts = &f->counts[source];
	struct build b = {.frames = f,
			  .entry = e,
			  .counts = counts,
			  .depth = f->setup.depth[source],
			  .drop = stack->flags & FRT_STACK_INCLUSIVE};

	*e = (struct frames_entry){.id = stack->id, .kept = f->kept_next, .traced = FRT_NO_METHOD, .is_traced = true};
	counts->stacks++;
	for (uint32_t i = 0; i < stack->count && !b.over; i++)
		put_raw(&b, &stack->frame[i]);
	if (!b.over && b.entered && stack->end == FRT_WALK_BOTTOM)
		put_continuation_entry(&b);
	if (!b.over && stack->end != FRT_WALK_BOTTOM) {
		e->truncated = true;
		counts->cut[stack->end] += stack->end != FRT_WALK_DEPTH && stack->end != FRT_WALK_UNASKED;
	}
	if (e->truncated && !e->count)
		frames_put_unknown(&b); /* an empty stack would mean that the VM made the call */
	f->kept_next += e->count;
}

static void on_stack(void *context, const struct stack *stack)
{
	struct frames *f = context;

	if (f->table[FRAMES_AGENTS][stack->id % TABLE].id != stack->id)
		frames_keep(f, FRAMES_AGENTS, stack);
}

void frames_feed(struct frames *f, const struct stack *stack)
{
	frames_keep(f, FRAMES_OURS, stack);
}

bool frames_has(const struct frames *f, uint32_t id)
{
	return id == FRT_STACK_UNTAKEN || f->table[FRAMES_AGENTS][id % TABLE].id == id;
}

/* Are the frames of an entry in the ring yet? */
static bool entry_is_whole(const struct frames *f, const struct frames_entry *e)
{
	return f->kept_next - e->kept <= KEPT;
}

bool frames_are_kept(const struct frames *f, uint32_t id)
{
	const struct frames_entry *e = &f->table[FRAMES_OURS][id % TABLE];

	return e->id == id && entry_is_whole(f, e);
}

bool frames_read(struct frames *f, bool all)
{
	uint64_t before = f->counts[FRAMES_AGENTS].stacks;

	budget_begin(f->setup.budget);
	f->behind = !stacks_read(&f->stacks, all, on_stack, f);
	budget_end(f->setup.budget);
	return f->counts[FRAMES_AGENTS].stacks != before;
}

bool frames_behind(const struct frames *f)
{
	return f->behind;
}

/* Top method of stacks whose top has been dropped; it equals no traced method. */
static const struct resolved_method forgotten = {.class_name = "", .name = "", .descriptor = ""};

void frames_forget_resolved(struct frames *f)
{
	for (struct frames_entry *e = f->table[0]; e < f->table[FRAMES_SOURCES]; e++) {
		e->caller.resolved = NULL;
		if (e->top)
			e->top = &forgotten;
	}
}

void frames_next_chunk(struct frames *f)
{
	f->chunk++;
}

/* The key of a stack that is unknown. */
static uint64_t unknown_key(struct frames *f)
{
	struct jfr_frame frame = {.line = -1, .bci = -1, .type = JFR_FRAME_UNKNOWN};

	if (f->unknown_chunk != f->chunk)
		f->unknown_key = jfr_stack(f->setup.methods->writer, &frame, 1, true);
	f->unknown_chunk = f->chunk;
	return f->unknown_key;
}

static uint64_t frames_make_key(struct frames *f, struct frames_counts *counts, const struct frames_entry *e)
{
	bool known = entry_is_whole(f, e);

	for (uint32_t i = 0; known && i < e->count; i++) {
		const struct kept_frame *k = kept_at(f, e->kept + i);

		known = !k->method || jfr_method_known(f->setup.methods->writer, k->method);
		f->scratch[i] = (struct jfr_frame){k->method, k->line, k->bci, k->type};
	}
	counts->forgotten += !known;
	return known ? jfr_stack(f->setup.methods->writer, f->scratch, e->count, e->truncated) : unknown_key(f);
}

/*
 * The code at the top may have been compiled with its callers inlined or without; its innermost method must be the
 * traced one either way.
 */
static void compare_top(struct frames *f, struct frames_counts *counts, struct frames_entry *e, uint32_t method)
{
	e->traced = method;
	e->is_traced = !method || method_keys_same(f->setup.methods, method, e->top);
	e->key = 0;
	counts->mismatched += !e->is_traced;
}

static uint64_t refresh_key(struct frames *f, struct frames_counts *counts, struct frames_entry *e, uint32_t method)
{
	if (e->top && e->traced != method)
		compare_top(f, counts, e, method);
	if (e->top && !e->is_traced)
		e->key = unknown_key(f);
	else if (!jfr_stack_known(f->setup.methods->writer, e->key))
		e->key = frames_make_key(f, counts, e);
	e->chunk = f->chunk;
	return e->key;
}

/* Find a stack whose predecessors are not all complete yet. */
static void find_single(struct frames *f, uint32_t id)
{
	const struct stack *stack;

	budget_begin(f->setup.budget);
	stack = stacks_find(&f->stacks, id);
	if (stack)
		frames_keep(f, FRAMES_AGENTS, stack);
	budget_end(f->setup.budget);
}

static uint64_t find_key(struct frames *f, enum frames_source source, uint32_t id, uint32_t method)
{
	struct frames_entry *e = &f->table[source][id % TABLE];
	struct frames_counts *counts = &f->counts[source];

	if (id == FRT_STACK_UNTAKEN)
		return unknown_key(f);
	if (id == FRT_STACK_LOST) {
		counts->missing += source == FRAMES_OURS; /* the agent counts its own */
		return unknown_key(f);
	}
	if (e->id != id && source == FRAMES_AGENTS && !budget_over(f->setup.budget))
		frames_read(f, false);
	if (e->id != id && source == FRAMES_AGENTS && !budget_over(f->setup.budget))
		find_single(f, id);
	if (e->id == id)
		return refresh_key(f, counts, e, method);
	if (budget_over(f->setup.budget))
		counts->behind++;
	else
		counts->missing++;
	return unknown_key(f);
}

uint64_t frames_key(struct frames *f, enum frames_source source, uint32_t id, uint32_t method)
{
	const struct frames_entry *e = &f->table[source][id % TABLE];

	if (!id || !f->setup.depth[source])
		return 0;
	if (e->id == id && e->chunk == f->chunk && (e->traced == method || !e->top))
		return e->key;
	return find_key(f, source, id, method);
}

bool frames_caller(const struct frames *f, const struct frt_span *s, struct frames_caller *out)
{
	const struct frames_entry *e = &f->table[frames_source_of(s)][s->stack % TABLE];

	if (!s->stack || e->id != s->stack || (e->top && (e->traced != s->method || !e->is_traced)))
		return false;
	*out = e->caller;
	return out->resolved || out->named;
}

bool frames_is_call_of(const struct frames *f, uint32_t id, uint32_t method)
{
	const struct frames_entry *e = &f->table[FRAMES_OURS][id % TABLE];

	return e->id != id || !e->top || e->top == &forgotten || method_keys_same(f->setup.methods, method, e->top);
}

bool frames_is_in_code(const struct frames *f, uint32_t id)
{
	const struct frames_entry *e = &f->table[FRAMES_OURS][id % TABLE];
	uint32_t type = JFR_FRAME_UNKNOWN;

	if (id && e->id == id && e->count && entry_is_whole(f, e))
		type = kept_at(f, e->kept)->type;
	return type == JFR_FRAME_INTERPRETED || type == JFR_FRAME_JIT || type == JFR_FRAME_INLINED;
}

void frames_count(const struct frames *f, struct frames_counts *out)
{
	*out = f->counts[FRAMES_AGENTS];
	out->given_up = f->stacks.given_up;
	out->missing += f->counts[FRAMES_OURS].missing;
}
