// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tasks from the call that hands them over to their end, and their records. Which of them wait is the business of task_rows.c.
 */
#include "uprobes/agent/tasks/tasks.h"
#include "uprobes/agent/inside.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/mounts.h"
#include "uprobes/agent/recordings.h"
#include "uprobes/agent/ring.h"
#include "uprobes/agent/slot.h"
#include "uprobes/agent/stack.h"
#include "uprobes/agent/tasks/task_names.h"
#include "uprobes/agent/tasks/task_objects.h"
#include "uprobes/agent/tasks/task_places.h"
#include "uprobes/agent/tasks/task_rows.h"
#include "uprobes/agent/tasks/task_threads.h"

static uint32_t wanted; /* by these recordings, as a set of bits */
static bool everywhere; /* tasks of all calls are wanted, not of roots only */
static bool pending_set;
static uint32_t watched;

bool tasks_are_on(void)
{
	return load_relaxed(&wanted);
}

static void task_missed(void)
{
	add_relaxed(&control->tasks_missed, 1);
}

/* ---- records */

/* The flags of a span that is for these recordings, a set of bits. */
static uint64_t just_for(uint32_t set)
{
	uint64_t flags = 0;

	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		if (!(set >> r & 1))
			flags |= FRT_SPAN_NOT(r);
	return flags;
}

/* The records that follow in this ring are of the task's root. Returns the one that the thread is in. */
static struct inside_root task_name_root(struct frt_slot *s, const struct task_row *row, uint64_t now)
{
	struct inside_root own = {.number = control_inside(s)->root};

	if (!row->root.number)
		return own;
	if (row->root.number != own.number)
		inside_switch_root(s, &row->root, &own);
	inside_name_root(s, now);
	return own;
}

/* The records have been written. */
static void task_leave_root(struct frt_slot *s, const struct task_row *row, const struct inside_root *own)
{
	if (!row->root.number)
		return;
	if (row->root.number != own->number)
		inside_switch_root(s, own, NULL);
	inside_settle(s);
}

/* Write for these recordings what became of a task. `s`: of the running thread. */
static void task_record(struct frt_slot *s, JNIEnv *env, const struct task_row *row, enum frt_task_end end,
			uint64_t now, uint32_t set)
{
	uint64_t start = end == FRT_TASK_UNSEEN ? now : row->begun,
		 flags = FRT_SPAN_TASK | FRT_SPAN_FIELDS | just_for(set);
	uint32_t thread = end == FRT_TASK_UNSEEN ? 0 : end == FRT_TASK_RUNS ? row->runner : s->thread;
	uint64_t span[4] = {start, now - start, FRT_NO_METHOD | (uint64_t)row->stack << 32};
	struct frt_task task = {.submitted = row->submitted,
				.submitter = row->submitter,
				.method = row->method,
				.class_name = row->name ? task_name_string(row->name) : 0,
				.end = end};
	union {
		struct frt_field field;
		uint64_t words[FRT_RECORD_SIZE / 8];
	} r = {.field = {.number = FRT_FIELD_TASK,
			 .size = sizeof(task),
			 .form = FRT_FORM_TASK,
			 .kind = FRT_FIELD,
			 .flags = FRT_FIELD_LAST}};
	struct inside_root own;

	if (!s->ring && !ring_first(s, now)) {
		task_missed();
		return;
	}
	own = task_name_root(s, row, now);
	if (s->flags & FRT_SLOT_CARRIER && thread == s->thread && slot_name_virtual(s, env))
		flags |= FRT_SPAN_VIRTUAL;
	span[3] = thread | (uint64_t)FRT_SPAN << 32 | flags << 48;
	memcpy(r.field.data, &task, sizeof(task));
	ring_append(s, span, now);
	ring_append(s, r.words, now);
	task_leave_root(s, row, &own);
}

/* Nothing more will come of a task of that root. */
static void task_root_over(JNIEnv *env, uint64_t root, uint64_t now)
{
	if (root)
		inside_task_over(slot_find(env), root, now);
}

static struct frt_slot *tasks_slot(JNIEnv *env, jint place)
{
	struct frt_slot *s = slot_find(env);

	return s || task_place_mounts(place) ? s : slot_claim(env);
}

/* ---- what the hooks call */

