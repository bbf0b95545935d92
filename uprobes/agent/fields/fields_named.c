// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where the plan does not say which class declares a field, the object's own class is asked, and what it has is kept for
 * objects of exactly that class. That reference is weak, so that the class can be unloaded; IsSameObject() may be asked about
 * one that has been. A name that several classes of an object declare is not kept: which field is meant depends on the type
 * that the program knows the object by.
 */
#include "uprobes/agent/fields/fields_internal.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/ring.h"

static struct slice text_of(uint32_t at)
{
	uint16_t length;

	memcpy(&length, control_at(FRT_STRINGS_AT + (uint64_t)at), sizeof(length));
	return (struct slice){(const char *)control_at(FRT_STRINGS_AT + (uint64_t)at + 2), length};
}

/* The method of the call whose values are being read: its span is the last one in the ring. */
static const struct frt_method *recorded_method(const struct frt_slot *s)
{
	for (uint64_t back = FRT_RECORD_SIZE; back <= ring_size(s) && back <= s->head; back += FRT_RECORD_SIZE) {
		const struct frt_span *span = (const void *)(ring_at(s) + ((s->head - back) & (ring_size(s) - 1)));

		if (span->kind == FRT_SPAN)
			return span->method < FRT_MAX_METHODS ? control_method_row(span->method) : NULL;
	}
	return NULL;
}

/* The type that the program knows the first object by. Empty: not known. */
static struct slice first_type(const struct way *w)
{
	const struct plan *p = &w->p->plan;
	const struct plan_field *f = w->field;
	struct class_method m = {.descriptor = plan_text(p, &f->descriptor)};
	struct slice class_name = plan_text(p, &f->class_name), type = {"", 0};
	const struct frt_method *row = plan_is_late(f) ? recorded_method(w->slot) : NULL;
	int n = plan_argument_number(plan_text(p, &f->word));
	uint16_t slot;

	if (plan_is_late(f) && (!row || f->at_begin)) /* at the entry the call has no span yet */
		return type;
	if (row) {
		m.descriptor = text_of(row->descriptor);
		class_name = text_of(control_class_row(row->class_id)->name);
	}
	switch (f->source) {
	case PLAN_THIS: return class_name;
	case PLAN_EXCEPTION: return slice_of("java/lang/Throwable");
	case PLAN_RETURN: type = fields_returned_type(m.descriptor); break;
	case PLAN_PARAMETER:
		if (n < 0 || !class_parameter(&m, n, &type, &slot))
			type.length = 0;
		break;
	default: break;
	}
	return type;
}

/* "La/B;" as "a/B". */
static struct slice name_in(struct slice type)
{
	if (type.length < 3 || type.at[0] != 'L' || type.at[type.length - 1] != ';')
		return type;
	return (struct slice){type.at + 1, type.length - 2};
}

/* The same of any step: its class goes to `name`. False: it is not known, or too long. */
static bool known_as(JNIEnv *env, const struct way *w, char *name, size_t size)
{
	const struct plan *p = &w->p->plan;
	struct slice type;
	char *read = NULL;
	jclass c;

	if (!w->step) {
		type = first_type(w);
	} else if (plan_step(p, w->field->first + w->step - 1)->kind == PLAN_FIND) {
		c = (*env)->GetObjectClass(env, w->object);
		if ((*jvmti)->GetFieldName(jvmti, c, w->id, NULL, &read, NULL))
			read = NULL;
		(*env)->DeleteLocalRef(env, c);
		type = slice_of(read);
	} else {
		type = plan_text(p, &plan_step(p, w->field->first + w->step - 1)->descriptor);
	}
	type = name_in(type);
	if (type.length && type.length < size) {
		memcpy(name, type.at, type.length);
		name[type.length] = 0;
	}
	jvm_free(read);
	return type.length && type.length < size;
}

static const struct seen *find_seen(JNIEnv *env, const struct found *f, jclass c)
{
	for (uint32_t i = 0; i < SEEN_MOST; i++) {
		uint32_t state = load_acquire(&f->seen[i].state);

		if (state == FOUND_NOTHING)
			break;
		if (state == FOUND_FIELD && (*env)->IsSameObject(env, f->seen[i].class, c))
			return &f->seen[i];
	}
	return NULL;
}

/* A class takes one place: what another thread is writing may be of the same one, and a later object will tell. */
static void keep_seen(JNIEnv *env, struct found *f, jclass c, const struct found_field *n)
{
	for (uint32_t i = 0; i < SEEN_MOST; i++) {
		struct seen *s = &f->seen[i];
		uint32_t state = FOUND_NOTHING;

		if (!__atomic_compare_exchange_n(&s->state, &state, FOUND_WRITING, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_ACQUIRE)) {
			if (state == FOUND_WRITING || (*env)->IsSameObject(env, s->class, c))
				return;
			continue;
		}
		s->class = (*env)->NewWeakGlobalRef(env, c);
		jvm_threw(env);
		s->id = n->id;
		s->type = n->type;
		s->kind = n->kind;
		s->statical = n->statical;
		store_release(&s->state, s->class ? FOUND_FIELD : FOUND_NOTHING);
		return;
	}
}

struct found_field fields_find_named(JNIEnv *env, const struct way *w, jclass c)
{
	uint32_t step = w->field->first + w->step;
	struct slice name = plan_text(&w->p->plan, &plan_step(&w->p->plan, step)->name);
	const struct seen *seen = find_seen(env, &w->p->found[step], c);
	struct found_field n = {.type = 0};
	bool own =
		w->field->source == PLAN_THIS && !w->step; /* a method's own name for a field may mean a static one */
	char type[FRT_FIELD_TEXT_MAX];
	int declared;

	if (seen)
		return (struct found_field){
			.id = seen->id, .type = seen->type, .kind = seen->kind, .statical = seen->statical};
	declared = field_search(env, c, name, own, NULL, &n);
	if (declared == 0 || declared == 1)
		keep_seen(env, &w->p->found[step], c, &n);
	else if (declared < 0 || !known_as(env, w, type, sizeof(type)) || field_search(env, c, name, own, type, &n) < 0)
		n = (struct found_field){.unknown = true};
	n.is_new = true;
	return n;
}
