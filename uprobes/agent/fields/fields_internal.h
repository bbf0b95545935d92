/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan as it is followed in the JVM. For the modules fields_*.c only. */
#ifndef AGENT_FIELDS_INTERNAL_H
#define AGENT_FIELDS_INTERNAL_H

#include "uprobes/agent/fields/field_search.h"
#include "uprobes/agent/fields/field_text.h"
#include "uprobes/agent/fields/fields.h"
#include "uprobes/agent/fields/kept.h"

#define LOADERS_MOST 15 /* that have a class of one name */
#define SEEN_MOST    8	/* classes of one step; objects of others are read the slow way */

/* The field that objects of one class have. */
struct seen {
	uint32_t state; /* FOUND_NOTHING, FOUND_WRITING or FOUND_FIELD */
	char type;	/* 0: they have none */
	uint8_t kind;	/* enum plan_kind */
	bool statical;
	jweak class;
	jfieldID id;
};

/* What a step has found. */
struct found {
	uint32_t state; /* FOUND_* */
	bool several;	/* of a static field: other loaders have a class of that name, too */
	jclass holder;	/* global reference to the class that declares the field */
	jfieldID id;
	struct seen seen[SEEN_MOST]; /* by a step that finds the field in the object's class */
};

enum { FOUND_NOTHING, FOUND_WRITING, FOUND_CLASS, FOUND_FIELD };

/* The loaders, by their hash codes, whose classes mean by the names of static fields what was found. */
struct meant {
	uint32_t count;
	jint loader[LOADERS_MOST]; /* 0: the boot loader */
};

struct live_plan {
	size_t size; /* of all this memory */
	struct plan plan;
	struct plan shared;	/* in the config, which the collector reads; only kinds are stored there */
	struct meant *meant;	/* one for each field */
	struct live_plan *next; /* of those that are not freed */
	uint32_t recording;
	uint16_t always; /* the set of its captures for later calls: code of an earlier plan hands over another one */
	uint32_t *outermost; /* of each method: a bit for each of its outermost events */
	struct kept_table *kept;
	struct found found[]; /* one for each step; those of the fields and the plan's bytes follow */
};

/* Where the steps of a field have come to. */
struct way {
	struct live_plan *p;
	const struct frt_slot *slot;
	const struct plan_field *field;
	uint32_t step;	/* number of the next one among the field's */
	jobject object; /* from which the step before has read */
	jfieldID id;	/* what it has read, if it has found that by its name */
};

/* The type that a method returns, from its descriptor; it may be V. Empty: there is none. */
struct slice fields_returned_type(struct slice descriptor);

/* fields_captures() of one plan. */
uint32_t fields_plan_captures(struct live_plan *p, bool for_later, const struct fields_method *m, struct capture *to,
			      uint32_t room);

/*
 * The captures of a class that is loaded later, by the fields for such classes that are, or are not, for later calls; see
 * fields_captures().
 */
uint32_t fields_late_captures(uint32_t recording, struct live_plan *p, bool for_later, const struct fields_method *m,
			      struct capture *to, uint32_t room);

/* Values for later calls with the same object. False: the JVM has no memory for them. */
bool fields_kept_begin(struct live_plan *p);
void fields_kept_end(JNIEnv *env, struct live_plan *p);

/* A value of a field that is for later. `last`: the call has no more of this event. */
void fields_keep(JNIEnv *env, struct frt_slot *s, struct live_plan *p, const struct plan_field *f,
		 const struct field_value *v, bool last);

/* Write what an earlier call has kept with the object, or that it is not known. */
void fields_recall(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, struct live_plan *p,
		   const struct plan_field *f, const struct field_value *v);

/*
 * Events between two calls with one object. The first call notes the object, and when it has it. The second one finds that
 * either at its begin, and hands it over in an array, which is a local variable of the call until it ends; or at its end, and
 * writes it at once. The end of the recording writes what no second call has found.
 */
bool fields_have_from(const struct live_plan *p);
void fields_since_release(JNIEnv *env); /* as fields_release() */
void fields_begin_from(JNIEnv *env, const struct frt_slot *s, struct live_plan *p, uint32_t field,
		       const struct field_value *v);
jobject fields_take_since(JNIEnv *env, struct live_plan *p, const struct plan_field *f, const struct field_value *v);
void fields_put_begun(JNIEnv *env, struct live_plan *p); /* what has not ended, and the counts of what will not */
void fields_put_since(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, struct live_plan *p,
		      const struct plan_field *f, const struct field_value *v);

/* What a field's value is. */
enum plan_kind fields_kind(const struct plan *p, const struct plan_field *f);

/* Outermost events: a call inside another one of the same event makes none. False: the JVM has no memory for them. */
bool fields_nesting_begin(struct live_plan *p);
void fields_nesting_end(struct live_plan *p);

/* The method has the event of this field, if that is such a one. */
void fields_nesting_note(const struct live_plan *p, const struct plan_field *f, uint32_t method);

/*
 * Is the call that begins, or has just ended, the outermost one of the field's event on its thread? PLAN_IS_OUTERMOST for all
 * other events.
 */
enum plan_nesting fields_nesting_ask(JNIEnv *env, const struct live_plan *p, const struct plan_field *f,
				     const struct frt_slot *s, bool begins);

/*
 * Find the classes of static fields, and who means them. Several loaders may have classes of one name: then a step has
 * values only in the methods of some.
 */
void fields_static_find(JNIEnv *env, struct live_plan *p);

/*
 * True if a class of this loader means the classes of the field's static fields that were found, or if it has none. A class
 * that is loaded later is not known, and has no values of static fields.
 */
bool fields_static_is_meant(const struct live_plan *p, uint32_t field, jobject loader);

/*
 * The field by the name of the next step that objects of class `c` have; of type 0 if there is none, or if that is not known:
 * the JVM does not tell, or there are several and the program may mean each.
 */
struct found_field fields_find_named(JNIEnv *env, const struct way *w, jclass c);

#endif
