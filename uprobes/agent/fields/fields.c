// SPDX-License-Identifier: BSD-2-Clause
/*
 * The records of a call follow its span in the thread's ring, and nothing else of the thread comes between: the values
 * run no Java code. So whoever reads the stream in order cannot mix two calls.
 *
 * A field id is valid for objects of one class only. It is kept with a reference to the class that declares the field,
 * and each object is asked whether it is an instance. An object of a class of the same name, of another loader, is read
 * the slow way. The end of the recording deletes the references: it waits until no thread is inside, which each thread
 * shows in a word of its own.
 */
#include "uprobes/agent/fields/fields_internal.h"
#include "uprobes/agent/inside.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/ring.h"
#include "uprobes/agent/slot.h"

#define WAIT_MS	   2000
#define LEFT_STEPS 6 /* whose local references the JVM frees when the native method returns: a call less for each */

static struct live_plan *plans[FRT_RECORDINGS];
static struct live_plan *old_plans; /* that a thread did not leave in time */
static uint32_t thrown_classes;	    /* the recordings that want them: bits */
static uint32_t askers;		    /* threads in fields_captures() */

/* 1 while the slot's thread uses a plan. A cache line each, so that threads do not disturb each other. */
static struct {
	uint32_t busy;
} __attribute__((aligned(64))) users[FRT_MAX_SLOTS];

void fields_release(JNIEnv *env)
{
	field_text_release(env);
	fields_since_release(env);
}

/* ---- the plan */

/* Returns 0, FRT_BAD_CONFIG, or FRT_JVMTI_FAILED without memory. */
static enum frt_result copy_plan(const struct frt_config *config, struct live_plan **out)
{
	uint64_t at = (config->pattern_size + 7ull) / 8 * 8, size = config->plan_size,
		 limit = FRT_CONFIG_SIZE - sizeof(*config);
	const struct plan_header *h = (const void *)((const char *)(config + 1) + at);
	struct live_plan *p;
	uint64_t steps, fields, memory;

	if (at > limit || size > limit - at || size < sizeof(*h))
		return FRT_BAD_CONFIG;
	steps = load_relaxed(&h->steps);
	fields = load_relaxed(&h->fields);
	if (steps > PLAN_FIELDS * PLAN_STEPS || fields > PLAN_FIELDS)
		return FRT_BAD_CONFIG;
	memory = sizeof(*p) + steps * sizeof(p->found[0]) + (fields + 1) / 2 * 2 * sizeof(p->meant[0]) + size;
	p = sys_map(memory);
	if (!p)
		return FRT_JVMTI_FAILED;
	*out = p;
	p->size = memory;
	p->meant = (struct meant *)&p->found[steps];
	p->plan = (struct plan){&p->meant[(fields + 1) / 2 * 2], size};
	p->shared = (struct plan){h, size};
	memcpy(&p->meant[(fields + 1) / 2 * 2], h, size);
	if (plan_valid(&p->plan) && ((const struct plan_header *)p->plan.bytes)->steps == steps &&
	    plan_fields(&p->plan) == fields)
		return FRT_DONE;
	sys_unmap(p, memory);
	return FRT_BAD_CONFIG;
}

enum frt_result fields_begin(JNIEnv *env, uint32_t recording)
{
	static uint32_t made;
	const struct frt_config *config = control_config(recording);
	struct frt_recording *row = &control->recording[recording];
	enum frt_result result;
	struct live_plan *p;

	fields_end(env, recording);
	row->begun_again = row->begun_collected = row->begun_forgotten = 0;
	if (config->flags & FRT_CONFIG_THROWN_CLASS && field_text_init(env))
		thrown_classes |= 1u << recording;
	if (!config->plan_size)
		return FRT_DONE;
	result = field_text_init(env) ? copy_plan(config, &p) : FRT_JVMTI_FAILED;
	if (result)
		return result;
	p->recording = recording;
	p->always = CAPTURE_ALWAYS | (made++ & 0x3ff) << 5;
	if (!fields_nesting_begin(p) || !fields_kept_begin(p)) {
		fields_nesting_end(p);
		sys_unmap(p, p->size);
		return FRT_JVMTI_FAILED;
	}
	fields_static_find(env, p);
	store_release(&plans[recording], p);
	return FRT_DONE;
}

/* Has each thread been outside once since the plan is gone? Those that come later find none. */
static bool all_left(int patience_ms)
{
	for (uint32_t i = 0; i <= FRT_MAX_SLOTS; i++)
		while (__atomic_load_n(i < FRT_MAX_SLOTS ? &users[i].busy : &askers, __ATOMIC_SEQ_CST)) {
			if (!patience_ms--)
				return false;
			sys_sleep_ms(1);
		}
	return true;
}

