// SPDX-License-Identifier: BSD-2-Clause
#include "user/jvm/matches.h"
#include "format/hash.h"
#include "format/map.h"
#include "format/vec.h"
#include "format/classfile/class_edit.h"
#include "filters/policy.h"
#include "user/hotspot/class_image.h"
#include "user/hotspot/classes.h"
#include "user/hotspot/loader.h"
#include "user/hotspot/method_table.h"
#include "user/hotspot/page_cache.h"
#include "user/process/interrupt.h"
#include "user/text/budget.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PASSES 8 /* walks over all classes, until one completes */
#define TRIES  4 /* at reading one class */

#define MAJOR_WITH_JSR 50 /* class files of Java 6 */

#define PATIENCE_NS 3000000000LL /* CPU time after which a signal ends it: a real JVM takes less */

/* A class that may have methods for the pattern. */
struct candidate {
	struct loaded_class c; /* its name belongs to the table */
	enum matcher_answer answer;
};

struct finder {
	const struct matches_setup *s;
	struct matches *out;
	struct map lookup; /* the number of a candidate, from 1, by loader and name */
	struct candidate *candidate;
	uint32_t candidates;
	size_t capacity; /* of candidate */
	struct page_cache pages;
	struct class_image image;
	struct map twins; /* of the class: its methods by hashes of name and parameters */
};

/* ---- selecting classes */

/* Of two classes with the same name the last one stays: see hotspot_each_class(). */
static int add_candidate(struct finder *f, const struct loaded_class *c, enum matcher_answer answer)
{
	struct candidate new = {*c, answer};
	uint32_t *row;

	new.c.name = method_table_text(f->out->texts, c->name, c->length);
	row = new.c.name ? map_at(&f->lookup, c->loader, (uintptr_t)new.c.name) : NULL;
	if (!row || vec_reserve(&f->candidate, &f->capacity, (size_t)f->candidates + 1))
		return -ENOMEM;
	if (!*row)
		*row = ++f->candidates;
	f->candidate[*row - 1] = new;
	return 0;
}

static int on_loaded_class(const struct loaded_class *c, void *context)
{
	struct finder *f = context;
	enum matcher_answer answer;

	if (!policy_class_name((struct slice){c->name, c->length}))
		return 0;
	f->out->classes++;
	if (f->s->near)
		f->s->near(c->name, NULL, f->s->context);
	answer = matcher_class(f->s->pattern, c->name, c->length);
	return answer == MATCHER_NO ? 0 : add_candidate(f, c, answer);
}

static int find_candidates(struct finder *f)
{
	int r = -EAGAIN;

	for (int pass = 0; r == -EAGAIN && pass < PASSES; pass++) {
		if (pass)
			usleep(f->s->pause_us);
		map_clear(&f->lookup);
		f->candidates = f->out->classes = 0;
		r = hotspot_each_class(f->s->layout, f->s->mem, on_loaded_class, f);
	}
	f->out->incomplete = r == -EAGAIN;
	return r == -EAGAIN ? 0 : r;
}

/* ---- selecting methods */

/* Doubts that remain because HotSpot has rewritten the code. */
static uint32_t doubts(struct finder *f, uint16_t i)
{
	uint32_t size = f->image.file.method[i].code_length, flags = 0;
	bool old = f->image.file.major <= MAJOR_WITH_JSR;
	uint8_t *code;

	if (!old && size <= CLASS_CODE_SHORT)
		return 0;
	code = malloc(size + 1);
	if (!code || mem_read(&f->pages.mem, f->image.method[i].code, code, size)) {
		free(code);
		return MATCH_LONG;
	}
	if (class_code_may_get_long(code, size))
		flags |= MATCH_LONG;
	if (old && class_code_may_have_jsr(code, size))
		flags |= MATCH_OLD;
	free(code);
	return flags;
}

static uint32_t matches_flags_of(struct finder *f, const struct candidate *c, uint16_t i)
{
	const struct class_file *file = &f->image.file;
	const struct hotspot_layout *l = f->s->layout;
	uint32_t flags = doubts(f, i);

	if (policy_is_intrinsic(file, &file->method[i], f->s->jdk_version < 9))
		flags |= MATCH_LOWER_BOUND;
	if (c->c.state < l->klass_linked)
		flags |= MATCH_UNLINKED;
	if (c->c.state == l->klass_failed)
		flags |= MATCH_FAILED;
	return flags;
}

