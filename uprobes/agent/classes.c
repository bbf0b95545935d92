// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/classes.h"
#include "uprobes/agent/class_info.h"
#include "uprobes/agent/hook_class.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/loaded.h"
#include "uprobes/agent/loader.h"
#include "filters/policy.h"
#include "uprobes/agent/retransform.h"
#include "uprobes/agent/rewrite.h"
#include "uprobes/agent/ring.h"
#include "uprobes/agent/stack.h"
#include "uprobes/agent/supertypes.h"
#include "uprobes/agent/tasks/task_places.h"

#define PATIENCE_NS 4000000000ULL /* for all loaders that do not answer, together */

static struct matcher patterns[FRT_RECORDINGS];
static uint32_t active;	    /* recordings with a pattern, as a set of bits; stored after the pattern */
static bool mounts;	    /* a recording of this epoch follows virtual threads; stays until the epoch ends */
static bool tasks;	    /* a recording of this epoch follows tasks; stays until the epoch ends */
static bool continued;	    /* there are virtual threads, or may be in a moment; stays */
static jclass mounted;	    /* java.lang.VirtualThread, a global reference; NULL: not found yet */
static JNIEnv *applying;    /* of the thread that adds or removes a pattern; other threads are the application's */
static uint32_t adding;	    /* what it adds, as a set of bits; 0: it removes one */
static uint32_t readers;    /* number of running callbacks that may use a pattern */
static bool hooked_at_load; /* set when a class gets hooks while it is being loaded */

/*
 * A filter that may match any class would need the methods of each prepared class, and GetClassMethods creates
 * method ids that live as long as the JVM. Therefore this table records which classes were inspected at load. A
 * class that another one has evicted is asked for its methods.
 */
static uint32_t seen_at_load[4096];

static uint32_t *seen_at_load_cell(struct slice name, uint32_t *hash)
{
	*hash = control_hash(name) | 1;
	return &seen_at_load[*hash >> 20];
}

static void note_seen_at_load(struct slice name, bool yes)
{
	uint32_t hash, *cell = seen_at_load_cell(name, &hash);

	store_relaxed(cell, yes ? hash : 0);
}

static bool was_seen_at_load(struct slice name)
{
	uint32_t hash, *cell = seen_at_load_cell(name, &hash);

	return load_relaxed(cell) == hash;
}

static bool is_hooked(JNIEnv *env, jclass c, struct slice name)
{
	const struct frt_class *row = class_info_row(env, c, name);

	return row && row->flags & (FRT_CLASS_REWRITTEN | FRT_CLASS_LEFT);
}

/* Does this recording want hooks in the class? */
static bool classes_is_wanted(uint32_t recording, jclass c, struct slice name, const struct matcher_tags *tags)
{
	jboolean modifiable = 0;

	if (!loaded_has_target(recording, &patterns[recording], c, name, tags))
		return false;
	if (!(*jvmti)->IsModifiableClass(jvmti, c, &modifiable) && modifiable)
		return true;
	control_skip(1u << recording, name, slice_of(NULL), slice_of(NULL), FRT_SKIP_UNMODIFIABLE);
	return false;
}

/* Let the class's loader resolve the helper class before anything is rewritten. False: the class is skipped. */
static bool prepare_loader(JNIEnv *env, const struct batch *b, jclass c, struct slice name)
{
	enum frt_skip_reason reason = FRT_SKIP_NONE;
	jobject loader = NULL;
	uint32_t number;

	if ((*jvmti)->GetClassLoader(jvmti, c, &loader) || !loader)
		return true;
	if (!loader_number(env, loader, &number))
		reason = FRT_SKIP_TABLE_FULL;
	else if (loader_ask_aside(env, loader, number, b->until_ns) != LOADER_READY)
		reason = FRT_SKIP_LOADER;
	(*env)->DeleteLocalRef(env, loader);
	if (reason)
		control_skip(1u << b->recording, name, slice_of(NULL), slice_of(NULL), reason);
	return !reason;
}

