// SPDX-License-Identifier: BSD-2-Clause
/* Builds a tree of the known elements from expat's callbacks. Unknown elements are skipped with everything inside. */
#include "format/jfc/jfc_internal.h"
#include "format/vec.h"

#include <errno.h>
#include <expat.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_DEPTH   32
#define BIT(n)	    (1u << (n))
#define EXPRESSIONS (BIT(JFC_CONDITION) | BIT(JFC_AND) | BIT(JFC_OR) | BIT(JFC_NOT) | BIT(JFC_TEST))

static const struct element {
	const char *name;
	unsigned parents, mandatory; /* bits of elements, of attributes */
	unsigned least, most;	     /* known elements inside */
	bool has_text;
} elements[JFC_ELEMENTS] = {
	[JFC_CONFIGURATION] = {"configuration", 0, BIT(JFC_VERSION), 0, ~0u, false},
	[JFC_EVENT] = {"event", BIT(JFC_CONFIGURATION), BIT(JFC_NAME), 0, ~0u, false},
	[JFC_SETTING] = {"setting", BIT(JFC_EVENT), BIT(JFC_NAME), 0, 0, true},
	[JFC_CONTROL] = {"control", BIT(JFC_CONFIGURATION), 0, 0, ~0u, false},
	[JFC_SELECTION] = {"selection", BIT(JFC_CONTROL), BIT(JFC_NAME) | BIT(JFC_DEFAULT), 1, ~0u, false},
	[JFC_OPTION] = {"option", BIT(JFC_SELECTION), BIT(JFC_NAME), 0, 0, true},
	[JFC_TEXT] = {"text", BIT(JFC_CONTROL), BIT(JFC_NAME), 0, 0, true},
	[JFC_FLAG] = {"flag", BIT(JFC_CONTROL), BIT(JFC_NAME), 0, 0, true},
	[JFC_CONDITION] = {"condition", BIT(JFC_CONTROL), BIT(JFC_NAME), 0, 1, false},
	[JFC_AND] = {"and", EXPRESSIONS, 0, 2, ~0u, false},
	[JFC_OR] = {"or", EXPRESSIONS, 0, 2, ~0u, false},
	[JFC_NOT] = {"not", EXPRESSIONS, 0, 1, 1, false},
	[JFC_TEST] = {"test", EXPRESSIONS, BIT(JFC_NAME) | BIT(JFC_OPERATOR) | BIT(JFC_VALUE), 0, 0, false},
};

static const char *const attributes[JFC_ATTRIBUTES] = {
	[JFC_NAME] = "name",	   [JFC_OF_CONTROL] = "control",
	[JFC_VALUE] = "value",	   [JFC_OPERATOR] = "operator",
	[JFC_TRUE] = "true",	   [JFC_FALSE] = "false",
	[JFC_DEFAULT] = "default", [JFC_CONTENT_TYPE] = "contentType",
	[JFC_VERSION] = "version", [JFC_WITH_CONTEXT] = "withContext",
};

struct reader {
	XML_Parser parser;
	struct jfc *j;
	struct jfc_node *current;
	unsigned depth, skipped; /* nesting depth of known elements; of unknown ones below them */
	char *text;
	size_t length, capacity;
	struct diag *d;
	int err;
};

static void jfc_read_fail(struct reader *r, int err)
{
	r->err = err;
	XML_StopParser(r->parser, XML_FALSE);
}

static void fail_memory(struct reader *r)
{
	jfc_read_fail(r, diag_errno(r->d, ENOMEM, "cannot read '%.200s'", r->j->name));
}

#define fail_at(r, node, ...) jfc_read_fail(r, jfc_wrong_at((r)->j, (node)->line, (node)->column, (r)->d, __VA_ARGS__))

/* The kind of an element, or JFC_ELEMENTS if it is not allowed here. */
static enum jfc_element element_find(const char *name, const struct jfc_node *parent)
{
	enum jfc_element e;

	for (e = 0; e < JFC_ELEMENTS; e++)
		if (strcasecmp(elements[e].name, name) == 0 &&
		    (parent ? elements[e].parents & BIT(parent->element) : e == JFC_CONFIGURATION))
			break;
	return e;
}

