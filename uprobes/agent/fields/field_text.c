// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/fields/field_text.h"
#include "filters/plan.h"
#include "uprobes/agent/fields/kept.h"
#include "uprobes/agent/fields/shapes.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/ring.h"

#define ACC_STATIC   0x0008
#define SUPERS_NAMED 32 /* classes above an object's whose fields are named */

/* Java's own values. */
enum { BOX_BOOLEAN, BOX_BYTE, BOX_CHAR, BOX_SHORT, BOX_INT, BOX_LONG, BOX_FLOAT, BOX_DOUBLE, BOXES };

static struct box {
	const char *name, *type;
	jclass class;
	jfieldID value;
} boxes[BOXES] = {
	[BOX_BOOLEAN] = {"java/lang/Boolean", "Z", NULL, NULL}, [BOX_BYTE] = {"java/lang/Byte", "B", NULL, NULL},
	[BOX_CHAR] = {"java/lang/Character", "C", NULL, NULL},	[BOX_SHORT] = {"java/lang/Short", "S", NULL, NULL},
	[BOX_INT] = {"java/lang/Integer", "I", NULL, NULL},	[BOX_LONG] = {"java/lang/Long", "J", NULL, NULL},
	[BOX_FLOAT] = {"java/lang/Float", "F", NULL, NULL},	[BOX_DOUBLE] = {"java/lang/Double", "D", NULL, NULL},
};

static jclass string_class, class_class, enum_class, thread_class;
static jfieldID enum_name, thread_name; /* the latter is NULL where a thread's name is no String */

static jclass find_global(JNIEnv *env, const char *name)
{
	return jvm_keep_class(env, (*env)->FindClass(env, name));
}

static jfieldID find_value_field(JNIEnv *env, jclass c, const char *name, const char *type)
{
	jfieldID id = c ? (*env)->GetFieldID(env, c, name, type) : NULL;

	jvm_threw(env);
	return id;
}

static void release_global(JNIEnv *env, jclass *c)
{
	if (*c)
		(*env)->DeleteGlobalRef(env, *c);
	*c = NULL;
}

bool field_text_init(JNIEnv *env)
{
	bool good = true;

	if (string_class)
		return true;
	string_class = find_global(env, "java/lang/String");
	class_class = find_global(env, "java/lang/Class");
	enum_class = find_global(env, "java/lang/Enum");
	thread_class = find_global(env, "java/lang/Thread");
	enum_name = find_value_field(env, enum_class, "name", "Ljava/lang/String;");
	thread_name = find_value_field(env, thread_class, "name", "Ljava/lang/String;");
	for (int i = 0; i < BOXES; i++) {
		boxes[i].class = find_global(env, boxes[i].name);
		boxes[i].value = find_value_field(env, boxes[i].class, "value", boxes[i].type);
		good = good && boxes[i].value;
	}
	good = good && string_class && class_class && enum_name && thread_class && shapes_init(env);
	if (!good)
		field_text_release(env);
	return good;
}

void field_text_release(JNIEnv *env)
{
	release_global(env, &string_class);
	release_global(env, &class_class);
	release_global(env, &enum_class);
	release_global(env, &thread_class);
	shapes_release(env);
	for (int i = 0; i < BOXES; i++)
		release_global(env, &boxes[i].class);
}

bool field_text_is_string(JNIEnv *env, jobject o)
{
	return (*env)->IsInstanceOf(env, o, string_class);
}

static void put_record(struct frt_slot *s, const struct frt_field *f)
{
	struct kept_sink *sink = &kept_sinks[s - control_slot(0)];
	uint64_t words[4];

	if (unlikely(sink->table)) {
		kept_add(sink, f);
		return;
	}
	memcpy(words, f, sizeof(words));
	if (ring_put(s, words))
		ring_drain(s, sys_tsc());
}

void field_put_null(struct frt_slot *s, uint32_t number, uint16_t flags)
{
	put_record(s, &(struct frt_field){.number = number, .form = FRT_FORM_NULL, .kind = FRT_FIELD, .flags = flags});
}

