// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/verbs.h"
#include "bpf/frtrace.h"
#include "filters/quote.h"
#include "filters/suggest.h"
#include "user/exit.h"
#include "user/text/json.h"
#include "user/text/log.h"
#include "user/jvm/bindings.h"
#include "user/jvm/matches.h"
#include "user/jvm/jvm_model.h"
#include "filters/java_type.h"
#include "user/text/skip_reason.h"
#include "user/run/suggest_classes.h"
#include "user/process/find.h"
#include "user/text/term.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WIDEST 70 /* column limit for a method; longer ones shift the rest */

static const struct {
	uint32_t flag;
	const char *name, *text;
} remarks[] = {
	{MATCH_UNLINKED, "unlinked", "as soon as its class is linked"},
	{MATCH_FAILED, "failed", "not traced: its class's initializer has thrown"},
	{MATCH_LOWER_BOUND, "lowerBound", "lower bound: the JIT may replace calls"},
	{MATCH_LONG, "long", "unless it is too long, which tracing it shows"},
	{MATCH_OLD, "old", "unless it has jsr/ret, which tracing it shows"},
};

#define REMARKS (sizeof(remarks) / sizeof(remarks[0]))

/* "boot", "app", "com.acme.Loader@7f0012345678": the address distinguishes loaders of the same class. */
static void loader_name(const struct match *m, char *out, size_t size)
{
	const struct resolved_method *r = m->method;

	if (!m->loader) {
		snprintf(out, size, "boot");
	} else if (r->loader_name) {
		snprintf(out, size, "%s", r->loader_name);
	} else {
		snprintf(out, size, "%s@%" PRIx64, r->loader_type ? r->loader_type : "unknown", m->loader);
		java_name_dots(out);
	}
}

static char *filter_of(const struct match *m)
{
	return (m->flags & MATCH_TWIN ? quote_exact : quote_filter)(m->method->class_name, m->method->name,
								    m->method->descriptor);
}

static bool methods_is_native(const struct match *m)
{
	return m->reason == FRT_SKIP_NATIVE || m->reason == FRT_SKIP_NATIVE_INTRINSIC;
}

static bool methods_is_traced(const struct match *m)
{
	return match_is_traced(m) || match_is_traced_native(m);
}

static void print_binding(struct bindings *bindings, const struct match *m)
{
	struct binding b;

	bindings_find(bindings, m, &b);
	if (b.kind == BINDING_LIBRARY) {
		printf(": ");
		term_print(stdout, b.place);
		printf(b.function[0] ? " " : "");
		term_print(stdout, b.function);
	} else if (b.kind == BINDING_MEMORY) {
		printf(": code in memory of no file");
	} else if (b.kind == BINDING_NONE) {
		printf(": not bound, it was never called");
	}
}

static void print_remarks(const struct match *m, struct bindings *bindings)
{
	if (match_is_traced_native(m))
		printf("  native");
	else if (m->reason)
		printf("  not traced: %s", skip_reason(m->reason));
	if (methods_is_native(m) && bindings)
		print_binding(bindings, m);
	for (size_t i = 0; i < REMARKS; i++)
		if (m->flags & remarks[i].flag)
			printf("  %s", remarks[i].text);
	if (!m->reason && m->verdict.threshold_ns != MATCHER_NO_THRESHOLD)
		printf("  from %s on", log_time(m->verdict.threshold_ns));
}

/* The filter as one word of a shell. */
static char *word_of(const struct match *m)
{
	char *filter = filter_of(m), *word = filter ? quote_shell(filter) : NULL;

	free(filter);
	return word;
}

static void methods_print_line(const struct match *m, int width, struct bindings *bindings)
{
	char loader[512], *filter = word_of(m);
	int length = filter ? (int)strlen(filter) : 0;

	loader_name(m, loader, sizeof(loader));
	term_print(stdout, filter ? filter : "?");
	printf("%*s  ", length < width ? width - length : 0, "");
	term_print(stdout, loader);
	print_remarks(m, bindings);
	putchar('\n');
	free(filter);
}

