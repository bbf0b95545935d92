// SPDX-License-Identifier: BSD-2-Clause
/*
 * The classes of the JDK have had these fields from JDK 8 to 28, those of other libraries for many years. A class is looked for
 * by its name once, from an object's class upwards, and what was found is kept for objects of exactly that class. Another
 * class of the same name whose fields differ has no shape. Local references are left to the JVM, which frees them when the native method
 * returns: there are few.
 */
#include "uprobes/agent/fields/shapes.h"
#include "uprobes/agent/fields/field_search.h"
#include "uprobes/agent/jvm.h"
#include "uprobes/agent/lock_free.h"
#include "uprobes/agent/sys.h"

#define SHAPED_MOST  32 /* classes that are kept; objects of others are read the slow way */
#define SHAPE_FIELDS 4
#define SHAPES_DEEP  4 /* objects in one another */
#define SUPERS_DEEP  64

enum shape_form {
	SHAPE_OF,      /* the text of another object */
	SHAPE_CHOICE,  /* the first field says which of the others, from 1 on */
	SHAPE_WHOLE,   /* all of an array of bytes or characters */
	SHAPE_COUNT,   /* its first ones */
	SHAPE_CODED,   /* the same of a StringBuilder: characters, of one or two bytes */
	SHAPE_FROM_TO, /* from one to before another one */
	SHAPE_FROM_SO_MANY,
	SHAPE_UUID,
	SHAPE_SECONDS,	 /* and nanoseconds */
	SHAPE_TIMESTAMP, /* milliseconds, which are whole seconds, and nanoseconds */
	SHAPE_MILLIS,	 /* and a calendar's date, which may be newer */
	SHAPE_NORMAL,	 /* that date: it is not */
	SHAPE_INTEGER,	 /* sign and magnitude */
	SHAPE_DECIMAL,	 /* a long, a scale, or else an integer */
	SHAPE_IPV4,
	SHAPE_IPV6,
	SHAPE_PORT,   /* of an address, or of a name */
	SHAPE_URL,    /* protocol, authority, file, and fragment */
	SHAPE_REQUEST /* scheme, authority, path */
};

static const struct shape {
	const char *class_name;
	enum shape_form form;
	const char *field[SHAPE_FIELDS]; /* names, with the first character of the type before them */
} shapes[] = {
	{"java/lang/AbstractStringBuilder", SHAPE_CODED, {"[value", "Icount", "Bcoder"}},
	{"java/lang/AbstractStringBuilder", SHAPE_COUNT, {"[value", "Icount"}}, /* JDK 8 */
	{"java/util/UUID", SHAPE_UUID, {"JmostSigBits", "JleastSigBits"}},
	{"java/net/URI", SHAPE_OF, {"Lstring"}},
	{"java/net/URL", SHAPE_URL, {"Lprotocol", "Lauthority", "Lfile", "Lref"}},
	{"java/io/File", SHAPE_OF, {"Lpath"}},
	{"sun/nio/fs/UnixPath", SHAPE_WHOLE, {"[path"}},
	{"java/time/Instant", SHAPE_SECONDS, {"Jseconds", "Inanos"}},
	{"java/sql/Timestamp", SHAPE_TIMESTAMP, {"JfastTime", "Inanos"}},
	{"java/util/Date", SHAPE_MILLIS, {"JfastTime", "Lcdate"}},
	{"sun/util/calendar/CalendarDate", SHAPE_NORMAL, {"Znormalized"}},
	{"java/math/BigInteger", SHAPE_INTEGER, {"Isignum", "[mag"}},
	{"java/math/BigDecimal", SHAPE_DECIMAL, {"JintCompact", "Iscale", "LintVal"}},
	{"java/net/Inet4Address", SHAPE_OF, {"Lholder"}},
	{"java/net/Inet6Address", SHAPE_OF, {"Lholder6"}},
	{"java/net/InetAddress$InetAddressHolder", SHAPE_IPV4, {"Iaddress"}},
	{"java/net/Inet6Address$Inet6AddressHolder", SHAPE_IPV6, {"[ipaddress"}},
	{"java/net/InetSocketAddress", SHAPE_OF, {"Lholder"}},
	{"java/net/InetSocketAddress$InetSocketAddressHolder", SHAPE_PORT, {"Iport", "Laddr", "Lhostname"}},
	{"org/apache/tomcat/util/buf/ByteChunk", SHAPE_FROM_TO, {"[buff", "Istart", "Iend"}},
	{"org/apache/tomcat/util/buf/CharChunk", SHAPE_FROM_TO, {"[buff", "Istart", "Iend"}},
	{"org/apache/tomcat/util/buf/MessageBytes", SHAPE_CHOICE, {"Itype", "LstrValue", "LbyteC", "LcharC"}},
	{"io/netty/util/AsciiString", SHAPE_FROM_SO_MANY, {"[value", "Ioffset", "Ilength"}},
	{"io/netty/util/internal/AppendableCharSequence", SHAPE_COUNT, {"[chars", "Ipos"}},
	{"org/eclipse/jetty/http/HttpURI", SHAPE_OF, {"L_uri"}},
	{"org/eclipse/jetty/http/HttpURI$Immutable", SHAPE_OF, {"L_uri"}},
	{"org/apache/hc/core5/http/message/BasicHttpRequest", SHAPE_REQUEST, {"Lscheme", "Lauthority", "Lpath"}},
	{"org/apache/hc/core5/net/URIAuthority", SHAPE_OF, {"Lhost"}},
	{"org/apache/hc/core5/net/Host", SHAPE_PORT, {"Iport", "Lname", "Lname"}},
};