static void put_bits(struct frt_slot *s, uint32_t number, uint16_t flags, enum frt_field_form form, const void *bits,
		     size_t size)
{
	struct frt_field f = {.number = number, .form = form, .size = size, .kind = FRT_FIELD, .flags = flags};

	memcpy(f.data, bits, size);
	put_record(s, &f);
}

/* Write `size` bytes of a text that has `whole` characters in all. */
static void put_pieces(struct frt_slot *s, uint32_t number, uint16_t flags, enum frt_field_form form, uint32_t whole,
		       const unsigned char *bytes, size_t size)
{
	struct frt_field f = {.number = number, .form = form, .kind = FRT_FIELD};
	size_t at = 0, begin = sizeof(whole);

	memcpy(f.data, &whole, sizeof(whole));
	do {
		size_t piece = sizeof(f.data) - begin;

		if (piece > size - at)
			piece = size - at;
		memcpy(f.data + begin, bytes + at, piece);
		f.size = begin + piece;
		at += piece;
		f.flags = at < size ? FRT_FIELD_MORE : flags;
		put_record(s, &f);
		begin = 0;
	} while (at < size);
}

/* Narrow the characters in place if all fit into a byte. */
static bool narrow(jchar *text, size_t n)
{
	unsigned char *to = (unsigned char *)text;
	jchar all = 0;

	for (size_t i = 0; i < n; i++)
		all |= text[i];
	if (all > 0xff)
		return false;
	for (size_t i = 0; i < n; i++)
		to[i] = text[i];
	return true;
}

static bool is_high_surrogate(jchar c)
{
	return c >= 0xd800 && c < 0xdc00;
}

static bool is_low_surrogate(jchar c)
{
	return c >= 0xdc00 && c < 0xe000;
}

/* Write a text, cut to the characters that are kept. */
static void put_built(struct frt_slot *s, uint32_t number, uint16_t flags, uint32_t most, struct built_text *t)
{
	uint32_t limit = most < FRT_FIELD_TEXT_MAX ? most : FRT_FIELD_TEXT_MAX, n = t->count;

	if (n > limit) {
		n = limit;
		if (n && is_high_surrogate(t->c[n - 1]) && is_low_surrogate(t->c[n]))
			n--;
	}
	if (narrow(t->c, n))
		put_pieces(s, number, flags, FRT_FORM_LATIN1, t->whole, (unsigned char *)t->c, n);
	else
		put_pieces(s, number, flags, FRT_FORM_UTF16, t->whole, (unsigned char *)t->c, n * sizeof(jchar));
}

static void put_string(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, uint32_t most, jstring string)
{
	jsize whole = (*env)->GetStringLength(env, string);
	struct built_text t;

	t.whole = whole;
	t.count = most < FRT_FIELD_TEXT_MAX ? most + 1 : FRT_FIELD_TEXT_MAX + 1;
	t.count = t.count < t.whole ? t.count : t.whole;
	(*env)->GetStringRegion(env, string, 0, t.count, t.c);
	put_built(s, number, flags, most, &t);
}

static void field_put_class(struct frt_slot *s, uint32_t number, uint16_t flags, enum frt_field_form form,
			    const char *signature)
{
	size_t length = strlen(signature);

	put_pieces(s, number, flags, form, length, (const unsigned char *)signature,
		   length < FRT_FIELD_TEXT_MAX ? length : FRT_FIELD_TEXT_MAX);
}

static void put_signature(struct frt_slot *s, uint32_t number, uint16_t flags, enum frt_field_form form, jclass c)
{
	char *signature;

	if ((*jvmti)->GetClassSignature(jvmti, c, &signature, NULL)) {
		field_put_null(s, number, flags);
		return;
	}
	field_put_class(s, number, flags, form, signature);
	jvm_free(signature);
}

