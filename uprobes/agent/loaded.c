// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/loaded.h"

#include "filters/policy.h"
#include "uprobes/agent/jvm.h"

#define MOST_OFFERS   256
#define ACC_SYNTHETIC 0x1000

/* A method as JVMTI describes it. */
struct method {
	char *name, *descriptor;
	jint modifiers;
};

static bool loaded_method_read(jmethodID id, struct method *m)
{
	if ((*jvmti)->GetMethodName(jvmti, id, &m->name, &m->descriptor, NULL))
		return false;
	if ((*jvmti)->GetMethodModifiers(jvmti, id, &m->modifiers))
		m->modifiers = 0;
	return true;
}

static void method_release(struct method *m)
{
	jvm_free(m->name);
	jvm_free(m->descriptor);
}

/* What filters want of the method, as far as JVMTI can tell: annotations are only in the class file. */
static struct matcher_decision method_decide(const struct matcher *p, struct slice class,
					     const struct matcher_tags *tags, const struct method *m)
{
	const struct matcher_method asked = {.class_name = class,
					     .name = slice_of(m->name),
					     .descriptor = slice_of(m->descriptor),
					     .synthetic = m->modifiers & ACC_SYNTHETIC,
					     .of_class = tags};

	return matcher_decide(p, &asked);
}

/* The class was named, but has no such method: report the methods that it has, as suggestions. */
static void loaded_offer_methods(uint32_t recording, const struct matcher *p, jclass c, struct slice name)
{
	jmethodID *methods;
	jint count;

	if (matcher_any_class(p) || (*jvmti)->GetClassMethods(jvmti, c, &count, &methods))
		return;
	for (jint i = 0; i < count && i < MOST_OFFERS; i++) {
		char *method, *descriptor;

		if ((*jvmti)->GetMethodName(jvmti, methods[i], &method, &descriptor, NULL))
			continue;
		control_skip(1u << recording, name, slice_of(method), slice_of(descriptor), FRT_SKIP_OTHER);
		jvm_free(method);
		jvm_free(descriptor);
	}
	jvm_free(methods);
}

/*
 * True if the method is selected and can have hooks, or is native and its function is to be traced. A selected one that
 * can have neither is reported as skipped.
 */
static bool loaded_is_target(uint32_t recording, const struct matcher *p, struct slice class,
			     const struct matcher_tags *tags, const struct method *m, bool *selected)
{
	struct matcher_decision v = method_decide(p, class, tags, m);
	enum frt_skip_reason reason;

	if (!v.trace && !v.timing)
		return false;
	*selected = true;
	reason = policy_modifiers(p, slice_of(m->name), m->modifiers);
	if (reason == FRT_SKIP_NATIVE && v.named)
		return true;
	if (reason)
		control_skip(1u << recording, class, slice_of(m->name), slice_of(m->descriptor),
			     policy_reason(reason, &v));
	return !reason;
}

static bool has_target(uint32_t recording, const struct matcher *p, jclass c, struct slice name,
		       const struct matcher_tags *tags)
{
	bool found = false, selected = false;
	jmethodID *methods;
	struct method m;
	jint count;

	if ((*jvmti)->GetClassMethods(jvmti, c, &count, &methods))
		return false; /* not linked yet: ClassPrepare will handle it */
	for (jint i = 0; i < count; i++) {
		if (!loaded_method_read(methods[i], &m))
			continue;
		found |= loaded_is_target(recording, p, name, tags, &m, &selected);
		method_release(&m);
	}
	jvm_free(methods);
	if (!selected)
		loaded_offer_methods(recording, p, c, name);
	return found;
}

/*
 * True if the class's constant pool mentions an annotation that a filter asks for. Only the class file says what
 * bears it.
 */
static bool may_bear(const struct matcher *p, jclass c)
{
	jint count, size, status;
	unsigned char *pool;
	bool may;

	if (!matcher_has_annotations(p) || (*jvmti)->GetClassStatus(jvmti, c, &status))
		return false;
	if (!(status & JVMTI_CLASS_STATUS_PREPARED) || /* ClassPrepare will handle it */
	    (*jvmti)->GetConstantPool(jvmti, c, &count, &size, &pool))
		return false;
	may = policy_may_bear(p, pool, size, count);
	jvm_free(pool);
	return may;
}

bool loaded_has_target(uint32_t recording, const struct matcher *p, jclass c, struct slice name,
		       const struct matcher_tags *tags)
{
	enum matcher_answer answer = matcher_class(p, name.at, name.length);

	if (answer == MATCHER_NO)
		return false;
	return may_bear(p, c) ||
	       ((answer == MATCHER_METHODS || tags->count) && has_target(recording, p, c, name, tags));
}