enum { KEPT_NOTHING, KEPT_WRITING, KEPT_CLASS };

/* What is known of a class. */
struct shaped {
	uint32_t state; /* KEPT_* */
	jweak class;
	const struct shape *shape; /* NULL: it has none */
	jfieldID id[SHAPE_FIELDS];
};

static struct shaped kept[SHAPED_MOST];
static jclass string_class, byte_array, char_array;

bool shapes_init(JNIEnv *env)
{
	byte_array = jvm_keep_class(env, (*env)->FindClass(env, "[B"));
	char_array = jvm_keep_class(env, (*env)->FindClass(env, "[C"));
	string_class = jvm_keep_class(env, (*env)->FindClass(env, "java/lang/String"));
	return byte_array && char_array && string_class;
}

void shapes_release(JNIEnv *env)
{
	if (byte_array)
		(*env)->DeleteGlobalRef(env, byte_array);
	if (char_array)
		(*env)->DeleteGlobalRef(env, char_array);
	if (string_class)
		(*env)->DeleteGlobalRef(env, string_class);
	byte_array = char_array = string_class = NULL;
	for (uint32_t i = 0; i < SHAPED_MOST; i++)
		if (kept[i].class)
			(*env)->DeleteWeakGlobalRef(env, kept[i].class);
	memset(kept, 0, sizeof(kept));
}

/* ---- the shape of a class */

static bool has_fields(JNIEnv *env, jclass c, const struct shape *shape, struct shaped *out)
{
	struct found_field f;

	for (int i = 0; i < SHAPE_FIELDS && shape->field[i]; i++) {
		if (field_search(env, c, slice_of(shape->field[i] + 1), false, NULL, &f) < 1 ||
		    f.type != shape->field[i][0])
			return false;
		out->id[i] = f.id;
	}
	out->shape = shape;
	return true;
}

/* Look for the shape of a class among those of its name. False: its name is not in the table. */
static bool shape_by_name(JNIEnv *env, jclass c, struct shaped *out)
{
	bool named = false;

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]) && !out->shape; i++)
		if (field_class_is(c, slice_of(shapes[i].class_name))) {
			named = true;
			has_fields(env, c, &shapes[i], out);
		}
	return named;
}

static struct shaped shape_of_class(JNIEnv *env, jclass c)
{
	struct shaped found = {.shape = NULL};

	for (int deep = 0; c && deep < SUPERS_DEEP && !shape_by_name(env, c, &found); deep++)
		c = (*env)->GetSuperclass(env, c);
	return found;
}

/* Keep what was found, if there is room. What another thread is writing may be of the same class: a later object will tell. */
static void keep_shape(JNIEnv *env, jclass c, const struct shaped *found)
{
	for (uint32_t i = 0; i < SHAPED_MOST; i++) {
		struct shaped *k = &kept[i];
		uint32_t state = KEPT_NOTHING;

		if (!__atomic_compare_exchange_n(&k->state, &state, KEPT_WRITING, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_ACQUIRE)) {
			if (state == KEPT_WRITING || (*env)->IsSameObject(env, k->class, c))
				return;
			continue;
		}
		k->class = (*env)->NewWeakGlobalRef(env, c);
		jvm_threw(env);
		k->shape = found->shape;
		memcpy(k->id, found->id, sizeof(k->id));
		store_release(&k->state, k->class ? KEPT_CLASS : KEPT_NOTHING);
		return;
	}
}

