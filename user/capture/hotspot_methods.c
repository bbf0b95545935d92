// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/hotspot_methods.h"
#include "bpf/probes.h"
#include "filters/policy.h"
#include "format/hash.h"
#include "format/vec.h"
#include "user/segment/segment_make.h"
#include "user/hotspot/classes.h"
#include "user/hotspot/symbol.h"
#include "user/hotspot/threads.h"
#include "user/jvm/jvm_model.h"
#include "user/jvm/matches.h"
#include "user/text/budget.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAUSE_US 20000
#define PASSES	 8	       /* walks over all classes, until one completes */
#define AGAIN_NS 10000000000LL /* all classes are read again after this time, */
#define LOOKS_NS 20000000      /* CPU time for lists of threads, from one tick to the next */
#define REST	 4	       /* and not before this many times the time that it took */

/* A class name in the program's map. */
struct known_class {
	uint64_t name; /* address of its bytes */
	enum frt_choice_state state;
	uint32_t pass; /* in which it was seen last */
	bool asked;    /* the program has met it before it was decided */
};

/* A method that was chosen, and has a row in the segment. */
struct known_method {
	struct frt_method_name name;
	uint32_t id;
	uint32_t pass; /* in which it was seen last; 0: it is no longer in the program's map */
};

struct known_loader {
	uint64_t address; /* of its ClassLoaderData */
	uint32_t number;
};

struct known_thread {
	uint64_t address;
	uint32_t tid;
};

struct hotspot_methods {
	struct hotspot_methods_setup setup;
	struct jvm_model model;
	struct matcher pattern;
	void *program; /* of the pattern */
	struct hash_index by_class, by_method;
	struct known_class *class;
	struct known_method *method;
	struct known_loader *loader;
	uint32_t classes, methods, loaders;
	size_t class_capacity, method_capacity, loader_capacity;
	uint32_t pass;
	bool asked, full, any;
	int64_t due, rest_until;     /* CLOCK_MONOTONIC */
	struct known_thread *thread; /* as they were at the last look */
	size_t threads, thread_capacity;
	struct budget looks; /* until the next tick */
	char text[SYMBOL_MAX + 1];
};

/* ---- class names */

struct class_key {
	const struct hotspot_methods *h;
	uint64_t name;
};

static bool class_is_same(const void *context, uint32_t row)
{
	const struct class_key *k = context;

	return k->h->class[row - 1].name == k->name;
}

/* NULL: no memory. */
static struct known_class *known_class_of(struct hotspot_methods *h, uint64_t name)
{
	uint64_t hash = hash_mix(0, name);
	uint32_t row = hash_find(&h->by_class, hash, class_is_same, &(struct class_key){h, name});

	if (row)
		return &h->class[row - 1];
	if (vec_reserve(&h->class, &h->class_capacity, (size_t)h->classes + 1) ||
	    hash_add(&h->by_class, hash, h->classes + 1))
		return NULL;
	h->class[h->classes] = (struct known_class){.name = name};
	return &h->class[h->classes++];
}

static void class_put(struct hotspot_methods *h, struct known_class *c, enum frt_choice_state state)
{
	struct frt_class_choice choice = {.state = state};

	c->pass = h->pass;
	if (c->state == state)
		return;
	if (c->asked && state == FRT_CHOICE_OTHER)
		bpf_map_delete_elem(h->setup.missed_fd, &c->name);
	if (!bpf_map_update_elem(h->setup.classes_fd, &c->name, &choice, BPF_ANY))
		c->state = state;
}

/* The program may be about to remember one that it has looked up before; the next time it is forgotten. */
static void forget_others(struct hotspot_methods *h)
{
	for (uint32_t i = 0; i < FRT_OTHER_CLASSES; i++)
		h->setup.others[i] = 0;
}

/* ---- methods */

struct method_key {
	const struct hotspot_methods *h;
	const struct frt_method_name *name;
};

static bool method_is_same(const void *context, uint32_t row)
{
	const struct method_key *k = context;

	return !memcmp(&k->h->method[row - 1].name, k->name, sizeof(*k->name));
}

