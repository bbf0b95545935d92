// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/rewrite.h"
#include "bpf/queue.h"
#include "format/classfile/class_edit.h"
#include "uprobes/agent/fields/fields.h"
#include "uprobes/agent/flags.h"
#include "uprobes/agent/hook_class.h"
#include "uprobes/agent/loader.h"
#include "uprobes/agent/retransform.h"
#include "uprobes/agent/tasks/task_places.h"
#include "filters/policy.h"

#define CAPTURES_MEMORY ((PLAN_FIELDS + 65536) * FRT_RECORDINGS * sizeof(struct capture) + 65536 * 8)

static enum frt_skip_reason edit_reason(enum edit_result result)
{
	static const enum frt_skip_reason reasons[] = {
		[EDIT_NO_CODE] = FRT_SKIP_NATIVE,      [EDIT_JSR] = FRT_SKIP_JSR,
		[EDIT_TOO_LARGE] = FRT_SKIP_TOO_LARGE, [EDIT_HUGE] = FRT_SKIP_HUGE_METHOD,
		[EDIT_MALFORMED] = FRT_SKIP_MALFORMED, [EDIT_SHAPE] = FRT_SKIP_MALFORMED,
	};

	return reasons[result];
}

/* What the recordings decide about one method. */
struct verdict {
	uint32_t selected, refused;  /* by these, as sets of bits */
	uint32_t native;	     /* the same: it has no bytecode, and its function is traced */
	enum frt_skip_reason reason; /* of `refused`: why it must not be hooked */
	struct matcher_decision of[FRT_RECORDINGS];
};

static struct verdict judge(const struct rewrite *r, const struct class_file *c, const struct class_method *m)
{
	struct verdict v = {.reason = FRT_SKIP_NONE};

	for (uint32_t i = 0; i < FRT_RECORDINGS; i++) {
		enum frt_skip_reason reason;

		if (!(r->recordings >> i & 1))
			continue;
		v.of[i] = policy_method(&r->pattern[i], c, m, &r->tags[i], &reason);
		if (!v.of[i].trace && !v.of[i].timing)
			continue;
		if (reason == FRT_SKIP_NATIVE && v.of[i].named) {
			v.native |= 1u << i;
			v.of[i].root = false; /* without hooks it is none */
		} else if (reason) {
			v.refused |= 1u << i;
			v.reason = policy_reason(reason, &v.of[i]);
		} else {
			v.selected |= 1u << i;
		}
	}
	return v;
}

/* Report to those of the recordings that do not know it yet. */
static void rewrite_skip(const struct rewrite *r, uint32_t recordings, const struct class_file *c,
			 const struct class_method *m, enum frt_skip_reason reason)
{
	if (m)
		control_skip(recordings & r->news, c->name, m->name, m->descriptor, reason);
	else
		control_skip(recordings & r->news, c->name, slice_of(NULL), slice_of(NULL), reason);
}

/*
 * Fill in the edits of the selected methods and return their number. Methods that must not be hooked are reported
 * as skipped. *selected are the recordings that select any; *natives is the number of native ones to be traced.
 */
static uint32_t choose(const struct rewrite *r, const struct class_file *c, struct method_edit *edits,
		       uint32_t *selected, uint32_t *natives)
{
	uint32_t count = 0;

	*selected = *natives = 0;
	for (uint16_t i = 0; i < c->methods; i++) {
		const struct class_method *m = &c->method[i];
		struct verdict v = judge(r, c, m);

		if (v.refused)
			rewrite_skip(r, v.refused, c, m, v.reason);
		*natives += v.native != 0;
		if (!v.selected)
			continue;
		edits[count++] = (struct method_edit){.method = i};
		*selected |= v.selected;
	}
	return count;
}

static bool ends_with(struct slice name, const char *end)
{
	size_t length = strlen(end);

	return name.length >= length && !memcmp(name.at + name.length - length, end, length);
}

/* The hook at the entry of a method of VirtualThread; see mounts.h. */
static const char *mount_hook(const struct class_method *m)
{
	if (slice_is(m->name, "runContinuation"))
		return hook_class_mount_name(HOOK_MOUNT);
	if (slice_is(m->name, "afterYield"))
		return hook_class_mount_name(HOOK_UNMOUNT);
	if (slice_is(m->name, "afterDone"))
		return hook_class_mount_name(HOOK_END);
	return ends_with(m->name, "ubmitRunContinuation") ? hook_class_mount_name(HOOK_READY) : NULL;
}

