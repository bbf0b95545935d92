/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Layout of the plan of a recording's events: which values the agent reads in which methods. The collector creates it
 * (-e) and the agent follows it inside the JVM:
 *
 *	header | fields | steps | texts
 *
 * A field is one value: where it begins, the steps from there, and the kind of the result. A step reads a field of an
 * object, or a static one, or the length of an array or a text. Offsets of texts are relative to the plan; names are as
 * in class files. plan.c is freestanding and checks every offset.
 *
 * A field is of one method, by its names, or of those that a filter selects in classes that are loaded later. The agent
 * finds in their class files what the collector cannot know: which local variable a parameter is, and what kind the value
 * is. It stores the kind into the plan in the config, before the first call. The first class decides, even if it gets no
 * hooks later. Such fields stand in groups, one group for each value. The first field of a group that a method has applies:
 * a name may be that of a parameter or of a field. The last field of a group means that there is nothing of that name.
 */
#ifndef FILTERS_PLAN_H
#define FILTERS_PLAN_H

#include "filters/matcher.h"
#include "format/slice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_MAGIC     0x314e4c50u /* "PLN1" */
#define PLAN_FIELDS    4094u	   /* at most; their numbers have 12 bits, and the last two are not of fields */
#define PLAN_STEPS     16u	   /* of one field */
#define PLAN_KEY_VALUE 0xfffeu	   /* the number of a key, which is no value */

struct plan_header {
	uint32_t magic, size;
	uint32_t fields, steps;
	uint32_t text; /* characters of a text that are kept */
	uint32_t reserved;
};

/* PLAN_NESTING: no value of the program, but whether the call is the event's outermost one, or an event at all. */
enum plan_source { PLAN_PARAMETER, PLAN_THIS, PLAN_RETURN, PLAN_EXCEPTION, PLAN_STATIC, PLAN_NESTING, PLAN_SOURCES };

#define PLAN_OUTERMOST 32u /* at most this many outermost events */
enum plan_nesting { PLAN_INNER, PLAN_IS_OUTERMOST, PLAN_NESTING_UNKNOWN };

/* What a value is. Boxes are unboxed; a null, or an object of another kind, is no value. */
enum plan_kind {
	PLAN_BOOLEAN,
	PLAN_BYTE,
	PLAN_CHAR,
	PLAN_SHORT,
	PLAN_INT,
	PLAN_LONG,
	PLAN_FLOAT,
	PLAN_DOUBLE,
	PLAN_TEXT, /* of a String, the name of an enum constant, of a class or a thread, a box's value; else of its class */
	PLAN_CLASS, /* the name of a class object, or of the object's class */
	PLAN_KINDS  /* of a field for classes that are loaded later: not known yet */
};

/* What a field is for. */
enum plan_role {
	PLAN_VALUE, /* a value of the event */
	PLAN_KEY,   /* the object by which later calls find what PLAN_KEPT fields of the event keep, that follow it */
	PLAN_KEPT,  /* a value that is kept with it, also if the call is not recorded; it has the value's number */
	PLAN_RECALLED, /* a value of the event, which an earlier call has kept with the object that is at the end of the steps */
	/* Of an event between two calls: the object of the first one, which begins it, and of the second one, which ends it */
	PLAN_FROM,
	PLAN_SINCE,
	PLAN_ROLES
};

struct plan_text {
	uint32_t at, length;
};

