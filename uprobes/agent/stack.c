// SPDX-License-Identifier: BSD-2-Clause
/*
 * A stack is walked at most twice: once for its hash and, if the hash is new, again to write its frames. The
 * thread is in native code, so its Java frames do not change meanwhile. But the JVM may deoptimise one of them
 * between the walks, so the row describes the second walk.
 *
 * Two private caches answer which code a return address is in and what an interpreter's Method is. Filling an
 * entry is expensive, because system calls check the memory without touching it. Each use then verifies the entry
 * with a few loads: the compile id, which no two nmethods share, in a block that is in use; and the number of
 * classes created so far, because without a new class no memory of a method can change its meaning.
 */
#include "uprobes/agent/stack.h"
#include "uprobes/agent/lock_free.h"
#include "uprobes/agent/own_memory.h"
#include "uprobes/agent/stack_chunks.h"
#include "uprobes/agent/stack_jvmti.h"
#include "uprobes/agent/stack_memory.h"
#include "uprobes/agent/stack_named.h"
#include "uprobes/agent/stack_table.h"

#define CODE_SETS_LOG2	 11
#define METHOD_SETS_LOG2 9

uint32_t stack_depth;

/* What recordings want; the elements that are not in use are 0. */
struct wish {
	uint32_t depth, sources; /* FRT_STACKS_* */
};
static struct wish wishes[FRT_RECORDINGS];
static uint32_t stack_sources; /* with stack_depth: of all of them together */

static struct frt_layout layout;
static uint32_t class_count; /* incremented whenever a class is created */

/* Like an entry of struct cache, with more words after the key. */
struct known_code {
	uint64_t key;  /* the program counter */
	uint64_t blob; /* kind << 48, deoptimised << 56 */
	uint32_t cookie, size, frame;
	int at_sp;
};

static struct known_code code_table[1u << CODE_SETS_LOG2][CACHE_WAYS] __attribute__((aligned(64)));
static struct lock code_lock; /* taken by lock_try only */

/* Value for a Method: class_count << 32 | fingerprint. */
static struct cache method_sets[1u << METHOD_SETS_LOG2][CACHE_WAYS] __attribute__((aligned(64)));
static struct cache_table methods = {method_sets, METHOD_SETS_LOG2, {0}};

struct walk;
struct walk_code;
static inline void code_at(struct walk *w, uint64_t pc, struct walk_code *code);

#define WALK_READ(w, to, size, address) (own_memory_read(to, size, address) ? 0 : -1)
#define WALK_STACK(w, to, address)	stack_word(w, to, address)
#define WALK_CODE(w, pc, code)		code_at(w, pc, code)
#define WALK_IN_CHUNK(w)		((w)->context != NULL) /* a struct stack_chunk */

static inline int stack_word(const struct walk *w, uint64_t *to, uint64_t address);

#include "bpf/walk.h"

/* In a chunk the bounds are such that no address is between them. */
static inline int stack_word(const struct walk *w, uint64_t *to, uint64_t address)
{
	if (unlikely(address < w->low || address > w->high - 8))
		return w->context && stack_chunk_word(w->context, to, address) ? 0 : -1;
	*to = load_word(address);
	return 0;
}

static void known_code_put(uint64_t pc, const struct walk_code *code)
{
	struct known_code *set = code_table[cache_set(pc, CODE_SETS_LOG2)], *e;
	uint64_t version;

	if (!lock_try(&code_lock))
		return;
	e = &set[cache_way(set, sizeof(*set), pc)];
	version = (e->key & -CACHE_VERSION) + CACHE_VERSION;
	store_relaxed(&e->key, version | CACHE_BUSY);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	store_relaxed(&e->blob, code->blob | (uint64_t)code->kind << 48 | (uint64_t)code->deoptimised << 56);
	store_relaxed(&e->cookie, code->cookie);
	store_relaxed(&e->size, code->size);
	store_relaxed(&e->frame, code->frame);
	store_relaxed(&e->at_sp, code->at_sp);
	store_release(&e->key, version | pc);
	lock_drop(&code_lock);
}

/* Memory of the code cache that was once readable stays readable: HotSpot never unmaps it. */
static bool in_code_cache(uint64_t from, uint64_t to)
{
	for (uint32_t i = 0; i < layout.heaps; i++)
		if (from >= layout.heap[i].low && to <= layout.heap[i].high)
			return true;
	return false;
}