static struct jfc_node *node_new(const struct reader *r, enum jfc_element element, const char **pairs)
{
	struct jfc_node *n = calloc(1, sizeof(*n));
	bool complete = n;

	if (!n)
		return NULL;
	n->element = element;
	n->line = (unsigned)XML_GetCurrentLineNumber(r->parser);
	n->column = (unsigned)XML_GetCurrentColumnNumber(r->parser) + 1;
	for (; complete && *pairs; pairs += 2)
		for (int a = 0; a < JFC_ATTRIBUTES; a++)
			if (strcmp(pairs[0], attributes[a]) == 0)
				complete &= (n->attribute[a] = strdup(pairs[1])) != NULL;
	if (complete)
		return n;
	for (int a = 0; a < JFC_ATTRIBUTES; a++)
		free(n->attribute[a]);
	free(n);
	return NULL;
}

static void node_link(struct reader *r, struct jfc_node *n)
{
	struct jfc *j = r->j;

	*(j->last ? &j->last->next : &j->first) = n;
	j->last = n;
	n->parent = r->current;
	if (!n->parent)
		return;
	*(n->parent->last_child ? &n->parent->last_child->sibling : &n->parent->child) = n;
	n->parent->last_child = n;
	n->parent->children++;
}

/* Check the attributes, so that later code can rely on them. */
static void check_attributes(struct reader *r, const struct jfc_node *n)
{
	const struct element *e = &elements[n->element];
	const char *version = n->attribute[JFC_VERSION];

	for (int a = 0; a < JFC_ATTRIBUTES && !r->err; a++)
		if ((e->mandatory & BIT(a)) && !n->attribute[a])
			fail_at(r, n, "<%s> lacks the attribute '%s'", e->name, attributes[a]);
	if (r->err)
		return;
	if (n->element == JFC_CONFIGURATION && strncmp(version, "2.", 2) != 0)
		fail_at(r, n, "the file is of version '%.40s', only 2.0 can be read", version);
	else if (n->element == JFC_TEST && strcasecmp(n->attribute[JFC_OPERATOR], "equal") != 0)
		fail_at(r, n, "<test> supports only the operator 'equal', not '%.40s'", n->attribute[JFC_OPERATOR]);
	else if (r->depth > MAX_DEPTH)
		fail_at(r, n, "elements are nested more than %d deep", MAX_DEPTH);
}

static void start_element(void *context, const char *name, const char **pairs)
{
	struct reader *r = context;
	enum jfc_element element;
	struct jfc_node *n;

	if (r->err)
		return;
	element = r->skipped ? JFC_ELEMENTS : element_find(name, r->current);
	if (element == JFC_ELEMENTS && r->current) {
		r->skipped++;
		return;
	}
	n = element == JFC_ELEMENTS ? NULL : node_new(r, element, pairs);
	if (element == JFC_ELEMENTS) {
		jfc_read_fail(r, jfc_wrong_at(r->j, (unsigned)XML_GetCurrentLineNumber(r->parser),
					      (unsigned)XML_GetCurrentColumnNumber(r->parser) + 1, r->d,
					      "it begins with <%.40s> and not with <configuration>", name));
	} else if (!n) {
		fail_memory(r);
	} else {
		node_link(r, n);
		r->current = n;
		r->depth++;
		r->length = 0;
		check_attributes(r, n);
	}
}

static void character_data(void *context, const char *text, int length)
{
	struct reader *r = context;
	size_t need = r->length + (size_t)length;

	if (r->err || r->skipped || !r->current || !elements[r->current->element].has_text)
		return;
	if (vec_reserve(&r->text, &r->capacity, need)) {
		fail_memory(r);
		return;
	}
	memcpy(r->text + r->length, text, (size_t)length);
	r->length = need;
}

static bool jfc_read_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char *jfc_read_take_text(const struct reader *r)
{
	size_t begin = 0, end = r->length;

	while (begin < end && jfc_read_is_space(r->text[begin]))
		begin++;
	while (end > begin && jfc_read_is_space(r->text[end - 1]))
		end--;
	return begin == end ? strdup("") : strndup(r->text + begin, end - begin);
}