/* Append a text behind `at` bytes, if it fits. Returns the new number of bytes. */
static size_t append(char text[FRT_FIELD_TEXT_MAX], size_t at, struct slice more)
{
	if (more.length > FRT_FIELD_TEXT_MAX - at)
		return at;
	memcpy(text + at, more.at, more.length);
	return at + more.length;
}

static size_t append_word(char text[FRT_FIELD_TEXT_MAX], size_t at, struct slice word)
{
	if (word.length >= FRT_FIELD_TEXT_MAX - at)
		return at;
	text[at] = ' ';
	return append(text, at + 1, word);
}

/* Append the names of the fields that a class declares for its objects. */
static size_t append_fields(char text[FRT_FIELD_TEXT_MAX], size_t at, jclass c)
{
	jfieldID *fields;
	char *name;
	jint count, modifiers;

	if ((*jvmti)->GetClassFields(jvmti, c, &count, &fields))
		return at;
	for (jint i = 0; i < count; i++) {
		if ((*jvmti)->GetFieldModifiers(jvmti, c, fields[i], &modifiers) || modifiers & ACC_STATIC ||
		    (*jvmti)->GetFieldName(jvmti, c, fields[i], &name, NULL, NULL))
			continue;
		at = append_word(text, at, slice_of(name));
		jvm_free(name);
	}
	jvm_free(fields);
	return at;
}

/* Write the class that lacks a field, the field's name, and the names of those that it and the classes above it have. */
static void put_what_it_has(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, jclass c,
			    struct slice wanted)
{
	char text[FRT_FIELD_TEXT_MAX], *signature;
	size_t size;

	if ((*jvmti)->GetClassSignature(jvmti, c, &signature, NULL)) {
		field_put_null(s, number, flags);
		return;
	}
	size = append_word(text, append(text, 0, slice_of(signature)), wanted);
	jvm_free(signature);
	c = (*env)->NewLocalRef(env, c);
	for (int deep = 0; c && deep < SUPERS_NAMED; deep++) {
		jclass above = (*env)->GetSuperclass(env, c);

		size = append_fields(text, size, c);
		(*env)->DeleteLocalRef(env, c);
		c = above;
	}
	if (c)
		(*env)->DeleteLocalRef(env, c);
	put_pieces(s, number, flags, FRT_FORM_ABSENT, size, (unsigned char *)text, size);
}

/* Write the name of a class object, or of an object's class. */
static void put_class_of(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, jobject o)
{
	jclass c;

	if ((*env)->IsInstanceOf(env, o, class_class)) {
		put_signature(s, number, flags, FRT_FORM_CLASS, o);
		return;
	}
	c = (*env)->GetObjectClass(env, o);
	put_signature(s, number, flags, FRT_FORM_CLASS, c);
	(*env)->DeleteLocalRef(env, c);
}

static void put_whole_number(struct frt_slot *s, uint32_t number, uint16_t flags, enum frt_field_form form, int64_t v)
{
	put_bits(s, number, flags, form, &v, sizeof(v));
}

static void put_box(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, int i, jobject o)
{
	jfieldID id = boxes[i].value;
	float single;
	double twice;

	switch (i) {
	case BOX_BOOLEAN:
		put_whole_number(s, number, flags, FRT_FORM_BOOLEAN, (*env)->GetBooleanField(env, o, id));
		break;
	case BOX_BYTE: put_whole_number(s, number, flags, FRT_FORM_INTEGER, (*env)->GetByteField(env, o, id)); break;
	case BOX_CHAR: put_whole_number(s, number, flags, FRT_FORM_CHAR, (*env)->GetCharField(env, o, id)); break;
	case BOX_SHORT: put_whole_number(s, number, flags, FRT_FORM_INTEGER, (*env)->GetShortField(env, o, id)); break;
	case BOX_INT: put_whole_number(s, number, flags, FRT_FORM_INTEGER, (*env)->GetIntField(env, o, id)); break;
	case BOX_LONG: put_whole_number(s, number, flags, FRT_FORM_INTEGER, (*env)->GetLongField(env, o, id)); break;
	case BOX_FLOAT:
		single = (*env)->GetFloatField(env, o, id);
		put_bits(s, number, flags, FRT_FORM_FLOAT, &single, sizeof(single));
		break;
	default:
		twice = (*env)->GetDoubleField(env, o, id);
		put_bits(s, number, flags, FRT_FORM_DOUBLE, &twice, sizeof(twice));
		break;
	}
}

