// SPDX-License-Identifier: BSD-2-Clause
/* Taking the plan of events from the config. The source is included, because it calls the JVM. */
#include "uprobes/agent/sys.h"
#include "tests/lib/test.h"

static bool no_memory, no_classes;

static void *scarce_map(size_t size)
{
	return no_memory ? NULL : sys_map(size);
}

#define sys_map scarce_map
#include "uprobes/agent/fields/fields.c"
#undef sys_map
#include "uprobes/agent/fields/fields_captures.c"
#include "uprobes/agent/fields/field_search.c"
#include "uprobes/agent/fields/fields_named.c"
#include "uprobes/agent/fields/fields_static.c"
#include "uprobes/agent/fields/fields_late.c"
#include "uprobes/agent/fields/fields_nesting.c"
#include "uprobes/agent/fields/fields_kept.c"
#include "uprobes/agent/fields/fields_since.c"
#include "uprobes/agent/fields/kept.c"

#include "filters/filter_list.h"
#include "tests/lib/class_builder.h"
#include "uprobes/agent/loader.h"
#include "uprobes/agent/thread.h"

uint32_t virtual_calls_count(const struct frt_slot *s, JNIEnv *env,
			     bool (*counts)(const void *context, uint32_t method, uint64_t start), const void *context,
			     uint32_t *count)
{
	*count = 0;
	return 0;
}

bool field_text_init(JNIEnv *env)
{
	return !no_classes;
}

void field_text_release(JNIEnv *env)
{
}

bool field_text_is_string(JNIEnv *env, jobject o)
{
	return false;
}

void field_text_put(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, uint32_t kind, uint32_t most,
		    const struct field_value *v)
{
}

void field_put_null(struct frt_slot *s, uint32_t number, uint16_t flags)
{
}

uint32_t thread_identify(struct frt_slot *s, JNIEnv *env)
{
	return 0;
}

bool thread_running_virtual(JNIEnv *env, uint64_t known, char *name, size_t size, struct thread_virtual *v)
{
	return false;
}

bool thread_is_virtual(JNIEnv *env, jthread thread)
{
	return false;
}

jobject thread_own_virtual(JNIEnv *env)
{
	return NULL;
}

bool loader_number(JNIEnv *env, jobject l, uint32_t *number)
{
	return false;
}

static struct frt_config *config;

static int setup(void **state)
{
	if (!control && !control_create("unit"))
		return -1;
	config = control_at(FRT_CONFIG_AT);
	memset(config, 0, FRT_CONFIG_SIZE);
	no_memory = no_classes = false;
	return 0;
}

CASE(config_without_a_plan_is_good, setup)
{
	no_memory = true;
	assert_int_equal(fields_begin(NULL, 0), FRT_DONE);
}

CASE(plan_that_is_not_valid_is_told_from_a_lack_of_memory, setup)
{
	config->plan_size = FRT_CONFIG_SIZE;
	assert_int_equal(fields_begin(NULL, 0), FRT_BAD_CONFIG); /* beyond the config */
	config->plan_size = sizeof(struct plan_header) + 8;
	memset(config + 1, 0xff, config->plan_size);
	assert_int_equal(fields_begin(NULL, 0), FRT_BAD_CONFIG);
	memset(config + 1, 0, config->plan_size);
	no_memory = true;
	assert_int_equal(fields_begin(NULL, 0), FRT_JVMTI_FAILED);
	no_memory = false;
	no_classes = true; /* the JVM does not give the classes of values */
	assert_int_equal(fields_begin(NULL, 0), FRT_JVMTI_FAILED);
}

/* A value in all methods `run`: the first parameter, as if it were called `n`, or else a field, or else nothing. */
struct later {
	struct plan_header header;
	struct plan_field field[3];
	struct plan_step step[2];
	char texts[512];
};