static inline bool is_method(const struct walk_code *code)
{
	return code->kind == WALK_COMPILED || code->kind == WALK_NATIVE || code->kind == WALK_CONTINUATION;
}

/*
 * Four words show whether the cached code is still there. Its block may have been freed or split: HotSpot
 * allocates from the rear of a free block, and the front keeps all its words except `used`. Stubs for foreign
 * functions come and go, too.
 */
static inline uint64_t used_at(const struct walk_code *code)
{
	return code->blob - layout.block_size + layout.block_used;
}

static inline uint64_t size_at(const struct walk_code *code)
{
	return code->blob + layout.blob_size;
}

/* The compile id; for a stub half of the address of its name. */
static inline uint64_t cookie_at(const struct walk_code *code)
{
	return code->blob + (is_method(code) ? layout.nmethod_compile_id : layout.blob_name);
}

static inline uint64_t anchor_at(const struct walk_code *code)
{
	return code->blob + layout.upcall_frame_data;
}

static inline bool stack_is_current(const struct walk_code *code)
{
	if (!code->blob)
		return true; /* the call stub */
	return load_u8(used_at(code)) == 1 && load_u32(size_at(code)) == code->size &&
	       load_u32(cookie_at(code)) == code->cookie &&
	       (code->kind != WALK_UPCALL_STUB || (int)load_u32(anchor_at(code)) == code->at_sp);
}

/* True if each of the four words was readable when the code was found. */
static bool can_be_checked(struct walk_code *code)
{
	if (!code->blob)
		return true;
	if (!is_method(code) && !own_memory_read(&code->cookie, 4, cookie_at(code)))
		return false;
	return in_code_cache(used_at(code), used_at(code) + 1) && in_code_cache(size_at(code), size_at(code) + 4) &&
	       in_code_cache(cookie_at(code), cookie_at(code) + 4) &&
	       (code->kind != WALK_UPCALL_STUB || in_code_cache(anchor_at(code), anchor_at(code) + 4));
}

static __attribute__((noinline)) void find_code(uint64_t pc, struct walk_code *code)
{
	struct walk w = {.layout = &layout};

	walk_code_at(&w, pc, code);
	if (code->kind == WALK_NO_CODE)
		return;
	if (!can_be_checked(code))
		code->kind = WALK_NO_CODE;
	else if (pc < CACHE_BUSY)
		known_code_put(pc, code);
}

static inline bool known_code_get(const struct known_code *e, uint64_t pc, struct walk_code *code)
{
	uint64_t key = load_acquire(&e->key), blob;

	if (!key || CACHE_ADDRESS(key) != pc)
		return false;
	blob = load_relaxed(&e->blob);
	code->blob = CACHE_ADDRESS(blob);
	code->kind = blob >> 48 & 0xff;
	code->deoptimised = blob >> 56;
	code->cookie = load_relaxed(&e->cookie);
	code->size = load_relaxed(&e->size);
	code->frame = load_relaxed(&e->frame);
	code->at_sp = load_relaxed(&e->at_sp);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return load_relaxed(&e->key) == key && stack_is_current(code);
}

static inline void code_at(struct walk *w, uint64_t pc, struct walk_code *code)
{
	const struct known_code *set;

	if (pc - layout.interpreter < layout.interpreter_end - layout.interpreter) {
		*code = (struct walk_code){.kind = WALK_INTERPRETER};
		return;
	}
	set = code_table[cache_set(pc, CODE_SETS_LOG2)];
	for (uint32_t i = 0; i < CACHE_WAYS; i++)
		if (likely(known_code_get(&set[i], pc, code)))
			return;
	find_code(pc, code);
}

static __attribute__((noinline)) uint32_t find_fingerprint(uint64_t method, uint32_t classes)
{
	struct walk w = {.layout = &layout};
	uint32_t fingerprint = walk_fingerprint(&w, method);

	if (fingerprint)
		cache_put(&methods, method, (uint64_t)classes << 32 | fingerprint);
	return fingerprint;
}

/* The fingerprint of an interpreted method. The class count is read first, the method's memory after it. */
static inline uint32_t fingerprint_of(uint64_t method)
{
	uint32_t classes = load_acquire(&class_count);
	uint64_t what;

	if (likely(cache_get(&methods, method, &what) && what >> 32 == classes))
		return what;
	return find_fingerprint(method, classes);
}

