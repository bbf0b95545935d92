// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the agent says of a class that gets no hooks. The sources are included, because they call the JVM; what they ask of
 * other modules is answered here.
 */
#include "uprobes/agent/sys.h"
#include "tests/lib/test.h"

static bool no_memory;

static void *scarce_map(size_t size)
{
	return no_memory ? NULL : sys_map(size);
}

#define sys_map scarce_map
#include "uprobes/agent/rewrite.c"
#undef sys_map

static enum rewrite_answer rewrite_or_pretend(const struct rewrite *r, const unsigned char *bytes, size_t size,
					      const unsigned char **out, size_t *out_size, void **memory,
					      size_t *memory_size);
#define rewrite_class rewrite_or_pretend
#include "uprobes/agent/classes.c"
#undef rewrite_class

#include "filters/filter_list.h"
#include "uprobes/agent/thread.h"

#define NAME	    "com/acme/Cart"
#define HOME_LOADER ((jobject)0x10)
#define ANY_CLASS   ((jclass)0x20)

static uint32_t loader;
static bool no_room; /* in the JVM's metaspace */
static bool pretend; /* the class has hooks, in new code that the JVM has to take */
static JNIEnv *const env = (JNIEnv *)0x30;

static enum rewrite_answer rewrite_or_pretend(const struct rewrite *r, const unsigned char *bytes, size_t size,
					      const unsigned char **out, size_t *out_size, void **memory,
					      size_t *memory_size)
{
	if (!pretend)
		return rewrite_class(r, bytes, size, out, out_size, memory, memory_size);
	set_bits(&control_find_class(slice_of(NAME), loader)->flags, FRT_CLASS_REWRITTEN);
	*out_size = *memory_size = 4096;
	*out = *memory = sys_map(4096);
	return REWRITE_DONE;
}

bool task_places_in(struct slice class_name)
{
	return false;
}

bool task_places_are_own(struct slice class_name)
{
	return false;
}

uint32_t task_places_edits(const struct class_file *c, struct method_edit *edits, uint32_t room)
{
	return 0;
}

const struct class_hooks *task_class_hooks(enum task_hook hook)
{
	return NULL;
}

bool loader_known(jobject l, uint32_t *number)
{
	*number = loader;
	return true;
}

bool loader_number(JNIEnv *e, jobject l, uint32_t *number)
{
	return loader_known(l, number);
}

enum loader_answer loader_ask(JNIEnv *e, jobject l, uint32_t number, bool insist)
{
	return LOADER_READY;
}

enum loader_answer loader_ask_aside(JNIEnv *e, jobject l, uint32_t number, uint64_t until_ns)
{
	return LOADER_READY;
}

uint32_t fields_captures(uint32_t recordings, bool for_later, const struct fields_method *m, struct capture *to,
			 uint32_t room)
{
	return 0;
}

uint32_t fields_thrown(uint32_t recordings, struct capture *to)
{
	return 0;
}

const struct class_hooks *hook_class_hooks(void)
{
	return NULL;
}

const struct class_hooks *hook_class_wait_hooks(void)
{
	return NULL;
}

const struct class_hooks *hook_class_poll_hooks(enum hook_poll poll)
{
	return NULL;
}

const char *hook_class_mount_name(enum hook_mount hook)
{
	return NULL;
}

void hook_class_prepared(JNIEnv *e, jclass prepared)
{
}

bool class_info_name(jclass c, struct class_info *out)
{
	*out = (struct class_info){.unknown = false};
	return false;
}

struct frt_class *class_info_row(JNIEnv *e, jclass c, struct slice name)
{
	return NULL;
}

bool class_info_is_dead(jclass c)
{
	return false;
}

bool class_info_is_prepared(jclass c)
{
	return true;
}

bool class_info_forget_if_dead(JNIEnv *e, jclass c)
{
	return false;
}

bool loaded_has_target(uint32_t recording, const struct matcher *p, jclass c, struct slice name,
		       const struct matcher_tags *tags)
{
	return false;
}

void room_load(jint size)
{
}

bool room_take_loading(jint size)
{
	return !no_room;
}

void room_note_hooked(uint32_t class_id, uint32_t size, uint32_t constants, uint32_t methods)
{
}

void batch_add(struct batch *b, jclass c, bool hooked)
{
}

jvmtiError batch_retransform(JNIEnv *e, const struct batch *b, jint count)
{
	return JVMTI_ERROR_NONE;
}

jvmtiError batch_retransform_one(JNIEnv *e, jclass c, bool hooked, uint32_t gain)
{
	return JVMTI_ERROR_NONE;
}

bool supertypes_tag(JNIEnv *e, const struct matcher *p, jclass c, struct matcher_tags *tags)
{
	return false;
}

void supertypes_find(const struct matcher *p, const jclass *all, jint count, struct supertypes *s)
{
}