/*
 * A class that was hooked at load and is not prepared yet: ClassPrepare restores it. Until then none of its
 * methods runs.
 */
static void defer_restore(JNIEnv *env, jclass c, struct slice name)
{
	struct frt_class *row = class_info_row(env, c, name);

	if (!row || !(row->flags & FRT_CLASS_REWRITTEN))
		return;
	control_leave_class(row - control_class_row(0));
}

/* Are there hooks in the class that no filter asks for? */
static bool has_own_hooks(bool with_mounts, bool with_tasks, struct slice name)
{
	if (rewrite_is_mounts(name))
		return with_mounts || (with_tasks && load_relaxed(&continued));
	if (rewrite_is_poller(name))
		return with_mounts;
	return with_tasks && task_places_in(name);
}

/* Must the class be retransformed for the recording that is added? */
static bool gets_hooks(JNIEnv *env, const struct batch *b, jclass c, struct slice name)
{
	struct matcher_tags tags = {.count = 0};

	if (supertypes_are_above(env, &b->supertypes, c))
		supertypes_tag(env, &patterns[b->recording], c, &tags);
	if (!has_own_hooks(b->mounts, b->tasks, name) && !classes_is_wanted(b->recording, c, name, &tags))
		return false;
	return !class_info_is_dead(c) && prepare_loader(env, b, c, name);
}

/* True if the class has hooks that no recording wants, or wants any more. */
static bool has_vain_hooks(const struct batch *b, const struct frt_class *row, struct slice name)
{
	uint32_t id = row - control_class_row(0);

	if (!b->gain && control_hooked_only_for(id, b->recording))
		return true;
	return !(control_hooked_for(id) & active) && !has_own_hooks(mounts, tasks, name);
}

/* A class with hooks that gets no more of them. */
static void collect_hooked(JNIEnv *env, struct batch *b, jclass c, struct slice name)
{
	const struct frt_class *row = class_info_row(env, c, name);

	if (!row || !has_vain_hooks(b, row, name)) {
		if (row && !b->gain)
			control_unhook_for(row - control_class_row(0), b->recording);
	} else if (class_info_is_prepared(c)) {
		batch_add(b, c, true);
	} else {
		defer_restore(env, c, name);
	}
}

static void classes_collect(JNIEnv *env, struct batch *b, jclass c)
{
	struct class_info n;
	bool hooked;

	store_relaxed(&control->progress, control->progress + 1);
	if (!class_info_name(c, &n))
		return;
	hooked = is_hooked(env, c, n.name) && !class_info_forget_if_dead(env, c);
	if (b->gain && gets_hooks(env, b, c, n.name))
		batch_add(b, c, hooked);
	else if (hooked)
		collect_hooked(env, b, c, n.name);
	jvm_free(n.signature);
}

/* A class with hooks that all their recordings have given up. */
static void collect_given_up(JNIEnv *env, struct batch *b, jclass c)
{
	const struct frt_class *row;
	struct class_info n;

	store_relaxed(&control->progress, control->progress + 1);
	if (!class_info_name(c, &n))
		return;
	row = class_info_row(env, c, n.name);
	if (row && control_has_given_up(row - control_class_row(0)) && class_info_is_prepared(c) &&
	    !class_info_is_dead(c))
		batch_add(b, c, true);
	jvm_free(n.signature);
}

static void keep_mounted(JNIEnv *env, jclass c)
{
	if (!mounted)
		__atomic_store_n(&mounted, (*env)->NewGlobalRef(env, c), __ATOMIC_SEQ_CST);
}

/*
 * Have there been virtual threads? Before the first one no class is redefined for their sake. It is not looked up by name,
 * because that would initialise it.
 */
