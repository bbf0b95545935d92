// SPDX-License-Identifier: BSD-2-Clause
/* What calls keep by an object's identity, with a JVM whose objects all have the hash that they want, and may be collected. */
#include "tests/lib/test.h"
#include "uprobes/agent/fields/kept.c"

struct object {
	jint hash;
	bool collected;
};

static uint32_t weak_made, weak_deleted;

static jweak JNICALL new_weak(JNIEnv *env, jobject o)
{
	weak_made++;
	return o;
}

static void JNICALL delete_weak(JNIEnv *env, jweak o)
{
	weak_deleted++;
}

static jobject what_is_left(jobject o)
{
	return o && ((struct object *)o)->collected ? NULL : o;
}

static jboolean JNICALL same_object(JNIEnv *env, jobject a, jobject b)
{
	return what_is_left(a) == what_is_left(b);
}

static jboolean JNICALL no_exception(JNIEnv *env)
{
	return JNI_FALSE;
}

static jvmtiError JNICALL hash_code(jvmtiEnv *env, jobject o, jint *hash)
{
	*hash = ((struct object *)o)->hash;
	return JVMTI_ERROR_NONE;
}

static const struct JNINativeInterface_ calls = {.NewWeakGlobalRef = new_weak,
						 .DeleteWeakGlobalRef = delete_weak,
						 .IsSameObject = same_object,
						 .ExceptionCheck = no_exception};
static JNIEnv jni = &calls;
static const struct jvmtiInterface_1_ tools = {.GetObjectHashCode = hash_code};
static jvmtiEnv jvm = &tools;
static struct kept_table *table;

static int setup(void **state)
{
	jvmti = &jvm;
	weak_made = weak_deleted = 0;
	table = kept_new(2);
	return table ? 0 : -1;
}

/* Every reference that was made is deleted. */
static int teardown(void **state)
{
	kept_free(&jni, table);
	return weak_made == weak_deleted ? 0 : -1;
}

static bool keep(struct object *o, uint32_t event, uint8_t value)
{
	struct kept_row *row = kept_open(&jni, table, (jobject)o, event);
	struct kept_sink sink = {.table = table, .row = row};

	if (!row)
		return false;
	kept_add(&sink, &(struct frt_field){.data = {value}});
	kept_publish(&jni, table, row);
	return true;
}

/* What is kept of an object; -1: nothing. */
static int kept(struct object *o, uint32_t event)
{
	struct kept_row *row = kept_find(&jni, table, (jobject)o, event);
	int value = row ? row->record[0].data[0] : -1;

	if (row)
		kept_done(&jni, row);
	return value;
}

#define KEPT_CASE(name) CASE(name, setup, teardown)

KEPT_CASE(an_object_is_told_from_others_of_its_hash)
{
	struct object a = {.hash = 7}, b = {.hash = 7}, c = {.hash = 7};

	assert_true(keep(&a, 1, 10));
	assert_true(keep(&b, 1, 20));
	assert_true(keep(&a, 2, 30));
	assert_int_equal(kept(&a, 1), 10);
	assert_int_equal(kept(&b, 1), 20);
	assert_int_equal(kept(&a, 2), 30);
	assert_int_equal(kept(&b, 2), -1);
	assert_int_equal(kept(&c, 1), -1);
}

static void begin_event(struct object *o, uint64_t since)
{
	struct kept_row *row = kept_open(&jni, table, (jobject)o, 1);

	assert_non_null(row);
	row->since = since;
	kept_publish(&jni, table, row);
}

static uint64_t since_of(struct object *o)
{
	struct kept_row row;

	return kept_take(&jni, table, (jobject)o, 1, &row) ? row.since : 0;
}

static void sum_since(const struct kept_row *row, void *context)
{
	*(uint64_t *)context += row->since;
}

