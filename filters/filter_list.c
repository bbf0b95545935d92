// SPDX-License-Identifier: BSD-2-Clause
#include "filters/filter_list.h"
#include "format/bytes.h"
#include "format/vec.h"
#include "filters/glob.h"
#include "filters/java_type.h"
#include "filters/program.h"
#include "filters/grammar.h"
#include "filters/lex.h"
#include "filters/filter_list_internal.h"
#include "filters/correct.h"
#include "filters/quote.h"
#include "filters/number.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THROWN	":thrown"
#define BLANK	"\\u0020" /* of a class, where no method follows it */
#define COLUMNS 72	  /* maximum characters of the text that are shown */

struct filter_list *filter_list_new(void)
{
	return calloc(1, sizeof(struct filter_list));
}

static void filter_release(struct filter *f)
{
	free(f->text);
	free(f->class_name);
	free(f->method);
	free(f->types);
}

static void set_cut(struct filter_set *s, size_t count)
{
	while (s->count > count)
		filter_release(&s->filters[--s->count]);
}

static void set_release(struct filter_set *s)
{
	set_cut(s, 0);
	free(s->filters);
}

void filter_list_free(struct filter_list *l)
{
	if (!l)
		return;
	set_release(&l->select);
	set_release(&l->exclude);
	free(l);
}

static bool set_has(const struct filter_set *s, const struct filter *f)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->filters[i].hash == f->hash && s->filters[i].kind == f->kind &&
		    strcmp(s->filters[i].text, f->text) == 0)
			return true;
	return false;
}

/* Takes ownership of what *f owns. */
static int set_add(struct filter_set *s, struct filter *f)
{
	if (set_has(s, f)) {
		filter_release(f);
		return 0;
	}
	if (vec_reserve(&s->filters, &s->capacity, s->count + 1)) {
		filter_release(f);
		return -ENOMEM;
	}
	s->filters[s->count++] = *f;
	return 0;
}

/* Append a name, with each run of '*' reduced to one, and blanks escaped unless they are `plain`. */
static void filter_put_name(struct bytes *out, const char *text, size_t length, bool plain)
{
	bool star = false;

	for (size_t i = 0, n; i < length; i += n ?: 1) {
		n = lex_escape(text, i, length);
		if (text[i] == ' ' && !plain)
			bytes_printf(out, BLANK);
		else if (!star || text[i] != '*')
			bytes_put(out, text + i, n ?: 1);
		star = text[i] == '*';
	}
}

/* Append "(int, String...)" as "(int,String[])". */
static void filter_put_types(struct bytes *out, const char *text, size_t length)
{
	for (size_t i = 0, n; i < length; i += n) {
		n = lex_space(text, i, length);
		if (n)
			continue;
		n = length - i >= 3 && memcmp(text + i, "...", 3) == 0 ? 3 : 1;
		bytes_put(out, n == 3 ? "[]" : text + i, n == 3 ? 2 : 1);
	}
}

static bool is_star(const char *name)
{
	return name && name[0] == QUOTE_WILDCARD && !name[1];
}

/* The filter as a user would type it; NULL: no memory. */
static char *print_filter(const struct filter *f, const char *text, const struct grammar_filter *parsed)
{
	struct bytes out;
	char time[32];

	bytes_init(&out);
	bytes_put(&out, "!", parsed->exclude);
	bytes_put(&out, &parsed->prefix, !!parsed->prefix);
	if (f->class_name)
		filter_put_name(&out, text + parsed->class_at, parsed->class_length, f->method);
	if (f->method) {
		bytes_put(&out, "::", 2);
		filter_put_name(&out, text + parsed->method_at, parsed->method_length, true);
	}
	filter_put_types(&out, text + parsed->types_at, parsed->types_length);
	if (f->threshold_ns != GRAMMAR_NO_THRESHOLD) {
		time_print(f->threshold_ns, time, sizeof(time));
		bytes_printf(&out, ":%s", time);
	}
	bytes_put(&out, THROWN, f->thrown ? strlen(THROWN) : 0);
	return bytes_steal_text(&out);
}

/* Reduce each run of wildcards to one. */
static void squeeze_stars(char *name)
{
	char *out = name;

	for (const char *s = name; *s; s++)
		if (*s != QUOTE_WILDCARD || out == name || out[-1] != QUOTE_WILDCARD)
			*out++ = *s;
	*out = 0;
}

