// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/slot.h"
#include "uprobes/agent/allocated.h"
#include "uprobes/agent/lock_free.h"
#include "uprobes/agent/inside.h"
#include "uprobes/agent/recordings.h"
#include "uprobes/agent/ring.h"
#include "uprobes/agent/thread.h"
#include "uprobes/agent/stack.h"
#include "uprobes/agent/timing.h"
#include "uprobes/elf/usdt.h"

USDT_SEMAPHORE(thread);

struct slot_entry slot_table[SLOT_TABLE];

static struct free_list free_slots;

struct frt_slot *slot_search(JNIEnv *env)
{
	uint32_t i = slot_hash((uint64_t)env);

	for (uint32_t n = 0; n < SLOT_PROBES; n++, i = (i + 1) % SLOT_TABLE) {
		uint64_t key = load_acquire(&slot_table[i].env);

		if (key == (uint64_t)env)
			return slot_table[i].slot;
		if (!key)
			break;
	}
	return NULL;
}

static uint32_t slot_next(uint32_t number, const uint32_t *set)
{
	uint32_t *next = &control_slot(number)->thread; /* not used otherwise in a free slot */

	if (set)
		store_relaxed(next, *set);
	return load_relaxed(next);
}

/* The cell that holds `env`, or with `add` the first one that it may take. NULL: all nearby cells are taken. */
static struct slot_entry *entry_for(uint64_t env, bool add)
{
	struct slot_entry *vacant = NULL;
	uint32_t i = slot_hash(env);

	for (uint32_t n = 0; n < SLOT_PROBES; n++, i = (i + 1) % SLOT_TABLE) {
		uint64_t key = load_acquire(&slot_table[i].env);

		if (key == env)
			return &slot_table[i];
		if (key <= SLOT_TOMBSTONE && !vacant)
			vacant = &slot_table[i];
		if (!key)
			break;
	}
	return add ? vacant : NULL;
}

static struct frt_slot *slot_take(void)
{
	int64_t number = free_list_pop(&free_slots, slot_next);
	uint32_t next;