KEPT_CASE(an_object_is_taken_once_and_what_cannot_be_is_counted)
{
	struct object a = {.hash = 7}, b = {.hash = 7}, c = {.hash = 8}, d = {.hash = 9}, e = {.hash = 9};
	const struct kept_counts *counts = kept_counts(table);
	uint64_t sum = 0;

	begin_event(&a, 10);
	begin_event(&b, 20);
	assert_int_equal(since_of(&a), 10);
	assert_int_equal(since_of(&a), 0);
	begin_event(&b, 30);
	assert_int_equal(since_of(&b), 30);
	assert_int_equal(since_of(&b), 0);
	assert_int_equal(counts->again, 1);
	begin_event(&c, 40);
	begin_event(&d, 50);
	begin_event(&e, 60);
	c.collected = true;
	assert_true(keep(&a, 2, 1)); /* a value that is kept is no event */
	kept_each_begun(&jni, table, sum_since, &sum);
	assert_int_equal(sum, 110);
	assert_int_equal(counts->collected, 1);
	assert_int_equal(counts->forgotten, 0);
	assert_int_equal(since_of(&d), 0);
}

KEPT_CASE(an_event_that_is_forgotten_to_make_room_is_counted)
{
	struct object o[KEPT_BUCKET + 2];

	for (uint32_t i = 0; i < KEPT_BUCKET + 2; i++) {
		o[i] = (struct object){.hash = 7};
		begin_event(&o[i], i + 1);
	}
	assert_int_equal(kept_counts(table)->forgotten, 2);
	assert_int_equal(since_of(&o[1]), 0);
	assert_int_equal(since_of(&o[2]), 3);
}

KEPT_CASE(the_last_value_counts_and_the_one_before_is_gone)
{
	struct object a = {.hash = 7};

	for (int i = 0; i < 100; i++) {
		assert_true(keep(&a, 1, i));
		assert_int_equal(kept(&a, 1), i);
	}
	assert_int_equal(weak_made - weak_deleted, 1);
}

KEPT_CASE(an_object_that_is_collected_gives_its_row_back)
{
	struct object old[KEPT_BUCKET] = {{.hash = 0}}, new[KEPT_BUCKET] = {{.hash = 0}};

	for (uint32_t i = 0; i < KEPT_BUCKET; i++)
		assert_true(keep(&old[i], 1, i));
	for (uint32_t i = 1; i < KEPT_BUCKET; i++)
		old[i].collected = true;
	for (uint32_t i = 1; i < KEPT_BUCKET; i++)
		assert_true(keep(&new[i], 1, 100 + i));
	assert_int_equal(kept(&old[0], 1), 0); /* though it is the oldest */
	for (uint32_t i = 1; i < KEPT_BUCKET; i++)
		assert_int_equal(kept(&new[i], 1), 100 + i);
}

KEPT_CASE(without_room_the_oldest_is_forgotten)
{
	struct object o[KEPT_BUCKET + 1] = {{.hash = 0}};

	for (uint32_t i = 0; i <= KEPT_BUCKET; i++)
		assert_true(keep(&o[i], 1, i));
	assert_int_equal(kept(&o[0], 1), -1);
	for (uint32_t i = 1; i <= KEPT_BUCKET; i++)
		assert_int_equal(kept(&o[i], 1), i);
}

KEPT_CASE(what_is_being_read_stays_and_no_older_value_comes_back)
{
	struct object a = {.hash = 0}, o[KEPT_BUCKET] = {{.hash = 0}};
	struct kept_row *row;

	assert_true(keep(&a, 1, 1));
	row = kept_find(&jni, table, (jobject)&a, 1);
	assert_true(keep(&a, 1, 2));
	assert_int_equal(row->record[0].data[0], 1);
	assert_int_equal(kept(&a, 1), 2);
	for (uint32_t i = 0; i < KEPT_BUCKET - 2; i++)
		assert_true(keep(&o[i], 1, 10 + i));
	assert_true(keep(&o[KEPT_BUCKET - 2], 1, 99)); /* instead of the newer one: the older one is in use */
	assert_int_equal(row->record[0].data[0], 1);
	assert_int_equal(kept(&a, 1), -1);
	kept_done(&jni, row);
	assert_int_equal(kept(&a, 1), -1);
}

