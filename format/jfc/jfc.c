// SPDX-License-Identifier: BSD-2-Clause
/*
 * Evaluation of the controls in a settings file, as in JDK 25:
 *
 *	<selection>, <text>, <flag>	yield the text of the selected option, or their own text
 *	<test name= value=>		asks the first control of that name: true or false
 *	<and>, <or>, <not>		ignore operands without a value
 *	<condition true= false=>	yields one of the two, or no value if that one is missing
 *
 * Several controls can have the same name; a setting takes the first of them that has a value. Tests can also ask
 * conditions. So each condition is evaluated once per pass, and it must not depend on itself.
 */
#include "format/jfc/jfc_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_CHAIN 64 /* depth of conditions that ask conditions */

static const char yes[] = "true", no[] = "false";

int jfc_wrong_at(const struct jfc *j, unsigned line, unsigned column, struct diag *d, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (char *s = text; *s; s++)
		if (iscntrl((unsigned char)*s))
			*s = ' ';
	return diag_usage(d, "wrong settings '%.200s': line %u, column %u: %s", j->name, line, column, text);
}

const char *jfc_name(const struct jfc *j)
{
	return j->name;
}

const struct jfc_setting *jfc_settings(const struct jfc *j, size_t *count)
{
	*count = j->count;
	return j->settings;
}

const struct jfc_setting *jfc_find(const struct jfc *j, const char *event, const char *setting)
{
	for (size_t i = j->count; i-- > 0;)
		if (strcmp(j->settings[i].event, event) == 0 && strcmp(j->settings[i].name, setting) == 0)
			return &j->settings[i];
	return NULL;
}

const char *jfc_next_with_context(const struct jfc *j, const struct jfc_node **at)
{
	const struct jfc_node *n = *at ? (*at)->next : j->first;

	while (n && (n->element != JFC_EVENT || !n->attribute[JFC_WITH_CONTEXT] ||
		     strcmp(n->attribute[JFC_WITH_CONTEXT], "true") != 0))
		n = n->next;
	*at = n;
	return n ? n->attribute[JFC_NAME] : NULL;
}

static bool is_input(const struct jfc_node *n)
{
	return n->element == JFC_SELECTION || n->element == JFC_TEXT || n->element == JFC_FLAG;
}

/* The next control of that name after `n`; with NULL the first. */
static const struct jfc_node *control_next(const struct jfc *j, const struct jfc_node *n, const char *name)
{
	for (n = n ? n->next : j->first; n; n = n->next)
		if ((is_input(n) || n->element == JFC_CONDITION) && strcmp(n->attribute[JFC_NAME], name) == 0)
			return n;
	return NULL;
}

static struct jfc_node *input_find(const struct jfc *j, const char *name)
{
	const struct jfc_node *n = control_next(j, NULL, name);

	while (n && !is_input(n))
		n = control_next(j, n, name);
	return (struct jfc_node *)n;
}

bool jfc_names_control(const struct jfc *j, const char *name)
{
	return control_next(j, NULL, name);
}

bool jfc_has_control(const struct jfc *j, const char *name)
{
	return input_find(j, name);
}

/* "TRUE" in any case is true. */
static const char *as_value(const char *text)
{
	if (text && strcasecmp(text, yes) == 0)
		return yes;
	return text && strcasecmp(text, no) == 0 ? no : text;
}

static const struct jfc_node *option_find(const struct jfc_node *selection, const char *name)
{
	const struct jfc_node *option = selection->child;

	while (option && strcmp(option->attribute[JFC_NAME], name) != 0)
		option = option->sibling;
	return option;
}

static struct jfc_outcome outcome_of_input(const struct jfc *j, const struct jfc_node *n)
{
	struct jfc_outcome out = {.value = n->text, .touched = n == j->set};
	const struct jfc_node *option;

	if (n->element == JFC_SELECTION) {
		option = option_find(n, n->attribute[JFC_DEFAULT]);
		out.value = (option ? option : n->child)->text;
	}
	out.value = as_value(out.value);
	return out;
}

static int evaluate_control(struct jfc *j, const struct jfc_node *n, unsigned chain, struct jfc_outcome *out);

static int evaluate_test(struct jfc *j, const struct jfc_node *n, unsigned chain, struct jfc_outcome *out)
{
	const char *name = n->attribute[JFC_NAME];
	bool first = true;

	for (const struct jfc_node *c = control_next(j, NULL, name); c; c = control_next(j, c, name), first = false) {
		struct jfc_outcome of_control;
		int err = evaluate_control(j, c, chain, &of_control);

		if (err)
			return err;
		out->touched |= of_control.touched;
		if (first && of_control.value)
			out->value = strcmp(of_control.value, n->attribute[JFC_VALUE]) == 0 ? yes : no;
	}
	return 0;
}

