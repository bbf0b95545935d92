// SPDX-License-Identifier: BSD-2-Clause
#include "user/jvm/event_value.h"
#include "filters/java_type.h"
#include "user/hotspot/method_table.h"
#include "user/hotspot/method.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define STATICAL   0x0008u
#define ARGUMENTS  255
#define CLASS_NAME 400 /* bytes of a name, with its zero; longer ones are not found around others */

const char *event_kind_name(enum plan_kind kind)
{
	static const char *const names[PLAN_KINDS] = {"a boolean", "a byte",  "a char",	  "a short", "an int",
						      "a long",	   "a float", "a double", "a text",  "a class"};

	return kind < PLAN_KINDS ? names[kind] : "nothing";
}

/* ---- the method's own */

struct argument {
	uint16_t slot;
	const char *type; /* in the descriptor */
	size_t length;
	char name[256]; /* "": not known */
};

struct method_shape {
	struct argument argument[ARGUMENTS + 1];
	uint32_t count;
	const char *returns;
	bool names;
};

static void on_name(const char *name, int slot, int number, void *context)
{
	struct method_shape *s = context;

	for (uint32_t i = 0; i < s->count; i++)
		if ((int)i == number || (int)s->argument[i].slot == slot)
			snprintf(s->argument[i].name, sizeof(s->argument[i].name), "%s", name);
}

static int read_shape(struct method_shape *s, const struct class_list *l, const struct match *m, struct diag *d)
{
	struct parameter_names names = {.visit = on_name, .context = s};
	uint16_t slot = !(m->method->modifiers & STATICAL);
	struct java_type type;
	const char *at = m->method->descriptor + (m->method->descriptor[0] == '(');
	int err;

	s->count = 0;
	while (*at && *at != ')' && s->count < ARGUMENTS) {
		struct argument a = {.slot = slot, .type = at};
		const char *rest = java_type_next(at, &type);

		if (!rest)
			return diag_set(d, EBADMSG, "cannot read the parameters of '%s'", m->method->name);
		a.length = rest - at;
		s->argument[s->count++] = a;
		slot += *at == 'J' || *at == 'D' ? 2 : 1;
		at = rest;
	}
	s->returns = *at ? at + 1 : at;
	err = method_parameter_names(l->layout, l->mem, m->address, &names);
	s->names = names.known;
	return err ? diag_errno(d, -err, "cannot read the parameters of '%s'", m->method->name) : 0;
}

static char local_type(const char *type)
{
	switch (*type) {
	case 'J':
	case 'F':
	case 'D': return *type;
	case 'L':
	case '[': return 'L';
	default: return 'I';
	}
}

static bool word_is(const char *word, size_t length, const char *text)
{
	return slice_is((struct slice){word, length}, text);
}

static int find_argument(const struct method_shape *s, const char *word, size_t length)
{
	int n;

	for (uint32_t i = 0; i < s->count; i++)
		if (word_is(word, length, s->argument[i].name))
			return i;
	n = plan_argument_number((struct slice){word, length});
	return n < (int)s->count ? n : -1;
}

/* ---- expressions */

struct finder {
	struct event_value *v;
	struct class_list *l;
	const struct match *m;
	const char *expression, *event;
	char method[512]; /* as a user reads it */
	char type[512];	  /* descriptor of the value so far */
};

static __attribute__((format(printf, 3, 4))) int wrong(const struct finder *f, struct diag *d, const char *what, ...)
{
	char text[CLASS_LIST_NAMES + 1500];
	va_list args;

	va_start(args, what);
	vsnprintf(text, sizeof(text), what, args);
	va_end(args);
	return diag_usage(d, "event '%s', '%s': %s", f->event, f->expression, text);
}

/* A word before the last one begins like the name of a class. */
static bool may_name_class(const char *expression)
{
	for (const char *at = expression; strchr(at, '.'); at = strchr(at, '.') + 1)
		if (isupper((unsigned char)*at))
			return true;
	return false;
}

