// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/natives.h"
#include "user/capture/session_internal.h"
#include "format/recent.h"
#include "format/vec.h"
#include "user/capture/native_probes.h"
#include "user/capture/roots.h"
#include "user/hotspot/method.h"
#include "user/hotspot/threads.h"
#include "user/jvm/jvm_model.h"
#include "user/jvm/native_places.h"
#include "user/process/uretprobe.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"

#include "frtrace.skel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_NS	      200000000LL /* between two looks at what methods are bound to */
#define CARRIER	      "ForkJoinPool-"
#define VIRTUAL_SINCE 21

/* A C function, which several methods may be bound to. */
struct function {
	uint32_t *method; /* numbers in natives.method */
	size_t methods, capacity;
};

struct known_stack {
	uint32_t id;	 /* of copied_stacks_take_call(); 0: it has none */
	uint32_t method; /* number in natives.method + 1 of the call's; 0: of none */
	uint32_t function;
};

struct natives {
	struct session *session;
	struct native_probes *probes; /* NULL: not loaded */
	struct native_places *places;
	struct diag failure; /* why nothing is traced; "" */
	bool failed;
	bool begun; /* the first lines have said why some are not traced */
	struct native_method *method;
	size_t methods, method_capacity;
	uint32_t rows;		   /* of the segment, that have been looked at */
	struct function *function; /* as they are numbered in `probes` */
	size_t functions, function_capacity;
	int64_t look_due;
	struct roots *roots; /* NULL: calls need not be in one */
	struct natives_counts counts;
	struct recent stacks; /* known ones, by identity */
	struct known_stack stack[RECENT_PLACES];
};

static void functions_release(struct natives *n)
{
	for (size_t i = 0; i < n->functions; i++)
		free(n->function[i].method);
	free(n->function);
}

static void native_method_release(struct native_method *m)
{
	free((char *)m->class_name);
	free((char *)m->name);
	free((char *)m->descriptor);
}

static void natives_free(struct session *s)
{
	struct natives *n = s->natives;

	if (!n)
		return;
	native_probes_free(n->probes);
	functions_release(n);
	native_places_free(n->places);
	for (size_t i = 0; i < n->methods; i++)
		native_method_release(&n->method[i]);
	free(n->method);
	free(n);
}

/* ---- programs */

static int load_programs(struct natives *n, struct diag *d)
{
	struct native_probes_setup setup = {.settings = n->session->settings,
					    .target = n->session->target,
					    .bpf = n->session->bpf,
					    .layout = &native_places_model(n->places)->layout,
					    .stacks = n->session->layout.jdk_version && n->session->call_stacks,
					    .inside = n->roots};

	return native_probes_new(&n->probes, &setup, d);
}

static int prepare(struct natives *n, struct diag *d)
{
	int err;

	if (!uretprobe_is_safe(n->session->target))
		return diag_set(
			d, EPERM,
			"this kernel returns from traced functions by a system call that a seccomp filter of the JVM may "
			"refuse: not traced (Linux 6.14 does not ask filters)");
	err = native_places_new(&n->places, n->session->target, d);

	return err ?: load_programs(n, d);
}

/* ---- functions */

/* What is recorded of a function: all that one of its methods wants. */
static void write_rule(struct natives *n, uint32_t number)
{
	struct frt_native_function *to = native_probes_rule(n->probes, number);
	const struct function *f = &n->function[number];
	struct frt_native_function rule = {.threshold = ~0ull, .thrown = 1};
	uint32_t timed = 0;

	for (size_t i = 0; i < f->methods; i++) {
		uint64_t word = *segment_rule(&n->session->segment, n->method[f->method[i]].id % FRT_MAX_METHODS);
		uint64_t ticks = word >> FRT_RULE_SHIFT;

		timed |= !!(word & FRT_RULE_TIMED);
		if (ticks == FRT_RULE_UNTRACED >> FRT_RULE_SHIFT)
			continue;
		ticks = clock_ns_of_ticks(n->session->clock, ticks);
		rule.threshold = ticks < rule.threshold ? ticks : rule.threshold;
		rule.thrown &= !!(word & FRT_RULE_THROWN);
	}
	__atomic_store_n(&to->timed, timed, __ATOMIC_RELAXED);
	__atomic_store_n(&to->thrown, rule.thrown, __ATOMIC_RELAXED);
	__atomic_store_n(&to->threshold, rule.threshold, __ATOMIC_RELAXED);
}

