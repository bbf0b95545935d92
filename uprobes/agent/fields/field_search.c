// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/fields/field_search.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/sys.h"

#define ACC_STATIC  0x0008
#define SUPERS_DEEP 1024

bool field_class_is(jclass c, struct slice name)
{
	char *signature;
	size_t length;
	bool same;

	if ((*jvmti)->GetClassSignature(jvmti, c, &signature, NULL))
		return false;
	length = strlen(signature);
	same = length == name.length + 2 && signature[0] == 'L' && !memcmp(signature + 1, name.at, name.length);
	jvm_free(signature);
	return same;
}

/* 1: yes, and a static one only with `statics`. 0: no. -1: the JVM does not tell. */
static int is_named_field(jclass c, jfieldID id, struct slice name, bool statics, struct found_field *out)
{
	char *found, *type;
	jint modifiers;
	bool same;

	if ((*jvmti)->GetFieldModifiers(jvmti, c, id, &modifiers))
		return -1;
	if (modifiers & ACC_STATIC && !statics)
		return 0;
	if ((*jvmti)->GetFieldName(jvmti, c, id, &found, &type, NULL))
		return -1;
	same = slice_is(name, found);
	if (same)
		*out = (struct found_field){.id = id,
					    .type = type[0],
					    .kind = plan_kind_of(slice_of(type)),
					    .statical = modifiers & ACC_STATIC};
	jvm_free(found);
	jvm_free(type);
	return same;
}

/* The same of any field of the class. */
static int declares(jclass c, struct slice name, bool statics, struct found_field *out)
{
	jfieldID *fields;
	int found = 0;
	jint count;

	if ((*jvmti)->GetClassFields(jvmti, c, &count, &fields))
		return -1;
	for (jint i = 0; i < count && !found; i++)
		found = is_named_field(c, fields[i], name, statics, out);
	jvm_free(fields);
	return found;
}

int field_search(JNIEnv *env, jclass c, struct slice name, bool statics, const char *known_as, struct found_field *out)
{
	bool reached = false, meant = false;
	struct found_field found;
	int n = 0, has;

	c = (*env)->NewLocalRef(env, c);
	if (!c)
		return -1;
	for (uint32_t deep = 0; c && deep < SUPERS_DEEP; deep++) {
		jclass above = (*env)->GetSuperclass(env, c);

		reached = reached || (known_as && field_class_is(c, slice_of(known_as)));
		has = declares(c, name, statics, &found);
		if (has > 0) {
			if (!n++ || (reached && !meant))
				*out = found;
			meant = meant || reached;
		}
		(*env)->DeleteLocalRef(env, c);
		c = above;
		if (has < 0) {
			n = -1;
			break;
		}
	}
	if (c)
		(*env)->DeleteLocalRef(env, c);
	return n;
}
