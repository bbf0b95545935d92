/* SPDX-License-Identifier: BSD-2-Clause */
/* The parsed elements of a settings file, for format/jfc/ only. */
#ifndef FORMAT_JFC_JFC_INTERNAL_H
#define FORMAT_JFC_JFC_INTERNAL_H

#include "format/jfc/jfc.h"

enum jfc_element {
	JFC_CONFIGURATION,
	JFC_EVENT,
	JFC_SETTING,
	JFC_CONTROL,
	JFC_SELECTION,
	JFC_OPTION,
	JFC_TEXT,
	JFC_FLAG,
	JFC_CONDITION,
	JFC_AND,
	JFC_OR,
	JFC_NOT,
	JFC_TEST,
	JFC_ELEMENTS
};

enum jfc_attribute {
	JFC_NAME,
	JFC_OF_CONTROL,
	JFC_VALUE,
	JFC_OPERATOR,
	JFC_TRUE,
	JFC_FALSE,
	JFC_DEFAULT,
	JFC_CONTENT_TYPE,
	JFC_VERSION,
	JFC_WITH_CONTEXT,
	JFC_ATTRIBUTES
};

/* The result of a control or an expression. */
struct jfc_outcome {
	const char *value; /* NULL: no value */
	bool touched;	   /* it depends on the control being set */
};

struct jfc_node {
	enum jfc_element element;
	unsigned line, column;
	char *attribute[JFC_ATTRIBUTES]; /* NULL: missing */
	char *text;			 /* of setting, option, text, flag: stripped, never NULL */
	struct jfc_node *parent, *child, *last_child, *sibling;
	unsigned children;
	struct jfc_node *next;	    /* all elements of a file, in order */
	unsigned pass;		    /* the pass in which `outcome` was computed */
	struct jfc_outcome outcome; /* of a condition */
};

struct jfc {
	char *name;
	struct jfc_node *first, *last;
	struct jfc_setting *settings;
	size_t count, capacity;
	unsigned pass;		    /* incremented each time the controls are evaluated */
	const struct jfc_node *set; /* the control being set */
};

/*
 * Start a new pass: evaluate all conditions once, in file order. A condition that depends on itself is a usage
 * error.
 */
int jfc_check_conditions(struct jfc *j, struct diag *d);

/* True if there is a control of this name, of any kind. */
bool jfc_names_control(const struct jfc *j, const char *name);

/* Write a message with a place. */
int jfc_wrong_at(const struct jfc *j, unsigned line, unsigned column, struct diag *d, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#endif