/* From now on the agent reports each root that ends. */
static void expect_roots(struct natives *n)
{
	if (!n->roots)
		return;
	roots_expect_natives(n->roots);
	__atomic_fetch_or(&segment_config(&n->session->segment)->flags, FRT_CONFIG_ROOT_ENDS, __ATOMIC_SEQ_CST);
}

static int function_add_method(struct function *f, uint32_t number)
{
	for (size_t i = 0; i < f->methods; i++)
		if (f->method[i] == number)
			return 0;
	if (vec_reserve(&f->method, &f->capacity, f->methods + 1))
		return -ENOMEM;
	f->method[f->methods++] = number;
	return 0;
}

/* The function at that place; its number, or -errno: no room. Takes place->fd. */
static int natives_function(struct natives *n, const struct native_place *place)
{
	const struct native_function f = {place->device, place->inode, place->offset};
	int number = native_probes_add(n->probes, &f, place->fd);

	if (number < 0 || (size_t)number < n->functions)
		return number;
	if (vec_reserve(&n->function, &n->function_capacity, number + 1))
		return -ENOMEM;
	while (n->functions <= (size_t)number) /* there was no memory for one before */
		n->function[n->functions++] = (struct function){0};
	return number;
}

static void natives_attach(struct natives *n)
{
	struct diag why;

	if (!native_probes_are_due(n->probes))
		return;
	expect_roots(n);
	if (!native_probes_attach(n->probes, &why) || n->failure.text[0])
		return;
	n->failure = why;
	if (n->begun)
		log_error("frtrace: native methods that were found meanwhile are not traced: %s", why.text);
}

/* ---- methods */

static const char *native_state_text(enum native_state state)
{
	static const char *const texts[] = {
		[NATIVE_NEW] = "",
		[NATIVE_PLACED] = "",
		[NATIVE_UNBOUND] =
			"not bound yet, and no mapped library has a function of its name: its calls count from when "
			"one has",
		[NATIVE_MEMORY] = "bound to code in memory of no file, where no uprobe can be: not traced",
		[NATIVE_CRITICAL] = "has a JavaCritical_ function, which the JVM may call instead: not traced",
		[NATIVE_UNKNOWN] = "its function cannot be found in the file: not traced",
	};

	return texts[state];
}

/* Of a method that was not there, or not bound, when the first lines were printed. */
static void natives_say(const struct natives *n, const struct native_method *m)
{
	char name[256];

	if (!n->begun || m->state <= NATIVE_UNBOUND)
		return;
	snprintf(name, sizeof(name), "%s.%s", m->class_name, m->name);
	for (char *at = strchr(name, '/'); at; at = strchr(at, '/'))
		*at = '.';
	log_line("  native: %s: %s", name, native_state_text(m->state));
}

static void natives_place(struct natives *n, uint32_t number)
{
	struct native_place place;
	int f;

	if (!native_places_find(n->places, &n->method[number], &place)) {
		natives_say(n, &n->method[number]);
		return;
	}
	f = natives_function(n, &place);
	if (f < 0 || function_add_method(&n->function[f], number))
		n->method[number].state = NATIVE_UNKNOWN;
	else
		write_rule(n, f);
}

#define NAME_TEXT 4096

static char *natives_text(const struct natives *n, uint32_t string)
{
	char text[NAME_TEXT];

	segment_string(&n->session->segment, string, text, sizeof(text));
	return strdup(text);
}