void stack_classes_changed(void)
{
	__atomic_fetch_add(&class_count, 1, __ATOMIC_RELEASE);
}

/* The result of one walk. The second walk writes frames from row `first` on, at most `capacity`. */
struct taken {
	JNIEnv *env; /* to go on in the heap */
	uint64_t hash;
	uint32_t depth; /* maximum */
	uint32_t first, capacity;
	uint32_t count;
	enum frt_walk_end end;
	bool inclusive;
};

static inline uint64_t stack_mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9fb21c651e98df25ULL;
	return h ^ h >> 35;
}

static inline void stack_add(struct taken *t, const struct frt_frame *f, bool store)
{
	t->hash = stack_mix(t->hash, f->at ^ (uint64_t)f->cookie << 32 ^ f->code << 17 ^ f->kind);
	if (store && t->count < t->capacity)
		*stack_table_frame(t->first, t->count) = *f;
	t->count++;
}

/* The next Java frame in the form in which it is recorded. */
static inline bool stack_next_frame(struct walk *w, struct frt_frame *f)
{
	if (unlikely(!walk_next(w, f)))
		return false;
	if (f->kind != FRT_FRAME_INTERPRETED)
		return true;
	f->cookie = fingerprint_of(f->code);
	w->end = FRT_WALK_UNREADABLE;
	return f->cookie != 0;
}

/* Continue with the newest frame of a chunk. */
static bool walk_begins_in_chunk(struct walk *w, struct stack_chunk *c)
{
	w->context = c;
	w->low = UINT64_MAX;
	w->high = 8;
	w->sp = c->sp;
	return walk_return(w, c->sp - 8);
}

/*
 * The last frame of a virtual thread, enterSpecial, stays on the stack. The oldest frame of the last chunk returns to it,
 * but has lost its return address.
 */
static bool walk_takes_entry(struct walk *w, struct frt_frame *f)
{
	struct walk_code code;

	if (!layout.continuation_return) {
		*f = stack_named_first();
		return f->code;
	}
	WALK_CODE(w, layout.continuation_return, &code);
	*f = (struct frt_frame){
		.kind = FRT_FRAME_NATIVE, .code = code.blob, .at = layout.continuation_return, .cookie = code.cookie};
	return code.kind == WALK_CONTINUATION;
}

/*
 * The next frame in the heap. A chunk ends where its oldest frame does, or at most two words before that. There is no
 * native method in it: with one a thread keeps its carrier.
 */
static bool walk_next_in_chunk(struct walk *w, struct frt_frame *f)
{
	struct stack_chunk *c = w->context;

	if (w->sp + 16 >= c->bottom) {
		enum stack_chunk_answer answer = w->sp <= c->bottom ? stack_chunk_next(c) : STACK_CHUNK_UNKNOWN;

		if (answer == STACK_CHUNK_NONE)
			return (w->last = walk_takes_entry(w, f));
		if (answer == STACK_CHUNK_UNKNOWN || !walk_begins_in_chunk(w, c))
			return false;
	}
	return stack_next_frame(w, f) && f->kind != FRT_FRAME_NATIVE;
}

static bool walk_chunks(struct walk *w, struct stack_chunk *c, struct taken *t, uint32_t capacity, bool store)
{
	struct frt_frame f;

	if (stack_chunk_open(c, t->env) != STACK_CHUNK_FOUND || !walk_begins_in_chunk(w, c))
		return false;
	while (!w->last) {
		if (!walk_next_in_chunk(w, &f))
			return false;
		if (t->count == capacity) {
			t->end = FRT_WALK_DEPTH;
			return true;
		}
		stack_add(t, &f, store);
	}
	t->end = FRT_WALK_BOTTOM;
	return true;
}

/*
 * The walk has come to the end of a virtual thread's frames on the stack. Whatever is not as expected in the heap leaves
 * the stack as it is up to there. The copies of chunks need some stack, so they are not in the caller's frame.
 */
static __attribute__((noinline)) void walk_heap(struct walk *w, struct taken *t, uint32_t capacity, bool store)
{
	struct taken before = *t;
	struct stack_chunk c;

	if (!walk_chunks(w, &c, t, capacity, store)) {
		*t = before;
		t->end = FRT_WALK_CHUNK;
	}
	stack_chunk_close(&c);
}

