// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/rewrite.h"
#include "format/class_edit.h"
#include "uprobes/agent/helper.h"
#include "uprobes/agent/loader.h"

#define ACC_NATIVE    0x0100
#define ACC_ABSTRACT  0x0400
#define ACC_SYNTHETIC 0x1000

static struct text text_from(struct class_text t)
{
	return (struct text){ t.text, t.length };
}

static bool begins(struct class_text t, const char *prefix)
{
	size_t length = strlen(prefix);

	return t.length >= length && !memcmp(t.text, prefix, length);
}

static bool contains(struct class_text t, const char *part)
{
	size_t length = strlen(part);

	for (size_t i = 0; i + length <= t.length; i++)
		if (!memcmp(t.text + i, part, length))
			return true;
	return false;
}

/*
 * Classes that are left alone as a whole. Hooks in the synchronizers left locks
 * locked after a StackOverflowError; continuations are frozen and thawed by
 * code that knows every frame; JFR rewrites its event classes itself.
 */
static enum frt_skip_reason class_reason(const struct class_file *c)
{
	if (begins(c->name, "java/lang/FrtraceHook"))
		return FRT_SKIP_UNMODIFIABLE;
	if (begins(c->name, "java/util/concurrent/locks/"))
		return FRT_SKIP_LOCKS;
	if (class_text_is(c->name, "jdk/internal/vm/Continuation") || begins(c->name, "jdk/internal/vm/Continuation$"))
		return FRT_SKIP_CONTINUATION;
	if (begins(c->name, "jdk/jfr/") || begins(c->super, "jdk/jfr/") ||
	    class_text_is(c->super, "jdk/internal/event/Event") || class_text_is(c->name, "jdk/internal/event/Event"))
		return FRT_SKIP_JFR;
	if (c->access & ACC_SYNTHETIC && (contains(c->name, "$$Lambda") || begins(c->name, "java/lang/invoke/LambdaForm$")))
		return FRT_SKIP_HIDDEN;
	return FRT_SKIP_NONE;
}

enum frt_skip_reason rewrite_method_reason(unsigned int modifiers)
{
	if (modifiers & ACC_NATIVE)
		return FRT_SKIP_NATIVE;
	if (modifiers & ACC_ABSTRACT)
		return FRT_SKIP_ABSTRACT;
	return modifiers & ACC_SYNTHETIC ? FRT_SKIP_SYNTHETIC : FRT_SKIP_NONE;
}

static enum frt_skip_reason method_reason(const struct class_file *c, const struct class_method *m)
{
	enum frt_skip_reason reason = rewrite_method_reason(m->access);

	if (reason)
		return reason;
	if (class_method_is_empty_finalizer(c, m))
		return FRT_SKIP_FINALIZER;
	if (class_method_has_annotation(c, m, "Ljdk/internal/vm/annotation/ReservedStackAccess;"))
		return FRT_SKIP_RESERVED_STACK;
	if (class_method_has_annotation(c, m, "Ljdk/internal/vm/annotation/JvmtiMountTransition;"))
		return FRT_SKIP_CONTINUATION;
	return FRT_SKIP_NONE;
}

static enum frt_skip_reason edit_reason(enum edit_result result)
{
	static const enum frt_skip_reason reasons[] = {
		[EDIT_NO_CODE] = FRT_SKIP_NATIVE,	[EDIT_JSR] = FRT_SKIP_JSR,
		[EDIT_TOO_LARGE] = FRT_SKIP_TOO_LARGE,	[EDIT_HUGE] = FRT_SKIP_HUGE_METHOD,
		[EDIT_MALFORMED] = FRT_SKIP_MALFORMED,	[EDIT_SHAPE] = FRT_SKIP_MALFORMED,
	};

	return reasons[result];
}