/* The reason of waits within a method of VirtualThread; 0: none. */
static enum frt_wait_reason mount_reason(const struct class_method *m)
{
	if (slice_is(m->name, "yieldContinuation"))
		return FRT_WAIT_PARKED;
	if (slice_is(m->name, "tryYield"))
		return FRT_WAIT_CARRIER; /* it is ready all the time */
	return slice_is(m->name, "sleepNanos") ? FRT_WAIT_SLEEP : 0;
}

/* Is this a method with a descriptor, and which one? That of pollSelector() is a selector's. */
static bool is_poll(const struct class_file *c, const struct class_method *m, enum hook_poll *poll)
{
	bool is_static = m->access & 0x0008;

	*poll = is_static ? HOOK_POLL : HOOK_REGISTER;
	if (!rewrite_is_poller(c->name))
		return false;
	if (!is_static)
		return slice_is(m->name, "implRegister") && slice_begins(m->descriptor, "(I)V");
	return (slice_is(m->name, "poll") || slice_is(m->name, "pollSelector")) && slice_begins(m->descriptor, "(I");
}

static bool has_own_hook(const struct class_file *c, const struct class_method *m)
{
	enum hook_poll poll;

	return rewrite_is_poller(c->name) ? is_poll(c, m, &poll) : mount_hook(m) || mount_reason(m);
}

static void put_own_hook(struct method_edit *edit, const struct class_file *c, const struct class_method *m)
{
	enum hook_poll poll;
	bool polls = is_poll(c, m, &poll);

	edit->call = polls ? NULL : mount_hook(m);
	if (edit->id || !(polls || mount_reason(m)))
		return;
	edit->hooks = polls ? hook_class_poll_hooks(poll) : hook_class_wait_hooks();
	edit->form = polls ? EDIT_COUNTS : EDIT_NUMBER;
	edit->object = polls && poll == HOOK_REGISTER;
	edit->id = polls ? FRT_WAIT_POLL : mount_reason(m);
}

/* Add the hooks for mounts to the edits, which are in the order of the methods. Returns their number. */
static uint32_t add_mounts(const struct class_file *c, struct method_edit *edits, uint32_t count)
{
	for (uint16_t i = 0; i < c->methods; i++) {
		const struct class_method *m = &c->method[i];
		uint32_t at = 0;

		while (at < count && edits[at].method < i)
			at++;
		if (!has_own_hook(c, m))
			continue;
		if (at == count || edits[at].method != i) {
			memmove(edits + at + 1, edits + at, (count - at) * sizeof(*edits));
			edits[at] = (struct method_edit){.method = i};
			count++;
		}
		put_own_hook(&edits[at], c, m);
	}
	return count;
}

/*
 * Assign ids to the selected methods. Methods that do not fit into the table are reported as skipped; those that all
 * recordings have given up get no hooks.
 */
static uint32_t number_methods(const struct rewrite *r, const struct class_file *c, uint32_t class_id,
			       struct method_edit *edits, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct class_method *m = &c->method[edits[i].method];
		uint32_t id = control_method(class_id, m->name, m->descriptor, m->access);
		struct verdict v = judge(r, c, m);

		if (!id)
			rewrite_skip(r, v.selected, c, m, FRT_SKIP_TABLE_FULL);
		if (!id || control_is_given_up(id, v.selected))
			continue;
		edits[kept] = edits[i];
		edits[kept++].id = id;
	}
	return kept;
}

/*
 * A threshold is below that of FRT_RULE_UNTRACED, which alone means that the method is not the recording's. Only a root may
 * have that: one that is kept by no time.
 */
static uint64_t threshold_ticks(const struct frt_config *config, const struct matcher_decision *v)
{
	uint64_t most = FRT_RULE_UNTRACED >> FRT_RULE_SHIFT, ticks = config->threshold;
	uint64_t own = v->root ? v->root_ns : v->threshold_ns;

	if (!v->trace || (v->root && own == MATCHER_NO_THRESHOLD))
		return most;
	if (own != MATCHER_NO_THRESHOLD)
		ticks = (unsigned __int128)own * config->tick_scale >> 32;
	return ticks < most ? ticks : most - 1;
}