static void plan_later(void)
{
	struct filter_list *l = filter_list_new();
	struct plan_text none = {offsetof(struct later, texts), 0}, name = {none.at + 1, 1}, word = {none.at + 3, 4},
			 filter = {none.at + 8, 0};
	struct later p = {.header = {.magic = PLAN_MAGIC, .size = sizeof(p), .fields = 3, .steps = 2},
			  .texts = "\0n\0arg0"};
	static const uint16_t sources[] = {PLAN_PARAMETER, PLAN_THIS, PLAN_STATIC};
	struct diag d;
	void *program;
	size_t size;

	assert_int_equal(filter_list_add(l, "::run", FILTER_TRACE, &d), 0);
	assert_int_equal(filter_list_compile(l, &program, &size, &d), 0);
	assert_true(size < sizeof(p.texts) - 9);
	filter.length = size;
	memcpy(p.texts + 8, program, size);
	for (int i = 0; i < 3; i++)
		p.field[i] = (struct plan_field){none,
						 none,
						 none,
						 filter,
						 i ? none : word,
						 .first = i == 2,
						 .steps = i != 0,
						 .source = sources[i],
						 .kind = PLAN_KINDS,
						 .type = 'L'};
	p.step[0] = (struct plan_step){none, name, none, PLAN_FIND, 0};
	p.step[1] = (struct plan_step){none, none, none, PLAN_NOTHING, 0};
	config->plan_size = sizeof(p);
	memcpy(config + 1, &p, sizeof(p));
	free(program);
	filter_list_free(l);
}

static enum plan_kind kind_in_config(void)
{
	return ((const struct later *)(config + 1))->field[0].kind;
}

/* The only capture of a method of a class with a field `n` of that type; "": it has none. */
static struct capture capture_in(const char *type, const char *method, const char *descriptor, unsigned access)
{
	struct arena a = {.left = 1 << 16};
	void *memory = a.at = malloc(a.left);
	struct capture found[2] = {{.number = 99}};
	struct class_builder b;
	struct class_file c;
	uint8_t *bytes;
	size_t size;
	uint32_t n;

	builder_init(&b, 52, "A", NULL);
	if (type[0])
		builder_field(&b, 0, "n", type);
	builder_method(&b, 0x400 | access, method, descriptor, NULL);
	bytes = builder_finish(&b, &size);
	assert_int_equal(class_parse(&c, bytes, size, &a), CLASS_OK);
	n = fields_captures(1, false, &(struct fields_method){.file = &c, .method = c.method}, found, 2);
	assert_true(n <= 1);
	free(memory);
	free(bytes);
	return found[0];
}

CASE(class_file_tells_where_a_value_is_and_its_kind, setup)
{
	struct capture c;

	plan_later();
	assert_int_equal(fields_begin(NULL, 0), FRT_DONE);
	assert_int_equal(capture_in("I", "ran", "()V", 0).number, 99);
	assert_int_equal(kind_in_config(), PLAN_KINDS);
	c = capture_in("I", "run", "()V", 0);
	assert_int_equal(c.number, 1);
	assert_int_equal(c.source, CAPTURE_LOCAL);
	assert_int_equal(c.type, 'L'); /* this */
	assert_int_equal(kind_in_config(), PLAN_INT);
	fields_end(NULL, 0);
}

CASE(value_of_another_kind_than_the_first_is_missing, setup)
{
	plan_later();
	assert_int_equal(fields_begin(NULL, 0), FRT_DONE);
	assert_int_equal(capture_in("J", "run", "()V", 0).number, 1);
	assert_int_equal(capture_in("I", "run", "()V", 0).number, 2);
	assert_int_equal(capture_in("I", "run", "()V", 0).source, CAPTURE_NOTHING);
	assert_int_equal(capture_in("", "run", "()V", 0).number, 1); /* a class above may have it: objects are asked */
	assert_int_equal(capture_in("J", "run", "()V", CLASS_STATIC).number, 2);
	assert_int_equal(kind_in_config(), PLAN_LONG);
	fields_end(NULL, 0);
}