/* False: no memory, or its row is forged. */
static bool natives_add_method(struct natives *n, uint32_t id, const struct frt_method *row)
{
	const struct frt_class *c = segment_class(&n->session->segment, row->class_id);
	struct native_method m = {.id = id};

	if (!c || vec_reserve(&n->method, &n->method_capacity, n->methods + 1))
		return false;
	m.class_name = natives_text(n, c->name);
	m.name = natives_text(n, row->name);
	m.descriptor = natives_text(n, row->descriptor);
	m.boot = c->loader == FRT_BOOT_LOADER;
	if (m.class_name && m.name && m.descriptor) {
		n->method[n->methods++] = m;
		return true;
	}
	native_method_release(&m);
	return false;
}

/* Rows of native methods that are new. Returns their number. */
static size_t natives_read_rows(struct natives *n)
{
	const struct segment *s = &n->session->segment;
	const struct frt_method *m;
	size_t before = n->methods;

	while ((m = segment_method(s, n->rows + 1))) {
		n->rows++;
		if (m->modifiers & METHOD_NATIVE && segment_is_hooked(s, m))
			natives_add_method(n, n->rows, m);
	}
	return n->methods - before;
}

static bool natives_begin(struct natives *n)
{
	if (!n->probes && !n->failed && prepare(n, &n->failure))
		n->failed = true;
	return !n->failed;
}

static bool is_waiting(const struct native_method *m)
{
	return m->state == NATIVE_NEW || m->state == NATIVE_UNBOUND;
}

/* Place the methods that are new, and from time to time those that were not bound, or are bound to something else now. */
static void natives_look(struct natives *n, size_t news)
{
	int64_t now = monotonic_ns();
	bool all = now >= n->look_due;
	size_t from = all ? 0 : n->methods - news;

	if (!news && !all)
		return;
	native_places_look(n->places);
	if (news)
		native_places_find_methods(n->places, n->method, n->methods);
	for (size_t i = from; i < n->methods; i++)
		if (is_waiting(&n->method[i]) || native_places_is_rebound(n->places, &n->method[i]))
			natives_place(n, i);
	natives_attach(n);
	n->look_due = now + LOOK_NS;
}

/* ---- sums */

/* The sum of a function that several methods share is none of theirs. NULL: no memory, too. */
static struct frt_native_sum *natives_sum_of(struct natives *n, const struct function *f)
{
	return f->methods == 1 ? native_rows_add_sum(&n->session->segment.natives, n->method[f->method[0]].id) : NULL;
}

static void natives_read_sums(struct natives *n)
{
	struct frt_native_sum *sums = native_probes_sums(n->probes), *row;

	for (size_t i = 0; sums && i < n->functions; i++)
		if ((row = natives_sum_of(n, &n->function[i])))
			*row = (struct frt_native_sum){0};
	for (size_t i = 0; sums && i < n->functions; i++) /* a method that was bound again has several functions */
		if ((row = natives_sum_of(n, &n->function[i])))
			native_sum_add(row, &sums[i]);
	free(sums);
}

/*
 * A filter without a '*' names a class in full, and selects its native methods. As many classes with hooks as such
 * filters: all of them are loaded. What a '*' has caught cannot be told from them.
 */
static bool natives_may_follow(const struct natives *n)
{
	const struct filter_list *filters = n->session->settings->filters;
	size_t all = filter_list_size(filters), named = 0;
	uint32_t classes;

	for (size_t i = 0; i < all; i++)
		named += !strchr(filter_list_text(filters, i), '*');
	segment_count_hooked(&n->session->segment, &classes);
	return named && (named < all || classes < named);
}

static bool natives_may_probe(const struct session *s)
{
	return s->natives && s->natives->probes && native_probes_are_events(s->natives->probes);
}

static void natives_sum_up(struct natives *n)
{
	n->session->segment.ticks_per_ns = (double)clock_ticks_of_ns(n->session->clock, 1ull << 40) / (1ull << 40);
	natives_read_sums(n);
}