/* A name, or NULL with *err set to -ENOMEM. A length of 0 stands for no name. */
static char *filter_name(const char *text, size_t at, size_t length, int *err)
{
	char *name = length ? quote_remove(text + at, length) : NULL;

	if (name)
		squeeze_stars(name);
	else if (length)
		*err = -ENOMEM;
	return name;
}

/* Reduce C::* to C, and *::m to ::m. */
static void drop_stars(struct filter *f)
{
	if (is_star(f->method) && !f->types && f->class_name) {
		free(f->method);
		f->method = NULL;
	}
	if (is_star(f->class_name) && f->method) {
		free(f->class_name);
		f->class_name = NULL;
	}
}

static int filter_init(struct filter *f, const char *text, const struct grammar_filter *parsed, enum filter_kind kind,
		       bool thrown)
{
	int err = 0;

	*f = (struct filter){
		.prefix = parsed->prefix, .threshold_ns = parsed->threshold_ns, .thrown = thrown, .kind = kind};
	f->class_name = filter_name(text, parsed->class_at, parsed->class_length, &err);
	f->method = filter_name(text, parsed->method_at, parsed->method_length, &err);
	if (parsed->types_length && !(f->types = quote_descriptor(text + parsed->types_at, parsed->types_length)))
		err = -ENOMEM;
	if (!err) {
		drop_stars(f);
		f->text = print_filter(f, text, parsed);
	}
	if (!f->text) {
		filter_release(f);
		return -ENOMEM;
	}
	if (f->class_name)
		java_name_dots(f->class_name);
	f->hash = program_hash(PROGRAM_HASH_START, f->text, strlen(f->text));
	return 0;
}

static size_t character_length(const char *text, size_t at, size_t length)
{
	size_t n = 1;

	if (lex_utf8(text + at, 1) == 1)
		return 1;
	while (n < 4 && at + n <= length && lex_utf8(text + at, n) != n)
		n++;
	return at + n <= length && lex_utf8(text + at, n) == n ? n : 1;
}

/* Append a character of n bytes, or what stands for it where it could disturb a terminal. */
static void caret_put_character(struct bytes *out, const char *text, size_t n)
{
	unsigned char c = (unsigned char)text[0];
	/* U+0080 to U+009F are control characters, too */
	bool control = c < 0x20 || c == 0x7f || (n == 1 && c >= 0x80) ||
		       (n == 2 && c == 0xc2 && (unsigned char)text[1] < 0xa0);

	if (lex_space(text, 0, n))
		bytes_put_u8(out, ' ');
	else if (control)
		bytes_put_u8(out, '?');
	else
		bytes_put(out, text, n);
}

/*
 * Append two indented lines without a final newline: the text, and a caret under its byte `at`. A long text is cut around
 * that byte.
 */
static void caret_put(struct bytes *out, const char *text, size_t at)
{
	size_t length = strlen(text), fault = 0, total = 0, first = 0, column = 0, i, n;

	for (i = 0; i < length; i += character_length(text, i, length), total++)
		fault += i < at;
	if (total > COLUMNS && fault > COLUMNS / 2)
		first = fault - COLUMNS / 2;
	bytes_printf(out, first ? "  ..." : "  ");
	for (i = 0; i < length && column < first + COLUMNS; i += n, column++) {
		n = character_length(text, i, length);
		if (column >= first)
			caret_put_character(out, text + i, n);
	}
	bytes_printf(out, "%s\n%*s^", i < length ? "..." : "", (int)(fault - first + (first ? 5 : 2)), "");
}

/* The part before the caret may be a package with a capital letter. Show the JVM's own form, which is unambiguous. */
static void add_way_out(const char *text, size_t length, const struct fault *fault, struct diag *d)
{
	char name[128];
	struct grammar_filter parsed;
	struct fault other;
	size_t used = strlen(d->text);
	bool package = length > 2 && memcmp(text + length - 2, ".*", 2) == 0;

	if (!(package || strstr(fault->what, "nested class")) || length >= sizeof(name))
		return;
	for (size_t i = 0; i < length; i++)
		name[i] = text[i] == '.' ? '/' : text[i];
	name[length] = 0;
	if (grammar_parse(name, 0, length, &parsed, &other))
		snprintf(d->text + used, sizeof(d->text) - used,
			 "\n  or, if the part before the caret is a package: '%s'", name);
}

