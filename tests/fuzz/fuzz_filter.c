// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any text as a filter and as a filter file. An accepted text must survive printing and parsing, compile, and select
 * what it names. A rejected text must give a message and add nothing.
 */
#include "filters/filter_list.h"
#include "filters/grammar.h"
#include "filters/quote.h"
#include "filters/suggest.h"
#include "tests/fuzz/fuzz.h"

static void check_rejected(const struct filter_list *l, const struct diag *d)
{
	require(filter_list_size(l) == 0, "a rejected text added a filter");
	require(d->usage && strncmp(d->text, "wrong filter: ", 14) == 0, "a rejected text has no message");
}

/* A name that a part of a filter matches, in the JVM's form. */
static char *subject(const char *text, size_t length)
{
	char *name = length ? quote_remove(text, length) : strdup("any/Class");

	for (char *s = name; *s; s++)
		*s = *s == '.' ? '/' : *s == QUOTE_WILDCARD ? 'x' : *s;
	return name;
}

/* Match what a printed filter names. Only names in the BMP: beyond it the JVM's encoding differs. */
static void check_selected(const struct matcher *p, const char *text)
{
	struct matcher_tags tags = {0};
	struct matcher_method m = {.of_class = &tags};
	struct grammar_filter parsed;
	struct fault fault;
	char kind, *name, *method, *descriptor;

	for (const char *s = text; *s; s++)
		if ((unsigned char)*s >= 0xf0)
			return;
	require(grammar_parse(text, 0, strlen(text), &parsed, &fault), "a printed filter has no grammar");
	kind = parsed.prefix;
	name = subject(text + parsed.class_at, parsed.class_length);
	method = subject(text + parsed.method_at, parsed.method_length);
	if (asprintf(&descriptor, "L%s;", name) < 0)
		abort();
	if (kind == '+')
		matcher_tag_supertype(p, slice_of(name), &tags);
	if (kind == '@')
		matcher_tag_annotation(p, slice_of(descriptor), &tags);
	require(!kind || tags.count == 1, "the supertype or annotation of a filter gives no tag");
	require(matcher_class(p, name, strlen(name)) != MATCHER_NO, "the class of a filter does not match");
	m.class_name = slice_of(name);
	m.name = slice_of(method);
	require(matcher_decide(p, &m).trace, "the method of a filter is not selected");
	free(name);
	free(method);
	free(descriptor);
}

static void check_accepted(const struct filter_list *l, bool excludes)
{
	struct filter_list *again = filter_list_new();
	struct suggest *near = suggest_new(l);
	struct diag d = {0};
	struct matcher p;
	void *program;

	require(filter_list_compile(l, &program, &p.size, &d) == 0, "a list does not compile");
	p.program = program;
	require(matcher_valid(&p), "a compiled program is not valid");
	for (size_t i = 0; i < filter_list_size(l); i++) {
		require(filter_list_add(again, filter_list_text(l, i), FILTER_TRACE, &d) == 0,
			"a printed filter is not accepted");
		if (!excludes)
			check_selected(&p, filter_list_text(l, i));
		suggest_offer(near, filter_list_text(l, 0), i ? "m" : NULL);
		suggest_offer(near, "a/b/C$In", "m");
	}
	require(filter_list_size(again) == filter_list_size(l), "a printed list has a different length");
	free(program);
	suggest_free(near);
	filter_list_free(again);
}

/* As a file the text is accepted, or rejected with a message. */
static void check_lines(const char *text)
{
	struct filter_list *l = filter_list_new();
	struct diag d = {0};

	if (filter_list_add_lines(l, "file", text, FILTER_TIMING, &d))
		require(filter_list_size(l) == 0 && strncmp(d.text, "wrong filter", 12) == 0, "a refused file");
	filter_list_free(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct filter_list *l = filter_list_new();
	char *text = malloc(size + 1);
	struct diag d = {0};

	memcpy(text, data, size);
	text[size] = 0;
	if (filter_list_add(l, text, FILTER_TRACE, &d))
		check_rejected(l, &d);
	else
		check_accepted(l, strchr(text, '!'));
	check_lines(text);
	filter_list_free(l);
	free(text);
	return 0;
}