static void forget_found(JNIEnv *env, struct found *f)
{
	if (f->holder)
		(*env)->DeleteGlobalRef(env, f->holder);
	for (uint32_t i = 0; i < SEEN_MOST; i++)
		if (f->seen[i].class)
			(*env)->DeleteWeakGlobalRef(env, f->seen[i].class);
}

static void free_plan(JNIEnv *env, struct live_plan *p)
{
	for (uint32_t n = 0; n < ((const struct plan_header *)p->plan.bytes)->steps; n++)
		forget_found(env, &p->found[n]);
	fields_nesting_end(p);
	fields_kept_end(env, p);
	sys_unmap(p, p->size);
}

static void free_old_plans(JNIEnv *env)
{
	struct live_plan *next;

	if (!old_plans || !all_left(0))
		return;
	for (struct live_plan *p = old_plans; p; p = next) {
		next = p->next;
		free_plan(env, p);
	}
	old_plans = NULL;
}

void fields_finish(JNIEnv *env, uint32_t recording)
{
	struct live_plan *p = plans[recording];

	if (p && fields_have_from(p))
		fields_put_begun(env, p);
}

/* If a thread does not leave, the memory stays until the next time: better than a crash. */
void fields_end(JNIEnv *env, uint32_t recording)
{
	struct live_plan *p = plans[recording];

	thrown_classes &= ~(1u << recording);
	free_old_plans(env);
	if (!p)
		return;
	__atomic_store_n(&plans[recording], NULL, __ATOMIC_SEQ_CST);
	if (all_left(WAIT_MS)) {
		free_plan(env, p);
	} else {
		p->next = old_plans;
		old_plans = p;
	}
}

uint32_t fields_thrown(uint32_t recordings, struct capture *to)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		if (recordings & thrown_classes & 1u << r)
			to[n++] = (struct capture){
				.source = CAPTURE_THROWN, .type = 'L', .number = FRT_FIELD_NUMBER(r, FRT_FIELD_THROWN)};
	return n;
}

uint32_t fields_captures(uint32_t recordings, bool for_later, const struct fields_method *m, struct capture *to,
			 uint32_t room)
{
	uint32_t n = 0;

	__atomic_fetch_add(&askers, 1, __ATOMIC_SEQ_CST);
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++) {
		struct live_plan *p = recordings >> r & 1 ? load_acquire(&plans[r]) : NULL;

		if (p)
			n += fields_plan_captures(p, for_later, m, to + n, room - n);
	}
	__atomic_fetch_sub(&askers, 1, __ATOMIC_SEQ_CST);
	return n;
}

/* ---- reading */

/* The class that declares the field, among the object's class and those above it; a local reference, or NULL. */
static jclass find_holder(JNIEnv *env, jobject object, struct slice name)
{
	jclass c = (*env)->GetObjectClass(env, object), above;

	while (c && !field_class_is(c, name)) {
		above = (*env)->GetSuperclass(env, c);
		(*env)->DeleteLocalRef(env, c);
		c = above;
	}
	return c;
}

/* GetFieldID initialises the class, which must not happen here. */
static bool is_initialized(jclass c)
{
	jint status;

	return !(*jvmti)->GetClassStatus(jvmti, c, &status) && status & JVMTI_CLASS_STATUS_INITIALIZED;
}

static jfieldID field_id(JNIEnv *env, const struct live_plan *p, const struct plan_step *s, jclass holder)
{
	const char *name = plan_text(&p->plan, &s->name).at, *type = plan_text(&p->plan, &s->descriptor).at;
	jfieldID id = NULL;

	if (is_initialized(holder))
		id = s->kind == PLAN_GET_STATIC ? (*env)->GetStaticFieldID(env, holder, name, type)
						: (*env)->GetFieldID(env, holder, name, type);
	jvm_threw(env);
	return id;
}