/* FRT_RULE_* */
static uint64_t rewrite_rule_of(uint32_t recording, const struct matcher_decision *v)
{
	const struct frt_config *config = control_config(recording);
	uint64_t rule = threshold_ticks(config, v) << FRT_RULE_SHIFT;
	uint32_t flags = config->flags;

	if (v->timing)
		rule |= FRT_RULE_TIMED;
	else if (flags & FRT_CONFIG_TIMED)
		rule |= FRT_RULE_TIMED | FRT_RULE_SILENT;
	if (v->root)
		rule |= FRT_RULE_ROOT;
	if (v->until)
		rule |= FRT_RULE_UNTIL;
	if (v->root ? v->root_thrown : flags & FRT_CONFIG_THROWN)
		rule |= FRT_RULE_THROWN;
	return rule;
}

/*
 * True if methods of this class may run while a virtual thread is being mounted or unmounted. Asking the JVM for a
 * stack there would wait for ever for the end of the transition. Seen: Thread, VirtualThread, System$1, System$2.
 */
static bool may_mount(const struct class_file *c)
{
	return slice_begins(c->name, "java/lang/") || slice_begins(c->name, "jdk/internal/");
}

static bool is_lower_bound(const struct class_file *c, const struct class_method *m)
{
	return policy_is_intrinsic(c, m, control->jni_version < 0x00090000) && !flags_make_exact(c->name, m->name);
}

/* The recordings that write the calls of a method, and do not only time them. */
static uint32_t recorders_of(const struct verdict *v)
{
	uint32_t recorders = v->selected;

	for (uint32_t i = 0; i < FRT_RECORDINGS; i++)
		if (v->of[i].timing)
			recorders &= ~(1u << i);
	return recorders;
}

/* Find the values that the recordings want of the methods. */
static void add_captures(const struct rewrite *r, const struct class_file *c, struct method_edit *edits, uint32_t count,
			 struct arena *arena)
{
	struct capture found[CAPTURES_MAX], *kept;

	for (uint32_t i = 0; i < count; i++) {
		const struct class_method *m = &c->method[edits[i].method];
		struct verdict v = judge(r, c, m);
		struct fields_method method = {.file = c,
					       .method = m,
					       .loader = r->loader,
					       .id = edits[i].hooks ? FRT_NO_METHOD : edits[i].id,
					       .pattern = r->pattern,
					       .tags = r->tags};
		uint32_t n = fields_captures(r->recordings, false, &method, found, CAPTURES_MAX - FRT_RECORDINGS);

		n += fields_thrown(recorders_of(&v), found + n);
		n += fields_captures(r->recordings, true, &method, found + n, CAPTURES_MAX - n);
		kept = n && !edits[i].hooks ? arena_alloc(arena, n * sizeof(*kept)) : NULL;
		if (!kept)
			continue;
		memcpy(kept, found, n * sizeof(*kept));
		edits[i].capture = kept;
		edits[i].captures = n;
	}
}

/* Store what each recording does with the calls of a method that `selected` trace from now on. */
static void enter_rules(const struct rewrite *r, uint32_t id, const struct verdict *v, uint32_t selected)
{
	for (uint32_t i = 0; i < FRT_RECORDINGS; i++)
		if (r->recordings & r->news & 1u << i)
			store_relaxed(control_rule(i, id),
				      selected >> i & 1 ? rewrite_rule_of(i, &v->of[i]) : FRT_RULE_UNTRACED);
}

static uint32_t natives_for; /* recordings that have entered native methods, as a set of bits */

bool rewrite_has_natives(void)
{
	uint32_t set = load_relaxed(&natives_for);

	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		if (set >> r & 1 && load_relaxed(&control->recording[r].state) != FRT_IDLE)
			return true;
	return false;
}

void rewrite_forget_natives(uint32_t recording)
{
	__atomic_fetch_and(&natives_for, ~(1u << recording), __ATOMIC_RELAXED);
}

/* Enter a native method, whose function the collectors find and trace. */
static void enter_native(const struct rewrite *r, const struct class_file *c, const struct class_method *m,
			 const struct verdict *v, uint32_t class_id)
{
	uint32_t id;

	if (is_lower_bound(c, m)) {
		rewrite_skip(r, v->native, c, m, FRT_SKIP_NATIVE_INTRINSIC);
		return;
	}
	id = class_id ? control_method(class_id, m->name, m->descriptor, m->access) : FRT_NO_METHOD;
	if (!id) {
		rewrite_skip(r, v->native, c, m, FRT_SKIP_TABLE_FULL);
		return;
	}
	__atomic_fetch_or(&natives_for, v->native, __ATOMIC_RELAXED);
	enter_rules(r, id, v, v->native);
	store_relaxed(&control_method_row(id)->flags, v->native);
}

