// SPDX-License-Identifier: BSD-2-Clause
#include "user/jvm/busy_packages.h"
#include "format/hash.h"
#include "format/vec.h"
#include "user/process/dump.h"
#include "user/process/interrupt.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define WATCH_NS      2000000000LL
#define WATCH_STEP_MS 100
#define WATCH_MOST_MS 500
#define SHOWN	      3
#define BUSY_THREADS  4096		  /* whose last stack is known; another one is always new */
#define NOT_IN_SHELL  "'\"`\\;&|()<>* \t" /* the JVM chose the names, and the user may paste them into a shell */

/* The stack that is being read. */
struct busy_stack {
	struct busy_packages *p;
	uint32_t tid;
	uint64_t hash;
	unsigned int depth;
	bool native; /* its innermost frame is */
	struct {
		uint16_t row;
		unsigned int depth;
	} in[32]; /* its packages, innermost first */
	unsigned int packages;
};

static bool is_of_jdk(const char *class_name)
{
	static const char *const begin[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};

	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		if (!strncmp(class_name, begin[i], strlen(begin[i])))
			return true;
	return false;
}

/* a.b of a.b.C$D, and of a.b.C$$Lambda/0x12; C of C$D, which is alone */
static void read_package(struct busy_package *out, const char *class_name)
{
	size_t whole = strcspn(class_name, "/"), n = whole;

	while (n && class_name[n] != '.')
		n--;
	*out = (struct busy_package){.alone = !n};
	memcpy(out->name, class_name, n ?: strcspn(class_name, "$/") ?: whole);
}

static void stack_add_package(struct busy_stack *s, const char *class_name)
{
	struct busy_package wanted;
	struct busy_packages *p = s->p;
	unsigned int row = 0;

	read_package(&wanted, class_name);
	while (row < p->count && (p->package[row].alone != wanted.alone || strcmp(p->package[row].name, wanted.name)))
		row++;
	if (row == BUSY_PACKAGES)
		return;
	if (row == p->count)
		p->package[p->count++] = wanted;
	for (unsigned int i = 0; i < s->packages; i++)
		if (s->in[i].row == row)
			return;
	if (s->packages < sizeof(s->in) / sizeof(s->in[0])) {
		s->in[s->packages].row = row;
		s->in[s->packages++].depth = s->depth;
	}
}

/* Is it the stack that the thread had when it was seen last, or the first dump, where this is not known? Keep it. */
static bool stack_is_old(const struct busy_stack *s)
{
	struct busy_packages *p = s->p;
	size_t i = 0;
	bool old;

	while (i < p->threads && p->thread[i].tid != s->tid)
		i++;
	if (i == p->threads) {
		if (p->threads == BUSY_THREADS || vec_reserve(&p->thread, &p->capacity, p->threads + 1))
			return false;
		p->thread[p->threads++] = (struct busy_thread){.tid = s->tid};
	}
	old = p->dumps == 1 || p->thread[i].hash == s->hash;
	p->thread[i].hash = s->hash;
	return old;
}

static void stack_end(struct busy_stack *s)
{
	struct busy_packages *p = s->p;

	if (s->depth && !(stack_is_old(s) && s->native) && s->packages) {
		p->stacks++;
		for (unsigned int i = 0; i < s->packages; i++) {
			p->package[s->in[i].row].stacks++;
			p->package[s->in[i].row].depth += s->in[i].depth;
		}
	}
	*s = (struct busy_stack){.p = p};
}

static int busy_packages_on_frame(const struct active_frame *f, void *context)
{
	struct busy_stack *s = context;

	if (s->depth && f->tid != s->tid)
		stack_end(s);
	s->tid = f->tid;
	if (!s->depth++)
		s->native = f->native;
	s->hash = hash_mix(s->hash, hash_data(f->class_name, strlen(f->class_name)));
	s->hash = hash_mix(hash_mix(s->hash, hash_data(f->method, strlen(f->method))), f->line);
	if (!is_of_jdk(f->class_name) && !strpbrk(f->class_name, NOT_IN_SHELL))
		stack_add_package(s, f->class_name);
	return 0;
}

void busy_packages_add(struct busy_packages *p, const char *dump)
{
	struct busy_stack s = {.p = p};

	p->dumps++;
	dump_each_frame(dump, busy_packages_on_frame, &s);
	stack_end(&s);
}

/* Of those that are in the same stacks the innermost first. */
static int order_packages(const void *a, const void *b)
{
	const struct busy_package *x = a, *y = b;

	return x->stacks != y->stacks ? (x->stacks < y->stacks) - (x->stacks > y->stacks)
				      : (x->depth > y->depth) - (x->depth < y->depth);
}

/* A package with a capital letter has slashes in a filter, or it would be an outer class. */
static void put_filter(struct bytes *out, const struct busy_package *package)
{
	bool slashes = !package->alone && strpbrk(package->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	for (const char *c = package->name; *c; c++)
		bytes_put(out, slashes && *c == '.' ? "/" : c, 1);
	bytes_printf(out, "%s", package->alone ? "" : slashes ? "/*" : ".*");
}

void busy_packages_put(struct busy_packages *p, struct bytes *filter, struct bytes *where)
{
	qsort(p->package, p->count, sizeof(p->package[0]), order_packages);
	for (unsigned int i = 0; i < p->count && i < SHOWN && p->package[i].stacks; i++) {
		if (!i)
			put_filter(filter, &p->package[i]);
		bytes_printf(where, "%s%s (%u %%)", i ? ", " : "", p->package[i].name,
			     100 * p->package[i].stacks / p->stacks);
	}
}

void busy_packages_release(struct busy_packages *p)
{
	free(p->thread);
	*p = (struct busy_packages){.count = 0};
}

void busy_packages_watch(struct busy_packages *p, const struct target *t)
{
	int64_t end = monotonic_ns() + WATCH_NS;
	struct diag d;
	char *dump;

	while (!interrupted() && !target_ended(t)) {
		int64_t begin = monotonic_ns(), pause;

		if (target_thread_dump(t, &dump, &d)) {
			log_detail("%s", d.text);
			return;
		}
		busy_packages_add(p, dump);
		free(dump);
		pause = (monotonic_ns() - begin) * 9 / 1000000; /* all threads stand still during a dump */
		pause = pause > WATCH_STEP_MS ? pause : WATCH_STEP_MS;
		if (monotonic_ns() > end)
			return;
		poll(NULL, 0, (int)(pause < WATCH_MOST_MS ? pause : WATCH_MOST_MS));
	}
}