static bool find_virtual_threads(JNIEnv *env, const jclass *loaded, jint count)
{
	for (jint i = 0; i < count && !(mounted && continued); i++) {
		struct class_info n;

		if (!class_info_name(loaded[i], &n))
			continue;
		if (rewrite_is_mounts(n.name))
			keep_mounted(env, loaded[i]);
		else if (rewrite_is_continuation(n.name))
			store_relaxed(&continued, true);
		jvm_free(n.signature);
	}
	return __atomic_load_n(&continued, __ATOMIC_SEQ_CST);
}

static jvmtiError apply_to_loaded(JNIEnv *env, struct batch *b, void (*collect)(JNIEnv *, struct batch *, jclass))
{
	jclass *loaded;
	jint count;
	jvmtiError error = (*jvmti)->GetLoadedClasses(jvmti, &count, &loaded);

	if (error)
		return error;
	b->classes = sys_map(count * (sizeof(jclass) + 1) + 1);
	if (!b->classes) {
		jvm_free(loaded);
		return JVMTI_ERROR_OUT_OF_MEMORY;
	}
	b->hooked = (bool *)(b->classes + count);
	if (b->mounts)
		b->mounts = find_virtual_threads(env, loaded, count);
	if (b->gain)
		supertypes_find(&patterns[b->recording], loaded, count, &b->supertypes);
	for (jint i = 0; i < count; i++)
		collect(env, b, loaded[i]);
	control->retransformed = b->count;
	control->retransform_ns = 0;
	error = batch_retransform(env, b, count);
	sys_unmap(b->classes, count * (sizeof(jclass) + 1) + 1);
	jvm_free(loaded);
	return error;
}

static void set_pattern(uint32_t recording, const struct matcher *pattern)
{
	__atomic_fetch_and(&active, ~(1u << recording), __ATOMIC_SEQ_CST);
	if (!pattern)
		return;
	rewrite_forget_natives(recording);
	for (uint32_t i = 1; i <= control->classes; i++) {
		clear_bits(&control_class_row(i)->flags, FRT_CLASS_SEEN);
		control_unhook_for(i, recording); /* if hooks of an earlier recording could not be removed */
	}
	patterns[recording] = *pattern;
	__atomic_fetch_or(&active, 1u << recording, __ATOMIC_SEQ_CST);
}

static jvmtiError apply_as_tracer(JNIEnv *env, struct batch *b, void (*collect)(JNIEnv *, struct batch *, jclass))
{
	jvmtiError error;

	/* for all classes; -Xcheck:jni warns about references beyond the capacity; HotSpot's default limit is 65536 */
	if (!jvm_push_frame(env, 65536) && !jvm_push_frame(env, 4096))
		return JVMTI_ERROR_OUT_OF_MEMORY;
	applying = env;
	error = apply_to_loaded(env, b, collect);
	applying = NULL;
	(*env)->PopLocalFrame(env, NULL);
	return error;
}

static jvmtiError classes_apply(JNIEnv *env, uint32_t recording, const struct matcher *pattern)
{
	struct batch b = {.recording = recording, .until_ns = sys_monotonic_ns() + PATIENCE_NS};
	bool followed = mounts, had_tasks = tasks;

	set_pattern(recording, pattern);
	adding = pattern ? 1u << recording : 0;
	if (adding) {
		memset(seen_at_load, 0, sizeof(seen_at_load));
		__atomic_store_n(&mounts, mounts || control_config(recording)->flags & FRT_CONFIG_MOUNTS,
				 __ATOMIC_SEQ_CST);
		__atomic_store_n(&tasks, tasks || control_config(recording)->flags & FRT_CONFIG_TASKS,
				 __ATOMIC_SEQ_CST);
	} else if (!active) {
		mounts = tasks = false;
	}
	b.gain = adding;
	b.mounts = mounts && !followed;
	b.tasks = tasks && (!had_tasks || (adding && control_config(recording)->place[0].class_name[0]));
	return apply_as_tracer(env, &b, classes_collect);
}

jvmtiError classes_unhook(JNIEnv *env)
{
	adding = 0;
	return apply_as_tracer(env, &(struct batch){.optional = true}, collect_given_up);
}