/* Trace what the agent has entered since, and look again for functions that were not there. Rules may have changed. */
static int natives_sweep(struct session *s, struct diag *d)
{
	struct natives *n = s->natives;
	size_t news = natives_read_rows(n);

	if (!n->methods || !natives_begin(n))
		return 0;
	natives_look(n, news);
	for (size_t i = 0; i < n->functions; i++)
		write_rule(n, i);
	natives_sum_up(n);
	return 0;
}

/* ---- records */

/* What the JVM's memory, or else the dump that was taken before, says of the thread. */
static void name_thread(const struct natives *n, const struct frt_native_thread *r, struct thread_object *out)
{
	const struct jvm_model *model = native_places_model(n->places);
	const struct hotspot_layout *l = &model->layout;
	const struct mem *m = &model->remote.mem;
	const struct dump_thread *known;
	uint32_t tid;

	if (!thread_object_read(out, l, m, r->java_thread) && !hotspot_thread_tid(l, m, r->java_thread, &tid) &&
	    tid == r->tid)
		return;
	known = java_threads_find(&n->session->threads, r->tid);
	out->java_id = known ? known->java_id : 0;
	if (known)
		snprintf(out->name, sizeof(out->name), "%s", known->name);
	else
		snprintf(out->name, sizeof(out->name), "%.*s", (int)sizeof(r->name), r->name);
}

static bool natives_on_thread(struct natives *n, const struct frt_native_thread *r, size_t size)
{
	struct thread_object known;
	struct frt_thread *row;

	if (size < sizeof(*r) || !n->places)
		return false;
	n->session->bpf->data->target_process = r->process;
	row = native_rows_add_thread(&n->session->segment.natives, r->thread);
	if (!row)
		return true;
	row->tid = r->tid;
	row->jni_env = r->java_thread;
	name_thread(n, r, &known);
	row->java_id = known.java_id;
	row->name_length = strnlen(known.name, sizeof(row->name));
	memcpy(row->name, known.name, row->name_length);
	row->carrier =
		n->session->target->jdk_version >= VIRTUAL_SINCE && !strncmp(known.name, CARRIER, strlen(CARRIER));
	return true;
}

/* The number + 1 of the method that the stack's innermost frame is of; 0: of none of the function's. */
static uint32_t method_of_stack(const struct natives *n, const struct function *f, uint32_t id)
{
	for (size_t i = 0; i < f->methods; i++)
		if (!id || copied_stacks_is_call_of(n->session->call_stacks, id, n->method[f->method[i]].id))
			return f->method[i] + 1;
	return 0;
}

static void take_frames(struct natives *n, const struct frt_native_stack *r, uint32_t function)
{
	struct frt_frame frame[FRT_NATIVE_FRAMES];
	uint32_t id = 0;

	if (n->session->call_stacks) {
		memcpy(frame, r->frame, sizeof(frame));
		id = copied_stacks_take_call(n->session->call_stacks, frame, r->call.frames, r->call.flags >> 8);
	}
	if (!id && n->function[function].methods > 1) /* there was no time: it is to be sent again */
		return;
	n->stack[recent_put(&n->stacks, r->call.stack)] = (struct known_stack){
		.id = id, .function = function, .method = method_of_stack(n, &n->function[function], id)};
}

/* NULL: it is forgotten. */
static const struct known_stack *known_stack_of(const struct natives *n, const struct frt_native_call *r)
{
	size_t at = recent_find(&n->stacks, r->stack);

	return at < RECENT_PLACES && n->stack[at].function == r->function ? &n->stack[at] : NULL;
}

/*
 * Whose call it was, and its stack. 0: of no method that is traced, which is counted. Without its stack, a call of a function
 * that several methods share may be any one's.
 */
