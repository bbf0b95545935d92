// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/natives_internal.h"
#include "format/vec.h"
#include "user/capture/native_probes.h"
#include "user/capture/roots.h"
#include "user/hotspot/method.h"
#include "user/jvm/jvm_model.h"
#include "user/process/uretprobe.h"
#include "user/segment/segment_names.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_NS 200000000LL /* between two looks at what methods are bound to */

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

/* Without memory it is left out, and so it is if its row is forged. */
static void natives_add_method(struct natives *n, uint32_t id)
{
	struct segment_method_text t;
	const struct frt_method *row = segment_method_text(&n->session->segment, id, &t);
	const struct frt_class *c = row ? segment_class(&n->session->segment, row->class_id) : NULL;
	struct native_method m;

	if (!c || vec_reserve(&n->method, &n->method_capacity, n->methods + 1))
		return;
	m = (struct native_method){.id = id,
				   .class_name = strdup(t.class_name),
				   .name = strdup(t.name),
				   .descriptor = strdup(t.descriptor),
				   .boot = c->loader == FRT_BOOT_LOADER};
	if (m.class_name && m.name && m.descriptor)
		n->method[n->methods++] = m;
	else
		native_method_release(&m);
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
			natives_add_method(n, n->rows);
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

static int natives_dump(struct session *s, struct diag *d)
{
	struct natives *n = s->natives;

	n->session->segment.natives.opens = 0;
	if (n->probes)
		native_probes_dump(n->probes);
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

const struct call_source source_natives = {.step = {[SOURCE_START] = natives_start,
						    [SOURCE_STARTED] = natives_expect,
						    [SOURCE_SWEPT] = natives_sweep,
						    [SOURCE_DUMP] = natives_dump,
						    [SOURCE_STOP] = natives_stop,
						    [SOURCE_FINISH] = natives_finish},
					   .take = natives_take,
					   .may_probe = natives_may_probe,
					   .release = natives_free};