struct plan_field {
	struct plan_text class_name, method, descriptor; /* of the method */
	struct plan_text
		filter; /* or a compiled one (filters/program.h), for classes that are loaded later; else empty */
	struct plan_text word; /* of a parameter: argN, or with a filter its name */
	uint32_t first, steps;
	uint16_t source, kind;
	uint16_t local;	       /* slot of a parameter */
	uint16_t type;	       /* I, J, F, D or L: of the parameter or the returned value */
	uint16_t event, value; /* number of the event, and of the value among its fields */
	uint16_t kind_at;    /* number of the field whose kind counts: with a filter, all fields of one type share it */
	uint8_t alternative; /* of those that are read for one value */
	uint8_t at_begin;    /* it is read at the call's begin; it leads from a parameter or `this` to an object */
	uint8_t outermost;   /* number of the event among the outermost ones, from 1 on; 0: all its calls count */
	uint8_t any_kind;    /* the value is read as what it is; the kind is PLAN_TEXT */
	uint8_t role;	     /* enum plan_role */
	uint8_t reserved;
	uint16_t kept_event, kept_value; /* PLAN_RECALLED: whose. PLAN_KEY, PLAN_FROM, PLAN_SINCE: the event */
};

/* FIND: the field of that name that the object's class has; NOTHING: there is no such value. */
enum plan_step_kind { PLAN_GET, PLAN_GET_STATIC, PLAN_LENGTH, PLAN_FIND, PLAN_NOTHING };

struct plan_step {
	struct plan_text class_name, name, descriptor; /* of the field */
	uint32_t kind;
	uint32_t reserved;
};

struct plan {
	const void *bytes; /* NULL: there are no events */
	size_t size;
};

/* False if this is no plan, or one whose offsets are wrong. */
bool plan_valid(const struct plan *p);

static inline uint32_t plan_fields(const struct plan *p)
{
	return p->bytes ? ((const struct plan_header *)p->bytes)->fields : 0;
}

static inline const struct plan_field *plan_field(const struct plan *p, uint32_t i)
{
	return (const struct plan_field *)((const struct plan_header *)p->bytes + 1) + i;
}

static inline const struct plan_step *plan_step(const struct plan *p, uint32_t i)
{
	return (const struct plan_step *)plan_field(p, plan_fields(p)) + i;
}

static inline struct slice plan_text(const struct plan *p, const struct plan_text *t)
{
	return (struct slice){(const char *)p->bytes + t->at, t->length};
}

/* True if the field is for classes that are loaded later. */
static inline bool plan_is_late(const struct plan_field *f)
{
	return f->filter.length;
}

/* Is the field read at the end of each call that returns, also if the call is not recorded? */
static inline bool plan_is_for_later(const struct plan_field *f)
{
	return f->role == PLAN_KEY || f->role == PLAN_KEPT || f->role == PLAN_FROM;
}

static inline bool plan_needs_object(const struct plan_field *f)
{
	return f->role == PLAN_RECALLED || f->role == PLAN_FROM || f->role == PLAN_SINCE;
}

/* Does it stand at the beginning of what one event keeps for later calls? */
static inline bool plan_is_key(const struct plan_field *f)
{
	return f->role == PLAN_KEY || f->role == PLAN_FROM;
}

/* Do two fields read one value of one event, and of it one alternative, in different ways? */
static inline bool plan_same_value(const struct plan_field *a, const struct plan_field *b)
{
	return a->event == b->event && a->value == b->value && a->alternative == b->alternative;
}

/* The compiled filter of a field for classes that are loaded later. */
static inline struct matcher plan_filter(const struct plan *p, const struct plan_field *f)
{
	return (struct matcher){(const char *)p->bytes + f->filter.at, f->filter.length};
}

/*
 * Does a filter select a method? With `threshold_ns` not NULL, this gets its threshold or MATCHER_NO_THRESHOLD. Filters by
 * supertype or annotation select nothing here.
 */
bool plan_filter_takes(const struct matcher *filter, struct slice class_name, struct slice method,
		       struct slice descriptor, uint16_t access, uint64_t *threshold_ns);

/* The kind of a value of the type that a descriptor names. */
enum plan_kind plan_kind_of(struct slice type);

/* The number of argN; -1: the word is none. */
int plan_argument_number(struct slice word);

/* True if the type has a length: an array, or a String. */
bool plan_has_length(struct slice type);

/* True if the field is one of that method. */
bool plan_is_of(const struct plan *p, const struct plan_field *f, struct slice class_name, struct slice method,
		struct slice descriptor);

#endif