/* The class need not find the helper: its code stays as it is. */
static void enter_natives(const struct rewrite *r, const struct class_file *c)
{
	uint32_t loader, class_id = 0;

	if (loader_number(r->env, r->loader, &loader))
		class_id = control_class(c->name, loader, c->access);
	for (uint16_t i = 0; i < c->methods; i++) {
		struct verdict v = judge(r, c, &c->method[i]);

		if (v.native)
			enter_native(r, c, &c->method[i], &v, class_id);
	}
}

/* The class has hooks of our own, perhaps besides those for filters. */
static void note_own_hooks(const struct class_file *c, uint32_t class_id)
{
	struct frt_class *row = control_class_row(class_id);

	room_note_hooked(class_id, c->size, c->constants, c->methods);
	if (!(load_relaxed(&row->flags) & FRT_CLASS_REWRITTEN))
		set_bits(&row->flags, FRT_CLASS_REWRITTEN | FRT_CLASS_MOUNTS);
}

static bool enter_results(const struct rewrite *r, const struct class_file *c, uint32_t class_id,
			  const struct method_edit *edits, uint32_t count)
{
	bool any = false, called = false;

	for (uint32_t i = 0; i < count; i++) {
		const struct class_method *m = &c->method[edits[i].method];
		struct frt_method *row = control_method_row(edits[i].id);
		struct verdict v = judge(r, c, m);

		if (!edits[i].id || edits[i].hooks) {
			called |= edits[i].result == EDIT_DONE;
			continue;
		}
		if (edits[i].result != EDIT_DONE) {
			rewrite_skip(r, v.selected, c, m, edit_reason(edits[i].result));
			continue;
		}
		enter_rules(r, edits[i].id, &v, v.selected);
		store_relaxed(&row->flags, v.selected | (is_lower_bound(c, m) ? FRT_METHOD_LOWER_BOUND : 0) |
						   (may_mount(c) ? FRT_METHOD_MAY_MOUNT : 0));
		any = true;
	}
	if (any || called) {
		room_note_hooked(class_id, c->size, c->constants, c->methods);
		set_bits(&control_class_row(class_id)->flags, FRT_CLASS_REWRITTEN | (any ? 0 : FRT_CLASS_MOUNTS));
	}
	return any || called;
}

/* Whether the helper is visible to the class. */
static enum rewrite_answer may_call_helper(const struct rewrite *r, const struct class_file *c, uint32_t loader,
					   uint32_t selected)
{
	switch (loader_ask(r->env, r->loader, loader, r->insist)) {
	case LOADER_READY: return REWRITE_DONE;
	case LOADER_BUSY: return REWRITE_LATER;
	case LOADER_REFUSES: break;
	}
	rewrite_skip(r, selected, c, NULL, FRT_SKIP_LOADER);
	return REWRITE_NOTHING;
}

static enum rewrite_answer rewrite_parsed(const struct rewrite *r, const struct class_file *c, struct arena *arena,
					  const unsigned char **out, size_t *out_size)
{
	struct method_edit *edits = arena_alloc(arena, c->methods * sizeof(*edits));
	enum frt_skip_reason reason = policy_class(c);
	uint32_t count, loader, class_id, selected = 0, natives = 0;
	enum rewrite_answer answer;
	bool mounts;

	for (uint32_t i = 0; i < FRT_RECORDINGS; i++)
		if (r->recordings >> i & 1)
			policy_tag_class(&r->pattern[i], c, &r->tags[i]);
	count = edits ? choose(r, c, edits, &selected, &natives) : 0;
	if (natives)
		enter_natives(r, c);
	mounts = edits && r->mounts && (rewrite_is_mounts(c->name) || rewrite_is_poller(c->name));
	if (!count && !mounts)
		return REWRITE_NOTHING;
	if (!reason && !loader_number(r->env, r->loader, &loader))
		reason = FRT_SKIP_TABLE_FULL;
	if (reason) {
		rewrite_skip(r, selected, c, NULL, reason);
		return REWRITE_NOTHING;
	}
	answer = may_call_helper(r, c, loader, selected);
	if (answer != REWRITE_DONE)
		return answer;
	class_id = control_class(c->name, loader, c->access);
	if (!class_id) {
		rewrite_skip(r, selected, c, NULL, FRT_SKIP_TABLE_FULL);
		return REWRITE_NOTHING;
	}
	set_bits(&control_class_row(class_id)->flags, FRT_CLASS_SEEN);
	count = number_methods(r, c, class_id, edits, count);
	if (mounts)
		count = add_mounts(c, edits, count);
	add_captures(r, c, edits, count, arena);
	if (class_edit(c, hook_class_hooks(), edits, count, arena, out, out_size) != CLASS_OK) {
		rewrite_skip(r, selected, c, NULL, FRT_SKIP_MALFORMED);
		return REWRITE_NOTHING;
	}
	return enter_results(r, c, class_id, edits, count) ? REWRITE_DONE : REWRITE_NOTHING;
}