/* Keep what was found, if nobody else has. */
static void keep_found(JNIEnv *env, struct found *f, jclass holder, jfieldID id)
{
	uint32_t nothing = FOUND_NOTHING;

	if (!__atomic_compare_exchange_n(&f->state, &nothing, FOUND_WRITING, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	f->holder = (*env)->NewGlobalRef(env, holder);
	f->id = id;
	store_release(&f->state, f->holder ? FOUND_FIELD : FOUND_NOTHING);
}

/* The id of an object's field. NULL: it has none. */
static jfieldID object_field(JNIEnv *env, struct live_plan *p, uint32_t step, jobject object)
{
	const struct plan_step *s = plan_step(&p->plan, step);
	struct found *f = &p->found[step];
	jfieldID id = NULL;
	jclass holder;

	if (load_acquire(&f->state) == FOUND_FIELD && (*env)->IsInstanceOf(env, object, f->holder))
		return f->id;
	holder = find_holder(env, object, plan_text(&p->plan, &s->class_name));
	if (!holder)
		return NULL;
	id = field_id(env, p, s, holder);
	if (id)
		keep_found(env, f, holder, id);
	(*env)->DeleteLocalRef(env, holder);
	return id;
}

static jfieldID static_field(JNIEnv *env, struct live_plan *p, uint32_t step)
{
	struct found *f = &p->found[step];
	jfieldID id;

	if (load_acquire(&f->state) == FOUND_FIELD)
		return f->id;
	if (f->state != FOUND_CLASS)
		return NULL;
	id = field_id(env, p, plan_step(&p->plan, step), f->holder);
	if (id) { /* whoever else does this stores the same */
		store_relaxed(&f->id, id);
		store_release(&f->state, FOUND_FIELD);
	}
	return id;
}

/* Read a field of an object, or of a class if it is static. */
static struct field_value read_field(JNIEnv *env, bool statical, jobject from, jfieldID id, char type)
{
#define READ(kind) (statical ? (*env)->GetStatic##kind##Field(env, from, id) : (*env)->Get##kind##Field(env, from, id))
	switch (type) {
	case 'Z': return field_integer(READ(Boolean));
	case 'B': return field_integer(READ(Byte));
	case 'C': return field_integer(READ(Char));
	case 'S': return field_integer(READ(Short));
	case 'I': return field_integer(READ(Int));
	case 'J': return field_integer(READ(Long));
	case 'F': return field_float(READ(Float));
	case 'D': return field_double(READ(Double));
	default: return field_object(READ(Object));
	}
#undef READ
}

static bool is_array(JNIEnv *env, jobject o)
{
	jclass c = (*env)->GetObjectClass(env, o);
	jboolean yes = JNI_FALSE;
	bool known = !(*jvmti)->IsArrayClass(jvmti, c, &yes);

	(*env)->DeleteLocalRef(env, c);
	return known && yes;
}

/* Code that an earlier recording has rewritten may still hand over what that recording wanted: the object is asked. */
static struct field_value length_of(JNIEnv *env, jobject o)
{
	if (field_text_is_string(env, o))
		return field_integer((*env)->GetStringLength(env, o));
	return is_array(env, o) ? field_integer((*env)->GetArrayLength(env, o)) : field_object(NULL);
}

enum plan_kind fields_kind(const struct plan *p, const struct plan_field *f)
{
	return __atomic_load_n(&plan_field(p, f->kind_at)->kind, __ATOMIC_ACQUIRE);
}

/* The last step has to give what the event's type has, if that is more than a text. */
static bool is_of_kind(const struct way *w, enum plan_kind kind)
{
	enum plan_kind wanted = fields_kind(&w->p->plan, w->field);

	return w->step + 1 < w->field->steps || w->field->role == PLAN_RECALLED || wanted == PLAN_TEXT ||
	       wanted == kind;
}

static void drop_reference(JNIEnv *env, const struct way *w, jobject o)
{
	if (w->step >= LEFT_STEPS)
		(*env)->DeleteLocalRef(env, o);
}

static struct field_value step_by_name(JNIEnv *env, struct way *w, jobject object)
{
	const struct plan_step *s = plan_step(&w->p->plan, w->field->first + w->step);
	struct slice name = plan_text(&w->p->plan, &s->name);
	bool length = slice_is(name, "length");
	struct field_value v;
	struct found_field n;
	jclass c;

	if (length && (field_text_is_string(env, object) || is_array(env, object)))
		return is_of_kind(w, PLAN_INT) ? length_of(env, object) : field_absent(NULL);
	c = (*env)->GetObjectClass(env, object);
	n = fields_find_named(env, w, c);
	v = field_absent(n.unknown ? NULL : c);
	v.wanted = n.is_new ? name : (struct slice){NULL, 0};
	if (n.unknown || !n.type || !is_of_kind(w, n.kind))
		return v;
	w->id = n.id;
	v = read_field(env, n.statical, n.statical ? c : object, n.id, n.type);
	drop_reference(env, w, c);
	if (n.type == 'Z' || n.type == 'C')
		v.form = n.type == 'Z' ? FIELD_BOOLEAN : FIELD_CHAR;
	return v;
}

/* One step from an object, which may be NULL for a static field only. */
static struct field_value step_from(JNIEnv *env, struct way *w, jobject object)
{
	struct live_plan *p = w->p;
	uint32_t step = w->field->first + w->step;
	const struct plan_step *s = plan_step(&p->plan, step);
	struct slice type = plan_text(&p->plan, &s->descriptor);
	jfieldID id;

	if (s->kind == PLAN_NOTHING)
		return field_absent(NULL);
	if (s->kind == PLAN_GET_STATIC) {
		id = static_field(env, p, step);
		return id ? read_field(env, true, p->found[step].holder, id, type.at[0]) : field_object(NULL);
	}
	if (!object)
		return field_object(NULL);
	if (s->kind == PLAN_LENGTH)
		return length_of(env, object);
	if (s->kind == PLAN_FIND)
		return step_by_name(env, w, object);
	id = object_field(env, p, step, object);
	return id ? read_field(env, false, object, id, type.at[0]) : field_object(NULL);
}

/* Follow the steps of a field. */
static struct field_value follow(JNIEnv *env, struct way *w, struct field_value v)
{
	struct field_value next;

	for (; w->step < w->field->steps && v.form != FIELD_ABSENT; w->step++) {
		next = v.form == FIELD_OBJECT ? step_from(env, w, v.object) : field_absent(NULL);
		if (w->object)
			drop_reference(env, w, w->object);
		w->object = v.form == FIELD_OBJECT ? v.object : NULL;
		v = next;
	}
	return v;
}

/* What was read at the entry has come to the end of its steps. */
static void put_planned(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, struct field_value v)
{
	uint32_t recording = FRT_FIELD_RECORDING(number), index = FRT_FIELD_INDEX(number);
	uint32_t *busy = &users[s - control_slot(0)].busy;
	struct live_plan *p;

	__atomic_store_n(busy, 1, __ATOMIC_SEQ_CST); /* before the plan is read */
	p = load_acquire(&plans[recording]);
	if (p && index < plan_fields(&p->plan)) {
		const struct plan_field *f = plan_field(&p->plan, index);
		enum plan_nesting nesting = fields_nesting_ask(env, p, f, s, false);

		if (f->source == PLAN_NESTING)
			v = field_integer(nesting);
		else if (nesting != PLAN_IS_OUTERMOST)
			v = field_object(NULL);
		else if (!f->at_begin)
			v = follow(env, &(struct way){.p = p, .slot = s, .field = f}, v);
		if (f->role == PLAN_RECALLED)
			fields_recall(env, s, number, flags, p, f, &v);
		else if (f->role == PLAN_SINCE)
			fields_put_since(env, s, number, flags, p, f, &v);
		else
			field_text_put(env, s, number, flags, fields_kind(&p->plan, f),
				       ((const struct plan_header *)p->plan.bytes)->text, &v);
	} else if (flags) {
		field_put_null(s, number, flags);
	}
	store_release(busy, 0);
}

/* A value of a call that has returned, and that later calls may ask for. */
static __attribute__((noinline)) void put_for_later(JNIEnv *env, uint32_t set, uint32_t number, struct field_value v)
{
	uint32_t index = FRT_FIELD_INDEX(number), *busy;
	struct frt_slot *s;
	struct live_plan *p;

	if (!load_relaxed(&plans[FRT_FIELD_RECORDING(number)])) /* the code is older than the end of its recording */
		return;
	s = slot_find(env) ?: slot_claim(env);
	if (!s)
		return;
	busy = &users[s - control_slot(0)].busy;
	__atomic_store_n(busy, 1, __ATOMIC_SEQ_CST); /* before the plan is read */
	p = load_acquire(&plans[FRT_FIELD_RECORDING(number)]);
	if (p && p->always == set && index < plan_fields(&p->plan) && plan_is_for_later(plan_field(&p->plan, index))) {
		const struct plan_field *f = plan_field(&p->plan, index);

		if (!f->at_begin)
			v = follow(env, &(struct way){.p = p, .slot = s, .field = f}, v);
		if (f->role == PLAN_FROM && !f->at_begin)
			fields_begin_from(env, s, p, index, &v);
		else if (f->role != PLAN_FROM)
			fields_keep(env, s, p, f, &v, number & CAPTURE_LAST);
	}
	store_release(busy, 0);
}

static void fields_put(JNIEnv *env, uint32_t set, uint32_t number, struct field_value v)
{
	struct frt_slot *s = slot_find(env);
	uint16_t flags = number & CAPTURE_LAST ? FRT_FIELD_LAST : 0;

	if (unlikely(set & CAPTURE_ALWAYS)) {
		put_for_later(env, set, number, v);
		return;
	}
	number &= CAPTURE_LAST - 1;
	if (!s || !s->ring)
		return;
	if (set >> FRT_FIELD_RECORDING(number) & 1 && FRT_FIELD_INDEX(number) == FRT_FIELD_THROWN)
		field_text_put(env, s, number, flags, PLAN_CLASS, FRT_FIELD_TEXT_MAX, &v);
	else if (set >> FRT_FIELD_RECORDING(number) & 1)
		put_planned(env, s, number, flags, v);
	else if (flags)
		field_put_null(s, number, flags);
	if (flags)
		inside_settle(s);
}

static struct field_value field_number_of(enum frt_field_form form, uint64_t bits)
{
	struct field_value v = field_integer(bits);

	if (form == FRT_FORM_FLOAT || form == FRT_FORM_DOUBLE)
		v.form = form == FRT_FORM_FLOAT ? FIELD_FLOAT : FIELD_DOUBLE; /* of a union */
	return v;
}

/*
 * A primitive parameter, or returned value. No step leads on from it, so the plan has nothing to say, and is not asked:
 * most of what a number costs.
 */
static inline void put_number(JNIEnv *env, uint32_t set, uint32_t number, enum frt_field_form form, uint64_t bits)
{
	struct frt_slot *s = slot_find(env);
	bool last = number & CAPTURE_LAST, wanted;
	union {
		struct frt_field field;
		uint64_t words[FRT_RECORD_SIZE / 8];
	} r = {.words = {bits}};

	if (unlikely(set & CAPTURE_ALWAYS)) {
		put_for_later(env, set, number, field_number_of(form, bits));
		return;
	}
	number &= CAPTURE_LAST - 1;
	wanted = set >> FRT_FIELD_RECORDING(number) & 1;
	if (!s || !s->ring || !(wanted || last))
		return;
	r.field.number = number;
	r.field.size = wanted ? (form == FRT_FORM_FLOAT ? 4 : 8) : 0;
	r.field.form = wanted ? form : FRT_FORM_NULL;
	r.field.kind = FRT_FIELD;
	r.field.flags = last ? FRT_FIELD_LAST : 0;
	if (ring_put(s, r.words))
		ring_drain(s, sys_tsc());
	if (last)
		inside_settle(s);
}

jobject JNICALL fields_begun(JNIEnv *env, jclass helper, jobject value, jint number)
{
	uint32_t recording = FRT_FIELD_RECORDING(number), index = FRT_FIELD_INDEX(number), *busy;
	struct field_value v = field_object(value);
	struct live_plan *p = load_acquire(&plans[recording]);
	struct frt_slot *s = p ? slot_find(env) ?: slot_claim(env) : NULL;

	if (!s)
		return NULL;
	busy = &users[s - control_slot(0)].busy;
	__atomic_store_n(busy, 1, __ATOMIC_SEQ_CST); /* before the plan is read */
	p = load_acquire(&plans[recording]);
	if (p && index < plan_fields(&p->plan)) {
		const struct plan_field *f = plan_field(&p->plan, index);

		if (fields_nesting_ask(env, p, f, s, true) == PLAN_INNER)
			v = field_object(NULL);
		v = follow(env, &(struct way){.p = p, .slot = s, .field = f}, v);
		if (f->role == PLAN_FROM)
			fields_begin_from(env, s, p, index, &v);
		else if (f->role == PLAN_SINCE)
			v = field_object(fields_take_since(env, p, f, &v));
	}
	store_release(busy, 0);
	return p && v.form == FIELD_OBJECT ? v.object : NULL;
}

void JNICALL fields_put_int(JNIEnv *env, jclass helper, jint value, jint set, jint number)
{
	put_number(env, set, number, FRT_FORM_INTEGER, (int64_t)value);
}

void JNICALL fields_put_long(JNIEnv *env, jclass helper, jlong value, jint set, jint number)
{
	put_number(env, set, number, FRT_FORM_INTEGER, value);
}

void JNICALL fields_put_float(JNIEnv *env, jclass helper, jfloat value, jint set, jint number)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_number(env, set, number, FRT_FORM_FLOAT, bits);
}

void JNICALL fields_put_double(JNIEnv *env, jclass helper, jdouble value, jint set, jint number)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_number(env, set, number, FRT_FORM_DOUBLE, bits);
}

void JNICALL fields_put_object(JNIEnv *env, jclass helper, jobject value, jint set, jint number)
{
	fields_put(env, set, number, field_object(value));
}