/* True if the running thread is in a traced call, or in a task of one; with --inside, in a root. */
static bool is_in_call(const struct frt_slot *s)
{
	if (load_relaxed(&inside_since) != UINT64_MAX)
		return control_inside(s)->root;
	if (s->flags & FRT_SLOT_CARRIER)
		return s->carrier.java_id && s->carrier.depth;
	return s->depth || task_thread_of(s)->inner;
}

static uint32_t innermost_method(const struct frt_slot *s)
{
	if (s->flags & FRT_SLOT_CARRIER || !s->depth || s->depth > FRT_OPEN_CALLS)
		return FRT_NO_METHOD;
	return s->open[s->depth - 1].method;
}

/* The call, or the task, that the thread is in, so that those of one thread differ. */
static uint64_t submitting_call(const struct frt_slot *s)
{
	if (control_inside(s)->root)
		return control_inside(s)->root;
	if (s->flags & FRT_SLOT_CARRIER)
		return s->carrier.since;
	return task_thread_of(s)->inner ?: s->open[0].start;
}

/* A StackOverflowError came between asking for a row and putting the task in it: nobody will. */
static void task_forget_asked(JNIEnv *env, struct task_thread *t)
{
	struct task_row *row = task_row_of(t->asked - 1);

	task_missed();
	task_class_forget(env, t->asked - 1);
	t->asked = 0;
	task_root_over(env, row->root.number, row->submitted);
	task_row_release(row);
}

static jint JNICALL tasks_ask(JNIEnv *env, jclass helper, jint place)
{
	struct frt_slot *s = frtrace_drain_semaphore && load_relaxed(&wanted) ? slot_find(env) : NULL;
	struct task_thread *t;
	struct task_row *row;
	uint64_t now;
	int64_t at;

	if (!s || !is_in_call(s))
		return task_rows_waiting() && load_relaxed(&wanted) ? TASK_STRANGE : TASK_NOT;
	now = sys_tsc();
	t = task_thread_of(s);
	if (unlikely(t->asked))
		task_forget_asked(env, t);
	at = task_thread_is_too_often(
		     t, now,
		     control_config(__builtin_ctz(load_relaxed(&wanted) | 1u << 31) % FRT_RECORDINGS)->tick_scale)
		     ? -1
		     : task_row_hold((s - control_slot(0)) * 61, &t->next);
	if (at < 0) {
		task_missed();
		return TASK_EXCESS;
	}
	row = &task_rows[at];
	row->submitted = now;
	row->submitter = s->flags & FRT_SLOT_CARRIER ? frt_virtual_key(s->carrier.java_id) : s->thread;
	row->from = submitting_call(s);
	row->method = innermost_method(s);
	row->stack = stack_depth && !task_place_mounts(place) ? stack_take_walked(s, env) : 0;
	row->name = NULL;
	row->outer = 0;
	inside_hand_over(s, now, &row->root);
	t->asked = at + 1;
	return at;
}

static jint JNICALL tasks_nameless(JNIEnv *env, jclass helper, jint hash)
{
	uint64_t now = sys_tsc();
	uint32_t next = now >> 4;
	int64_t at = task_row_hold(now * FRT_CELL_HASH >> 40, &next);

	if (at < 0) {
		task_hash_doubt(hash);
		return TASK_NOT;
	}
	task_rows[at].submitted = now;
	task_rows[at].submitter = FRT_NO_THREAD;
	task_rows[at].from = 0;
	task_rows[at].root.number = 0;
	return at;
}

static void tasks_set_pending(JNIEnv *env)
{
	if (load_acquire(&pending_set))
		return;
	task_class_set_pending(env, true);
	store_release(&pending_set, true);
}

static jint JNICALL tasks_put(JNIEnv *env, jclass helper, jint at, jint hash, jint again)
{
	struct task_row *row = task_row_of(at);
	struct frt_slot *s = slot_find(env);
	uint64_t handle;

	if (s && task_thread_of(s)->asked == (uint32_t)at + 1)
		task_thread_of(s)->asked = 0;
	tasks_set_pending(env);
	row->again = again;
	handle = task_row_put(row, hash);
	if (!handle) {
		if (row->submitter)
			task_missed();
		task_root_over(env, row->root.number, row->submitted);
		task_class_forget(env, at);
		task_row_release(row);
		return TASK_GONE;
	}
	if (likely(__atomic_load_n(&wanted, __ATOMIC_SEQ_CST)) || !task_row_change(handle, ROW_WAITS, ROW_HELD))
		return task_row_has_twins(row) ? TASK_TWINS : TASK_WAITS;
	task_class_forget(env, at);
	task_row_release(row); /* the recording has ended meanwhile */
	return TASK_GONE;
}