static void put_name_of(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, uint32_t most, jobject o,
			jfieldID name)
{
	jstring text = (*env)->GetObjectField(env, o, name);

	if (!text) {
		field_put_null(s, number, flags);
		return;
	}
	put_string(env, s, number, flags, most, text);
	(*env)->DeleteLocalRef(env, text);
}

/* Write an object as a text if its class has one, else as the name of its class. */
static void put_shape(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, uint32_t most, jobject o)
{
	struct built_text t;

	t.count = t.whole = 0;
	switch (shapes_read(env, o, &t)) {
	case SHAPE_TEXT: put_built(s, number, flags, most, &t); break;
	case SHAPE_NULL: field_put_null(s, number, flags); break;
	default: put_class_of(env, s, number, flags, o); break;
	}
}

static int box_of(JNIEnv *env, jobject o)
{
	for (int i = 0; i < BOXES; i++)
		if ((*env)->IsInstanceOf(env, o, boxes[i].class))
			return i;
	return BOXES;
}

static void put_any(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, uint32_t most, jobject o)
{
	int box;

	if (field_text_is_string(env, o)) {
		put_string(env, s, number, flags, most, o);
		return;
	}
	box = box_of(env, o);
	if (box < BOXES)
		put_box(env, s, number, flags, box, o);
	else if ((*env)->IsInstanceOf(env, o, enum_class))
		put_name_of(env, s, number, flags, most, o, enum_name);
	else if (thread_name && (*env)->IsInstanceOf(env, o, thread_class))
		put_name_of(env, s, number, flags, most, o, thread_name);
	else
		put_shape(env, s, number, flags, most, o);
}

static void put_leaf(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, uint32_t kind, uint32_t most,
		     jobject o)
{
	if (kind == PLAN_TEXT)
		put_any(env, s, number, flags, most, o);
	else if (kind == PLAN_CLASS)
		put_class_of(env, s, number, flags, o);
	else if (kind < BOXES && (*env)->IsInstanceOf(env, o, boxes[kind].class))
		put_box(env, s, number, flags, kind, o);
	else
		field_put_null(s, number, flags);
}

_Static_assert((int)PLAN_BOOLEAN == (int)BOX_BOOLEAN && (int)PLAN_DOUBLE == (int)BOX_DOUBLE, "a box for each kind");

void field_text_put(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, uint32_t kind, uint32_t most,
		    const struct field_value *v)
{
	switch (v->form) {
	case FIELD_INTEGER: put_whole_number(s, number, flags, FRT_FORM_INTEGER, v->integer); break;
	case FIELD_BOOLEAN: put_whole_number(s, number, flags, FRT_FORM_BOOLEAN, v->integer); break;
	case FIELD_CHAR: put_whole_number(s, number, flags, FRT_FORM_CHAR, v->integer); break;
	case FIELD_FLOAT: put_bits(s, number, flags, FRT_FORM_FLOAT, &v->single, sizeof(v->single)); break;
	case FIELD_DOUBLE: put_bits(s, number, flags, FRT_FORM_DOUBLE, &v->twice, sizeof(v->twice)); break;
	case FIELD_OBJECT:
		if (v->object)
			put_leaf(env, s, number, flags, kind, most, v->object);
		else
			field_put_null(s, number, flags);
		break;
	case FIELD_ABSENT:
		if (v->object && v->wanted.length)
			put_what_it_has(env, s, number, flags, v->object, v->wanted);
		else if (v->object)
			put_signature(s, number, flags, FRT_FORM_ABSENT, v->object);
		else
			put_pieces(s, number, flags, FRT_FORM_ABSENT, 0, NULL, 0);
		break;
	}
}