static uint32_t natives_call_of(struct natives *n, const struct frt_native_call *r, uint32_t *stack)
{
	const struct known_stack *k = r->stack ? known_stack_of(n, r) : NULL;
	const struct function *f = &n->function[r->function];

	*stack = k ? k->id : 0;
	if (k || !r->stack || !f->methods) {
		uint32_t number = k ? k->method : f->methods ? f->method[0] + 1 : 0;

		n->counts.strange += !number;
		return number;
	}
	*stack = FRT_STACK_LOST;
	native_probes_forget_stack(n->probes, r->stack); /* have it sent again */
	if (f->methods == 1)
		return f->method[0] + 1;
	n->counts.lost++;
	return 0;
}

/* The virtual thread that a carrier runs. NULL: none, or it is not known. */
static const struct stream_vthread *running_virtual(const struct natives *n, const struct frt_native_call *r,
						    struct stream_vthread *v)
{
	struct frt_thread row;

	if (!r->java_id || !segment_thread(&n->session->segment, r->thread, &row) || !row.carrier ||
	    row.java_id == r->java_id)
		return NULL;
	*v = (struct stream_vthread){.java_id = r->java_id};
	return v;
}

/* Up to JDK 23, only calls of other methods in the root tell which virtual thread a carrier runs. */
static bool is_unknown_virtual(const struct natives *n, const struct frt_native_call *r)
{
	struct frt_thread row;

	return !r->java_id && segment_thread(&n->session->segment, r->thread, &row) && row.carrier;
}

static bool is_unnamed(const struct natives *n, const struct frt_native_call *r)
{
	struct frt_thread row;

	return r->thread & FRT_NATIVE_KEY && !segment_thread(&n->session->segment, r->thread, &row);
}

static void note_java_id(struct natives *n, const struct frt_native_call *r)
{
	struct native_rows *rows = &n->session->segment.natives;
	struct frt_thread *row = r->java_id && r->thread & FRT_NATIVE_KEY && rows->thread_capacity
					 ? &rows->thread[r->thread % rows->thread_capacity]
					 : NULL;

	if (row && row->serial == r->thread && !row->carrier)
		row->java_id = r->java_id;
}

static bool natives_on_call(struct natives *n, const struct frt_native_call *r, size_t size)
{
	const struct stream_sink *to = &n->session->sink;
	struct stream_vthread v;
	const struct stream_vthread *on;
	struct frt_span span;
	uint32_t stack, number;

	if (size < sizeof(*r) || r->function >= n->functions || r->frames > FRT_NATIVE_FRAMES || r->end < r->start)
		return false;
	if (r->frames && size >= sizeof(struct frt_native_stack))
		take_frames(n, (const struct frt_native_stack *)r, r->function);
	number = natives_call_of(n, r, &stack);
	if (!number)
		return true;
	n->counts.unnamed += is_unnamed(n, r);
	note_java_id(n, r);
	on = running_virtual(n, r, &v);
	span = (struct frt_span){.start = clock_tsc(n->session->clock, r->start),
				 .method = n->method[number - 1].id,
				 .stack = stack,
				 .thread = r->thread,
				 .kind = FRT_SPAN,
				 .flags = FRT_SPAN_NATIVE | (on ? FRT_SPAN_VIRTUAL : 0) |
					  (r->flags & FRT_NATIVE_THROWN ? FRT_SPAN_THROWN : 0)};
	span.duration = clock_tsc(n->session->clock, r->end) - span.start;
	if (n->roots) {
		roots_take_native(n->roots, r->root, is_unknown_virtual(n, r) ? 0 : r->root_due, &span, on);
		return true;
	}
	to->cover(to->context, span.start + span.duration);
	to->spans(to->context, &span, 1, on);
	return true;
}

static int natives_dump(struct session *s, struct diag *d)
{
	struct natives *n = s->natives;

	n->session->segment.natives.opens = 0;
	if (n->probes)
		native_probes_dump(n->probes);
	return 0;
}