CASE(parameter_of_another_kind_is_not_read_from_a_field, setup)
{
	plan_later();
	assert_int_equal(fields_begin(NULL, 0), FRT_DONE);
	assert_int_equal(capture_in("", "run", "(J)V", 0).number, 0);
	assert_int_equal(kind_in_config(), PLAN_LONG);
	assert_int_equal(capture_in("J", "run", "(Ljava/lang/String;)V", 0).number, 2);
	assert_int_equal(capture_in("J", "run", "()V", 0).number, 1);
	fields_end(NULL, 0);
}

CASE(kind_that_no_class_file_tells_is_a_text, setup)
{
	plan_later();
	assert_int_equal(fields_begin(NULL, 0), FRT_DONE);
	assert_int_equal(capture_in("", "run", "()V", 0).number, 1);
	assert_int_equal(kind_in_config(), PLAN_TEXT);
	assert_int_equal(capture_in("I", "run", "()V", 0).number, 2);
	fields_end(NULL, 0);
}

/* ---- fields by name. Classes are pointers. */

static jboolean JNICALL same_object(JNIEnv *env, jobject a, jobject b)
{
	return a == b;
}

static jweak JNICALL new_weak(JNIEnv *env, jobject o)
{
	return o;
}

static jboolean JNICALL no_exception(JNIEnv *env)
{
	return JNI_FALSE;
}

static jobject JNICALL new_local(JNIEnv *env, jobject o)
{
	return o;
}

static void JNICALL delete_local(JNIEnv *env, jobject o)
{
}

static jclass JNICALL no_superclass(JNIEnv *env, jclass c)
{
	return NULL;
}

static const struct JNINativeInterface_ calls = {
	.NewLocalRef = new_local,
	.DeleteLocalRef = delete_local,
	.GetSuperclass = no_superclass,
	.IsSameObject = same_object,
	.NewWeakGlobalRef = new_weak,
	.ExceptionCheck = no_exception,
};
static JNIEnv jni = &calls;

/* Each class has one field, `n`. */
static jvmtiError fields_error, modifiers_error, name_error;

static jvmtiError JNICALL class_fields(jvmtiEnv *env, jclass c, jint *count, jfieldID **fields)
{
	static jfieldID id[1];

	*count = 1;
	*fields = id;
	return fields_error;
}

static jvmtiError JNICALL field_modifiers(jvmtiEnv *env, jclass c, jfieldID id, jint *modifiers)
{
	*modifiers = 0;
	return modifiers_error;
}

static jvmtiError JNICALL field_name(jvmtiEnv *env, jclass c, jfieldID id, char **name, char **type, char **generic)
{
	*name = "n";
	*type = "I";
	return name_error;
}

static jvmtiError JNICALL keep_memory(jvmtiEnv *env, unsigned char *memory)
{
	return JVMTI_ERROR_NONE;
}

static const struct jvmtiInterface_1_ jvm = {
	.GetClassFields = class_fields,
	.GetFieldModifiers = field_modifiers,
	.GetFieldName = field_name,
	.Deallocate = keep_memory,
};
static jvmtiEnv jvm_env = &jvm;

CASE(failure_of_the_jvm_is_not_kept_as_a_lack_of_the_field, setup)
{
	static jvmtiError *const errors[] = {&fields_error, &modifiers_error, &name_error};
	const struct plan_field *f;
	struct found_field n;
	struct way w = {.step = 0};
	char class;

	plan_later();
	assert_int_equal(fields_begin(NULL, 0), FRT_DONE);
	jvmti = &jvm_env;
	f = plan_field(&plans[0]->plan, 1);
	w.p = plans[0];
	w.field = f;
	for (int i = 0; i < 3; i++) {
		*errors[i] = JVMTI_ERROR_OUT_OF_MEMORY;
		n = fields_find_named(&jni, &w, (jclass) & class);
		assert_true(n.unknown && !n.type);
		assert_int_equal(w.p->found[f->first].seen[0].state, FOUND_NOTHING);
		*errors[i] = JVMTI_ERROR_NONE;
	}
	n = fields_find_named(&jni, &w, (jclass) & class);
	assert_true(!n.unknown && n.type == 'I');
	assert_int_equal(w.p->found[f->first].seen[0].state, FOUND_FIELD);
	w.p->found[f->first].seen[0].class = NULL;
	fields_end(NULL, 0);
}

