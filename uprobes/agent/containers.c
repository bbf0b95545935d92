// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/containers.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/sys.h"

#define MOST_NESTED 64u
#define REFERENCES  16

struct containers {
	JNIEnv *env;
	jmethodID threads, children, iterator, has_next, next;
	bool (*visit)(void *context, jobject thread);
	void *context;
};

static jmethodID containers_find_method(JNIEnv *env, const char *class_name, const char *name, const char *type)
{
	jclass class = (*env)->FindClass(env, class_name);
	jmethodID method = class ? (*env)->GetMethodID(env, class, name, type) : NULL;

	return jvm_threw(env) ? NULL : method;
}

static bool find_methods(struct containers *c)
{
	static const char stream[] = "()Ljava/util/stream/Stream;";

	c->threads = containers_find_method(c->env, "jdk/internal/vm/ThreadContainer", "threads", stream);
	c->children = containers_find_method(c->env, "jdk/internal/vm/ThreadContainer", "children", stream);
	c->iterator =
		containers_find_method(c->env, "java/util/stream/BaseStream", "iterator", "()Ljava/util/Iterator;");
	c->has_next = containers_find_method(c->env, "java/util/Iterator", "hasNext", "()Z");
	c->next = containers_find_method(c->env, "java/util/Iterator", "next", "()Ljava/lang/Object;");
	return c->threads && c->children && c->iterator && c->has_next && c->next;
}

static jobject root(JNIEnv *env)
{
	jclass class = (*env)->FindClass(env, "jdk/internal/vm/ThreadContainers");
	jmethodID method =
		class ? (*env)->GetStaticMethodID(env, class, "root", "()Ljdk/internal/vm/ThreadContainer;") : NULL;
	jobject container = method ? (*env)->CallStaticObjectMethod(env, class, method) : NULL;

	return jvm_threw(env) ? NULL : container;
}

/* The iterator of the stream that a method of the container returns, or NULL. */
static jobject iterate(struct containers *c, jobject container, jmethodID method)
{
	jobject stream = (*c->env)->CallObjectMethod(c->env, container, method), iterator;

	if (jvm_threw(c->env) || !stream)
		return NULL;
	iterator = (*c->env)->CallObjectMethod(c->env, stream, c->iterator);
	return jvm_threw(c->env) ? NULL : iterator;
}

/* The next element, or NULL. */
static jobject containers_step(struct containers *c, jobject iterator)
{
	jobject next = NULL;

	if (iterator && (*c->env)->CallBooleanMethod(c->env, iterator, c->has_next) && !jvm_threw(c->env))
		next = (*c->env)->CallObjectMethod(c->env, iterator, c->next);
	return jvm_threw(c->env) ? NULL : next;
}

static bool visit_threads(struct containers *c, jobject container)
{
	jobject iterator = iterate(c, container, c->threads), thread;
	bool more = true;

	while (more && (thread = containers_step(c, iterator))) {
		more = c->visit(c->context, thread);
		(*c->env)->DeleteLocalRef(c->env, thread);
	}
	return more;
}

static bool visit_container(struct containers *c, jobject container, unsigned int nested)
{
	jobject iterator, child;
	bool more;

	if (nested == MOST_NESTED)
		return true;
	if (!jvm_push_frame(c->env, REFERENCES))
		return false;
	more = visit_threads(c, container);
	iterator = more ? iterate(c, container, c->children) : NULL;
	while (more && (child = containers_step(c, iterator))) {
		more = visit_container(c, child, nested + 1);
		(*c->env)->DeleteLocalRef(c->env, child);
	}
	(*c->env)->PopLocalFrame(c->env, NULL);
	return more;
}

void containers_each(JNIEnv *env, bool (*visit)(void *context, jobject thread), void *context)
{
	struct containers c = {.env = env, .visit = visit, .context = context};
	jobject container;

	if (!jvm_push_frame(env, REFERENCES))
		return;
	container = find_methods(&c) ? root(env) : NULL;
	if (container)
		visit_container(&c, container, 0);
	(*env)->PopLocalFrame(env, NULL);
}
