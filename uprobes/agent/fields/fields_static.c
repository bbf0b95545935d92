// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/fields/fields_internal.h"
#include "uprobes/agent/jvm.h"

#define LOADED_REFERENCES 65536
#define LOADERS_DEEP	  64

/* Is this a class whose static field a step reads? The first one is kept. */
static void note_holder(JNIEnv *env, struct live_plan *p, jclass c)
{
	for (uint32_t n = 0; n < ((const struct plan_header *)p->plan.bytes)->steps; n++) {
		const struct plan_step *s = plan_step(&p->plan, n);
		struct found *f = &p->found[n];

		if (s->kind != PLAN_GET_STATIC || !field_class_is(c, plan_text(&p->plan, &s->class_name)))
			continue;
		if (f->state) {
			f->several = true;
			continue;
		}
		f->holder = (*env)->NewGlobalRef(env, c);
		f->state = f->holder ? FOUND_CLASS : FOUND_NOTHING;
	}
}

/* Is a loader above another one? Loaders keep what is above them in a field of ClassLoader. */
static bool is_above(JNIEnv *env, jobject above, jobject loader)
{
	jclass c = (*env)->FindClass(env, "java/lang/ClassLoader");
	jfieldID parent = c ? (*env)->GetFieldID(env, c, "parent", "Ljava/lang/ClassLoader;") : NULL;
	bool found = false;

	jvm_threw(env);
	for (uint32_t i = 0; parent && loader && !found && i < LOADERS_DEEP; i++) {
		loader = (*env)->GetObjectField(env, loader, parent);
		found = loader && (*env)->IsSameObject(env, loader, above);
	}
	return found;
}

/* Has a loader found this class, by itself or through others? */
static bool is_known_to(JNIEnv *env, jclass wanted, jobject loader)
{
	jclass *classes;
	bool found = false;
	jint count;

	if ((*jvmti)->GetClassLoaderClasses(jvmti, loader, &count, &classes))
		return false;
	for (jint i = 0; i < count && !found; i++)
		found = (*env)->IsSameObject(env, classes[i], wanted);
	jvm_free(classes);
	return found;
}

/* Is the class of a static field the one that a class of this loader means by that name? */
static bool is_meant_by(JNIEnv *env, const struct found *f, jobject loader)
{
	jobject of = NULL;

	if (!f->holder || (*jvmti)->GetClassLoader(jvmti, f->holder, &of))
		return false;
	return (*env)->IsSameObject(env, of, loader) || (!f->several && (!of || is_above(env, of, loader))) ||
	       is_known_to(env, f->holder, loader);
}

static bool are_meant_by(JNIEnv *env, const struct live_plan *p, const struct plan_field *f, jobject loader)
{
	for (uint32_t i = f->first; i < f->first + f->steps; i++)
		if (plan_step(&p->plan, i)->kind == PLAN_GET_STATIC && !is_meant_by(env, &p->found[i], loader))
			return false;
	return true;
}

static bool has_static(const struct plan *p, const struct plan_field *f)
{
	for (uint32_t i = f->first; i < f->first + f->steps; i++)
		if (plan_step(p, i)->kind == PLAN_GET_STATIC)
			return true;
	return false;
}

/* The loader as the rewriting of a class may compare it: it may call no JNI then. */
static bool hash_of(jobject loader, jint *hash)
{
	*hash = 0;
	return !loader || !(*jvmti)->GetObjectHashCode(jvmti, loader, hash);
}

/* Has this class methods with values of static fields, and does it mean those that were found? */
static void note_meant(JNIEnv *env, struct live_plan *p, jclass c)
{
	for (uint32_t n = 0; n < plan_fields(&p->plan); n++) {
		const struct plan_field *f = plan_field(&p->plan, n);
		struct meant *m = &p->meant[n];
		jobject loader = NULL;

		if (m->count < LOADERS_MOST && has_static(&p->plan, f) &&
		    field_class_is(c, plan_text(&p->plan, &f->class_name)) &&
		    !(*jvmti)->GetClassLoader(jvmti, c, &loader) && are_meant_by(env, p, f, loader) &&
		    hash_of(loader, &m->loader[m->count]))
			m->count++;
	}
}

static bool has_statics(const struct live_plan *p)
{
	for (uint32_t n = 0; n < plan_fields(&p->plan); n++)
		if (has_static(&p->plan, plan_field(&p->plan, n)))
			return true;
	return false;
}

void fields_static_find(JNIEnv *env, struct live_plan *p)
{
	jclass *loaded;
	jint count;

	if (!has_statics(p))
		return;
	/* GetLoadedClasses makes a reference to each; -Xcheck:jni warns about more than the frame has room for */
	if (!jvm_push_frame(env, LOADED_REFERENCES))
		return;
	if ((*jvmti)->GetLoadedClasses(jvmti, &count, &loaded)) {
		(*env)->PopLocalFrame(env, NULL);
		return;
	}
	for (jint i = 0; i < count; i++)
		note_holder(env, p, loaded[i]);
	for (jint i = 0; i < count; i++)
		note_meant(env, p, loaded[i]);
	jvm_free(loaded);
	(*env)->PopLocalFrame(env, NULL);
}

bool fields_static_is_meant(const struct live_plan *p, uint32_t field, jobject loader)
{
	const struct meant *m = &p->meant[field];
	jint hash;

	if (!has_static(&p->plan, plan_field(&p->plan, field)))
		return true;
	if (!hash_of(loader, &hash))
		return false;
	for (uint32_t i = 0; i < m->count; i++)
		if (m->loader[i] == hash)
			return true;
	return false;
}