/* In the root that the thread is in, a task may begin here that is none of the root. */
static struct frt_slot *slot_in_root(JNIEnv *env, jint place)
{
	struct frt_slot *s;

	if (load_relaxed(&inside_since) == UINT64_MAX || !load_relaxed(&wanted) || !task_place_helps(place))
		return NULL;
	s = slot_find(env);
	return s && control_inside(s)->root ? s : NULL;
}

static jint JNICALL tasks_any(JNIEnv *env, jclass helper, jint place)
{
	return task_rows_waiting() || slot_in_root(env, place);
}

static jlong JNICALL tasks_find(JNIEnv *env, jclass helper, jint hash, jlong after)
{
	return task_row_find(hash, after);
}

static void task_close(struct frt_slot *s, JNIEnv *env, uint64_t handle, uint64_t now)
{
	struct task_row *row = task_row_of(handle);

	if (!task_row_change(handle, ROW_RUNS, ROW_HELD))
		return;
	task_thread_of(s)->inner = row->outer;
	if (row->switched)
		inside_switch_root(s, &row->outer_root, NULL);
	if (row->submitter)
		task_record(s, env, row, task_place_end(row->place), now, load_relaxed(&wanted));
	task_root_over(env, row->root.number, now);
	task_row_release(row);
}

/* The task of the thread's pool has ended, and what was in it. */
static void task_close_open(struct frt_slot *s, JNIEnv *env)
{
	struct task_thread *t = task_thread_of(s);
	uint64_t handle = t->open;

	t->open = 0;
	if (handle)
		task_close(s, env, handle, sys_tsc());
	t->inner = 0;
}

/* A task begins on the thread that is none of its root: until it ends, the thread is in no root. */
static void task_leaves_root(struct frt_slot *s, struct task_row *row, uint64_t handle, jint place)
{
	static const struct inside_root none;

	row->place = place;
	row->submitter = FRT_NO_THREAD;
	row->outer = task_thread_of(s)->inner;
	row->switched = true;
	inside_switch_root(s, &none, &row->outer_root);
	if (!(s->flags & FRT_SLOT_CARRIER))
		task_thread_of(s)->inner = handle;
}

/* Java code must not drop the reference any more: the row may be another task's at once. */
static jint task_forget(JNIEnv *env, uint64_t handle)
{
	uint64_t root = task_row_of(handle)->root.number;

	task_class_forget(env, TASK_ROW(handle));
	if (task_row_change(handle, ROW_RUNS, ROW_FREE))
		task_root_over(env, root, sys_tsc());
	return TASK_IGNORED;
}

/* The task that has been taken is of no interest, or it is not known whose it is. */
static jint task_ignore(JNIEnv *env, struct task_row *row, uint64_t handle, jint place)
{
	struct frt_slot *s = slot_in_root(env, place);

	if (!s)
		return task_forget(env, handle);
	task_leaves_root(s, row, handle, place);
	return TASK_TAKEN;
}

static jlong JNICALL tasks_strange(JNIEnv *env, jclass helper, jint place)
{
	struct frt_slot *s = slot_in_root(env, place);
	struct task_thread *t = s ? task_thread_of(s) : NULL;
	uint64_t handle;
	int64_t at;

	if (!s || t->direct) {
		if (s)
			t->direct = false;
		return 0;
	}
	at = task_row_hold((s - control_slot(0)) * 61, &t->next);
	if (at < 0) { /* its rest is missing, but nothing of others is in it */
		task_missed();
		inside_suspend_root(s);
		return 0;
	}
	task_rows[at].submitted = sys_tsc();
	task_rows[at].root.number = 0;
	handle = task_row_run(&task_rows[at]);
	task_leaves_root(s, &task_rows[at], handle, place);
	return handle;
}

static void JNICALL tasks_direct(JNIEnv *env, jclass helper, jint place)
{
	struct frt_slot *s = slot_find(env);

	if (s && control_inside(s)->root)
		task_thread_of(s)->direct = true;
}