static int no_such_start(const struct finder *f, const struct method_shape *s, size_t length, struct diag *d)
{
	char names[CLASS_LIST_NAMES] = "", more[64];
	bool class = may_name_class(f->expression);
	int err;

	for (uint32_t i = 0; i < s->count; i++) {
		snprintf(more, sizeof(more), s->argument[i].name[0] ? " (arg%u)" : "arg%u", i);
		class_list_add_name(names, s->argument[i].name[0] ? s->argument[i].name : "", more);
	}
	err = wrong(f, d, "%s%s has no parameter '%.*s'; %s%s%s", class ? "no such class is loaded, and " : "",
		    f->method, (int)(length < 100 ? length : 100), f->expression,
		    s->names || !s->count ? "" : "the class has no debug information, use arg0 and so on; ",
		    s->count ? "it has " : "it has none", names);
	return class && f->l->patient ? -ENOENT : err;
}

static const char *keep(struct finder *f, const char *text, size_t length)
{
	return method_table_text(f->l->texts, text, length);
}

static int add_step(struct finder *f, enum plan_step_kind kind, const char *class_name, const char *name, size_t length,
		    struct diag *d)
{
	struct event_value *v = f->v;
	struct event_step step = {kind, keep(f, class_name, strlen(class_name)), keep(f, name, length),
				  keep(f, f->type, strlen(f->type))};

	if (v->steps == PLAN_STEPS)
		return wrong(f, d, "it has too many steps");
	if (!step.class_name || !step.name || !step.descriptor)
		return diag_set(d, ENOMEM, "no memory for events");
	v->step[v->steps++] = step;
	return 0;
}

static int take_start(struct finder *f, enum plan_source source, const char *type, size_t length)
{
	f->v->source = source;
	f->v->type = local_type(type);
	snprintf(f->type, sizeof(f->type), "%.*s", (int)length, type);
	return 0;
}

static int take_this(struct finder *f, const char *class_name, struct diag *d)
{
	if (f->m->method->modifiers & STATICAL)
		return wrong(f, d, "the method is static, it has no this");
	snprintf(f->type, sizeof(f->type), "L%s;", class_name);
	f->v->source = PLAN_THIS;
	f->v->type = 'L';
	return 0;
}

/* Cut the name of a class to that of the class around it. False: there is none, as far as names tell. */
static bool cut_to_enclosing(struct finder *f, char name[CLASS_NAME])
{
	char *dollar;

	while ((dollar = strrchr(name, '$')) && dollar > name) {
		*dollar = 0;
		if (class_list_find(f->l, name, strlen(name), f->m->loader))
			return true;
	}
	return false;
}

/* The field with which javac refers to the object around: this$0 of A$B, this$1 of A$B$C. */
static bool find_outer_field(struct finder *f, const char *class_name, const char *outer, struct field_search *k)
{
	static const char names[][7] = {"this$0", "this$1", "this$2", "this$3", "this$4", "this$5", "this$6", "this$7"};
	const struct listed_class *c = class_list_find(f->l, class_name, strlen(class_name), f->m->loader);
	char type[CLASS_NAME + 2];

	snprintf(type, sizeof(type), "L%s;", outer);
	for (int i = 0; c && i < 8; i++) {
		const char *holder;

		*k = (struct field_search){.name = names[i], .length = 6};
		holder = class_list_find_field(f->l, c, k);
		if (holder && !strcmp(holder, class_name) && !k->statical && !strcmp(k->descriptor, type))
			return true;
	}
	return false;
}