static int column(const struct matches *found)
{
	int width = 0;

	for (uint32_t i = 0; i < found->count; i++) {
		char *filter = word_of(&found->match[i]);
		int length = filter ? (int)strlen(filter) : 0;

		if (length > width && length <= WIDEST)
			width = length;
		free(filter);
	}
	return width;
}

static void methods_print_lines(const struct matches *found, struct bindings *bindings)
{
	int width = column(found);

	for (uint32_t i = 0; i < found->count; i++)
		methods_print_line(&found->match[i], width, bindings);
}

static void print_binding_members(struct json *j, const struct match *m, struct bindings *bindings)
{
	struct binding b;

	if (!methods_is_native(m) || !bindings)
		return;
	bindings_find(bindings, m, &b);
	json_bool(j, "bound", b.kind == BINDING_LIBRARY || b.kind == BINDING_MEMORY);
	json_string(j, "library", b.place[0] ? b.place : NULL);
	json_string(j, "function", b.function[0] ? b.function : NULL);
}

static void print_member(struct json *j, const struct match *m, struct bindings *bindings)
{
	const struct resolved_method *r = m->method;
	char *filter = filter_of(m), id[32];

	snprintf(id, sizeof(id), "%" PRIx64, m->loader);
	json_object(j, NULL);
	json_string(j, "class", r->class_name);
	json_string(j, "method", r->name);
	json_string(j, "descriptor", r->descriptor);
	json_string(j, "filter", filter);
	json_string(j, "loader", m->loader ? r->loader_name : "boot");
	json_string(j, "loaderClass", r->loader_type);
	json_string(j, "loaderId", m->loader ? id : NULL);
	json_bool(j, "traced", methods_is_traced(m));
	json_string(j, "notTraced", m->reason && !match_is_traced_native(m) ? skip_reason(m->reason) : NULL);
	json_bool(j, "trace", m->verdict.trace);
	json_bool(j, "timing", m->verdict.timing);
	if (m->verdict.threshold_ns != MATCHER_NO_THRESHOLD)
		json_unsigned(j, "thresholdNs", m->verdict.threshold_ns);
	for (size_t i = 0; i < REMARKS; i++)
		json_bool(j, remarks[i].name, m->flags & remarks[i].flag);
	print_binding_members(j, m, bindings);
	json_end(j);
	free(filter);
}

/* Counts classes. Relies on the order: methods of the same class and loader are adjacent. */
struct sum {
	uint32_t traced, classes, skipped;
};

static struct sum methods_sum_of(const struct matches *found)
{
	const struct match *last = NULL;
	struct sum s = {0};

	for (uint32_t i = 0; i < found->count; i++) {
		const struct match *m = &found->match[i];

		if (!methods_is_traced(m)) {
			s.skipped++;
			continue;
		}
		s.classes += !last || last->method->class_name != m->method->class_name || last->loader != m->loader;
		s.traced++;
		last = m;
	}
	return s;
}

static void methods_print_object(const struct target *t, const struct matches *found, struct bindings *bindings)
{
	struct sum s = methods_sum_of(found);
	struct json j;

	json_init(&j, stdout);
	json_object(&j, NULL);
	json_signed(&j, "pid", t->pid);
	json_string(&j, "name", t->name);
	json_array(&j, "methods");
	for (uint32_t i = 0; i < found->count; i++)
		print_member(&j, &found->match[i], bindings);
	json_end(&j);
	json_unsigned(&j, "traced", s.traced);
	json_unsigned(&j, "notTraced", s.skipped);
	json_unsigned(&j, "loadedClasses", found->classes);
	json_unsigned(&j, "unreadClasses", found->unread);
	json_bool(&j, "complete", !found->incomplete && !found->unread);
	json_end(&j);
}