static jint JNICALL tasks_take(JNIEnv *env, jclass helper, jlong handle, jobject task, jint kind, jint place)
{
	struct task_row *row = task_row_of(handle);
	uint64_t now = sys_tsc();
	struct frt_slot *s;

	if (!task_row_change(handle, ROW_WAITS, ROW_RUNS))
		return TASK_LATE;
	if (task_place_is_open(place) && place != task_place_thread())
		task_thread_meets(env);
	if (task_place_resumes(place))
		return task_forget(env, handle);
	if (!row->submitter || (row->root.number && inside_is_over(row->root.number, now)))
		return task_ignore(env, row, handle, place);
	s = task_row_is_in_doubt(handle) ? NULL : tasks_slot(env, place);
	if (!s) {
		task_missed();
		return task_ignore(env, row, handle, place);
	}
	task_thread_of(s)->direct = false;
	row->begun = now;
	row->place = place;
	row->runner = s->thread;
	row->runner_slot = s - control_slot(0);
	row->name = task_name_at(kind) ?: task_name(env, task);
	if (place == task_place_thread() && task_name_is_worker(env, task, row->name))
		return task_forget(env, handle); /* it is there for tasks, and is none */
	row->switched = row->root.number && row->root.number != control_inside(s)->root;
	if (row->switched)
		inside_switch_root(s, &row->root, &row->outer_root);
	if (s->flags & FRT_SLOT_CARRIER)
		return TASK_TAKEN;
	row->outer = task_thread_of(s)->inner;
	task_thread_of(s)->inner = handle;
	if (task_place_is_open(place))
		task_thread_of(s)->open = handle;
	return TASK_TAKEN;
}

static void JNICALL tasks_ended(JNIEnv *env, jclass helper, jlong handle, jint place)
{
	uint64_t now = sys_tsc();
	struct frt_slot *s = slot_find(env);

	if (s)
		task_close(s, env, handle, now);
}

static void JNICALL tasks_idle(JNIEnv *env, jclass helper, jint place)
{
	struct frt_slot *s = slot_find(env);

	if (s && task_thread_of(s)->open)
		task_close_open(s, env);
}

void tasks_thread_begins(JNIEnv *env, jobject thread)
{
	if (load_relaxed(&wanted) && task_rows_waiting())
		task_class_begins(env, thread, task_place_thread());
}

void tasks_thread_ends(JNIEnv *env)
{
	struct frt_slot *s = load_relaxed(&wanted) ? slot_find(env) : NULL;

	if (s)
		task_close_open(s, env);
}

/* ---- recordings */

bool tasks_begin(JNIEnv *env, uint32_t recording)
{
	static const struct task_natives natives = {.ask = tasks_ask,
						    .nameless = tasks_nameless,
						    .put = tasks_put,
						    .twin = task_object_twin,
						    .any = tasks_any,
						    .find = tasks_find,
						    .take = tasks_take,
						    .end = tasks_ended,
						    .idle = tasks_idle,
						    .first = task_name_first,
						    .strange = tasks_strange,
						    .direct = tasks_direct,
						    .other = task_object_other,
						    .left = task_object_left,
						    .unmet = task_object_unmet,
						    .dispatched = task_name_dispatched,
						    .starts = task_name_starts};

	if (!(control_config(recording)->flags & FRT_CONFIG_TASKS))
		return true;
	if (!task_class_init(env, control->tag, &natives))
		return false;
	task_places_begin(recording, wanted);
	if (!wanted) {
		task_threads_begin();
		task_rows_begin();
		control->tasks_missed = 0;
	}
	if (!wanted && !(control_config(recording)->flags & FRT_CONFIG_INSIDE)) {
		everywhere = true;
		__atomic_fetch_add(&inside_busy, INSIDE_ROOT, __ATOMIC_SEQ_CST);
	}
	__atomic_fetch_or(&wanted, 1u << recording, __ATOMIC_SEQ_CST);
	task_class_set_on(env, true);
	return true;
}