CASE(class_takes_one_place_of_a_step)
{
	char class[SEEN_MOST + 1];
	struct found f = {.state = FOUND_NOTHING};
	struct found_field n = {.type = 'I'};

	f.seen[0].state = FOUND_WRITING;
	keep_seen(&jni, &f, (jclass) class, &n); /* the other thread may write the same */
	assert_int_equal(f.seen[1].state, FOUND_NOTHING);
	f.seen[0].state = FOUND_NOTHING;
	for (int i = 0; i < 3; i++)
		keep_seen(&jni, &f, (jclass) class, &n);
	assert_int_equal(f.seen[1].state, FOUND_NOTHING);
	for (int i = 1; i <= SEEN_MOST; i++)
		keep_seen(&jni, &f, (jclass) & class[i], &n);
	for (int i = 0; i < SEEN_MOST; i++)
		assert_ptr_equal(find_seen(&jni, &f, (jclass) & class[i]), &f.seen[i]);
	assert_null(find_seen(&jni, &f, (jclass) & class[SEEN_MOST]));
}

/* As of sql=arg0.text|arg0 and n=arg1 of prepare() in two classes: one that is loaded, and one that comes later. */
CASE(kept_row_has_room_for_values_not_for_their_alternatives)
{
	static const struct {
		uint8_t role, value;
	} fields[] = {{PLAN_VALUE, 0}, {PLAN_KEY, 0},  {PLAN_KEPT, 0}, {PLAN_KEPT, 0}, {PLAN_KEPT, 1},
		      {PLAN_VALUE, 0}, {PLAN_KEY, 0},  {PLAN_KEY, 0},  {PLAN_KEPT, 0}, {PLAN_KEPT, 0},
		      {PLAN_KEPT, 0},  {PLAN_KEPT, 1}, {PLAN_KEPT, 1}, {PLAN_VALUE, 2}};
	struct {
		struct plan_header header;
		struct plan_field field[14];
	} bytes = {.header.fields = 14};
	struct live_plan p = {.plan = {&bytes, sizeof(bytes)}};

	for (size_t i = 0; i < 14; i++) {
		bytes.field[i].role = fields[i].role;
		bytes.field[i].value = fields[i].role == PLAN_KEY ? PLAN_KEY_VALUE : fields[i].value;
	}
	assert_int_equal(values_kept(&p), 2);
	bytes.header.fields = 2;
	assert_int_equal(values_kept(&p), 0);
}

/* Two values of one event of an object, which another thread keeps new values of between them, are not put together. */
CASE(values_of_an_event_are_of_one_row)
{
	struct recalled last = {0};
	struct kept_row old = {.hash = 7, .event = 1}, fresh = old, other = {.hash = 8, .event = 1},
			twin = {.event = 2};

	old.state = 5ull << NUMBER_SHIFT;
	fresh.state = 6ull << NUMBER_SHIFT;
	assert_true(is_same_row(&last, &old, 0, 3));
	assert_true(is_same_row(&last, &old, 2, 3));
	assert_false(is_same_row(&last, &fresh, 4, 3));
	assert_true(is_same_row(&last, &fresh, 0, 3)); /* the next event */
	assert_true(is_same_row(&last, &old, 6, 4));   /* another one */
	assert_true(is_same_row(&last, &other, 7, 4)); /* of another object */
	assert_true(is_same_row(&last, &twin, 8, 4));
}
