// SPDX-License-Identifier: BSD-2-Clause
/*
 * A row's state is one word: a number that rises, how many threads read it, and one of
 *
 *    FREE, HELD (one thread has it for itself), SHOWN (others find it), OVER (nobody finds it; its last reader frees it).
 *
 * A thread reads a row only after it has counted itself in while the row was SHOWN, and only a row that nobody reads becomes
 * HELD. So a weak reference is never deleted while another thread compares it.
 *
 * All rows of one object stand near each other, because its hash says where. Of several with one object and event that with the
 * highest number counts. The lowest number goes first if room is needed, and if that row is in use, none goes: otherwise an
 * older value could come back.
 */
#include "uprobes/agent/fields/kept.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/lock_free.h"
#include "uprobes/agent/sys.h"

#define KEPT_BUCKET  16u  /* rows in which one object may be */
#define KEPT_BUCKETS 512u /* at most */
#define KEPT_MEMORY  (4u << 20)

enum kept_kind { KEPT_FREE, KEPT_HELD, KEPT_SHOWN, KEPT_OVER };

#define KIND(state)    ((state) & 3)
#define READER	       4ull
#define READERS(state) ((state) >> 2 & 0x3fff)
#define NUMBER_SHIFT   16
#define NUMBER(state)  ((state) >> NUMBER_SHIFT)

struct kept_sink kept_sinks[FRT_MAX_SLOTS];

struct kept_table {
	uint64_t numbers;
	struct kept_counts counts;
	uint32_t records; /* room of a row */
	uint32_t buckets;
	size_t row_size;
	struct kept_row *own[FRT_MAX_SLOTS]; /* what a thread holds */
	char rows[] __attribute__((aligned(64)));
};

uint32_t kept_rows(const struct kept_table *t)
{
	return KEPT_BUCKET * t->buckets;
}

static size_t kept_memory(const struct kept_table *t)
{
	return sizeof(*t) + kept_rows(t) * t->row_size;
}

struct kept_table *kept_new(uint32_t records)
{
	size_t row_size = sizeof(struct kept_row) + records * sizeof(struct frt_field);
	uint32_t fit = (KEPT_MEMORY - sizeof(struct kept_table)) / (KEPT_BUCKET * row_size);
	uint32_t buckets = fit > KEPT_BUCKETS ? KEPT_BUCKETS : fit ? fit : 1;
	struct kept_table *t = sys_map(sizeof(*t) + KEPT_BUCKET * buckets * row_size);

	if (t) {
		t->records = records;
		t->buckets = buckets;
		t->row_size = row_size;
	}
	return t;
}

struct kept_row **kept_own(struct kept_table *t, uint32_t slot)
{
	return &t->own[slot];
}

struct kept_counts *kept_counts(struct kept_table *t)
{
	return &t->counts;
}

/* What the row has begun is not found any more, for that reason. */
static void kept_count(const struct kept_row *row, uint64_t *reason)
{
	if (row->since)
		add_relaxed(reason, 1);
}

static struct kept_row *kept_row(struct kept_table *t, uint32_t i)
{
	return (struct kept_row *)(t->rows + i * t->row_size);
}

static struct kept_row *kept_near(struct kept_table *t, uint32_t hash, uint32_t i)
{
	return kept_row(t, ((uint64_t)(hash * 2654435769u) * t->buckets >> 32) * KEPT_BUCKET + i);
}

void kept_free(JNIEnv *env, struct kept_table *t)
{
	for (uint32_t i = 0; t && i < kept_rows(t); i++)
		if (kept_row(t, i)->object)
			(*env)->DeleteWeakGlobalRef(env, kept_row(t, i)->object);
	if (t)
		sys_unmap(t, kept_memory(t));
}