/* Before JDK 9 nothing marks what C2 has intrinsics for; these are the ones that people trace. */
static bool intrinsic_by_name(const struct class_file *c, const struct class_method *m)
{
	static const char *const list[][2] = {
		{ "java/lang/Math", NULL },
		{ "java/lang/StrictMath", NULL },
		{ "java/lang/Integer", "bitCount" },
		{ "java/lang/Integer", "numberOfLeadingZeros" },
		{ "java/lang/Integer", "numberOfTrailingZeros" },
		{ "java/lang/Integer", "reverseBytes" },
		{ "java/lang/Integer", "valueOf" },
		{ "java/lang/Long", "bitCount" },
		{ "java/lang/Long", "numberOfLeadingZeros" },
		{ "java/lang/Long", "numberOfTrailingZeros" },
		{ "java/lang/Long", "reverseBytes" },
		{ "java/lang/String", "equals" },
		{ "java/lang/String", "compareTo" },
		{ "java/lang/String", "indexOf" },
		{ "java/lang/StringBuilder", "append" },
		{ "java/lang/StringBuilder", "toString" },
		{ "java/util/Arrays", "copyOf" },
		{ "java/util/Arrays", "copyOfRange" },
		{ "java/util/Arrays", "equals" },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (class_text_is(c->name, list[i][0]) && (!list[i][1] || class_text_is(m->name, list[i][1])))
			return true;
	return false;
}

static bool is_intrinsic(const struct class_file *c, const struct class_method *m)
{
	return class_method_has_annotation(c, m, "Ljdk/internal/vm/annotation/IntrinsicCandidate;") ||
	       class_method_has_annotation(c, m, "Ljdk/internal/HotSpotIntrinsicCandidate;") ||
	       (control->jni_version < 0x00090000 && intrinsic_by_name(c, m));
}

static void skip(const struct class_file *c, const struct class_method *m, enum frt_skip_reason reason)
{
	if (m)
		control_skip(text_from(c->name), text_from(m->name), text_from(m->descriptor), reason);
	else
		control_skip(text_from(c->name), text_of(NULL), text_of(NULL), reason);
}

static bool selected(const struct rewrite *r, const struct class_file *c, const struct class_method *m)
{
	return pattern_method(r->pattern, c->name.text, c->name.length, m->name.text, m->name.length,
			      m->descriptor.text, m->descriptor.length);
}

/* The methods to edit; skips are entered. */
static uint32_t choose(const struct rewrite *r, const struct class_file *c, struct method_edit *edits)
{
	uint32_t count = 0;

	for (uint16_t i = 0; i < c->methods; i++) {
		const struct class_method *m = &c->method[i];
		enum frt_skip_reason reason;

		if (!selected(r, c, m))
			continue;
		reason = method_reason(c, m);
		if (reason)
			skip(c, m, reason);
		else
			edits[count++] = (struct method_edit){ .method = i };
	}
	return count;
}

/* Ids for the chosen methods; what finds no room in the table is skipped. */
static uint32_t number_methods(const struct class_file *c, uint32_t class_id, struct method_edit *edits, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct class_method *m = &c->method[edits[i].method];
		uint32_t id = control_method(class_id, text_from(m->name), text_from(m->descriptor), m->access);

		if (!id) {
			skip(c, m, FRT_SKIP_TABLE_FULL);
			continue;
		}
		edits[kept] = edits[i];
		edits[kept++].id = id;
	}
	return kept;
}

static bool enter_results(const struct class_file *c, uint32_t class_id, const struct method_edit *edits, uint32_t count)
{
	bool any = false;

	for (uint32_t i = 0; i < count; i++) {
		const struct class_method *m = &c->method[edits[i].method];
		struct frt_method *row = control_method_row(edits[i].id);

		if (edits[i].result != EDIT_DONE) {
			skip(c, m, edit_reason(edits[i].result));
			continue;
		}
		row->flags = FRT_METHOD_HOOKED | (is_intrinsic(c, m) ? FRT_METHOD_LOWER_BOUND : 0);
		any = true;
	}
	if (any)
		control_class_row(class_id)->flags |= FRT_CLASS_REWRITTEN;
	return any;
}

/* Is the helper visible to the class? */
static enum rewrite_answer may_call_helper(const struct rewrite *r, const struct class_file *c, uint32_t loader)
{
	switch (loader_ask(r->env, r->loader, loader, r->insist)) {
	case LOADER_READY:
		return REWRITE_DONE;
	case LOADER_BUSY:
		return REWRITE_LATER;
	case LOADER_REFUSES:
		break;
	}
	skip(c, NULL, FRT_SKIP_LOADER);
	return REWRITE_NOTHING;
}

static enum rewrite_answer rewrite_parsed(const struct rewrite *r, const struct class_file *c, struct arena *arena,
					  const unsigned char **out, size_t *out_size)
{
	struct method_edit *edits = arena_alloc(arena, c->methods * sizeof(*edits));
	uint32_t count = edits ? choose(r, c, edits) : 0, loader, class_id;
	enum frt_skip_reason reason = class_reason(c);
	enum rewrite_answer answer;

	if (!count)
		return REWRITE_NOTHING;
	if (!reason && !loader_number(r->env, r->loader, &loader))
		reason = FRT_SKIP_TABLE_FULL;
	if (reason) {
		skip(c, NULL, reason);
		return REWRITE_NOTHING;
	}
	answer = may_call_helper(r, c, loader);
	if (answer != REWRITE_DONE)
		return answer;
	class_id = control_class(text_from(c->name), loader, c->access);
	if (!class_id) {
		skip(c, NULL, FRT_SKIP_TABLE_FULL);
		return REWRITE_NOTHING;
	}
	control_class_row(class_id)->flags |= FRT_CLASS_SEEN;
	count = number_methods(c, class_id, edits, count);
	if (class_edit(c, helper_hooks(), edits, count, arena, out, out_size) != CLASS_OK) {
		skip(c, NULL, FRT_SKIP_MALFORMED);
		return REWRITE_NOTHING;
	}
	return enter_results(c, class_id, edits, count) ? REWRITE_DONE : REWRITE_NOTHING;
}

enum rewrite_answer rewrite_class(const struct rewrite *r, const unsigned char *bytes, size_t size,
				  const unsigned char **out, size_t *out_size, void **memory, size_t *memory_size)
{
	enum rewrite_answer answer = REWRITE_NOTHING;
	struct class_file c;
	struct arena arena;

	*memory_size = class_edit_memory(size) + 65536 * sizeof(struct method_edit);
	*memory = sys_map(*memory_size);
	if (!*memory)
		return REWRITE_NOTHING;
	arena = (struct arena){ *memory, *memory_size };
	if (class_parse(&c, bytes, size, &arena) == CLASS_OK)
		answer = rewrite_parsed(r, &c, &arena, out, out_size);
	if (answer != REWRITE_DONE)
		sys_unmap(*memory, *memory_size);
	return answer;
}