static struct shaped shape_of(JNIEnv *env, jobject o)
{
	jclass c = (*env)->GetObjectClass(env, o);
	struct shaped found;

	for (uint32_t i = 0; i < SHAPED_MOST; i++) {
		uint32_t state = load_acquire(&kept[i].state);

		if (state == KEPT_NOTHING)
			break;
		if (state == KEPT_CLASS && (*env)->IsSameObject(env, kept[i].class, c))
			return kept[i];
	}
	found = shape_of_class(env, c);
	keep_shape(env, c, &found);
	return found;
}

/* ---- reading */

static void add_string(JNIEnv *env, jstring s, struct built_text *t)
{
	jsize whole = (*env)->GetStringLength(env, s), n = built_room(t);

	n = n < whole ? n : whole;
	(*env)->GetStringRegion(env, s, 0, n, t->c + t->count);
	t->count += n;
	t->whole += whole;
}

static void add_byte_array(JNIEnv *env, jobject array, jsize begin, jsize whole, struct built_text *t)
{
	jbyte bytes[FRT_FIELD_TEXT_MAX + 1];
	jsize n = built_room(t);

	n = n < whole ? n : whole;
	(*env)->GetByteArrayRegion(env, array, begin, n, bytes);
	built_bytes(t, (uint8_t *)bytes, n, whole);
}

/* Append elements of an array of bytes or characters, as far as it has them. */
static enum shape_result add_array(JNIEnv *env, jobject array, jint begin, jint count, struct built_text *t)
{
	jsize length, n = built_room(t);
	bool bytes = array && (*env)->IsInstanceOf(env, array, byte_array);

	if (!array || (!bytes && !(*env)->IsInstanceOf(env, array, char_array)))
		return array ? SHAPE_UNKNOWN : SHAPE_NULL;
	length = (*env)->GetArrayLength(env, array);
	if (begin < 0 || begin > length || count < 0)
		return SHAPE_NULL;
	count = count < length - begin ? count : length - begin;
	if (bytes) {
		add_byte_array(env, array, begin, count, t);
		return SHAPE_TEXT;
	}
	n = n < count ? n : count;
	(*env)->GetCharArrayRegion(env, array, begin, n, t->c + t->count);
	t->count += n;
	t->whole += count;
	return SHAPE_TEXT;
}

/* The characters of a StringBuilder lie in an array of bytes; with coder 1 there are two for each. */
static enum shape_result add_coded(JNIEnv *env, jobject array, jint count, jint coder, struct built_text *t)
{
	jsize length = array ? (*env)->GetArrayLength(env, array) >> coder : 0, n = built_room(t);
	jbyte bytes[FRT_FIELD_TEXT_MAX + 1];

	if (!array || count < 0 || (coder & ~1) || !(*env)->IsInstanceOf(env, array, byte_array))
		return array ? SHAPE_UNKNOWN : SHAPE_NULL;
	count = count < length ? count : length;
	n = n < count ? n : count;
	if (coder) {
		(*env)->GetByteArrayRegion(env, array, 0, 2 * n, (jbyte *)(t->c + t->count));
	} else {
		(*env)->GetByteArrayRegion(env, array, 0, n, bytes);
		for (jsize i = 0; i < n; i++)
			t->c[t->count + i] = (uint8_t)bytes[i];
	}
	t->count += n;
	t->whole += count;
	return SHAPE_TEXT;
}

static enum shape_result add_integer(JNIEnv *env, jint sign, jobject magnitude, jint scale, struct built_text *t)
{
	uint32_t words[BUILT_WORDS];
	jsize n = magnitude ? (*env)->GetArrayLength(env, magnitude) : 0;

	if (n > BUILT_WORDS)
		return SHAPE_UNKNOWN;
	if (n)
		(*env)->GetIntArrayRegion(env, magnitude, 0, n, (jint *)words);
	built_decimal(t, sign < 0, words, n, scale);
	return SHAPE_TEXT;
}