/* The thread has gone on if it is in no method of the innermost call's function. */
static uint32_t natives_open_stack(const struct natives *n, const struct frt_native_open *r, uint32_t *innermost)
{
	struct copied_stacks *stacks = n->session->call_stacks;
	const struct function *f = &n->function[r->function[r->count - 1]];
	uint32_t call = 0, id = stacks ? copied_stacks_take_open(stacks, r->java_thread, &call) : 0;
	uint32_t number = id ? method_of_stack(n, f, call) : 0;

	*innermost = number ? number - 1 : f->method[0];
	return number ? id : 0;
}

static bool natives_on_open(struct natives *n, const struct frt_native_open *r, size_t size)
{
	uint32_t innermost, stack;

	if (size < sizeof(*r) || !r->count || r->count > FRT_OPEN_NATIVES)
		return false;
	for (uint32_t i = 0; i < r->count; i++)
		if (r->function[i] >= n->functions || !n->function[r->function[i]].methods)
			return false;
	stack = natives_open_stack(n, r, &innermost);
	for (uint32_t i = 0; i < r->count; i++) {
		uint32_t number = i + 1 < r->count ? n->function[r->function[i]].method[0] : innermost;

		if (!r->start[i])
			continue;
		native_rows_add_open(&n->session->segment.natives,
				     &(struct native_open){.start = clock_tsc(n->session->clock, r->start[i]),
							   .method = n->method[number].id,
							   .thread = r->thread,
							   .stack = stack});
	}
	return true;
}

struct natives_counts natives_counts(const struct natives *n)
{
	struct natives_counts counts = n ? n->counts : (struct natives_counts){0};

	if (n && n->probes) {
		counts.lost += native_probes_lost(n->probes);
		counts.missed = native_probes_missed(n->probes);
	}
	return counts;
}

const char *natives_problem(const struct natives *n, size_t i, uint32_t *method)
{
	if (!n || i >= n->methods)
		return NULL;
	*method = n->method[i].id;
	return n->failure.text[0] ? n->failure.text : native_state_text(n->method[i].state);
}

bool natives_fail(const struct natives *n)
{
	for (size_t i = 0; n && i < n->methods; i++)
		if (n->failure.text[0] || n->method[i].state > NATIVE_UNBOUND)
			return true;
	return false;
}

/* ---- the source */

static int natives_start(struct session *s, struct diag *d)
{
	s->natives = calloc(1, sizeof(*s->natives));
	if (!s->natives)
		return diag_errno(d, ENOMEM, "cannot trace native methods");
	s->natives->session = s;
	s->natives->roots = intake_streams(s->intake)->roots;
	return 0;
}

/*
 * The programs are loaded now also if a class that a filter names is not loaded yet, and may have native methods: later this
 * process has given up the right to.
 */
static int natives_expect(struct session *s, struct diag *d)
{
	natives_sweep(s, d);
	if (natives_may_follow(s->natives))
		natives_begin(s->natives);
	s->natives->begun = true;
	return 0;
}

static int natives_stop(struct session *s, struct diag *d)
{
	if (s->natives->probes)
		native_probes_remove(s->natives->probes);
	intake_drain(s->intake);
	return natives_dump(s, d);
}

/* Read the sums a last time. */
static int natives_finish(struct session *s, struct diag *d)
{
	if (s->natives->probes)
		natives_sum_up(s->natives);
	return 0;
}

static bool natives_take(struct session *s, const void *record, size_t size)
{
	switch (*(const uint32_t *)record) {
	case FRT_NATIVE_THREAD: return natives_on_thread(s->natives, record, size);
	case FRT_NATIVE_CALL: return natives_on_call(s->natives, record, size);
	case FRT_NATIVE_OPEN: return natives_on_open(s->natives, record, size);
	default: return false;
	}
}

const struct call_source source_natives = {.step = {[SOURCE_START] = natives_start,
						    [SOURCE_STARTED] = natives_expect,
						    [SOURCE_SWEPT] = natives_sweep,
						    [SOURCE_DUMP] = natives_dump,
						    [SOURCE_STOP] = natives_stop,
						    [SOURCE_FINISH] = natives_finish},
					   .take = natives_take,
					   .may_probe = natives_may_probe,
					   .release = natives_free};
