// SPDX-License-Identifier: BSD-2-Clause
#include "filters/policy.h"

#define ACC_NATIVE    0x0100
#define ACC_INTERFACE 0x0200
#define ACC_ABSTRACT  0x0400
#define ACC_SYNTHETIC 0x1000

/* Collects tags. */
struct collector {
	const struct matcher *p;
	struct matcher_tags *tags;
};

static bool policy_on_type(struct slice name, void *context)
{
	const struct collector *to = context;

	matcher_tag_supertype(to->p, name, to->tags);
	return true;
}

static bool on_annotation(struct slice type, void *context)
{
	const struct collector *to = context;

	matcher_tag_annotation(to->p, type, to->tags);
	return true;
}

void policy_tag_class(const struct matcher *p, const struct class_file *c, struct matcher_tags *tags)
{
	struct collector to = {p, tags};

	if (matcher_has_supertypes(p)) {
		policy_on_type(c->name, &to);
		/* in the class file, Object is the superclass of an interface; in the language it is not */
		if (!(c->access & ACC_INTERFACE))
			policy_on_type(c->super, &to);
		class_each_interface(c, policy_on_type, &to);
	}
	if (matcher_has_annotations(p))
		class_each_annotation(c, NULL, on_annotation, &to);
}

/* A constant that is not a type matches no annotation. */
static bool on_annotation_word(struct slice text, void *context)
{
	const struct collector *to = context;

	on_annotation(text, context);
	return !to->tags->count;
}

static bool on_word(struct slice text, void *context)
{
	policy_on_type(text, context);
	return on_annotation_word(text, context);
}

static bool any_word(const struct matcher *p, const void *pool, size_t size, uint16_t count, class_visit visit)
{
	struct matcher_tags tags = {.count = 0};
	struct collector to = {p, &tags};

	class_each_utf8(pool, size, count, visit, &to);
	return tags.count;
}

bool policy_may_have_tag(const struct matcher *p, const void *pool, size_t size, uint16_t count)
{
	return any_word(p, pool, size, count, on_word);
}

bool policy_may_bear(const struct matcher *p, const void *pool, size_t size, uint16_t count)
{
	return any_word(p, pool, size, count, on_annotation_word);
}

/*
 * JVMTI calls a hidden class La/b/C.0x12;, HotSpot a/b/C+0x12. Anonymous classes before JDK 15, a/b/C/12, must be
 * avoided most of all: JDK 8 crashes when it is asked for the constants of a LambdaForm class, which it also reads
 * to create the class file for a retransformation.
 */
bool policy_class_name(struct slice name)
{
	bool digit = false;

	if (slice_begins(name, "java/lang/Frtrace"))
		return false;
	for (size_t i = 0; i + 1 < name.length; i++) {
		if (name.at[i] == '.' || name.at[i] == '+')
			return false;
		if (name.at[i] == '/')
			digit = name.at[i + 1] >= '0' && name.at[i + 1] <= '9';
	}
	return !digit;
}

/*
 * Classes that are never hooked. Hooks in the synchronizers left locks locked after a StackOverflowError.
 * Continuations are frozen and thawed by code that knows each frame. JFR rewrites its event classes itself.
 */
enum frt_skip_reason policy_class(const struct class_file *c)
{
	if (slice_begins(c->name, "java/lang/Frtrace"))
		return FRT_SKIP_UNMODIFIABLE;
	if (slice_begins(c->name, "java/util/concurrent/locks/"))
		return FRT_SKIP_LOCKS;
	if (slice_is(c->name, "jdk/internal/vm/Continuation") || slice_begins(c->name, "jdk/internal/vm/Continuation$"))
		return FRT_SKIP_CONTINUATION;
	if (slice_begins(c->name, "jdk/jfr/") || slice_begins(c->super, "jdk/jfr/") ||
	    slice_is(c->super, "jdk/internal/event/Event") || slice_is(c->name, "jdk/internal/event/Event"))
		return FRT_SKIP_JFR;
	if (c->access & ACC_SYNTHETIC &&
	    (slice_contains(c->name, "$$Lambda") || slice_begins(c->name, "java/lang/invoke/LambdaForm$")))
		return FRT_SKIP_HIDDEN;
	return FRT_SKIP_NONE;
}

