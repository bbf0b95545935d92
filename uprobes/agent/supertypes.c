// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/supertypes.h"

#include "uprobes/agent/jvm.h"
#include "uprobes/agent/sys.h"

#define MOST_LEVELS 64	 /* of interfaces that extend interfaces */
#define MOST_TYPES  4096 /* visited for one class: each path counts, and diamonds have many */

struct climb {
	JNIEnv *env;
	const struct matcher *p;
	struct matcher_tags *tags;
	uint32_t left; /* types that may still be visited */
};

static void supertypes_tag_type(const struct climb *w, jclass c)
{
	char *signature;
	size_t length;

	if ((*jvmti)->GetClassSignature(jvmti, c, &signature, NULL))
		return;
	length = strlen(signature);
	if (length > 2 && signature[0] == 'L')
		matcher_tag_supertype(w->p, (struct slice){signature + 1, length - 2}, w->tags);
	jvm_free(signature);
}

static void tag_interfaces(struct climb *w, jclass c, int levels)
{
	jclass *list;
	jint count;

	if (!levels || (*jvmti)->GetImplementedInterfaces(jvmti, c, &count, &list))
		return;
	for (jint i = 0; i < count; i++) {
		if (w->left) {
			w->left--;
			supertypes_tag_type(w, list[i]);
			tag_interfaces(w, list[i], levels - 1);
		}
		(*w->env)->DeleteLocalRef(w->env, list[i]);
	}
	jvm_free(list);
}

/* Tag the types that the class file names, too. */
static void tag_near(struct climb *w, jclass c)
{
	jclass super = (*w->env)->GetSuperclass(w->env, c);

	supertypes_tag_type(w, c);
	tag_interfaces(w, c, 1);
	if (super)
		supertypes_tag_type(w, super);
	(*w->env)->DeleteLocalRef(w->env, super);
}

static void supertypes_tag_far(struct climb *w, jclass c)
{
	jclass type = c, super;

	tag_interfaces(w, c, MOST_LEVELS);
	while (w->left && (super = (*w->env)->GetSuperclass(w->env, type))) {
		w->left--;
		supertypes_tag_type(w, super);
		tag_interfaces(w, super, MOST_LEVELS);
		if (type != c)
			(*w->env)->DeleteLocalRef(w->env, type);
		type = super;
	}
	if (type != c)
		(*w->env)->DeleteLocalRef(w->env, type);
}

bool supertypes_tag(JNIEnv *env, const struct matcher *p, jclass c, struct matcher_tags *tags)
{
	struct climb w = {.env = env, .p = p, .tags = tags, .left = MOST_TYPES};
	uint32_t near;

	if (!matcher_has_supertypes(p))
		return false;
	tag_near(&w, c);
	near = tags->count;
	w.left = MOST_TYPES;
	supertypes_tag_far(&w, c);
	return tags->count > near;
}

void supertypes_find(const struct matcher *p, const jclass *loaded, jint count, struct supertypes *s)
{
	struct matcher_tags tags = {.count = 0};
	struct climb w = {.p = p, .tags = &tags};

	s->count = 0;
	s->more = false;
	for (jint i = 0; i < count && matcher_has_supertypes(p); i++) {
		tags.count = 0;
		supertypes_tag_type(&w, loaded[i]);
		if (!tags.count)
			continue;
		if (s->count == sizeof(s->base) / sizeof(s->base[0])) {
			s->more = true;
			return;
		}
		s->base[s->count++] = loaded[i];
	}
}

bool supertypes_are_above(JNIEnv *env, const struct supertypes *s, jclass c)
{
	for (uint32_t i = 0; i < s->count; i++)
		if ((*env)->IsAssignableFrom(env, c, s->base[i]))
			return true;
	return s->more;
}