static uint64_t method_hash(const struct frt_method_name *n)
{
	return hash_mix(hash_mix(hash_mix(0, n->class_name), n->name), n->descriptor);
}

static struct known_method *method_find(struct hotspot_methods *h, const struct frt_method_name *name)
{
	uint32_t row = hash_find(&h->by_method, method_hash(name), method_is_same, &(struct method_key){h, name});

	return row ? &h->method[row - 1] : NULL;
}

static uint64_t threshold_ns(const struct hotspot_methods *h, const struct matcher_decision *v)
{
	if (!v->trace)
		return UINT64_MAX;
	return v->threshold_ns != MATCHER_NO_THRESHOLD ? v->threshold_ns : h->setup.settings->threshold_ns;
}

static bool all_are_timed(const struct settings *s)
{
	return s->interval_ns || s->metrics;
}

/* FRT_RULE_*, as the agent has them. */
static uint64_t method_rule(const struct hotspot_methods *h, const struct matcher_decision *v)
{
	uint64_t most = FRT_RULE_UNTRACED >> FRT_RULE_SHIFT, ticks = most, rule;

	if (v->trace) {
		ticks = clock_ticks_of_ns(h->setup.clock, threshold_ns(h, v));
		ticks = ticks < most ? ticks : most - 1;
	}
	rule = ticks << FRT_RULE_SHIFT;
	if (v->timing)
		rule |= FRT_RULE_TIMED;
	else if (all_are_timed(h->setup.settings))
		rule |= FRT_RULE_TIMED | FRT_RULE_SILENT;
	return rule;
}

static uint32_t known_loader_number(struct hotspot_methods *h, const struct match *m)
{
	for (uint32_t i = 0; i < h->loaders; i++)
		if (h->loader[i].address == m->loader)
			return h->loader[i].number;
	if (!m->loader || vec_reserve(&h->loader, &h->loader_capacity, (size_t)h->loaders + 1))
		return FRT_BOOT_LOADER;
	h->loader[h->loaders] = (struct known_loader){
		m->loader, segment_add_loader(h->setup.segment, m->method->loader_type ?: "java/lang/ClassLoader",
					      m->method->loader_name)};
	return h->loader[h->loaders++].number;
}

/* Matches are sorted by class and loader, so methods of one class come one after the other. */
static uint32_t class_number(struct hotspot_methods *h, const struct match *m)
{
	const struct frt_header *header = segment_header(h->setup.segment);
	const struct frt_class *last = segment_class(h->setup.segment, header->classes);
	uint32_t loader = known_loader_number(h, m);

	if (last && last->loader == loader) {
		segment_string(h->setup.segment, last->name, h->text, sizeof(h->text));
		if (!strcmp(h->text, m->method->class_name))
			return header->classes;
	}
	return segment_add_class(h->setup.segment, m->method->class_name, loader);
}

/* NULL: there is no room. */
static struct known_method *method_new(struct hotspot_methods *h, const struct frt_method_name *name,
				       const struct match *m)
{
	struct segment_new_method row = {.class_id = class_number(h, m),
					 .name = m->method->name,
					 .descriptor = m->method->descriptor,
					 .modifiers = m->method->modifiers,
					 .flags = m->flags & MATCH_LOWER_BOUND ? FRT_METHOD_LOWER_BOUND : 0,
					 .rule = method_rule(h, &m->verdict)};
	uint32_t id;

	if (!row.class_id || vec_reserve(&h->method, &h->method_capacity, (size_t)h->methods + 1))
		return NULL;
	id = segment_add_method(h->setup.segment, &row);
	if (!id || hash_add(&h->by_method, method_hash(name), h->methods + 1))
		return NULL;
	h->method[h->methods] = (struct known_method){.name = *name, .id = id};
	return &h->method[h->methods++];
}

/* Of a table that is full, only the first method is named. */
static void method_refuse(struct hotspot_methods *h, const struct match *m)
{
	if (!h->full)
		segment_add_skip(h->setup.segment, m->method->class_name, m->method->name, m->method->descriptor,
				 FRT_SKIP_TABLE_FULL);
	h->full = true;
}