	if (number >= 0)
		return control_slot(number);
	next = load_relaxed(&control->slots);
	do {
		if (next >= FRT_MAX_SLOTS)
			return NULL;
	} while (!__atomic_compare_exchange_n(&control->slots, &next, next + 1, false, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
	return control_slot(next);
}

/* Enter {env, slot} into the table. Only the thread itself enters its env, so there are no duplicates. */
static bool slot_enter(uint64_t env, struct frt_slot *s)
{
	for (;;) {
		struct slot_entry *e = entry_for(env, true);
		uint64_t key;

		if (!e)
			return false;
		key = load_relaxed(&e->env);
		if (key > SLOT_TOMBSTONE && key != env)
			continue;
		/* 2 is no address: it keeps other threads off while the slot is stored */
		if (!__atomic_compare_exchange_n(&e->env, &key, 2, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		e->slot = s;
		store_release(&e->env, env);
		return true;
	}
}

/* The counters of a slot count one recording. */
static void slot_begin_epoch(struct frt_slot *s)
{
	s->entered = s->exited = s->thrown = s->recorded = s->unrecorded = 0;
	s->longest = s->lost_exits = s->moved_exits = 0;
	s->depth = s->joined = 0;
	inside_slot_begin(s); /* the root that was open when the recording before ended is no more */
	memset(control_inside(s), 0, sizeof(struct frt_inside));
	timing_slot_begin(s);
	store_release(&s->epoch, control->epoch);
}

static __attribute__((noinline, aligned(32))) void slot_thread_site(uint64_t slot, struct frt_slot *at)
{
	CALL_SITE_2("thread", slot, at);
}

void slot_announce(struct frt_slot *s, JNIEnv *env)
{
	if (!s->stack_end) /* stacks may have been off so far */
		stack_thread_begin(s, env);
	if (frtrace_thread_semaphore)
		slot_thread_site(s - control_slot(0), s);
}

/* No open call of the slot will end. */
static void slot_lose_all(struct frt_slot *s)
{
	if (load_acquire(&recordings_shared))
		recordings_lose(s, 0);
	else
		slot_lose_calls(s, s->depth);
	s->depth = 0;
}

static void slot_own(struct frt_slot *s, JNIEnv *env)
{
	if (s->epoch != control->epoch)
		slot_begin_epoch(s);
	slot_lose_all(s); /* calls of the previous owner */
	inside_slot_begin(s);
	s->vthread = 0;
	s->flags = allocated_flags();
	allocated_slot_begin(s);
	s->virtual_key = 0;
	s->env = (uint64_t)env;
	s->thread_pointer = sys_thread_pointer();
	s->thread = thread_identify(s, env);
	s->stack_end = 0;
	slot_announce(s, env);
	if (load_acquire(&recordings_shared))
		recordings_update_shares(s);
}

struct frt_slot *slot_claim(JNIEnv *env)
{
	struct frt_slot *s = slot_search(env);

	if (!s) {
		s = slot_take();
		if (s && !slot_enter((uint64_t)env, s)) {
			free_list_push(&free_slots, s - control_slot(0), slot_next);
			s = NULL;
		}
		if (!s) {
			add_relaxed(&control->slots_missing, 1);
			return NULL;
		}
	}
	slot_own(s, env);
	return s;
}

/* A thread that has ended, and the calls that it was in. */
struct slot_ending {
	JNIEnv *env;
	struct frt_slot *slot;
	uint32_t depth;
	uint64_t own, lost[FRT_RECORDINGS]; /* counted for them, in the slot and in the shares */
};

static struct slot_ending last_end; /* the last of all */
static struct lock last_end_lock;   /* taken by lock_try only */

static void slot_note_end(const struct slot_ending *e)
{
	if (!lock_try(&last_end_lock)) /* another one ends right now; the calls of this one just stay lost */
		return;
	last_end = *e;
	lock_drop(&last_end_lock);
}

/* Count the calls that the thread is in as lost. */
static void slot_end(struct frt_slot *s, struct slot_ending *e)
{
	uint64_t own = s->lost_exits;

	if (load_acquire(&recordings_shared))
		recordings_update_shares(s);
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		e->lost[r] = recordings_share(s, r)->lost_exits;
	e->depth = s->flags & FRT_SLOT_CARRIER ? 0 : s->depth;
	slot_lose_all(s);
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		e->lost[r] = recordings_share(s, r)->lost_exits - e->lost[r];
	e->own = s->lost_exits - own;
}

void slot_release(JNIEnv *env)
{
	struct slot_entry *e = entry_for((uint64_t)env, false);
	struct slot_ending ending = {.env = env};
	struct frt_slot *s;

	if (!e)
		return;
	s = e->slot;
	store_release(&e->env, SLOT_TOMBSTONE);
	ending.slot = s;
	slot_end(s, &ending);
	slot_note_end(&ending);
	s->virtual_key = 0;
	s->env = s->thread_pointer = 0;
	free_list_push(&free_slots, s - control_slot(0), slot_next);
}

void slot_jvm_ends(JNIEnv *env)
{
	struct slot_ending e = {.env = NULL};

	if (lock_try(&last_end_lock)) {
		e = last_end;
		if (e.env == env)
			last_end.env = NULL;
		lock_drop(&last_end_lock);
	}
	if (!e.env || e.env != env)
		return;
	e.slot->lost_exits -= e.own;
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		recordings_share(e.slot, r)->lost_exits -= e.lost[r];
	if (!e.slot->env) /* no other thread has taken it */
		e.slot->depth = e.depth;
}

void slot_reset_all(void)
{
	if (lock_try(&last_end_lock)) {
		last_end.env = NULL;
		lock_drop(&last_end_lock);
	}
	/*
	 * The slots stay in place: a thread that was preempted in a hook since the last recording may be about to read its
	 * own.
	 */
	for (uint32_t i = 0; i < SLOT_TABLE; i++)
		store_release(&slot_table[i].env, 0);
	free_slots.top = 0;
	for (uint32_t i = control->slots; i-- > 0;) {
		control_slot(i)->env = control_slot(i)->thread_pointer = 0;
		free_list_push(&free_slots, i, slot_next);
	}
}

static void append_name(struct frt_slot *s, uint64_t java_id, const char *name, uint32_t length)
{
	for (uint32_t part = 0; part == 0 || part * 16 < length; part++) {
		union {
			struct frt_vthread name;
			uint64_t words[FRT_RECORD_SIZE / 8];
		} r = {.name = {.java_id = java_id, .part = part, .kind = FRT_VTHREAD, .length = length}};
		uint32_t size = length - part * 16;

		memcpy(r.name.name, name + part * 16, size < 16 ? size : 16);
		ring_append(s, r.words, sys_tsc());
	}
}

bool slot_name_virtual(struct frt_slot *s, JNIEnv *env)
{
	char name[16 * FRT_VTHREAD_PARTS];
	struct thread_virtual v;

	if (!thread_running_virtual(env, s->vthread, name, sizeof(name), &v))
		return false;
	if (v.java_id != s->vthread) {
		append_name(s, v.java_id, name, v.name_length);
		s->vthread = v.java_id;
	}
	return true;
}