jvmtiError classes_add(JNIEnv *env, uint32_t recording, const struct matcher *pattern)
{
	return classes_apply(env, recording, pattern);
}

jvmtiError classes_remove(JNIEnv *env, uint32_t recording)
{
	return classes_apply(env, recording, NULL);
}

static bool all_named; /* cleared when the JVM did not tell a class's name */

/* No recording runs, so FRT_CLASS_SEEN is free. */
static void collect_seen(JNIEnv *env, struct batch *b, jclass c)
{
	struct frt_class *row;
	struct class_info n;

	if (!class_info_name(c, &n)) {
		all_named = all_named && !n.unknown;
		return;
	}
	row = class_info_row(env, c, n.name);
	if (row)
		set_bits(&row->flags, FRT_CLASS_SEEN);
	jvm_free(n.signature);
}

jvmtiError classes_leave_missing(JNIEnv *env)
{
	jvmtiError error;

	for (uint32_t i = 1; i <= control->classes; i++)
		clear_bits(&control_class_row(i)->flags, FRT_CLASS_SEEN);
	adding = 0;
	all_named = true;
	error = apply_as_tracer(env, &(struct batch){.gain = 0}, collect_seen);
	for (uint32_t i = 1; i <= control->classes && all_named && !error; i++)
		if ((control_class_row(i)->flags & (FRT_CLASS_REWRITTEN | FRT_CLASS_SEEN)) == FRT_CLASS_REWRITTEN)
			control_leave_class(i);
	return error;
}

/* The class has its original code again, whoever restored it. */
static void note_original(jobject loader, struct slice name)
{
	struct frt_class *row;
	uint32_t number;

	if (!loader_known(loader, &number))
		return;
	row = control_find_class(name, number);
	if (row && row->flags & (FRT_CLASS_REWRITTEN | FRT_CLASS_LEFT))
		control_unhook_class(row - control_class_row(0));
}

/*
 * A class that is being loaded is about to get hooks. If the recording ends meanwhile, its end cannot see the
 * unfinished class. So hooked_at_load is set first, and `active` is read after that.
 */
static uint32_t may_begin(jclass redefined)
{
	if (!redefined)
		__atomic_store_n(&hooked_at_load, true, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&active, __ATOMIC_SEQ_CST);
}

static bool hand_over(const unsigned char *out, size_t out_size, jint *new_size, unsigned char **new_bytes)
{
	unsigned char *copy;

	if ((*jvmti)->Allocate(jvmti, out_size, &copy))
		return false;
	memcpy(copy, out, out_size);
	*new_bytes = copy;
	*new_size = out_size;
	return true;
}

/*
 * A class without new code. Without memory it has lost the hooks that it had, too, so all recordings must know, also those
 * that have rules for it since long.
 */
static void note_failure(const struct rewrite *r, uint32_t wanted_by, struct slice name, enum rewrite_answer answer)
{
	if (answer == REWRITE_MALFORMED)
		control_skip(wanted_by & r->news, name, slice_of(NULL), slice_of(NULL), FRT_SKIP_MALFORMED);
	if (answer == REWRITE_NO_MEMORY)
		control_skip(wanted_by, name, slice_of(NULL), slice_of(NULL), FRT_SKIP_MEMORY);
}

/* True if a filter may select a method of the class. `tags` are those of a class that is already loaded. */
static bool may_match(const struct matcher *p, const char *name, const unsigned char *bytes, jint size,
		      const struct matcher_tags *tags)
{
	enum matcher_answer answer = matcher_class(p, name, strlen(name));

	if (answer != MATCHER_TAGGED || tags->count)
		return answer != MATCHER_NO;
	return size > 10 && policy_may_have_tag(p, bytes + 10, size - 10, bytes[8] << 8 | bytes[9]);
}