static int wrong_filter(const char *text, size_t begin, size_t end, struct fault *fault, struct diag *d)
{
	char right[300], *word;
	bool known = correct_filter(text, begin, end, fault, right, sizeof(right)) &&
		     (strlen(right) != end - begin || memcmp(right, text + begin, end - begin) != 0);
	struct bytes lines;
	int err;

	bytes_init(&lines);
	caret_put(&lines, text, fault->at);
	if (known) {
		word = quote_shell(right);
		err = diag_usage(d, "wrong filter: %s\n%s\n  the right filter: %s", fault->what, bytes_text(&lines),
				 word ?: right);
		free(word);
		add_way_out(text + begin, end - begin, fault, d);
	} else {
		err = diag_usage(d, "wrong filter: %s\n%s", fault->what, bytes_text(&lines));
	}
	bytes_release(&lines);
	return err;
}

/* Check the rules that the grammar cannot know because they depend on the option. */
static bool parsed_fits(const struct grammar_filter *parsed, size_t begin, enum filter_kind kind, struct fault *fault)
{
	const char *what = NULL;

	fault->at = parsed->time_length ? parsed->time_at - 1 : begin;
	if (kind == FILTER_EXCLUDE && parsed->exclude)
		what = "it is excluded already, without '!'";
	else if (kind == FILTER_EXCLUDE && parsed->time_length)
		what = "an exclusion has no threshold";
	else if (kind == FILTER_ROOT && parsed->exclude)
		what = "a root is not excluded here, but by -x";
	else if (kind == FILTER_UNTIL && parsed->exclude)
		what = "what ends a root is not excluded here, but by -x";
	else if (kind == FILTER_UNTIL && parsed->time_length)
		what = "the first such call ends a root, there is no threshold";
	else if (kind == FILTER_TIMING && parsed->time_length)
		what = "all calls are timed, there is no threshold";
	if (what)
		snprintf(fault->what, sizeof(fault->what), "%s", what);
	return !what;
}

/* Take ":thrown" off the end of a root's filter. A method may have that name. */
static bool take_thrown(const char *text, size_t begin, size_t *end)
{
	size_t length = strlen(THROWN);

	if (*end - begin <= length || memcmp(text + *end - length, THROWN, length) != 0 ||
	    text[*end - length - 1] == ':')
		return false;
	*end -= length;
	return true;
}

static int list_add_filter(struct filter_list *l, const char *text, size_t begin, size_t end, enum filter_kind kind,
			   struct diag *d)
{
	struct fault fault;
	struct filter f;
	struct grammar_filter parsed;
	bool thrown = kind == FILTER_ROOT && take_thrown(text, begin, &end);
	int err;

	if (!grammar_parse(text, begin, end, &parsed, &fault))
		return wrong_filter(text, begin, end, &fault, d);
	if (!parsed_fits(&parsed, begin, kind, &fault))
		return wrong_filter(text, begin, end, &fault, d);
	err = filter_init(&f, text, &parsed, kind, thrown);
	if (!err)
		err = set_add(parsed.exclude || kind == FILTER_EXCLUDE ? &l->exclude : &l->select, &f);
	return err ? diag_set(d, ENOMEM, "no memory for filters") : 0;
}

static int check_utf8(const char *text, struct diag *d)
{
	size_t at = lex_utf8(text, strlen(text));
	struct bytes lines;
	int err;

	if (!text[at])
		return 0;
	bytes_init(&lines);
	caret_put(&lines, text, at);
	err = diag_usage(d, "wrong filter: it is not UTF-8\n%s", bytes_text(&lines));
	bytes_release(&lines);
	return err;
}

/* Add all filters of a text. Returns their number or -errno. */
static int list_add_filters(struct filter_list *l, const char *text, enum filter_kind kind, struct diag *d)
{
	size_t length = strlen(text), begin, end;
	int err = check_utf8(text, d), filters = 0;

	if (err)
		return err;
	for (size_t at = 0; at <= length; at += strcspn(text + at, ";") + 1) {
		begin = at;
		end = at + strcspn(text + at, ";");
		lex_strip(text, &begin, &end);
		if (begin == end)
			continue;
		err = list_add_filter(l, text, begin, end, kind, d);
		if (err)
			return err;
		filters++;
	}
	return filters;
}

int filter_list_add(struct filter_list *l, const char *text, enum filter_kind kind, struct diag *d)
{
	size_t select = l->select.count, exclude = l->exclude.count;
	int filters = list_add_filters(l, text, kind, d);

	if (filters > 0)
		return 0;
	set_cut(&l->select, select);
	set_cut(&l->exclude, exclude);
	if (filters < 0)
		return filters;
	return diag_usage(d, "wrong filter: it is empty; name a class or a method, as in 'com.acme.Cart::checkout'");
}