KEPT_CASE(the_oldest_is_not_passed_over_while_it_is_read)
{
	struct object a = {.hash = 0}, o[KEPT_BUCKET] = {{.hash = 0}};
	struct kept_row *row;

	assert_true(keep(&a, 1, 1));
	row = kept_find(&jni, table, (jobject)&a, 1);
	for (uint32_t i = 0; i < KEPT_BUCKET - 1; i++)
		assert_true(keep(&o[i], 1, i));
	assert_false(keep(&o[KEPT_BUCKET - 1], 1, 99));
	kept_done(&jni, row);
	assert_true(keep(&o[KEPT_BUCKET - 1], 1, 99));
	assert_int_equal(kept(&a, 1), -1);
}

KEPT_CASE(no_older_value_stays_where_the_newer_one_finds_no_room)
{
	struct object a = {.hash = 0}, o[KEPT_BUCKET] = {{.hash = 0}};
	struct kept_row *row;

	assert_true(keep(&o[0], 1, 0));
	row = kept_find(&jni, table, (jobject)&o[0], 1);
	assert_true(keep(&a, 1, 1));
	for (uint32_t i = 1; i < KEPT_BUCKET - 1; i++)
		assert_true(keep(&o[i], 1, i));
	assert_false(keep(&a, 1, 2));
	assert_int_equal(kept(&a, 1), -1);
	kept_done(&jni, row);
}

KEPT_CASE(a_row_has_room_for_its_records_only)
{
	struct object a = {.hash = 0};
	struct kept_sink sink = {.table = table, .row = kept_open(&jni, table, (jobject)&a, 1)};

	for (int i = 0; i < 2; i++)
		kept_add(&sink, &(struct frt_field){.number = i});
	assert_false(sink.full);
	kept_add(&sink, &(struct frt_field){.number = 2});
	assert_true(sink.full);
	assert_int_equal(sink.row->records, 2);
	assert_int_equal(kept(&a, 1), -1); /* nobody sees it yet */
	kept_drop(&jni, sink.row);
	assert_int_equal(kept(&a, 1), -1);
}

CASE(the_memory_is_bounded)
{
	for (uint32_t records = 1; records < 1000; records *= 3) {
		struct kept_table *t = kept_new(records);

		assert_non_null(t);
		assert_true(kept_memory(t) <= KEPT_MEMORY + KEPT_BUCKET * t->row_size);
		kept_free(&jni, t);
	}
}

/* As the documents say, of 128 characters in 11 records. */
CASE(values_of_8192_objects_are_kept_and_fewer_if_they_are_long)
{
	static const struct {
		uint32_t records, rows;
	} wants[] = {{1, 8192}, {11, 8192}, {22, 5536}, {86, 1472}, {8 * 86, 176}};

	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
		struct kept_table *t = kept_new(wants[i].records);

		assert_int_equal(kept_rows(t), wants[i].rows);
		kept_free(&jni, t);
	}
}

/* With rows of any number, each bucket is used and none beyond the last. */
CASE(objects_are_spread_over_all_rows)
{
	struct kept_table *t = kept_new(22);
	uint32_t rows = kept_rows(t), used = 0;
	bool *seen = calloc(rows / KEPT_BUCKET, 1);

	for (uint32_t hash = 0; hash < 100000; hash++) {
		size_t n = ((char *)kept_near(t, hash * 77, KEPT_BUCKET - 1) - t->rows) / t->row_size;

		assert_true(n < rows);
		used += !seen[n / KEPT_BUCKET];
		seen[n / KEPT_BUCKET] = true;
	}
	assert_int_equal(used, rows / KEPT_BUCKET);
	free(seen);
	kept_free(&jni, t);
}