static bool kept_change(struct kept_row *row, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&row->state, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* The row is held. */
static void kept_forget(JNIEnv *env, struct kept_row *row)
{
	if (row->object)
		(*env)->DeleteWeakGlobalRef(env, row->object);
	row->object = NULL;
}

void kept_drop(JNIEnv *env, struct kept_row *row)
{
	kept_forget(env, row);
	store_release(&row->state, KEPT_FREE);
}

/* Count this thread in, if the row is shown and has that hash and event. */
static bool kept_pin(struct kept_row *row, uint32_t hash, uint32_t event)
{
	uint64_t state = load_acquire(&row->state);

	while (KIND(state) == KEPT_SHOWN && load_relaxed(&row->hash) == hash && load_relaxed(&row->event) == event) {
		if (READERS(state) == 0x3fff)
			return false;
		if (kept_change(row, state, state + READER))
			return true;
		state = load_acquire(&row->state);
	}
	return false;
}

void kept_done(JNIEnv *env, struct kept_row *row)
{
	uint64_t state = __atomic_sub_fetch(&row->state, READER, __ATOMIC_ACQ_REL);

	if (KIND(state) == KEPT_OVER && !READERS(state) && kept_change(row, state, KEPT_HELD))
		kept_drop(env, row);
}

/* The row, which this thread reads, is to be found no more. False: another thread has ended it. */
static bool kept_end(struct kept_row *row)
{
	uint64_t state = load_acquire(&row->state);

	while (KIND(state) == KEPT_SHOWN) {
		if (kept_change(row, state, state - KEPT_SHOWN + KEPT_OVER))
			return true;
		state = load_acquire(&row->state);
	}
	return false;
}

/* The row, which may have got another object before it was counted in, is of this one. */
static bool kept_is_of(JNIEnv *env, const struct kept_row *row, uint32_t hash, uint32_t event, jobject object)
{
	return row->hash == hash && row->event == event && (*env)->IsSameObject(env, row->object, object);
}

static bool kept_hash(jobject object, uint32_t *hash)
{
	jint h;

	if ((*jvmti)->GetObjectHashCode(jvmti, object, &h))
		return false;
	*hash = h;
	return true;
}

static struct kept_row *kept_look(JNIEnv *env, struct kept_table *t, jobject object, uint32_t hash, uint32_t event)
{
	struct kept_row *best = NULL;

	for (uint32_t i = 0; i < KEPT_BUCKET; i++) {
		struct kept_row *row = kept_near(t, hash, i), *worse = row;

		if (!kept_pin(row, hash, event))
			continue;
		if (kept_is_of(env, row, hash, event, object) &&
		    (!best || NUMBER(load_relaxed(&row->state)) > NUMBER(load_relaxed(&best->state)))) {
			worse = best;
			best = row;
		}
		if (worse)
			kept_done(env, worse);
	}
	return best;
}

struct kept_row *kept_find(JNIEnv *env, struct kept_table *t, jobject object, uint32_t event)
{
	uint32_t hash;

	if (!kept_hash(object, &hash))
		return NULL;
	/* Another thread may have shown a new row behind the first look, and ended the old one before it. */
	return kept_look(env, t, object, hash, event) ?: kept_look(env, t, object, hash, event);
}

uint64_t kept_row_number(const struct kept_row *row)
{
	return NUMBER(load_relaxed(&row->state));
}

bool kept_take(JNIEnv *env, struct kept_table *t, jobject object, uint32_t event, struct kept_row *out)
{
	struct kept_row *row = kept_find(env, t, object, event);
	bool taken;

	if (!row)
		return false;
	*out = *row;
	taken = kept_end(row);
	kept_done(env, row);
	return taken;
}

void kept_each_begun(JNIEnv *env, struct kept_table *t, void (*show)(const struct kept_row *row, void *context),
		     void *context)
{
	for (uint32_t i = 0; i < kept_rows(t); i++) {
		struct kept_row *row = kept_row(t, i);

		if (!kept_pin(row, load_relaxed(&row->hash), load_relaxed(&row->event)))
			continue;
		if ((*env)->IsSameObject(env, row->object, NULL))
			kept_count(row, &t->counts.collected);
		else if (row->since && kept_end(row))
			show(row, context);
		kept_done(env, row);
	}
}

/* ---- rows for new objects */

/* Is the object of the row, which others may have by now, gone? */
static bool kept_is_gone(JNIEnv *env, struct kept_table *t, struct kept_row *row)
{
	uint32_t hash = load_relaxed(&row->hash), event = load_relaxed(&row->event);
	bool gone;

	if (!kept_pin(row, hash, event))
		return false;
	gone = (*env)->IsSameObject(env, row->object, NULL);
	if (gone && kept_end(row))
		kept_count(row, &t->counts.collected);
	kept_done(env, row);
	return gone;
}

static struct kept_row *kept_hold_free(struct kept_table *t, uint32_t hash)
{
	for (uint32_t i = 0; i < KEPT_BUCKET; i++) {
		struct kept_row *row = kept_near(t, hash, i);

		if (!load_relaxed(&row->state) && kept_change(row, KEPT_FREE, KEPT_HELD))
			return row;
	}
	return NULL;
}

/* The row that was shown first. */
static struct kept_row *kept_hold_oldest(struct kept_table *t, uint32_t hash)
{
	struct kept_row *oldest = NULL;
	uint64_t state, oldest_state = UINT64_MAX;

	for (uint32_t i = 0; i < KEPT_BUCKET; i++) {
		state = load_acquire(&kept_near(t, hash, i)->state);
		if (KIND(state) == KEPT_SHOWN && NUMBER(state) < NUMBER(oldest_state)) {
			oldest = kept_near(t, hash, i);
			oldest_state = state;
		}
	}
	if (!oldest || READERS(oldest_state) || !kept_change(oldest, oldest_state, KEPT_HELD))
		return NULL;
	kept_count(oldest, &t->counts.forgotten);
	return oldest;
}

static struct kept_row *kept_hold(JNIEnv *env, struct kept_table *t, uint32_t hash)
{
	struct kept_row *row = kept_hold_free(t, hash);
	bool gone = false;

	for (uint32_t i = 0; !row && i < KEPT_BUCKET; i++)
		gone |= kept_is_gone(env, t, kept_near(t, hash, i));
	if (!row && gone)
		row = kept_hold_free(t, hash);
	return row ?: kept_hold_oldest(t, hash);
}

/* There is no room for what counts from now on, so what was kept of the object before must not be found. */
static void kept_end_all(JNIEnv *env, struct kept_table *t, jobject object, uint32_t hash, uint32_t event)
{
	for (uint32_t i = 0; i < KEPT_BUCKET; i++) {
		struct kept_row *row = kept_near(t, hash, i);

		if (!kept_pin(row, hash, event))
			continue;
		if (kept_is_of(env, row, hash, event, object) && kept_end(row))
			kept_count(row, &t->counts.again);
		kept_done(env, row);
	}
}

struct kept_row *kept_open(JNIEnv *env, struct kept_table *t, jobject object, uint32_t event)
{
	struct kept_row *row;
	uint32_t hash;

	if (!kept_hash(object, &hash))
		return NULL;
	row = kept_hold(env, t, hash);
	if (row) {
		kept_forget(env, row);
		row->object = (*env)->NewWeakGlobalRef(env, object);
	}
	if (row && (jvm_threw(env) || !row->object)) {
		kept_drop(env, row);
		row = NULL;
	}
	if (!row) {
		kept_end_all(env, t, object, hash, event);
		return NULL;
	}
	store_relaxed(&row->hash, hash);
	store_relaxed(&row->event, event);
	row->records = 0;
	row->since = 0;
	return row;
}

void kept_add(struct kept_sink *sink, const struct frt_field *f)
{
	struct kept_row *row = sink->row;

	if (row->records < sink->table->records)
		row->record[row->records++] = *f;
	else
		sink->full = true;
}

void kept_publish(JNIEnv *env, struct kept_table *t, struct kept_row *row)
{
	uint64_t number = __atomic_add_fetch(&t->numbers, 1, __ATOMIC_ACQ_REL);

	store_release(&row->state, number << NUMBER_SHIFT | READER | KEPT_SHOWN);
	for (uint32_t i = 0; i < KEPT_BUCKET; i++) {
		struct kept_row *other = kept_near(t, row->hash, i);

		if (other == row || !kept_pin(other, row->hash, row->event))
			continue;
		if (NUMBER(load_relaxed(&other->state)) < number &&
		    (*env)->IsSameObject(env, other->object, row->object) && kept_end(other))
			kept_count(other, &t->counts.again);
		kept_done(env, other);
	}
	kept_done(env, row);
}