/* Those of the recordings that may select a method of the class. */
static uint32_t may_be_for(const struct rewrite *r, const char *name, const unsigned char *bytes, jint size)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < FRT_RECORDINGS; i++)
		if (r->recordings >> i & 1 && may_match(&r->pattern[i], name, bytes, size, &r->tags[i]))
			set |= 1u << i;
	return set;
}

static void tag_supertypes(const struct rewrite *r, jclass redefined)
{
	for (uint32_t i = 0; i < FRT_RECORDINGS; i++)
		if (r->recordings >> i & 1)
			supertypes_tag(r->env, &r->pattern[i], redefined, &r->tags[i]);
}

static void on_file(JNIEnv *env, jclass redefined, jobject loader, const char *name, jint size,
		    const unsigned char *bytes, jint *new_size, unsigned char **new_bytes)
{
	struct matcher_tags tags[FRT_RECORDINGS];
	struct rewrite r = {.pattern = patterns,
			    .env = env,
			    .loader = loader,
			    .tags = tags,
			    .mounts = mounts,
			    .tasks = tasks && (!loader || task_places_are_own(slice_of(name)))};
	size_t out_size, memory_size;
	const unsigned char *out;
	enum frt_skip_reason reason = FRT_SKIP_NONE;
	enum rewrite_answer answer;
	uint32_t wanted_by;
	void *memory;

	if (redefined) {
		stack_classes_changed();
		note_original(loader, slice_of(name));
	}
	if (redefined && env == applying)
		store_relaxed(&control->progress, control->progress + 1);
	r.recordings = load_acquire(&active);
	if (!r.recordings)
		return;
	if (!redefined)
		room_load(size);
	r.news = redefined && env == applying ? adding : r.recordings;
	for (uint32_t i = 0; i < FRT_RECORDINGS; i++)
		tags[i].count = 0;
	if (redefined)
		tag_supertypes(&r, redefined);
	wanted_by = may_be_for(&r, name, bytes, size);
	if (!wanted_by && !has_own_hooks(r.mounts, r.tasks, slice_of(name))) {
		if (!redefined)
			note_seen_at_load(slice_of(name), true);
		return;
	}
	r.insist = redefined && env != applying;
	if (!may_begin(redefined))
		return;
	answer = rewrite_class(&r, bytes, size, &out, &out_size, &memory, &memory_size);
	if (!redefined)
		note_seen_at_load(slice_of(name), answer != REWRITE_LATER);
	note_failure(&r, wanted_by, slice_of(name), answer);
	if (answer != REWRITE_DONE)
		return;
	if (load_acquire(&active)) {
		if (!redefined && !room_take_loading(size))
			reason = FRT_SKIP_METASPACE;
		else if (!hand_over(out, out_size, new_size, new_bytes))
			reason = FRT_SKIP_MEMORY;
	}
	if (reason) {
		note_original(loader, slice_of(name));
		control_skip(wanted_by, slice_of(name), slice_of(NULL), slice_of(NULL), reason);
	}
	sys_unmap(memory, memory_size);
}

void JNICALL classes_on_file(jvmtiEnv *j, JNIEnv *env, jclass redefined, jobject loader, const char *name,
			     jobject protection_domain, jint size, const unsigned char *bytes, jint *new_size,
			     unsigned char **new_bytes)
{
	if (!name)
		return;
	__atomic_fetch_add(&readers, 1, __ATOMIC_SEQ_CST);
	on_file(env, redefined, loader, name, size, bytes, new_size, new_bytes);
	__atomic_fetch_sub(&readers, 1, __ATOMIC_SEQ_CST);
}

/*
 * A class slips through if it was loaded while the pattern changed or while its loader was being asked for the
 * helper. It is then retransformed here, before its first method runs. The same holds for a class with hooks of an
 * earlier recording, and for one with a supertype that only filters name, not its class file, whether they select
 * or exclude.
 */