/* From the object itself to the one of an enclosing class that is around it. */
static int take_outer_this(struct finder *f, const char *wanted, struct diag *d)
{
	char name[CLASS_NAME], outer[CLASS_NAME];
	struct field_search k;
	int err = take_this(f, f->m->method->class_name, d);

	snprintf(name, sizeof(name), "%s", f->m->method->class_name);
	while (!err && strcmp(name, wanted)) {
		strcpy(outer, name);
		if (!cut_to_enclosing(f, outer) || !find_outer_field(f, name, outer, &k)) {
			java_name_dots(name);
			return wrong(f, d, "%s keeps no object of a class around it", name);
		}
		snprintf(f->type, sizeof(f->type), "%s", k.descriptor);
		err = add_step(f, PLAN_GET, name, k.name, k.length, d);
		strcpy(name, outer);
	}
	return err;
}

/* A static field of a class, or its "this". `at` is where the word after the class begins. */
static int take_of_class(struct finder *f, const struct listed_class *c, size_t at, size_t *used, struct diag *d)
{
	struct field_search k = {.name = f->expression + at, .length = strcspn(f->expression + at, ".")};
	const char *holder;
	int err;

	*used = at + k.length;
	if (word_is(k.name, k.length, "this"))
		return take_outer_this(f, c->name, d);
	holder = class_list_find_field(f->l, c, &k);
	if (!holder || !k.statical) {
		err = wrong(f, d, "%.*s has no static field '%.*s'%s%s", (int)at - 1, f->expression, (int)k.length,
			    k.name, k.others[0] ? "; its fields are " : "", k.others);
		return may_name_class(k.name) && f->l->patient ? -ENOENT : err; /* a class in it */
	}
	snprintf(f->type, sizeof(f->type), "%s", k.descriptor);
	f->v->source = PLAN_STATIC;
	f->v->type = 'L';
	return add_step(f, PLAN_GET_STATIC, holder, k.name, k.length, d);
}

/*
 * com.acme.Shop.INSTANCE: the class is what is before the last dot of some prefix, with slashes, and a '$' before an inner
 * class. Sets *used to the bytes that class and field take; 0: no such class.
 */
static int take_class_after(struct finder *f, const char *before, size_t *used, struct diag *d)
{
	const struct listed_class *found = NULL;
	size_t length = strlen(f->expression), n = strlen(before), last = 0;
	char name[2 * CLASS_NAME];

	memcpy(name, before, n);
	for (size_t i = 0; i < length && n < sizeof(name) - 1; i++, n++) {
		const struct listed_class *c;

		name[n] = f->expression[i];
		if (name[n] != '.')
			continue;
		c = class_list_find(f->l, name, n, f->m->loader);
		if (!c && found)
			break;
		if (c) {
			found = c;
			last = i + 1;
		}
		name[n] = c ? '$' : '/';
	}
	return found ? take_of_class(f, found, last, used, d) : 0;
}

/* In the method's own class, those around it, their package, anywhere, or in java.lang. */
static int take_class(struct finder *f, size_t *used, struct diag *d)
{
	char before[CLASS_NAME + 1];
	size_t n = snprintf(before, CLASS_NAME, "%s", f->m->method->class_name);
	int err;

	if (n >= CLASS_NAME)
		return 0;
	before[n] = '$';
	for (;;) {
		before[n + 1] = 0;
		err = take_class_after(f, before, used, d);
		if (err || *used)
			return err;
		if (before[n] == '/')
			break;
		while (n && before[n - 1] != '$' && before[n - 1] != '/')
			n--;
		if (!n--)
			break;
	}
	err = take_class_after(f, "", used, d);
	return err || *used ? err : take_class_after(f, "java/lang/", used, d);
}

/*
 * A field of the method's own class, or of one around it, by its name alone. Sets *used to the bytes it takes; 0: there is
 * none.
 */