/* Returns false without memory. */
static bool add_setting(struct jfc *j, const struct jfc_node *n)
{
	if (vec_reserve(&j->settings, &j->capacity, j->count + 1))
		return false;
	j->settings[j->count++] = (struct jfc_setting){
		.event = n->parent->attribute[JFC_NAME],
		.name = n->attribute[JFC_NAME],
		.value = n->text,
		.control = n->attribute[JFC_OF_CONTROL],
		.line = n->line,
		.column = n->column,
	};
	return true;
}

static void end_element(void *context, const char *name)
{
	struct reader *r = context;
	struct jfc_node *n = r->current;
	const struct element *e;

	if (r->err)
		return;
	if (r->skipped) {
		r->skipped--;
		return;
	}
	e = &elements[n->element];
	if (e->has_text && !(n->text = jfc_read_take_text(r)))
		fail_memory(r);
	else if (n->children < e->least || n->children > e->most)
		fail_at(r, n, "<%s> contains %u elements, it must contain %s %u", e->name, n->children,
			n->children < e->least ? "at least" : "at most", n->children < e->least ? e->least : e->most);
	else if (n->element == JFC_SETTING && !add_setting(r->j, n))
		fail_memory(r);
	r->current = n->parent;
	r->depth--;
}

/* Without a document type only XML's five entities exist, so nothing is fetched and nothing expands. */
static void start_doctype(void *context, const char *name, const char *system, const char *public_id, int internal)
{
	struct reader *r = context;

	if (!r->err)
		jfc_read_fail(r, jfc_wrong_at(r->j, (unsigned)XML_GetCurrentLineNumber(r->parser),
					      (unsigned)XML_GetCurrentColumnNumber(r->parser) + 1, r->d,
					      "a document type is not allowed"));
}

static void explain_xml(struct reader *r)
{
	enum XML_Error code = XML_GetErrorCode(r->parser);

	if (code == XML_ERROR_NO_MEMORY)
		r->err = diag_errno(r->d, ENOMEM, "cannot read '%.200s'", r->j->name);
	else
		r->err = jfc_wrong_at(r->j, (unsigned)XML_GetCurrentLineNumber(r->parser),
				      (unsigned)XML_GetCurrentColumnNumber(r->parser) + 1, r->d, "%s",
				      XML_ErrorString(code));
}

/* JFR reads each file as UTF-8, whatever the file declares. */
static int parse(struct jfc *j, const void *bytes, size_t size, struct diag *d)
{
	struct reader r = {.parser = XML_ParserCreate("UTF-8"), .j = j, .d = d};

	if (!r.parser)
		return diag_errno(d, ENOMEM, "cannot read '%.200s'", j->name);
	XML_SetUserData(r.parser, &r);
	XML_SetElementHandler(r.parser, start_element, end_element);
	XML_SetCharacterDataHandler(r.parser, character_data);
	XML_SetStartDoctypeDeclHandler(r.parser, start_doctype);
	if (XML_Parse(r.parser, bytes, (int)size, 1) != XML_STATUS_OK && !r.err)
		explain_xml(&r);
	XML_ParserFree(r.parser);
	free(r.text);
	return r.err;
}

int jfc_read(struct jfc **out, const char *name, const void *bytes, size_t size, struct diag *d)
{
	struct jfc *j = calloc(1, sizeof(*j));
	int err;

	*out = NULL;
	if (j)
		j->name = strdup(name);
	if (!j || !j->name)
		err = diag_errno(d, ENOMEM, "cannot read '%.200s'", name);
	else if (size > JFC_MAX_SIZE)
		err = diag_usage(d, "wrong settings '%.200s': a file of more than 1 MB", name);
	else
		err = parse(j, bytes, size, d);
	if (!err)
		err = jfc_check_conditions(j, d);
	if (!err)
		*out = j;
	else
		jfc_free(j);
	return err;
}

void jfc_free(struct jfc *j)
{
	struct jfc_node *n, *next;

	if (!j)
		return;
	for (n = j->first; n; n = next) {
		next = n->next;
		for (int a = 0; a < JFC_ATTRIBUTES; a++)
			free(n->attribute[a]);
		free(n->text);
		free(n);
	}
	free(j->settings);
	free(j->name);
	free(j);
}