static const char *matches_keep(struct finder *f, struct slice t)
{
	return method_table_text(f->out->texts, t.at, t.length);
}

static const struct resolved_method *keep_method(struct finder *f, const struct candidate *c,
						 const struct class_method *m)
{
	struct resolved_method r = {.modifiers = m->access, .class_name = c->c.name};

	r.name = matches_keep(f, m->name);
	r.descriptor = matches_keep(f, m->descriptor);
	if (!r.name || !r.descriptor ||
	    (!c->c.boot && loader_read(f->s->layout, &f->pages.mem, c->c.loader, f->out->texts, &r)))
		return NULL;
	return method_table_add(f->out->texts, &r);
}

/* The number of methods of the class with that name and these parameters, or, where hashes collide, of more. */
static uint32_t *matches_twins(struct finder *f, const struct class_method *m)
{
	const char *end = memchr(m->descriptor.at, ')', m->descriptor.length);

	return map_at(&f->twins, hash_data(m->name.at, m->name.length),
		      hash_data(m->descriptor.at, end ? (size_t)(end - m->descriptor.at) : m->descriptor.length));
}

/* Count the methods of the class. */
static int matches_count_twins(struct finder *f)
{
	uint32_t *twins;

	map_clear(&f->twins);
	for (uint16_t i = 0; i < f->image.file.methods; i++) {
		twins = matches_twins(f, &f->image.file.method[i]);
		if (!twins)
			return -ENOMEM;
		++*twins;
	}
	return 0;
}

static int matches_add_match(struct finder *f, const struct candidate *c, uint16_t i, const struct match *said)
{
	struct matches *out = f->out;
	struct match m = *said;

	m.method = keep_method(f, c, &f->image.file.method[i]);
	if (!m.method || vec_reserve(&out->match, &out->capacity, (size_t)out->count + 1))
		return -ENOMEM;
	m.address = f->image.method[i].method;
	m.loader = c->c.boot ? 0 : c->c.loader;
	if (!m.reason)
		m.flags = matches_flags_of(f, c, i);
	if (*matches_twins(f, &f->image.file.method[i]) > 1) /* counted, so it is there */
		m.flags |= MATCH_TWIN;
	out->match[out->count++] = m;
	return 0;
}

static int judge_methods(struct finder *f, const struct candidate *c, const struct matcher_tags *tags)
{
	const struct class_file *file = &f->image.file;
	enum frt_skip_reason of_class = policy_class(file), reason;
	uint32_t before = f->out->count;
	int r = 0;

	for (uint16_t i = 0; !r && i < file->methods; i++) {
		struct match m = {.verdict = policy_method(f->s->pattern, file, &file->method[i], tags, &reason)};

		m.reason = reason ? reason : of_class;
		if (reason == FRT_SKIP_NATIVE && m.verdict.named &&
		    policy_is_intrinsic(file, &file->method[i], f->s->jdk_version < 9))
			m.reason = FRT_SKIP_NATIVE_INTRINSIC;
		if (!m.verdict.trace && !m.verdict.timing)
			continue;
		if (f->out->count == before)
			r = matches_count_twins(f);
		if (!r)
			r = matches_add_match(f, c, i, &m);
	}
	if (r)
		f->out->count = before;
	return r;
}

/* Report the methods of a class that was named but has no such method. */
static void matches_offer_methods(struct finder *f, const struct candidate *c)
{
	const struct class_file *file = &f->image.file;
	char name[512];

	if (!f->s->near || c->answer != MATCHER_METHODS || matcher_any_class(f->s->pattern))
		return;
	for (uint16_t i = 0; i < file->methods; i++) {
		const struct slice *m = &file->method[i].name;

		snprintf(name, sizeof(name), "%.*s", (int)m->length, m->at);
		f->s->near(c->c.name, name, f->s->context);
	}
}

/* ---- one class */

struct above {
	const struct matcher *pattern;
	struct matcher_tags *tags;
};

static void on_supertype(const char *name, size_t length, void *context)
{
	const struct above *a = context;

	matcher_tag_supertype(a->pattern, (struct slice){name, length}, a->tags);
}