static void method_choose(struct hotspot_methods *h, const struct frt_method_name *name, const struct match *m)
{
	struct known_method *known = method_find(h, name) ?: method_new(h, name, m);
	struct known_class *c = known ? known_class_of(h, name->class_name) : NULL;
	struct frt_method_choice choice = {.threshold = threshold_ns(h, &m->verdict)};

	if (c) {
		choice.method = known->id;
		if (*segment_rule(h->setup.segment, known->id) & FRT_RULE_TIMED)
			choice.threshold = 0;
	}
	if (c && !h->any) {
		h->any = true;
		h->setup.first(h->setup.context);
	}
	if (!c || (!known->pass && bpf_map_update_elem(h->setup.methods_fd, name, &choice, BPF_ANY))) {
		method_refuse(h, m);
		return;
	}
	known->pass = h->pass;
	class_put(h, c, FRT_CHOICE_SOME);
}

/* ---- reading the JVM */

/* Read a Symbol and compare its text. *bytes is the address of it. */
static int symbol_is(struct hotspot_methods *h, uint64_t symbol, const char *text, uint64_t *bytes)
{
	int length = symbol_read(&h->model.layout, &h->model.remote.mem, symbol, h->text);

	*bytes = symbol + h->model.layout.walk.symbol_body;
	return length < 0 ? length : strcmp(h->text, text) ? -EBADMSG : 0;
}

static int name_in_pool(struct hotspot_methods *h, uint64_t pool, uint64_t at, const char *text, uint64_t *bytes)
{
	const struct mem *m = &h->model.remote.mem;
	uint64_t symbol;
	uint16_t index;
	int r = mem_u16(m, at, &index) ?: symbol_in_pool(&h->model.layout, m, pool, index, &symbol);

	return r ?: symbol_is(h, symbol, text, bytes);
}

/* The addresses of the names of a Method. They are compared with its texts, since it may be gone meanwhile. */
static int read_name(struct hotspot_methods *h, const struct match *m, struct frt_method_name *out)
{
	const struct frt_layout *l = &h->model.layout.walk;
	const struct mem *mem = &h->model.remote.mem;
	uint64_t constants, pool, klass, symbol;
	int r = mem_u64(mem, m->address + l->method_const, &constants);

	r = r ?: mem_u64(mem, constants + l->const_pool, &pool);
	r = r ?: mem_u64(mem, pool + l->pool_holder, &klass);
	r = r ?: mem_u64(mem, klass + l->klass_name, &symbol);
	r = r ?: symbol_is(h, symbol, m->method->class_name, &out->class_name);
	r = r ?: name_in_pool(h, pool, constants + l->const_name, m->method->name, &out->name);
	return r ?: name_in_pool(h, pool, constants + l->const_signature, m->method->descriptor, &out->descriptor);
}

/* Nothing is rewritten, so most reasons of the policy do not apply. */
static bool is_followed(const struct match *m)
{
	switch (m->reason) {
	case FRT_SKIP_ABSTRACT:
	case FRT_SKIP_SYNTHETIC:
	case FRT_SKIP_HIDDEN:
	case FRT_SKIP_MALFORMED:
	case FRT_SKIP_OTHER: return false;
	default: return !(m->flags & MATCH_FAILED);
	}
}

static int choose_methods(struct hotspot_methods *h)
{
	struct matches_setup setup = {.layout = &h->model.layout,
				      .mem = &h->model.remote.mem,
				      .pattern = &h->pattern,
				      .jdk_version = h->setup.target->jdk_version,
				      .pause_us = PAUSE_US};
	struct frt_method_name name;
	struct matches found;
	int r = matches_find(&found, &setup);

	for (uint32_t i = 0; !r && i < found.count; i++)
		if (is_followed(&found.match[i]) && !read_name(h, &found.match[i], &name))
			method_choose(h, &name, &found.match[i]);
	r = r ?: found.incomplete ? -EAGAIN : 0;
	matches_release(&found);
	return r;
}

