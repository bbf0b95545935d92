// SPDX-License-Identifier: BSD-2-Clause
/*
 * A loader's row number is kept as its JVMTI tag: found without a search, gone
 * with the loader. Two threads that see a new loader at the same moment may
 * give it two rows; both are right.
 */
#include "uprobes/agent/loader.h"
#include "uprobes/agent/helper.h"

static jvmtiEnv *jvmti;
static jfieldID name_field; /* NULL before JDK 9 */

void loader_init(jvmtiEnv *j, JNIEnv *env)
{
	jclass c = (*env)->FindClass(env, "java/lang/ClassLoader");

	jvmti = j;
	if (c)
		name_field = (*env)->GetFieldID(env, c, "name", "Ljava/lang/String;");
	if ((*env)->ExceptionCheck(env)) {
		(*env)->ExceptionClear(env);
		name_field = NULL;
	}
}

static struct text well_known_name(struct text type)
{
	static const char *const names[][2] = {
		{ "sun/misc/Launcher$AppClassLoader", "app" },
		{ "sun/misc/Launcher$ExtClassLoader", "ext" },
	};

	for (size_t i = 0; i < 2; i++)
		if (type.length == strlen(names[i][0]) && !memcmp(type.at, names[i][0], type.length))
			return text_of(names[i][1]);
	return text_of(NULL);
}

static uint32_t add_row(JNIEnv *env, jobject loader, struct text type)
{
	jstring text = name_field ? (*env)->GetObjectField(env, loader, name_field) : NULL;
	const char *name = text ? (*env)->GetStringUTFChars(env, text, NULL) : NULL;
	uint32_t number = control_loader(type, name ? text_of(name) : well_known_name(type));

	if (name)
		(*env)->ReleaseStringUTFChars(env, text, name);
	if (text)
		(*env)->DeleteLocalRef(env, text);
	return number;
}

static uint32_t describe(JNIEnv *env, jobject loader)
{
	jclass type = (*env)->GetObjectClass(env, loader);
	uint32_t number = 0;
	char *signature;

	if (!(*jvmti)->GetClassSignature(jvmti, type, &signature, NULL)) {
		size_t length = strlen(signature);

		if (length > 2) /* La/b/C; */
			number = add_row(env, loader, (struct text){ signature + 1, length - 2 });
		(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	}
	(*env)->DeleteLocalRef(env, type);
	return number;
}

bool loader_number(JNIEnv *env, jobject loader, uint32_t *number)
{
	jlong tag = 0;

	*number = FRT_BOOT_LOADER;
	if (!loader)
		return true;
	if ((*jvmti)->GetTag(jvmti, loader, &tag))
		return false;
	if (!tag) {
		tag = describe(env, loader);
		if (!tag || (*jvmti)->SetTag(jvmti, loader, tag))
			return false;
	}
	*number = tag;
	return true;
}

enum loader_answer loader_ask(JNIEnv *env, jobject loader, uint32_t number, bool insist)
{
	struct frt_loader *row = control_loader_row(number);
	uint32_t state = load_acquire(&row->state);

	if (state == FRT_LOADER_READY)
		return LOADER_READY;
	if (state == FRT_LOADER_REFUSES)
		return LOADER_REFUSES;
	if (state == FRT_LOADER_ASKED && !insist)
		return LOADER_BUSY;
	store_release(&row->state, FRT_LOADER_ASKED);
	state = helper_resolve(env, loader) ? FRT_LOADER_READY : FRT_LOADER_REFUSES;
	store_release(&row->state, state);
	return state == FRT_LOADER_READY ? LOADER_READY : LOADER_REFUSES;
}