static int matches_judge(struct finder *f, const struct candidate *c)
{
	const struct hotspot_layout *l = f->s->layout;
	struct matcher_tags tags = {.count = 0};
	struct above above = {f->s->pattern, &tags};
	uint32_t before = f->out->count;
	int r = 0;

	if (matcher_has_supertypes(f->s->pattern))
		r = class_each_above(l, &f->pages.mem, c->c.klass, on_supertype, &above);
	if (r || (c->answer == MATCHER_TAGGED && !tags.count && !matcher_has_annotations(f->s->pattern)))
		return r;
	r = class_image_read(&f->image, l, &f->pages.mem, c->c.klass);
	if (r)
		return r;
	policy_tag_class(f->s->pattern, &f->image.file, &tags);
	r = judge_methods(f, c, &tags);
	if (!r && f->out->count == before)
		matches_offer_methods(f, c);
	return r;
}

/* True for a class that was unloaded meanwhile: it does not count. */
static bool is_gone(struct finder *f, const struct candidate *c)
{
	uint64_t loader;

	return mem_u64(f->s->mem, c->c.klass + f->s->layout->klass_loader_data, &loader) || loader != c->c.loader;
}

static int judge_patiently(struct finder *f, const struct candidate *c)
{
	int r = -EBADMSG;

	for (int i = 0; i < TRIES && r && r != -ENOMEM && r != -ESRCH; i++) {
		if (i)
			usleep(f->s->pause_us);
		page_cache_clear(&f->pages); /* what was read for other classes may have changed */
		r = matches_judge(f, c);
	}
	if (r == -ENOMEM || r == -ESRCH)
		return r;
	if (r && !is_gone(f, c))
		f->out->unread++;
	return 0;
}

/* ---- the result */

static int compare_names(const struct resolved_method *r, const char *class_name, const char *method)
{
	return strcmp(r->class_name, class_name) ?: strcmp(r->name, method);
}

static int compare_matches(const void *a, const void *b)
{
	const struct match *x = a, *y = b;
	int r = compare_names(x->method, y->method->class_name, y->method->name);

	r = r ?: strcmp(x->method->descriptor, y->method->descriptor);
	return r ?: (x->loader > y->loader) - (x->loader < y->loader);
}

static int find_all(struct finder *f)
{
	struct budget patience;
	int r = find_candidates(f);

	budget_set(&patience, PATIENCE_NS);
	budget_begin(&patience);
	for (uint32_t i = 0; !r && i < f->candidates; i++)
		r = interrupted() && budget_over(&patience) ? -EINTR : judge_patiently(f, &f->candidate[i]);
	if (!r && f->out->count)
		qsort(f->out->match, f->out->count, sizeof(*f->out->match), compare_matches);
	return r;
}

int matches_find(struct matches *out, const struct matches_setup *setup)
{
	struct finder *f = calloc(1, sizeof(*f));
	int r = -ENOMEM;

	*out = (struct matches){.texts = calloc(1, sizeof(*out->texts))};
	if (f && out->texts) {
		f->s = setup;
		f->out = out;
		page_cache_init(&f->pages, setup->mem);
		r = find_all(f);
		class_image_release(&f->image);
		map_release(&f->lookup);
		map_release(&f->twins);
		free(f->candidate);
	}
	free(f);
	return r;
}

int matches_find_by(struct matches *out, struct matches_setup setup, const struct filter_list *filters, struct diag *d)
{
	struct matcher pattern;
	void *program = NULL;
	int err;

	*out = (struct matches){.count = 0};
	err = filter_list_compile(filters, &program, &pattern.size, d);
	if (err)
		return err;
	pattern.program = program;
	setup.pattern = &pattern;
	err = matches_find(out, &setup);
	free(program);
	return err ? diag_errno(d, -err, "cannot read the JVM's classes") : 0;
}

void matches_release(struct matches *m)
{
	if (m->texts)
		method_table_release(m->texts);
	free(m->texts);
	free(m->match);
	*m = (struct matches){.count = 0};
}

uint32_t matches_first(const struct matches *m, const char *class_name, const char *method)
{
	uint32_t first = lower_bound(i, m->count, compare_names(m->match[i].method, class_name, method) >= 0);

	return first < m->count && !compare_names(m->match[first].method, class_name, method) ? first : m->count;
}

bool match_is_traced(const struct match *m)
{
	return !m->reason && !(m->flags & MATCH_FAILED);
}

bool match_is_traced_native(const struct match *m)
{
	return m->reason == FRT_SKIP_NATIVE && m->verdict.named && !(m->flags & MATCH_FAILED);
}