static int put_other_class(const struct loaded_class *loaded, void *context)
{
	struct hotspot_methods *h = context;
	struct known_class *c;
	uint64_t symbol;
	int r = mem_u64(&h->model.remote.mem, loaded->klass + h->model.layout.walk.klass_name, &symbol);

	if (r)
		return r == -ESRCH ? r : -EAGAIN;
	c = known_class_of(h, symbol + h->model.layout.walk.symbol_body);
	if (!c)
		return -ENOMEM;
	if (c->pass != h->pass)
		class_put(h, c, FRT_CHOICE_OTHER);
	return 0;
}

static int put_other_classes(struct hotspot_methods *h)
{
	int r = -EAGAIN;

	for (int i = 0; r == -EAGAIN && i < PASSES; i++) {
		if (i)
			usleep(PAUSE_US);
		r = hotspot_each_class(&h->model.layout, &h->model.remote.mem, put_other_class, h);
	}
	return r;
}

/* What was not seen is gone. The program asks if it meets such an address again. */
static void drop_gone(struct hotspot_methods *h)
{
	for (uint32_t i = 0; i < h->methods; i++)
		if (h->method[i].pass && h->method[i].pass != h->pass) {
			bpf_map_delete_elem(h->setup.methods_fd, &h->method[i].name);
			h->method[i].pass = 0;
		}
	for (uint32_t i = 0; i < h->classes; i++)
		if (h->class[i].state && h->class[i].pass != h->pass) {
			bpf_map_delete_elem(h->setup.classes_fd, &h->class[i].name);
			h->class[i].state = 0;
		}
}

/* A program may have counted a call while its class was decided. */
static void drop_missed(struct hotspot_methods *h)
{
	for (uint32_t i = 0; i < h->classes; i++)
		if (h->class[i].asked && h->class[i].state == FRT_CHOICE_OTHER) {
			bpf_map_delete_elem(h->setup.missed_fd, &h->class[i].name);
			h->class[i].asked = false;
		}
}

/* A JVM may create and unload classes endlessly. Those whose calls were missed stay. */
static void forget_gone(struct hotspot_methods *h)
{
	uint32_t kept = 0;

	hash_clear(&h->by_class);
	for (uint32_t i = 0; i < h->classes; i++)
		if (h->class[i].state || h->class[i].asked)
			h->class[kept++] = h->class[i];
	h->classes = kept;
	for (uint32_t i = 0; i < kept; i++)
		hash_add(&h->by_class, hash_mix(0, h->class[i].name), i + 1); /* it has room for them */
}

static int read_all(struct hotspot_methods *h)
{
	int64_t begin = monotonic_ns(), end;
	int r;

	h->pass++;
	h->asked = false;
	r = choose_methods(h) ?: put_other_classes(h);
	if (!r) {
		drop_gone(h);
		drop_missed(h);
		forget_gone(h);
	}
	forget_others(h);
	end = monotonic_ns();
	h->rest_until = end + REST * (end - begin);
	h->due = end + AGAIN_NS;
	h->asked |= r != 0;
	return r;
}

/* ---- */

static int methods_open(struct hotspot_methods *h, struct diag *d)
{
	int r = filter_list_compile(h->setup.settings->filters, &h->program, &h->pattern.size, d);

	h->pattern.program = h->program;
	r = r ?: jvm_model_open_classes(&h->model, h->setup.target, d);
	if (r)
		return r;
	r = read_all(h);
	if (r == -ESRCH)
		return diag_set(d, ESRCH, "the JVM has ended");
	if (r == -EAGAIN)
		return diag_set(d, EAGAIN, "the JVM's classes changed each time they were read: try again");
	return r ? diag_errno(d, -r, "cannot read the JVM's classes") : 0;
}

int hotspot_methods_new(struct hotspot_methods **out, const struct hotspot_methods_setup *setup, struct diag *d)
{
	struct hotspot_methods *h = calloc(1, sizeof(*h));
	int err;

	*out = NULL;
	if (!h)
		return diag_errno(d, ENOMEM, "cannot begin");
	h->setup = *setup;
	budget_set(&h->looks, LOOKS_NS);
	err = methods_open(h, d);
	if (err)
		hotspot_methods_free(h);
	else
		*out = h;
	return err;
}