static inline __attribute__((always_inline)) void walk_frames(struct walk *w, struct taken *t, bool store)
{
	uint32_t capacity = t->depth;
	struct frt_frame f;

	/* skip the hook's own native frame; then the method that called it */
	if (!walk_next(w, &f) || !walk_next(w, &f)) {
		t->end = w->end;
		return;
	}
	if (f.kind == FRT_FRAME_COMPILED) {
		t->inclusive = true;
		capacity++;
		stack_add(t, &f, store);
	}
	while (stack_next_frame(w, &f)) {
		if (t->count == capacity) {
			t->end = FRT_WALK_DEPTH;
			return;
		}
		stack_add(t, &f, store);
	}
	t->end = w->end;
	if (unlikely(w->end == FRT_WALK_CHUNK))
		walk_heap(w, t, capacity, store);
}

static inline __attribute__((always_inline)) void walk_own(const struct frt_slot *s, struct taken *t, bool store)
{
	struct walk w = {.layout = &layout, .low = (uint64_t)__builtin_frame_address(0), .high = s->stack_end};

	t->hash = 0;
	t->count = 0;
	t->inclusive = false;
	w.sp = load_word(s->anchor + layout.anchor_sp);
	w.pc = load_word(s->anchor + layout.anchor_pc);
	w.fp = load_word(s->anchor + layout.anchor_fp);
	if (!w.sp)
		t->end = FRT_WALK_BOTTOM;
	else if (!w.pc && stack_word(&w, &w.pc, w.sp - 8))
		t->end = FRT_WALK_UNREADABLE;
	else
		walk_frames(&w, t, store);
	t->hash = stack_mix(t->hash, t->count << 16 | t->inclusive << 8 | t->end);
}

static __attribute__((noinline)) uint32_t stack_intern(const struct frt_slot *s, const struct taken *first)
{
	struct taken t;
	struct frt_stack row;
	uint32_t id = stack_table_reserve(first->count, &t.first);

	if (id == FRT_STACK_LOST)
		return id;
	t.env = first->env;
	t.depth = first->depth;
	t.capacity = first->count;
	walk_own(s, &t, true);
	row = (struct frt_stack){.hash = t.hash,
				 .first = t.first,
				 .count = t.count,
				 .end = t.end,
				 .flags = t.inclusive ? FRT_STACK_INCLUSIVE : 0};
	if (t.count > t.capacity) {
		row.count = 0;
		row.end = FRT_WALK_UNREADABLE;
		row.hash = 0;
	}
	stack_table_publish(id, &row);
	return id;
}

/* An id for a call whose stack is unknown, so that the call is shown as such. */
static uint32_t unknown_stack(void)
{
	struct frt_stack row = {.hash = stack_mix(0, FRT_WALK_UNASKED), .end = FRT_WALK_UNASKED};
	uint32_t id = stack_table_find(row.hash);

	if (id)
		return id;
	id = stack_table_reserve(0, &row.first);
	if (id != FRT_STACK_LOST)
		stack_table_publish(id, &row);
	return id;
}

static __attribute__((noinline)) uint32_t stack_ask(const struct frt_slot *s, JNIEnv *env, uint32_t method,
						    uint32_t depth)
{
	uint32_t id;

	switch (stack_jvmti_take(s, env, method, depth, &id)) {
	case STACK_JVMTI_TAKEN: return id;
	case STACK_JVMTI_UNASKED: add_relaxed(&control->stacks_unasked, 1); break;
	case STACK_JVMTI_REFUSED: add_relaxed(&control->stacks_refused, 1); break;
	}
	return unknown_stack();
}

/* True if the walker stopped where the JVM may know the rest: in the heap, for a virtual thread that was parked. */
static bool is_worth_asking(enum frt_walk_end end, uint32_t sources)
{
	return end == FRT_WALK_CHUNK || (sources & FRT_STACKS_JVMTI && end != FRT_WALK_BOTTOM && end != FRT_WALK_DEPTH);
}

static inline __attribute__((always_inline)) uint32_t take_as(struct frt_slot *s, JNIEnv *env, uint32_t method,
							      struct wish wish)
{
	struct taken t = {.env = env, .depth = wish.depth};
	uint32_t id;