static bool was_seen(const struct matcher *p, const struct frt_class *row, struct slice name)
{
	return (row && row->flags & FRT_CLASS_SEEN) || (matcher_any_class(p) && was_seen_at_load(name));
}

static bool slipped_through_for(JNIEnv *env, uint32_t recording, jclass c, const struct frt_class *row,
				struct slice name)
{
	const struct matcher *p = &patterns[recording];
	struct matcher_tags tags = {.count = 0};

	if (matcher_class(p, name.at, name.length) == MATCHER_NO)
		return false;
	if (supertypes_tag(env, p, c, &tags))
		return (row && row->flags & FRT_CLASS_REWRITTEN) || classes_is_wanted(recording, c, name, &tags);
	return !was_seen(p, row, name) && classes_is_wanted(recording, c, name, &tags);
}

/* It is not prepared yet, and has hooks of a recording that has ended. */
static bool has_left_hooks(const struct frt_class *row, uint32_t set)
{
	if (row->flags & FRT_CLASS_LEFT)
		return true;
	return row->flags & FRT_CLASS_REWRITTEN && control_hooked_for(row - control_class_row(0)) & ~set;
}

static bool slipped_through(JNIEnv *env, jclass c, uint32_t set)
{
	const struct frt_class *row;
	struct class_info n;
	bool missed;

	if (!class_info_name(c, &n))
		return false;
	row = class_info_row(env, c, n.name);
	missed = row && has_left_hooks(row, set);
	missed = missed || (tasks && task_places_are_own(n.name) && !(row && row->flags & FRT_CLASS_REWRITTEN));
	for (uint32_t r = 0; r < FRT_RECORDINGS && !missed; r++)
		missed = set >> r & 1 && slipped_through_for(env, r, c, row, n.name);
	jvm_free(n.signature);
	return missed;
}

static bool classes_has_hooks(JNIEnv *env, jclass c)
{
	struct class_info n;
	bool hooked;

	if (!class_info_name(c, &n))
		return false;
	hooked = is_hooked(env, c, n.name);
	jvm_free(n.signature);
	return hooked;
}

static bool classes_is_continuation(jclass c)
{
	struct class_info n;
	bool is;

	if (!class_info_name(c, &n))
		return false;
	is = rewrite_is_continuation(n.name);
	jvm_free(n.signature);
	return is;
}

/*
 * The first virtual thread is being made: from now on they are followed. While a recording begins, its thread may be about
 * to find the class: either it sees `continued`, or `mounted` is seen here.
 */
static void follow_virtual_threads(JNIEnv *env, jclass c, uint32_t set)
{
	jclass virtual;

	if (load_relaxed(&continued) || !__atomic_load_n(&mounts, __ATOMIC_SEQ_CST) || !classes_is_continuation(c))
		return;
	__atomic_store_n(&continued, true, __ATOMIC_SEQ_CST);
	virtual = __atomic_load_n(&mounted, __ATOMIC_SEQ_CST);
	if (virtual)
		batch_retransform_one(env, virtual, classes_has_hooks(env, virtual), set);
}

void JNICALL classes_on_prepare(jvmtiEnv *j, JNIEnv *env, jthread thread, jclass c)
{
	uint32_t set;

	stack_classes_changed();
	hook_class_prepared(env, c);
	__atomic_fetch_add(&readers, 1, __ATOMIC_SEQ_CST);
	set = load_acquire(&active);
	/* hooks without a recording: the class got them at load */
	if (set ? slipped_through(env, c, set) : classes_has_hooks(env, c))
		batch_retransform_one(env, c, classes_has_hooks(env, c), set);
	if (set)
		follow_virtual_threads(env, c, set);
	__atomic_fetch_sub(&readers, 1, __ATOMIC_SEQ_CST);
}

bool classes_need_prepare(void)
{
	return __atomic_load_n(&hooked_at_load, __ATOMIC_SEQ_CST);
}

bool classes_reading(void)
{
	return __atomic_load_n(&readers, __ATOMIC_SEQ_CST);
}