void hotspot_methods_free(struct hotspot_methods *h)
{
	if (!h)
		return;
	if (h->model.remote.mem.read)
		jvm_model_close(&h->model);
	hash_release(&h->by_class);
	hash_release(&h->by_method);
	free(h->class);
	free(h->method);
	free(h->loader);
	free(h->thread);
	free(h->program);
	free(h);
}

void hotspot_methods_ask(struct hotspot_methods *h, uint64_t class_name)
{
	uint64_t symbol = class_name - h->model.layout.walk.symbol_body;
	int length = symbol_read(&h->model.layout, &h->model.remote.mem, symbol, h->text);
	struct slice name = {h->text, length};
	struct known_class *c;

	if (length < 0 || !(c = known_class_of(h, class_name)))
		return;
	c->asked = true;
	if (policy_class_name(name) && matcher_class(&h->pattern, h->text, length) != MATCHER_NO) {
		c->state = FRT_CHOICE_ASKED;
		h->asked = true;
	} else {
		class_put(h, c, FRT_CHOICE_OTHER);
	}
}

void hotspot_methods_finish(struct hotspot_methods *h)
{
	if (h->asked)
		read_all(h);
}

void hotspot_methods_tick(struct hotspot_methods *h)
{
	int64_t now = monotonic_ns();
	int r;

	budget_set(&h->looks, LOOKS_NS);
	if (now < h->rest_until || (!h->asked && now < h->due))
		return;
	r = read_all(h);
	if (r)
		log_detail("cannot read the JVM's classes: %s", strerror(-r));
}

uint64_t hotspot_methods_missed(const struct hotspot_methods *h)
{
	uint64_t sum = 0, missed;

	for (uint32_t i = 0; i < h->classes; i++)
		if (h->class[i].asked && h->class[i].state != FRT_CHOICE_OTHER &&
		    !bpf_map_lookup_elem(h->setup.missed_fd, &h->class[i].name, &missed))
			sum += missed;
	return sum;
}

/* ---- threads */

static int keep_java_thread(uint64_t java_thread, int tid, void *context)
{
	struct hotspot_methods *h = context;

	if (vec_reserve(&h->thread, &h->thread_capacity, h->threads + 1))
		return -ENOMEM;
	h->thread[h->threads++] = (struct known_thread){java_thread, (uint32_t)tid};
	return 0;
}

/* Its memory may be another thread's since. */
static uint64_t thread_find(const struct hotspot_methods *h, uint32_t tid)
{
	uint32_t now;
	size_t i = 0;

	while (i < h->threads && h->thread[i].tid != tid)
		i++;
	if (i == h->threads || hotspot_thread_tid(&h->model.layout, &h->model.remote.mem, h->thread[i].address, &now) ||
	    now != tid)
		return 0;
	return h->thread[i].address;
}

/* A list of threads may be forged, and as long as it likes. */
uint64_t hotspot_methods_java_thread(struct hotspot_methods *h, uint32_t tid)
{
	uint64_t address = thread_find(h, tid);

	if (address || budget_over(&h->looks))
		return address;
	budget_begin(&h->looks);
	h->threads = 0;
	hotspot_each_thread(&h->model.layout, &h->model.remote.mem, keep_java_thread, h);
	budget_end(&h->looks);
	return thread_find(h, tid);
}

bool hotspot_methods_thread_name(struct hotspot_methods *h, uint64_t java_thread, uint64_t java_id, char *out,
				 size_t size)
{
	struct thread_object o;

	if (!java_thread || thread_object_read(&o, &h->model.layout, &h->model.remote.mem, java_thread) ||
	    o.java_id != java_id)
		return false;
	snprintf(out, size, "%s", o.name);
	return true;
}

void hotspot_methods_describe(const struct hotspot_methods *h, struct frt_probe_exceptions *out)
{
	const struct hotspot_layout *l = &h->model.layout;

	*out = (struct frt_probe_exceptions){.begin = l->exceptions,
					     .end = l->exceptions_end,
					     .thread_pending = l->thread_pending,
					     .thread_osthread = l->thread_osthread,
					     .osthread_id = l->osthread_id};
}