/* Combine `value` of another child with the result so far. */
static const char *jfc_join(enum jfc_element element, const char *so_far, const char *value)
{
	const char *strong = element == JFC_AND ? no : yes;

	if (element == JFC_NOT)
		return value ? value == yes ? no : yes : NULL;
	return so_far == strong || !value ? so_far : value;
}

/* Evaluate to yes, no or NULL. Recursive, but elements do not nest deeply. */
static int evaluate(struct jfc *j, const struct jfc_node *n, unsigned chain, struct jfc_outcome *out)
{
	*out = (struct jfc_outcome){0};
	if (n->element == JFC_TEST)
		return evaluate_test(j, n, chain, out);
	for (const struct jfc_node *child = n->child; child; child = child->sibling) {
		struct jfc_outcome of_child;
		int err = evaluate(j, child, chain, &of_child);

		if (err)
			return err;
		out->touched |= of_child.touched;
		out->value = jfc_join(n->element, out->value, of_child.value);
	}
	return 0;
}

static int evaluate_condition(struct jfc *j, struct jfc_node *n, unsigned chain, struct jfc_outcome *out)
{
	int err = evaluate(j, n, chain, out);

	if (err)
		return err;
	if (out->value)
		out->value = as_value(n->attribute[out->value == yes ? JFC_TRUE : JFC_FALSE]);
	n->pass = j->pass;
	n->outcome = *out;
	return 0;
}

static int evaluate_control(struct jfc *j, const struct jfc_node *n, unsigned chain, struct jfc_outcome *out)
{
	if (is_input(n)) {
		*out = outcome_of_input(j, n);
		return 0;
	}
	if (n->pass == j->pass) {
		*out = n->outcome;
		return 0;
	}
	if (chain == MAX_CHAIN)
		return -ELOOP;
	return evaluate_condition(j, (struct jfc_node *)n, chain + 1, out);
}

int jfc_check_conditions(struct jfc *j, struct diag *d)
{
	struct jfc_outcome ignored;

	j->pass++;
	for (const struct jfc_node *n = j->first; n; n = n->next)
		if (n->element == JFC_CONDITION && evaluate_control(j, n, 0, &ignored))
			return jfc_wrong_at(
				j, n->line, n->column, d,
				"the condition '%.60s' depends on itself, or on a chain of more than %d others",
				n->attribute[JFC_NAME], MAX_CHAIN);
	return 0;
}

/* Take the value of the setting's first control that has one, if any of its controls has changed. */
static void update_setting(struct jfc *j, struct jfc_setting *s)
{
	struct jfc_outcome all = {0}, one;

	for (const struct jfc_node *c = control_next(j, NULL, s->control); c; c = control_next(j, c, s->control)) {
		if (evaluate_control(j, c, 0, &one))
			return; /* unreachable: all conditions are evaluated */
		all.touched |= one.touched;
		if (!all.value)
			all.value = one.value;
	}
	if (all.touched && all.value)
		s->value = all.value;
}

static void list_options(const struct jfc_node *selection, char *out, size_t size)
{
	size_t length = 0;

	*out = 0;
	for (const struct jfc_node *o = selection->child; o && length < size; o = o->sibling)
		length += (size_t)snprintf(out + length, size - length, "%s%.60s", length ? ", " : "",
					   o->attribute[JFC_NAME]);
}

static int check_value(const struct jfc_node *n, const char *value, struct diag *d)
{
	const char *type = n->attribute[JFC_CONTENT_TYPE], *name = n->attribute[JFC_NAME];
	char options[400];
	uint64_t ns;

	if (n->element == JFC_FLAG && strcmp(value, yes) != 0 && strcmp(value, no) != 0)
		return diag_usage(d, "wrong value '%.200s' of '%.60s': it has to be true or false", value, name);
	if (n->element == JFC_TEXT && type && strcmp(type, "timespan") == 0 && !jfc_parse_time(value, &ns))
		return diag_usage(d, "wrong value '%.200s' of '%.60s': it has to be a time, as in 20 ms", value, name);
	if (n->element != JFC_SELECTION || option_find(n, value))
		return 0;
	list_options(n, options, sizeof(options));
	return diag_usage(d, "wrong value '%.200s' of '%.60s': it has to be one of %s", value, name, options);
}

int jfc_set_control(struct jfc *j, const char *name, const char *value, struct diag *d)
{
	struct jfc_node *n = input_find(j, name);
	char *copy, **place;
	int err;

	if (!n)
		return diag_usage(d, "wrong settings '%.200s': there is no control '%.60s'", j->name, name);
	err = check_value(n, value, d);
	if (err)
		return err;
	copy = strdup(value);
	if (!copy)
		return diag_errno(d, ENOMEM, "cannot set '%.60s'", name);
	place = n->element == JFC_SELECTION ? &n->attribute[JFC_DEFAULT] : &n->text;
	free(*place);
	*place = copy;
	j->set = n;
	err = jfc_check_conditions(j, d);
	for (size_t i = 0; !err && i < j->count; i++)
		if (j->settings[i].control)
			update_setting(j, &j->settings[i]);
	return err;
}