static enum shape_result add_decimal(JNIEnv *env, jlong compact, jint scale, jobject integer, struct built_text *t)
{
	uint64_t size = compact < 0 ? -(uint64_t)compact : (uint64_t)compact;
	struct shaped k;

	if (compact != INT64_MIN) {
		built_decimal(t, compact < 0, (uint32_t[]){size >> 32, size}, 2, scale);
		return SHAPE_TEXT;
	}
	k = integer ? shape_of(env, integer) : (struct shaped){.shape = NULL};
	if (!k.shape || k.shape->form != SHAPE_INTEGER)
		return SHAPE_UNKNOWN;
	return add_integer(env, (*env)->GetIntField(env, integer, k.id[0]),
			   (*env)->GetObjectField(env, integer, k.id[1]), scale, t);
}

/* A Date whose calendar's date is newer than its time tells its time only by a method. */
static enum shape_result add_millis(JNIEnv *env, jlong ms, jobject newer, struct built_text *t)
{
	struct shaped k = newer ? shape_of(env, newer) : (struct shaped){.shape = NULL};

	if (newer && (!k.shape || k.shape->form != SHAPE_NORMAL || !(*env)->GetBooleanField(env, newer, k.id[0])))
		return SHAPE_UNKNOWN;
	built_instant(t, ms / 1000 - (ms % 1000 < 0), (ms % 1000 + 1000) % 1000 * 1000000);
	return SHAPE_TEXT;
}

static enum shape_result add_address(JNIEnv *env, jint v4, jobject v6, struct built_text *t)
{
	uint8_t bytes[16] = {v4 >> 24, v4 >> 16, v4 >> 8, v4};

	if (v6 && ((*env)->GetArrayLength(env, v6) != 16 || !(*env)->IsInstanceOf(env, v6, byte_array)))
		return SHAPE_UNKNOWN;
	if (v6)
		(*env)->GetByteArrayRegion(env, v6, 0, 16, (jbyte *)bytes);
	built_address(t, bytes, v6 ? 16 : 4);
	return SHAPE_TEXT;
}

static enum shape_result add_object(JNIEnv *env, jobject o, struct built_text *t, int deep);

/* A port below 0 is none. */
static enum shape_result add_port(JNIEnv *env, jobject address, jobject name, jint port, struct built_text *t, int deep)
{
	struct built_text *host = t;
	uint32_t begin = t->count;
	enum shape_result r = add_object(env, address ? address : name, host, deep);
	bool v6 = false;

	if (r != SHAPE_TEXT)
		return r;
	for (uint32_t i = begin; i < t->count; i++)
		v6 = v6 || (address && t->c[i] == ':');
	if (v6 && t->c[begin] != '[' && built_room(t)) {
		memmove(t->c + begin + 1, t->c + begin, (t->count - begin) * sizeof(t->c[0]));
		t->c[begin] = '[';
		t->count++;
		t->whole++;
		built_ascii(t, "]");
	}
	if (port >= 0) {
		built_ascii(t, ":");
		built_number(t, port);
	}
	return SHAPE_TEXT;
}

/* As its toExternalForm(), which knows no part that is missing, and of the authority none that is empty. */
static enum shape_result add_url(JNIEnv *env, jobject o, const struct shaped *k, struct built_text *t)
{
	static const char *const before[SHAPE_FIELDS] = {"", "//", "", "#"};

	for (int i = 0; i < SHAPE_FIELDS; i++) {
		jobject part = (*env)->GetObjectField(env, o, k->id[i]);

		if (i && !part)
			continue;
		if (!part || !(*env)->IsInstanceOf(env, part, string_class))
			return part ? SHAPE_UNKNOWN : SHAPE_NULL;
		if (i == 1 && !(*env)->GetStringLength(env, part))
			continue;
		built_ascii(t, before[i]);
		add_string(env, part, t);
		if (!i)
			built_ascii(t, ":");
	}
	return SHAPE_TEXT;
}