/* Offset of the comment. It begins at a '#' at the start or after white space; C#m is a filter. */
static size_t comment_at(const char *line, size_t length)
{
	size_t space = length;

	for (size_t i = 0, n; i < length; i += n ? n : 1) {
		n = lex_space(line, i, length);
		if (n)
			space = i + n;
		else if (line[i] == '#' && (i == 0 || space == i))
			return i;
	}
	return length;
}

static int add_line(struct filter_list *l, const char *line, size_t length, enum filter_kind kind, struct diag *d)
{
	char *text = strndup(line, comment_at(line, length));
	int result;

	if (!text)
		return diag_set(d, ENOMEM, "no memory for filters");
	result = list_add_filters(l, text, kind, d);
	free(text);
	return result;
}

/* Change "wrong filter: ..." into "wrong filter in FILE, line N: ...". */
static int in_line(const char *name, int number, int err, struct diag *d)
{
	static const char begin[] = "wrong filter";
	char text[sizeof(d->text)];

	if (strncmp(d->text, begin, sizeof(begin) - 1) != 0)
		return err;
	memcpy(text, d->text, sizeof(text));
	return diag_usage(d, "%s in %.200s, line %d%s", begin, name, number, text + sizeof(begin) - 1);
}

int filter_list_add_lines(struct filter_list *l, const char *name, const char *content, enum filter_kind kind,
			  struct diag *d)
{
	size_t select = l->select.count, exclude = l->exclude.count, length;
	int number = 1, result = 0, filters = 0;

	for (const char *line = content; result >= 0 && *line; number++) {
		length = strcspn(line, "\n");
		result = add_line(l, line, length, kind, d);
		if (result > 0)
			filters += result;
		if (result < 0)
			result = in_line(name, number, result, d);
		line += length + (line[length] == '\n');
	}
	if (filters > 0 && result >= 0)
		return 0;
	set_cut(&l->select, select);
	set_cut(&l->exclude, exclude);
	return result < 0 ? result : diag_usage(d, "wrong filters: no filter in %s", name);
}

void filter_list_set_lambda(struct filter_list *l, bool lambda)
{
	l->lambda = lambda;
}

size_t filter_list_size(const struct filter_list *l)
{
	return l->select.count;
}

const char *filter_list_text(const struct filter_list *l, size_t i)
{
	return i < l->select.count ? l->select.filters[i].text : NULL;
}

enum filter_kind filter_list_kind(const struct filter_list *l, size_t i)
{
	return i < l->select.count ? l->select.filters[i].kind : FILTER_EXCLUDE;
}

uint64_t filter_list_threshold(const struct filter_list *l, uint64_t otherwise)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < l->select.count; i++) {
		const struct filter *f = &l->select.filters[i];
		uint64_t own = f->threshold_ns == GRAMMAR_NO_THRESHOLD ? otherwise : f->threshold_ns;

		if (f->kind == FILTER_TRACE && own < least)
			least = own;
	}
	return least;
}

size_t filter_list_count(const struct filter_list *l, enum filter_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < l->select.count; i++)
		n += l->select.filters[i].kind == kind;
	return n;
}

/* Of two patterns only what stands before the wildcards is compared. */
static bool names_meet(const char *a, const char *b)
{
	static const char wildcard[] = {QUOTE_WILDCARD, 0};
	size_t before_a = a ? strcspn(a, wildcard) : 0, before_b = b ? strcspn(b, wildcard) : 0;

	if (!a || !b)
		return true;
	if (!a[before_a])
		return glob_matches(GLOB_NAME, slice_of(b), slice_of(a));
	if (!b[before_b])
		return glob_matches(GLOB_NAME, slice_of(a), slice_of(b));
	return strncmp(a, b, before_a < before_b ? before_a : before_b) == 0;
}

static bool filters_meet(const struct filter *a, const struct filter *b)
{
	return a->kind == FILTER_TRACE && b->kind == FILTER_TRACE && names_meet(a->method, b->method) &&
	       (a->prefix || b->prefix || names_meet(a->class_name, b->class_name));
}

bool filter_lists_meet(const struct filter_list *a, const struct filter_list *b)
{
	for (size_t i = 0; i < a->select.count; i++)
		for (size_t n = 0; n < b->select.count; n++)
			if (filters_meet(&a->select.filters[i], &b->select.filters[n]))
				return true;
	return false;
}