static int take_own(struct finder *f, size_t *used, struct diag *d)
{
	size_t length = strcspn(f->expression, ".");
	char name[CLASS_NAME];

	snprintf(name, sizeof(name), "%s", f->m->method->class_name);
	do {
		struct field_search k = {.name = f->expression, .length = length};
		const struct listed_class *c = class_list_find(f->l, name, strlen(name), f->m->loader);
		const char *holder = c ? class_list_find_field(f->l, c, &k) : NULL;
		int err = 0;

		if (!holder || (!k.statical && f->m->method->modifiers & STATICAL))
			continue;
		*used = length;
		f->v->source = PLAN_STATIC;
		f->v->type = 'L';
		if (!k.statical)
			err = take_outer_this(f, name, d);
		snprintf(f->type, sizeof(f->type), "%s", k.descriptor);
		return err ?: add_step(f, k.statical ? PLAN_GET_STATIC : PLAN_GET, holder, k.name, k.length, d);
	} while (cut_to_enclosing(f, name));
	return 0;
}

/* What "super.FIELD" begins with: the object, as one of the class above its own. */
static int take_super(struct finder *f, struct diag *d)
{
	const char *class_name = f->m->method->class_name;
	const struct listed_class *c = class_list_find(f->l, class_name, strlen(class_name), f->m->loader);

	c = c ? class_list_super(f->l, c) : NULL;
	return c ? take_this(f, c->name, d) : wrong(f, d, "the class has no super class");
}

/* The first word. Sets *used to the bytes that it takes. */
static int take_first(struct finder *f, const struct method_shape *s, size_t *used, struct diag *d)
{
	const char *word = f->expression;
	size_t length = *used = strcspn(word, ".");
	int n = find_argument(s, word, length), err;

	if (n >= 0) {
		f->v->argument = n;
		f->v->local = s->argument[n].slot;
		return take_start(f, PLAN_PARAMETER, s->argument[n].type, s->argument[n].length);
	}
	if (word_is(word, length, "this"))
		return take_this(f, f->m->method->class_name, d);
	if (word_is(word, length, "super") && word[length])
		return take_super(f, d);
	if (word_is(word, length, "return"))
		return *s->returns == 'V' ? wrong(f, d, "the method returns nothing")
					  : take_start(f, PLAN_RETURN, s->returns, strlen(s->returns));
	if (word_is(word, length, "exception"))
		return take_start(f, PLAN_EXCEPTION, "Ljava/lang/Throwable;", strlen("Ljava/lang/Throwable;"));
	*used = 0;
	err = take_own(f, used, d);
	if (err || *used)
		return err;
	err = take_class(f, used, d);
	return err || *used ? err : no_such_start(f, s, length, d);
}

static int take_length(struct finder *f, struct diag *d)
{
	int err = add_step(f, PLAN_LENGTH, "", "length", 6, d);

	strcpy(f->type, "I");
	return err;
}

/* The steps behind a field that was found by name have no type that is known. */
#define ANY_TYPE '?'

static int take_by_name(struct finder *f, const char *word, size_t length, struct diag *d)
{
	int err;

	f->type[0] = 0;
	err = add_step(f, PLAN_FIND, "", word, length, d);
	snprintf(f->type, sizeof(f->type), "%c", ANY_TYPE);
	return err;
}

/*
 * The declared type does not have the field: an object's own class may. No loaded one has it: a class that comes later may if
 * objects have other classes than the declared one.
 */
static int take_below(struct finder *f, const struct listed_class *c, const struct field_search *declared,
		      struct diag *d)
{
	struct field_search k = {.name = declared->name, .length = declared->length};
	char name[512], near[256], text[1200];
	bool any = class_list_find_below(f->l, c->name, &k);

	if (k.found)
		return take_by_name(f, k.name, k.length, d);
	snprintf(name, sizeof(name), "%s", c->name);
	java_name_dots(name);
	if (!class_list_is_abstract(f->l, c))
		return wrong(f, d, "%s has no field '%.*s'; it has %s%s", name, (int)k.length, k.name,
			     declared->others[0] ? declared->others : "none",
			     any ? "; nor has a loaded class below it" : "");
	near_names_print(&k.near, near, sizeof(near));
	snprintf(text, sizeof(text), "event '%s', '%s': no loaded class below %s has a field '%.*s'%s", f->event,
		 f->expression, name, (int)k.length, k.name, near);
	if (f->l->doubts)
		f->l->doubts(text);
	return take_by_name(f, k.name, k.length, d);
}