/*
 * Add the hooks for tasks to a class that may have others by now. These are the outer ones: a traced call of the method that
 * runs a task is a call in the task.
 */
static enum rewrite_answer rewrite_tasks(const struct rewrite *r, const unsigned char *bytes, size_t size,
					 struct arena *arena, const unsigned char **out, size_t *out_size)
{
	struct method_edit edits[TASK_PLACES_MOST];
	struct class_file c;
	uint32_t count, loader, class_id;
	enum rewrite_answer answer;
	bool any = false;

	if (class_parse(&c, bytes, size, arena) != CLASS_OK || !task_places_in(c.name) ||
	    !loader_number(r->env, r->loader, &loader))
		return REWRITE_NOTHING;
	answer = may_call_helper(r, &c, loader, r->recordings);
	if (answer != REWRITE_DONE)
		return answer;
	count = task_places_edits(&c, edits, TASK_PLACES_MOST);
	class_id = count ? control_class(c.name, loader, c.access) : 0;
	if (!class_id || class_edit(&c, task_class_hooks(TASK_RUNS), edits, count, arena, out, out_size) != CLASS_OK)
		return REWRITE_NOTHING;
	for (uint32_t i = 0; i < count; i++) {
		if (edits[i].result != EDIT_DONE)
			continue;
		task_place_is_hooked(r->env, edits[i].id);
		any = true;
	}
	if (any)
		note_own_hooks(&c, class_id);
	return any ? REWRITE_DONE : REWRITE_NOTHING;
}

/* Without hooks for a filter the class may get those for tasks. */
static enum rewrite_answer rewrite_with_tasks(const struct rewrite *r, const unsigned char *bytes, size_t size,
					      enum rewrite_answer answer, struct arena *arena,
					      const unsigned char **out, size_t *out_size)
{
	const unsigned char *first = answer == REWRITE_DONE ? *out : bytes;
	size_t first_size = answer == REWRITE_DONE ? *out_size : size;
	enum rewrite_answer tasks = rewrite_tasks(r, first, first_size, arena, out, out_size);

	return tasks == REWRITE_NOTHING ? answer : tasks;
}

bool rewrite_is_mounts(struct slice name)
{
	return slice_is(name, "java/lang/VirtualThread");
}

bool rewrite_is_poller(struct slice name)
{
	return slice_is(name, "sun/nio/ch/Poller") || slice_is(name, "sun/nio/ch/EPollPoller");
}

bool rewrite_is_continuation(struct slice name)
{
	return slice_is(name, "java/lang/VirtualThread$VThreadContinuation");
}

enum rewrite_answer rewrite_class(const struct rewrite *r, const unsigned char *bytes, size_t size,
				  const unsigned char **out, size_t *out_size, void **memory, size_t *memory_size)
{
	enum rewrite_answer answer = REWRITE_MALFORMED;
	struct class_file c;
	struct arena arena;

	*memory_size = class_edit_memory(size) + 65536 * sizeof(struct method_edit) + CAPTURES_MEMORY;
	if (r->tasks) /* for the class with hooks */
		*memory_size += class_edit_memory(4 * size + 65536);
	*memory = sys_map(*memory_size);
	if (!*memory)
		return REWRITE_NO_MEMORY;
	arena = (struct arena){*memory, *memory_size};
	if (class_parse(&c, bytes, size, &arena) == CLASS_OK)
		answer = rewrite_parsed(r, &c, &arena, out, out_size);
	if (r->tasks && (answer == REWRITE_DONE || answer == REWRITE_NOTHING))
		answer = rewrite_with_tasks(r, bytes, size, answer, &arena, out, out_size);
	if (answer != REWRITE_DONE)
		sys_unmap(*memory, *memory_size);
	return answer;
}