/* A task has waited too long, or the recording ends. Returns its root, or 0. */
static uint64_t task_give_up(struct frt_slot *s, JNIEnv *env, uint64_t handle, uint32_t set)
{
	struct task_row copy, *row = task_row_of(handle);
	bool framed;
	jobject task;

	task_hash_doubt(row->hash); /* it may still run */
	if (!task_row_change(handle, ROW_WAITS, ROW_HELD))
		return 0;
	framed = jvm_push_frame(env, TASK_NAME_REFERENCES + 1);
	task = task_class_forget(env, TASK_ROW(handle));
	copy = *row;
	copy.name = framed && task ? task_name(env, task) : NULL;
	if (framed)
		(*env)->PopLocalFrame(env, NULL);
	else if (task)
		(*env)->DeleteLocalRef(env, task);
	task_row_release(row);
	if (copy.submitter)
		task_record(s, env, &copy, FRT_TASK_UNSEEN, sys_tsc(), set);
	return copy.root.number;
}

static void task_cut_run(struct frt_slot *s, JNIEnv *env, uint64_t handle, uint32_t set)
{
	struct task_row copy = *task_row_of(handle);

	if (task_row_change(handle, ROW_RUNS, ROW_FREE) && copy.submitter)
		task_record(s, env, &copy, FRT_TASK_RUNS, sys_tsc(), set);
}

/* Another recording goes on with them. A row that changes meanwhile will have a record of its own. */
static void task_copy(struct frt_slot *s, JNIEnv *env, uint64_t state, uint32_t set)
{
	const struct task_row *row = task_row_of(state >> 2);
	struct task_row copy = *row;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (load_relaxed(&row->state) == state && copy.submitter)
		task_record(s, env, &copy, (state & 3) == ROW_RUNS ? FRT_TASK_RUNS : FRT_TASK_UNSEEN, sys_tsc(), set);
}

/* The recordings `set` end, and others do or do not go on. */
static void tasks_finish(JNIEnv *env, uint32_t set, bool others)
{
	struct frt_slot *s = slot_find(env) ?: slot_claim(env);

	for (uint32_t i = 0; i < TASK_ROWS && s; i++) {
		uint64_t state = load_acquire(&task_rows[i].state);

		if ((state & 3) < ROW_WAITS)
			continue;
		if (others)
			task_copy(s, env, state, set);
		else if ((state & 3) == ROW_WAITS)
			task_give_up(s, env, state >> 2, set);
		else
			task_cut_run(s, env, state >> 2, set);
	}
}

void tasks_end(JNIEnv *env, uint32_t recording)
{
	uint32_t set = 1u << recording, left = load_relaxed(&wanted) & ~set;

	if (!(load_relaxed(&wanted) & set))
		return;
	if (!left)
		task_class_set_on(env, false);
	tasks_finish(env, set, left);
	__atomic_store_n(&wanted, left, __ATOMIC_SEQ_CST);
	if (left)
		return;
	sys_sleep_ms(1); /* by then all see the row of a thread that has just put it and still saw `wanted` */
	tasks_finish(env, set, false); /* what was being submitted */
	task_class_set_pending(env, false);
	store_release(&pending_set, false);
	if (everywhere)
		__atomic_fetch_sub(&inside_busy, INSIDE_ROOT, __ATOMIC_SEQ_CST);
	everywhere = false;
}

#define WATCH_EVERY 10u
#define AGE_EVERY   (10u * TASK_DOUBT_SECONDS)

void tasks_watch(JNIEnv *env)
{
	uint64_t bound = (uint64_t)FRT_TASK_SECONDS * 1000000000u, now = sys_tsc(), ticks;
	uint32_t set = load_relaxed(&wanted);
	struct frt_slot *s;

	if (!set)
		return;
	task_names_tell(env);
	if (!(++watched % AGE_EVERY))
		task_rows_age();
	if (!task_rows_waiting() || watched % WATCH_EVERY)
		return;
	ticks = (unsigned __int128)bound * control_config(__builtin_ctz(set))->tick_scale >> 32;
	s = slot_find(env) ?: slot_claim(env);
	for (uint32_t i = 0; i < TASK_ROWS && s; i++) {
		uint64_t state = load_acquire(&task_rows[i].state);

		if ((state & 3) == ROW_WAITS && (int64_t)(now - load_relaxed(&task_rows[i].submitted) - ticks) > 0)
			task_root_over(env, task_give_up(s, env, state >> 2, set), now);
	}
}