static int take_step(struct finder *f, const char *word, size_t length, struct diag *d)
{
	struct field_search k = {.name = word, .length = length};
	char class_name[512];
	const struct listed_class *c;
	const char *holder;

	if (f->type[0] == ANY_TYPE)
		return take_by_name(f, word, length, d);
	if (word_is(word, length, "length") && plan_has_length(slice_of(f->type)))
		return take_length(f, d);
	if (f->type[0] != 'L')
		return wrong(f, d, "%s has no fields", f->type[0] == '[' ? "an array" : "a primitive value");
	snprintf(class_name, sizeof(class_name), "%s", f->type + 1);
	class_name[strcspn(class_name, ";")] = 0;
	c = class_list_find(f->l, class_name, strlen(class_name), f->m->loader);
	holder = c ? class_list_find_field(f->l, c, &k) : NULL;
	if (holder) {
		snprintf(f->type, sizeof(f->type), "%s", k.descriptor);
		return add_step(f, k.statical ? PLAN_GET_STATIC : PLAN_GET, holder, word, length, d);
	}
	if (c)
		return take_below(f, c, &k, d);
	return take_by_name(f, word, length, d);
}

/* Decide what the value is. */
static int finish(struct finder *f, bool arrays, struct diag *d)
{
	struct event_value *v = f->v;

	if (f->type[0] == '[' && !arrays && strcmp(f->type, "[B") && strcmp(f->type, "[C"))
		return wrong(f, d, "an array is no value, unless of bytes or characters; add .length");
	v->kind = v->source == PLAN_EXCEPTION && !v->steps ? PLAN_CLASS : plan_kind_of(slice_of(f->type));
	v->nullable = v->steps || v->source != PLAN_PARAMETER || f->type[0] == 'L' || f->type[0] == '[';
	return 0;
}

int event_value_find(struct event_value *v, struct class_list *l, const struct match *method, const char *expression,
		     bool arrays, const char *event, struct diag *d)
{
	struct finder f = {.v = v, .l = l, .m = method, .expression = expression, .event = event};
	struct method_shape *s = calloc(1, sizeof(*s));
	size_t at = 0, length;
	int err;

	*v = (struct event_value){.steps = 0};
	if (!s)
		return diag_set(d, ENOMEM, "no memory for events");
	java_name_print(method->method->name, method->method->descriptor, f.method, sizeof(f.method));
	err = read_shape(s, l, method, d);
	err = err ?: take_first(&f, s, &at, d);
	while (!err && expression[at] == '.') {
		at++;
		length = strcspn(expression + at, ".");
		err = take_step(&f, expression + at, length, d);
		at += length;
	}
	free(s);
	return err ?: finish(&f, arrays, d);
}

/* ---- classes that are loaded later */

uint32_t event_value_ways(const char *expression, struct event_way ways[EVENT_WAYS], bool *loaded)
{
	static const struct {
		const char *word;
		enum plan_source source;
	} starts[] = {{"this", PLAN_THIS}, {"return", PLAN_RETURN}, {"exception", PLAN_EXCEPTION}};
	size_t length = strcspn(expression, ".");
	const char *steps = expression + length + (expression[length] == '.');
	struct event_way way = {PLAN_PARAMETER, expression, length, steps};
	bool number = plan_argument_number((struct slice){expression, length}) >= 0;
	uint32_t n = 0;

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (word_is(expression, length, starts[i].word))
			way.source = starts[i].source;
	ways[n++] = way;
	if (way.source == PLAN_PARAMETER && !number && !word_is(expression, length, "super"))
		ways[n++] = (struct event_way){PLAN_THIS, "", 0, expression};
	*loaded = word_is(expression, length, "super") || (n > 1 && may_name_class(expression));
	ways[n++] = (struct event_way){PLAN_STATIC, "", 0, ""};
	return n;
}
