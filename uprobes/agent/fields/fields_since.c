// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/fields/fields_internal.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/ring.h"
#include "uprobes/agent/slot.h"

#define SINCE_LONGS (sizeof(struct frt_since) / sizeof(jlong))

static jclass longs_class; /* long[], once an array was made; a global reference */

void fields_since_release(JNIEnv *env)
{
	if (longs_class)
		(*env)->DeleteGlobalRef(env, longs_class);
	longs_class = NULL;
}

bool fields_have_from(const struct live_plan *p)
{
	for (uint32_t i = 0; i < plan_fields(&p->plan); i++)
		if (plan_field(&p->plan, i)->role == PLAN_FROM)
			return true;
	return false;
}

void fields_begin_from(JNIEnv *env, const struct frt_slot *s, struct live_plan *p, uint32_t field,
		       const struct field_value *v)
{
	uint64_t now = sys_tsc();
	struct kept_row *row;

	if (v->form != FIELD_OBJECT || !v->object)
		return;
	row = kept_open(env, p->kept, v->object, plan_field(&p->plan, field)->kept_event);
	if (!row) {
		add_relaxed(&kept_counts(p->kept)->forgotten, 1);
		return;
	}
	row->since = now;
	row->thread = slot_thread(s);
	row->number = FRT_FIELD_NUMBER(p->recording, field);
	kept_publish(env, p->kept, row);
}

static bool since_take(JNIEnv *env, struct live_plan *p, const struct plan_field *f, const struct field_value *v,
		       struct frt_since *out)
{
	struct kept_row row;

	*out = (struct frt_since){.until = sys_tsc()};
	if (!p->kept || v->form != FIELD_OBJECT || !v->object ||
	    !kept_take(env, p->kept, v->object, f->kept_event, &row))
		return false;
	out->since = row.since;
	out->thread = row.thread;
	return true;
}

/* Several threads may do this at once. */
static bool since_know_longs(JNIEnv *env, jlongArray array)
{
	jclass none = NULL, class;

	if (load_acquire(&longs_class))
		return true;
	class = jvm_keep_class(env, (*env)->GetObjectClass(env, array));
	if (class &&
	    !__atomic_compare_exchange_n(&longs_class, &none, class, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		(*env)->DeleteGlobalRef(env, class);
	return class;
}

/* Code of another plan may have put another object there. */
static bool since_is_array(JNIEnv *env, const struct field_value *v)
{
	return v->form == FIELD_OBJECT && v->object && load_acquire(&longs_class) &&
	       (*env)->IsInstanceOf(env, v->object, longs_class) &&
	       (*env)->GetArrayLength(env, v->object) == (jsize)SINCE_LONGS;
}

jobject fields_take_since(JNIEnv *env, struct live_plan *p, const struct plan_field *f, const struct field_value *v)
{
	jlong longs[SINCE_LONGS];
	struct frt_since found;
	jlongArray array;

	if (!since_take(env, p, f, v, &found))
		return NULL;
	array = (*env)->NewLongArray(env, SINCE_LONGS);
	if (jvm_threw(env) || !array || !since_know_longs(env, array)) {
		add_relaxed(&kept_counts(p->kept)->forgotten, 1);
		return NULL;
	}
	memcpy(longs, &found, sizeof(longs));
	(*env)->SetLongArrayRegion(env, array, 0, SINCE_LONGS, longs);
	return array;
}

static struct frt_field since_field(uint32_t number, uint16_t flags, const struct frt_since *found)
{
	struct frt_field r = {
		.number = number, .size = sizeof(*found), .form = FRT_FORM_SINCE, .kind = FRT_FIELD, .flags = flags};

	memcpy(r.data, found, sizeof(*found));
	return r;
}

void fields_put_since(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, struct live_plan *p,
		      const struct plan_field *f, const struct field_value *v)
{
	uint64_t words[FRT_RECORD_SIZE / 8];
	jlong longs[SINCE_LONGS] = {0};
	struct frt_since found;
	struct frt_field r;

	if (f->at_begin ? !since_is_array(env, v) : !since_take(env, p, f, v, &found)) {
		field_put_null(s, number, flags);
		return;
	}
	if (f->at_begin) {
		(*env)->GetLongArrayRegion(env, v->object, 0, SINCE_LONGS, longs);
		memcpy(&found, longs, sizeof(found));
	}
	r = since_field(number, flags, &found);
	memcpy(words, &r, sizeof(words));
	if (ring_put(s, words))
		ring_drain(s, sys_tsc());
}

struct since_end {
	struct frt_slot *s;
	uint32_t recording;
};

static void since_put_open(const struct kept_row *row, void *context)
{
	const struct since_end *e = context;
	uint64_t now = sys_tsc(), flags = FRT_SPAN_TASK | FRT_SPAN_FIELDS | FRT_SPAN_ROOT,
		 span[4] = {row->since, now - row->since, FRT_NO_METHOD}, words[FRT_RECORD_SIZE / 8];
	struct frt_since found = {.since = row->since, .until = now, .thread = row->thread};
	struct frt_field r = since_field(row->number, FRT_FIELD_LAST, &found);

	for (uint32_t i = 0; i < FRT_RECORDINGS; i++)
		flags |= i == e->recording ? 0 : FRT_SPAN_NOT(i);
	span[3] = FRT_NO_THREAD | (uint64_t)FRT_SPAN << 32 | flags << 48;
	memcpy(words, &r, sizeof(words));
	ring_append(e->s, span, now);
	ring_append(e->s, words, now);
}

void fields_put_begun(JNIEnv *env, struct live_plan *p)
{
	struct since_end e = {.s = slot_find(env) ?: slot_claim(env), .recording = p->recording};
	struct frt_recording *row = &control->recording[p->recording];
	const struct kept_counts *c = kept_counts(p->kept);

	if (e.s && (e.s->ring || ring_first(e.s, sys_tsc())))
		kept_each_begun(env, p->kept, since_put_open, &e);
	store_relaxed(&row->begun_again, load_relaxed(&c->again));
	store_relaxed(&row->begun_collected, load_relaxed(&c->collected));
	store_relaxed(&row->begun_forgotten, load_relaxed(&c->forgotten));
}