/* Without an authority the path is all that is known. */
static enum shape_result add_request(JNIEnv *env, jobject scheme, jobject authority, jobject path, struct built_text *t,
				     int deep)
{
	enum shape_result r = SHAPE_TEXT;
	uint32_t begin;

	if (authority) {
		r = add_object(env, scheme, t, deep);
		built_ascii(t, "://");
		r = r == SHAPE_TEXT ? add_object(env, authority, t, deep) : r;
	}
	begin = t->count;
	r = r == SHAPE_TEXT ? add_object(env, path, t, deep) : r;
	if (r == SHAPE_TEXT && authority && begin < t->count && t->c[begin] != '/')
		return SHAPE_UNKNOWN;
	return r;
}

static enum shape_result add_choice(JNIEnv *env, jobject o, const struct shaped *k, struct built_text *t, int deep)
{
	jint which = (*env)->GetIntField(env, o, k->id[0]);

	if (which < 1 || which >= SHAPE_FIELDS || !k->shape->field[which])
		return SHAPE_NULL;
	return add_object(env, (*env)->GetObjectField(env, o, k->id[which]), t, deep);
}

static enum shape_result add_shaped(JNIEnv *env, jobject o, const struct shaped *k, struct built_text *t, int deep)
{
#define INT(i)	  (*env)->GetIntField(env, o, k->id[i])
#define LONG(i)	  (*env)->GetLongField(env, o, k->id[i])
#define OBJECT(i) (*env)->GetObjectField(env, o, k->id[i])
	switch (k->shape->form) {
	case SHAPE_OF: return add_object(env, OBJECT(0), t, deep);
	case SHAPE_CHOICE: return add_choice(env, o, k, t, deep);
	case SHAPE_WHOLE: return add_array(env, OBJECT(0), 0, INT32_MAX, t);
	case SHAPE_COUNT: return add_array(env, OBJECT(0), 0, INT(1), t);
	case SHAPE_CODED: return add_coded(env, OBJECT(0), INT(1), (*env)->GetByteField(env, o, k->id[2]), t);
	case SHAPE_FROM_TO: return add_array(env, OBJECT(0), INT(1), (jint)((uint32_t)INT(2) - (uint32_t)INT(1)), t);
	case SHAPE_FROM_SO_MANY: return add_array(env, OBJECT(0), INT(1), INT(2), t);
	case SHAPE_UUID: built_uuid(t, LONG(0), LONG(1)); return SHAPE_TEXT;
	case SHAPE_SECONDS: built_instant(t, LONG(0), (uint32_t)INT(1) % 1000000000); return SHAPE_TEXT;
	case SHAPE_TIMESTAMP:
		built_instant(t, LONG(0) / 1000 - (LONG(0) % 1000 < 0), (uint32_t)INT(1) % 1000000000);
		return SHAPE_TEXT;
	case SHAPE_MILLIS: return add_millis(env, LONG(0), OBJECT(1), t);
	case SHAPE_INTEGER: return add_integer(env, INT(0), OBJECT(1), 0, t);
	case SHAPE_DECIMAL: return add_decimal(env, LONG(0), INT(1), OBJECT(2), t);
	case SHAPE_IPV4: return add_address(env, INT(0), NULL, t);
	case SHAPE_IPV6: return OBJECT(0) ? add_address(env, 0, OBJECT(0), t) : SHAPE_NULL;
	case SHAPE_URL: return add_url(env, o, k, t);
	case SHAPE_REQUEST: return add_request(env, OBJECT(0), OBJECT(1), OBJECT(2), t, deep);
	case SHAPE_PORT: return add_port(env, OBJECT(1), OBJECT(2), INT(0), t, deep);
	default: return SHAPE_UNKNOWN;
	}
#undef INT
#undef LONG
#undef OBJECT
}

static enum shape_result add_object(JNIEnv *env, jobject o, struct built_text *t, int deep)
{
	struct shaped k;

	if (!o || !deep)
		return o ? SHAPE_UNKNOWN : SHAPE_NULL;
	if ((*env)->IsInstanceOf(env, o, string_class)) {
		add_string(env, o, t);
		return SHAPE_TEXT;
	}
	if ((*env)->IsInstanceOf(env, o, byte_array) || (*env)->IsInstanceOf(env, o, char_array))
		return add_array(env, o, 0, INT32_MAX, t);
	k = shape_of(env, o);
	return k.shape ? add_shaped(env, o, &k, t, deep - 1) : SHAPE_UNKNOWN;
}

enum shape_result shapes_read(JNIEnv *env, jobject o, struct built_text *t)
{
	return add_object(env, o, t, SHAPES_DEEP);
}
