// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/class_info.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/loader.h"
#include "filters/policy.h"

bool class_info_name(jclass c, struct class_info *out)
{
	size_t length;

	out->unknown = (*jvmti)->GetClassSignature(jvmti, c, &out->signature, NULL);
	if (out->unknown)
		return false;
	length = strlen(out->signature);
	if (length >= 3 && out->signature[0] == 'L') {
		out->name = (struct slice){out->signature + 1, length - 2};
		if (policy_class_name(out->name))
			return true;
	}
	jvm_free(out->signature);
	return false;
}

struct frt_class *class_info_row(JNIEnv *env, jclass c, struct slice name)
{
	jobject loader = NULL;
	struct frt_class *row = NULL;
	uint32_t number;

	if ((*jvmti)->GetClassLoader(jvmti, c, &loader))
		return NULL;
	if (loader_known(loader, &number))
		row = control_find_class(name, number);
	if (loader)
		(*env)->DeleteLocalRef(env, loader);
	return row;
}

static jint class_info_status(jclass c)
{
	jint status = 0;

	return (*jvmti)->GetClassStatus(jvmti, c, &status) ? 0 : status;
}

bool class_info_is_dead(jclass c)
{
	return class_info_status(c) & JVMTI_CLASS_STATUS_ERROR;
}

bool class_info_is_prepared(jclass c)
{
	return class_info_status(c) & JVMTI_CLASS_STATUS_PREPARED;
}

void class_info_forget(JNIEnv *env, jclass c, struct slice name)
{
	struct frt_class *row = class_info_row(env, c, name);

	if (row)
		control_unhook_class(row - control_class_row(0));
}

bool class_info_forget_if_dead(JNIEnv *env, jclass c)
{
	struct class_info n;

	if (!class_info_is_dead(c))
		return false;
	if (class_info_name(c, &n)) {
		class_info_forget(env, c, n.name);
		jvm_free(n.signature);
	}
	return true;
}