	if (unlikely(!s->stack_end || !(wish.sources & FRT_STACKS_WALK))) {
		if (wish.sources & FRT_STACKS_JVMTI)
			return stack_ask(s, env, method, wish.depth);
		add_relaxed(&control->stacks_off, 1);
		return 0;
	}
	walk_own(s, &t, false);
	if (!t.count && t.end == FRT_WALK_BOTTOM)
		return 0;
	if (unlikely(is_worth_asking(t.end, wish.sources)) &&
	    stack_jvmti_take(s, env, method, wish.depth, &id) == STACK_JVMTI_TAKEN)
		return id;
	id = stack_table_find(t.hash);
	return likely(id) ? id : stack_intern(s, &t);
}

uint32_t stack_take(struct frt_slot *s, JNIEnv *env, uint32_t method)
{
	return take_as(s, env, method, (struct wish){stack_depth, stack_sources});
}

/* What these recordings want together. */
static struct wish wish_of(uint32_t recordings)
{
	struct wish all = {0};
	uint32_t unwalked = 0;

	for (uint32_t r = 0; r < FRT_RECORDINGS; r++) {
		const struct wish *w = &wishes[r];

		if (!(recordings >> r & 1) || !w->depth)
			continue;
		if (w->depth > all.depth)
			all.depth = w->depth;
		all.sources |= w->sources;
		unwalked |= ~w->sources & FRT_STACKS_WALK;
	}
	all.sources &= ~unwalked;
	return all;
}

uint32_t stack_take_for(struct frt_slot *s, JNIEnv *env, uint32_t method, uint32_t recordings)
{
	struct wish wish = wish_of(recordings);

	return wish.depth ? take_as(s, env, method, wish) : 0;
}

uint32_t stack_take_walked(struct frt_slot *s, JNIEnv *env)
{
	struct taken t = {.env = env, .depth = stack_depth};
	uint32_t id;

	if (!stack_depth || !s->stack_end)
		return 0;
	walk_own(s, &t, false);
	if (!t.count)
		return 0;
	id = stack_table_find(t.hash);
	return id ? id : stack_intern(s, &t);
}

void stack_thread_begin(struct frt_slot *s, JNIEnv *env)
{
	uint64_t sp = (uint64_t)__builtin_frame_address(0);

	s->stack_end = 0;
	if (!stack_depth || !layout.jdk_version)
		return;
	s->anchor = (uint64_t)env - layout.thread_env + layout.thread_anchor;
	s->stack_end = stack_memory_end(sp);
}

/*
 * The layout of a JVM never changes; a different one comes only from a different frtrace. Threads in the middle of
 * a walk get time to finish.
 */
static void set_layout(const struct frt_layout *l)
{
	if (!memcmp(&layout, l, sizeof(layout)))
		return;
	sys_sleep_ms(20);
	memset(code_table, 0, sizeof(code_table));
	memset(method_sets, 0, sizeof(method_sets));
	layout = *l;
}

/* Stacks are taken as all recordings together want them. */
static void wishes_apply(void)
{
	struct wish all = wish_of(UINT32_MAX);

	store_relaxed(&stack_sources, all.sources);
	store_release(&stack_depth, all.depth);
}

static void take_layout(const struct frt_config *config)
{
	struct frt_layout l = config->layout;

	if (!(config->stacks & FRT_STACKS_WALK) || !stack_memory_fits(&l))
		memset(&l, 0,
		       sizeof(l)); /* no thread is walked then: the JVM is asked, or the calls are counted as unknown */
	set_layout(&l);
	stack_classes_changed();
}

static void wish_add(uint32_t recording, const struct frt_config *config)
{
	uint32_t depth = config->stack_depth < FRT_MAX_DEPTH ? config->stack_depth : FRT_MAX_DEPTH;

	stack_table_join(recording); /* open-call dumps need it too */
	if (depth)
		wishes[recording] = (struct wish){depth, config->stacks};
	wishes_apply();
}

void stack_join(uint32_t recording, const struct frt_config *config)
{
	if (config->stack_depth && !layout.jdk_version) /* else threads may be in the middle of a walk */
		take_layout(config);
	wish_add(recording, config);
}

void stack_leave(uint32_t recording)
{
	stack_table_leave(recording);
	wishes[recording] = (struct wish){0};
	wishes_apply();
}

void stack_begin(uint32_t recording, const struct frt_config *config)
{
	control->stacks_lost = control->stacks_off = 0;
	control->stacks_unasked = control->stacks_refused = 0;
	memset(wishes, 0, sizeof(wishes));
	wishes_apply();
	stack_table_begin(config->stack_frames);
	if (config->stack_depth)
		take_layout(config);
	wish_add(recording, config);
}