bool supertypes_are_above(JNIEnv *e, const struct supertypes *s, jclass c)
{
	return false;
}

bool thread_is_virtual(JNIEnv *e, jthread thread)
{
	return false;
}

jobject thread_own_virtual(JNIEnv *e)
{
	return NULL;
}

static jvmtiError JNICALL allocate(jvmtiEnv *j, jlong size, unsigned char **memory)
{
	return JVMTI_ERROR_OUT_OF_MEMORY;
}

/* The JVM hands over a class file that is none, of a new class or of one that it retransforms. */
static void file_comes(jclass redefined)
{
	static const unsigned char bytes[64] = {0xca, 0xfe, 0xba, 0xbe};
	unsigned char *new_bytes = NULL;
	jint new_size = 0;

	classes_on_file(NULL, env, redefined, HOME_LOADER, NAME, NULL, sizeof(bytes), bytes, &new_size, &new_bytes);
	assert_null(new_bytes);
}

static const struct frt_skip *skips_of(uint32_t recording)
{
	return (const struct frt_skip *)control_at(FRT_SKIPS_AT) + recording * FRT_MAX_SKIPS;
}

/* Two recordings run: the first and the third. */
static int setup(void **state)
{
	static const char *const text[] = {"com.acme.Cart", "com.acme.*"};
	static const struct jvmtiInterface_1_ tools = {.Allocate = allocate};
	static jvmtiEnv tool = &tools;

	if (!control && !control_create("unit"))
		return -1;
	jvmti = &tool;
	for (int i = 0; i < 2; i++) {
		struct filter_list *list = filter_list_new();
		struct matcher p = {0};
		void *program;
		struct diag d;

		if (filter_list_add(list, text[i], FILTER_TRACE, &d) ||
		    filter_list_compile(list, &program, &p.size, &d))
			return -1;
		p.program = program;
		set_pattern(2 * i, &p);
		control_reset_skips(2 * i);
		filter_list_free(list);
	}
	loader = loader ? loader : control_loader(slice_of("com/acme/Loader"), slice_of(NULL));
	control_class_row(control_class(slice_of(NAME), loader, 0))->flags = 0;
	no_memory = no_room = pretend = false;
	applying = NULL;
	return 0;
}

static int teardown(void **state)
{
	for (uint32_t r = 0; r < FRT_RECORDINGS; r += 2)
		free((void *)patterns[r].program);
	return 0;
}

static void assert_skips(uint32_t recording, uint32_t count, enum frt_skip_reason reason)
{
	assert_int_equal(control->recording[recording].skips, count);
	if (count) {
		assert_int_equal(skips_of(recording)->reason, reason);
		assert_int_equal(skips_of(recording)->class_name, control_find_class(slice_of(NAME), loader)->name);
	}
}

CASE(class_file_that_is_not_understood_is_reported, setup, teardown)
{
	file_comes(NULL);
	assert_skips(0, 1, FRT_SKIP_MALFORMED);
	assert_skips(1, 0, 0);
	assert_skips(2, 1, FRT_SKIP_MALFORMED);
}

CASE(class_without_memory_is_reported, setup, teardown)
{
	no_memory = true;
	file_comes(NULL);
	assert_skips(0, 1, FRT_SKIP_MEMORY);
	assert_skips(2, 1, FRT_SKIP_MEMORY);
}

/* One recording ends and has the class retransformed; the class loses the hooks of the other one, too. */
CASE(recording_that_loses_its_hooks_is_told, setup, teardown)
{
	struct frt_class *row = control_find_class(slice_of(NAME), loader);

	set_pattern(0, NULL);
	applying = env;
	adding = 0;
	set_bits(&row->flags, FRT_CLASS_REWRITTEN);
	no_memory = true;
	file_comes(ANY_CLASS);
	assert_skips(0, 0, 0);
	assert_skips(2, 1, FRT_SKIP_MEMORY);
	assert_int_equal(row->flags & FRT_CLASS_REWRITTEN, 0);
}

CASE(class_whose_code_the_jvm_cannot_take_has_no_hooks, setup, teardown)
{
	struct frt_class *row = control_find_class(slice_of(NAME), loader);

	pretend = true;
	file_comes(NULL);
	assert_int_equal(row->flags & FRT_CLASS_REWRITTEN, 0);
	assert_skips(0, 1, FRT_SKIP_MEMORY);
	assert_skips(2, 1, FRT_SKIP_MEMORY);
}

CASE(class_without_room_gets_no_hooks_while_it_is_loaded, setup, teardown)
{
	struct frt_class *row = control_find_class(slice_of(NAME), loader);

	pretend = no_room = true;
	file_comes(NULL);
	assert_int_equal(row->flags & FRT_CLASS_REWRITTEN, 0);
	assert_skips(0, 1, FRT_SKIP_METASPACE);
	assert_skips(2, 1, FRT_SKIP_METASPACE);
}