static bool any_own_loader(const struct matches *found)
{
	for (uint32_t i = 0; i < found->count; i++)
		if (methods_is_traced(&found->match[i]) && found->match[i].loader &&
		    !found->match[i].method->loader_name)
			return true;
	return false;
}

static void print_sum(const struct matches *found)
{
	struct sum s = methods_sum_of(found);

	log_line("%s %s of %s %s would be traced, %s not; %s loaded classes", log_count(s.traced),
		 plural(s.traced, "method", "methods"), log_count(s.classes), plural(s.classes, "class", "classes"),
		 log_count(s.skipped), log_count(found->classes));
	if (s.traced >= FRT_MAX_METHODS)
		log_line("  there is room for %s: the rest is left alone", log_count(FRT_MAX_METHODS - 1));
	if (any_own_loader(found))
		log_detail("  only tracing shows whether the classes of a loader of the program itself find the hooks");
	if (found->incomplete)
		log_error("frtrace: the classes changed while they were read: some may be missing, try again");
	if (found->unread)
		log_error("frtrace: %s %s could not be read, try again", log_count(found->unread),
			  plural(found->unread, "class", "classes"));
}

static void methods_offer(const char *class_name, const char *method, void *context)
{
	suggest_offer(context, class_name, method);
}

/* Nothing matched: read the classes again and suggest similar names. */
static void explain_nothing(const struct matches_setup *setup, const struct filter_list *filters)
{
	struct matches_setup again = *setup;
	struct suggest *n = suggest_new(filters);
	struct matches ignored;

	log_line("  no loaded class matches; a class that does is traced as soon as it is loaded");
	if (!n)
		return;
	again.near = methods_offer;
	again.context = n;
	matches_find(&ignored, &again);
	suggest_classes_print_best(n);
	matches_release(&ignored);
	suggest_free(n);
}

static int methods_find(struct matches *found, const struct matches_setup *setup, struct diag *d)
{
	int r = matches_find(found, setup);

	if (r == -ESRCH)
		diag_set(d, ESRCH, "the JVM has ended");
	else if (r == -ENOMEM)
		diag_set(d, ENOMEM, "no memory for its classes");
	else if (r)
		diag_errno(d, -r, "cannot read the JVM's classes");
	return r;
}

static bool has_native(const struct matches *found)
{
	for (uint32_t i = 0; i < found->count; i++)
		if (methods_is_native(&found->match[i]))
			return true;
	return false;
}

static int methods_show(const struct settings *s, const struct target *t, const struct matches_setup *setup,
			struct diag *d)
{
	struct bindings *bindings = NULL;
	struct matches found;
	int r = methods_find(&found, setup, d);

	if (!r) {
		if (has_native(&found))
			bindings = bindings_new(t, setup);
		if (s->json)
			methods_print_object(t, &found, bindings);
		else
			methods_print_lines(&found, bindings);
		fflush(stdout);
		print_sum(&found);
		if (!found.count)
			explain_nothing(setup, s->filters);
		r = found.incomplete || found.unread ? EXIT_INCOMPLETE : EXIT_DONE;
	}
	bindings_free(bindings);
	matches_release(&found);
	return r;
}

int cmd_methods(const struct settings *settings, struct diag *d)
{
	struct target target = {.pidfd = -1};
	struct matcher pattern = {0};
	struct jvm_model model = {0};
	void *program = NULL;
	int r;

	log_set(settings->quiet, settings->verbose);
	r = filter_list_compile(settings->filters, &program, &pattern.size, d);
	pattern.program = program;
	if (!r)
		r = target_open(settings->target, &target, d);
	if (!r)
		r = jvm_model_open_classes(&model, &target, d);
	if (!r) {
		const struct matches_setup setup = {.layout = &model.layout,
						    .mem = &model.remote.mem,
						    .pattern = &pattern,
						    .jdk_version = target.jdk_version,
						    .pause_us = 20000};

		r = methods_show(settings, &target, &setup, d);
	}
	jvm_model_close(&model);
	target_close(&target);
	free(program);
	return r;
}