/* Before JDK 9 nothing marks the methods for which C2 has intrinsics. These are the ones that people trace. */
static bool intrinsic_by_name(const struct class_file *c, const struct class_method *m)
{
	static const char *const list[][2] = {
		{"java/lang/Math", NULL},
		{"java/lang/StrictMath", NULL},
		{"java/lang/System", "arraycopy"},
		{"java/lang/System", "currentTimeMillis"},
		{"java/lang/System", "identityHashCode"},
		{"java/lang/System", "nanoTime"},
		{"java/lang/Class", "isInstance"},
		{"java/lang/Object", "getClass"},
		{"java/lang/Object", "hashCode"},
		{"java/lang/Thread", "currentThread"},
		{"java/lang/Integer", "bitCount"},
		{"java/lang/Integer", "numberOfLeadingZeros"},
		{"java/lang/Integer", "numberOfTrailingZeros"},
		{"java/lang/Integer", "reverseBytes"},
		{"java/lang/Integer", "valueOf"},
		{"java/lang/Long", "bitCount"},
		{"java/lang/Long", "numberOfLeadingZeros"},
		{"java/lang/Long", "numberOfTrailingZeros"},
		{"java/lang/Long", "reverseBytes"},
		{"java/lang/String", "equals"},
		{"java/lang/String", "compareTo"},
		{"java/lang/String", "indexOf"},
		{"java/lang/StringBuilder", "append"},
		{"java/lang/StringBuilder", "toString"},
		{"java/util/Arrays", "copyOf"},
		{"java/util/Arrays", "copyOfRange"},
		{"java/util/Arrays", "equals"},
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (slice_is(c->name, list[i][0]) && (!list[i][1] || slice_is(m->name, list[i][1])))
			return true;
	return false;
}

bool policy_is_intrinsic(const struct class_file *c, const struct class_method *m, bool unmarked)
{
	return class_method_has_annotation(c, m, "Ljdk/internal/vm/annotation/IntrinsicCandidate;") ||
	       class_method_has_annotation(c, m, "Ljdk/internal/HotSpotIntrinsicCandidate;") ||
	       (unmarked && intrinsic_by_name(c, m));
}

enum frt_skip_reason policy_modifiers(const struct matcher *p, struct slice name, unsigned int modifiers)
{
	if (modifiers & ACC_NATIVE)
		return FRT_SKIP_NATIVE;
	if (modifiers & ACC_ABSTRACT)
		return FRT_SKIP_ABSTRACT;
	return modifiers & ACC_SYNTHETIC && !matcher_takes_lambda(p, name) ? FRT_SKIP_SYNTHETIC : FRT_SKIP_NONE;
}

enum frt_skip_reason policy_reason(enum frt_skip_reason reason, const struct matcher_decision *v)
{
	return reason == FRT_SKIP_NATIVE && v->root ? FRT_SKIP_NATIVE_ROOT : reason;
}

static enum frt_skip_reason method_reason(const struct matcher *p, const struct class_file *c,
					  const struct class_method *m)
{
	enum frt_skip_reason reason = policy_modifiers(p, m->name, m->access);

	if (reason)
		return reason;
	if (class_method_is_empty_finalizer(c, m))
		return FRT_SKIP_FINALIZER;
	if (class_method_has_annotation(c, m, "Ljdk/internal/vm/annotation/ReservedStackAccess;"))
		return FRT_SKIP_RESERVED_STACK;
	if (class_method_has_annotation(c, m, "Ljdk/internal/vm/annotation/JvmtiMountTransition;"))
		return FRT_SKIP_CONTINUATION;
	/* generated; before JDK 15 in anonymous classes, whose name does not show it */
	if (class_method_has_annotation(c, m, "Ljava/lang/invoke/LambdaForm$Compiled;"))
		return FRT_SKIP_HIDDEN;
	return FRT_SKIP_NONE;
}

struct matcher_decision policy_method(const struct matcher *p, const struct class_file *c, const struct class_method *m,
				      const struct matcher_tags *of_class, enum frt_skip_reason *reason)
{
	struct matcher_tags of_method = {.count = 0};
	struct collector to = {p, &of_method};
	struct matcher_decision v;

	if (matcher_has_annotations(p))
		class_each_annotation(c, m, on_annotation, &to);
	v = matcher_decide(p, &(struct matcher_method){.class_name = c->name,
						       .name = m->name,
						       .descriptor = m->descriptor,
						       .synthetic = m->access & ACC_SYNTHETIC,
						       .of_class = of_class,
						       .of_method = &of_method});
	*reason = v.trace || v.timing ? method_reason(p, c, m) : FRT_SKIP_NONE;
	return v;
}
