// SPDX-License-Identifier: BSD-2-Clause
#include "user/hotspot/threads.h"
#include "user/hotspot/fields.h"

#include <stdlib.h>

#define MAX_THREADS 100000u
#define MAX_TID	    (1u << 22) /* PID_MAX_LIMIT */

int hotspot_thread_tid(const struct hotspot_layout *l, const struct mem *m, uint64_t java_thread, uint32_t *tid)
{
	uint64_t os;
	int e = mem_u64(m, java_thread + l->thread_osthread, &os);

	*tid = 0;
	return !e && os ? mem_u32(m, os + l->osthread_id, tid) : e;
}

/* Memory that is freed meanwhile may contain anything. A thread counts if its OSThread has a plausible id. */
static int visit_thread(const struct hotspot_layout *l, const struct mem *m, uint64_t thread,
			int (*visit)(uint64_t java_thread, int tid, void *context), void *context)
{
	uint32_t tid;
	int e = hotspot_thread_tid(l, m, thread, &tid);

	if (e || tid > MAX_TID)
		return e == -ESRCH ? e : -EAGAIN;
	return visit(thread, (int)tid, context);
}

static int each_in_chain(const struct hotspot_layout *l, const struct mem *m,
			 int (*visit)(uint64_t java_thread, int tid, void *context), void *context)
{
	uint64_t thread;
	int e = mem_u64(m, l->threads, &thread);

	for (unsigned int n = 0; !e && thread; n++) {
		if (n == MAX_THREADS)
			return -EAGAIN;
		e = visit_thread(l, m, thread, visit, context);
		if (!e && mem_u64(m, thread + l->thread_next, &thread))
			e = -EAGAIN;
	}
	return e;
}

static int each_in_list(const struct hotspot_layout *l, const struct mem *m,
			int (*visit)(uint64_t java_thread, int tid, void *context), void *context)
{
	uint64_t list, array, *threads;
	uint32_t length;
	int e = mem_u64(m, l->threads, &list);

	if (e || !list)
		return e ?: -EAGAIN;
	e = mem_u32(m, list + l->list_length, &length);
	e = e ?: mem_u64(m, list + l->list_threads, &array);
	if (e || length > MAX_THREADS)
		return -EAGAIN;
	threads = calloc(length + 1, sizeof(*threads));
	if (!threads)
		return -ENOMEM;
	/* lists are immutable: if the list is still the current one after the copy, the copy is right */
	if (mem_read(m, array, threads, length * sizeof(*threads)) || mem_u64(m, l->threads, &array) || array != list)
		e = -EAGAIN;
	for (uint32_t i = 0; !e && i < length; i++)
		e = visit_thread(l, m, threads[i], visit, context);
	free(threads);
	return e;
}

int hotspot_each_thread(const struct hotspot_layout *l, const struct mem *m,
			int (*visit)(uint64_t java_thread, int tid, void *context), void *context)
{
	if (l->without & HOTSPOT_NO_THREADS)
		return -ENOTSUP;
	return (l->threads_form == HOTSPOT_THREADS_LIST ? each_in_list : each_in_chain)(l, m, visit, context);
}

/* ---- java.lang.Thread */

/*
 * The JVM's tables lead to the classes Thread and String, and these to the places of their fields, which depend on the
 * version, on flags and on the collector:
 *
 *	JavaThread._threadObj	an oop; since JDK 16 an OopHandle, the address of one
 *	reference		32 bits to be shifted and added to a base, or an address; ZGC with generations (JDK 21)
 *				shifts the address by 13 to 16, by the one bit that is set among bits 12 to 15
 *	object			its first field is behind the mark word and the class, of 0, 4 or 8 bytes
 *	array			so is its length; its elements follow, before JDK 23 at a multiple of 8
 *	characters		JDK 8: UTF-16; later also Latin-1
 *
 * A collector may move the objects meanwhile. So Thread.eetop, which is the address of the JavaThread, must agree, and the
 * reference to the Thread must be the same afterwards.
 */

#define MOST_BYTES     512u /* of a text */
#define HEADER_COMPACT 8u
#define HEADER_NARROW  12u
#define HEADER_WIDE    16u
#define PACKED_SINCE   23 /* arrays of bytes: their elements follow the length */
#define MOST_OFFSET    4096u

struct wanted_field {
	const char *name, *descriptor;
	uint32_t *offset;
};

struct field_search {
	const struct wanted_field *wanted;
	size_t count;
	uint32_t first; /* the lowest offset of all */
	bool narrow;	/* a reference is not at a multiple of 8 */
};

static void note_field(const struct declared_field *f, void *context)
{
	struct field_search *s = context;
	bool reference = f->descriptor[0] == 'L' || f->descriptor[0] == '[';

	if (f->access & FIELD_STATIC)
		return;
	if (f->offset < s->first)
		s->first = f->offset;
	s->narrow |= reference && f->offset % 8;
	for (size_t i = 0; i < s->count; i++)
		if (!strcmp(f->name, s->wanted[i].name) && !strcmp(f->descriptor, s->wanted[i].descriptor))
			*s->wanted[i].offset = f->offset;
}

/* `class` is the address of the pointer to it. */
static int search_fields(struct field_search *s, const struct hotspot_layout *l, const struct mem *m, uint64_t class,
			 const struct wanted_field *wanted, size_t count)
{
	uint64_t klass;
	int err = class ? mem_u64(m, class, &klass) : -ENOTSUP;

	s->wanted = wanted;
	s->count = count;
	err = err ?: klass_each_field(l, m, klass, note_field, s);
	for (size_t i = 0; i < count && !err; i++)
		if (*wanted[i].offset >= MOST_OFFSET)
			err = -EBADMSG;
	return err;
}

static int place_arrays(struct thread_fields *f, const struct field_search *s, int jdk_version)
{
	if (s->first != HEADER_COMPACT && s->first != HEADER_NARROW && s->first != HEADER_WIDE)
		return -EBADMSG;
	f->array_length = s->first;
	f->array_data = s->first + 4;
	if (s->first == HEADER_WIDE && jdk_version < PACKED_SINCE)
		f->array_data += 4;
	return 0;
}

static int read_fields(struct thread_fields *out, const struct hotspot_layout *l, const struct mem *m)
{
	static const char group[] = "Ljava/lang/ThreadGroup;", string[] = "Ljava/lang/String;";
	const struct wanted_field of_thread[] = {{"tid", "J", &out->id},
						 {"eetop", "J", &out->native},
						 {"name", string, &out->name},
						 {"group", group, &out->group},
						 {"holder", "Ljava/lang/Thread$FieldHolder;", &out->holder}};
	const struct wanted_field of_holder[] = {{"group", group, &out->group}};
	const struct wanted_field of_group[] = {{"name", string, &out->group_name}};
	const struct wanted_field of_string[] = {
		{"value", "[B", &out->text}, {"value", "[C", &out->text}, {"coder", "B", &out->coder}};
	struct field_search s = {.first = UINT32_MAX};
	int err;

	*out = (struct thread_fields){0};
	if (l->thread_object == FRT_NO_OFFSET)
		return -ENOTSUP;
	err = search_fields(&s, l, m, l->thread_class, of_thread, 5);
	if (!err && out->holder)
		err = search_fields(&s, l, m, l->holder_class, of_holder, 1);
	err = err ?: search_fields(&s, l, m, l->group_class, of_group, 1);
	err = err ?: search_fields(&s, l, m, l->string_class, of_string, 3);
	if (!err && !(out->id && out->native && out->name && out->group && out->group_name && out->text))
		err = -ENOTSUP;
	out->narrow = s.narrow;
	return err ?: place_arrays(out, &s, l->walk.jdk_version);
}

void thread_object_find_fields(struct hotspot_layout *l, const struct mem *m)
{
	struct thread_fields found;

	if (!read_fields(&found, l, m))
		l->thread_fields = found;
}

struct object_reader {
	const struct thread_fields *f;
	const struct mem *m;
	uint64_t base;
	uint32_t shift;
};

static uint64_t decode_address(uint64_t word)
{
	unsigned int bits = word >> 12 & 15;

	return word >> 47 && bits ? word >> (13 + __builtin_ctz(bits)) : word;
}

/* 0: null. */
static int read_reference(const struct object_reader *r, uint64_t at, uint64_t *to)
{
	uint32_t narrow = 0;
	int err;

	*to = 0;
	if (!r->f->narrow) {
		err = mem_u64(r->m, at, to);
		*to = decode_address(*to);
		return err;
	}
	err = mem_u32(r->m, at, &narrow);
	if (narrow)
		*to = r->base + ((uint64_t)narrow << r->shift);
	return err;
}

/* Modified UTF-8 has the same form for each UTF-16 unit, also half of a pair. Returns the number of bytes. */
static size_t encode(uint16_t unit, char out[3])
{
	if (unit && unit < 0x80) {
		out[0] = (char)unit;
		return 1;
	}
	if (unit < 0x800) {
		out[0] = (char)(0xc0 | unit >> 6);
		out[1] = (char)(0x80 | (unit & 63));
		return 2;
	}
	out[0] = (char)(0xe0 | unit >> 12);
	out[1] = (char)(0x80 | (unit >> 6 & 63));
	out[2] = (char)(0x80 | (unit & 63));
	return 3;
}

static void take_text(const uint8_t *text, size_t units, unsigned int width, char *out, size_t size)
{
	size_t length = 0;

	for (size_t i = 0; i < units && length + 3 < size; i++)
		length += encode(text[i * width] | (width > 1 ? text[i * width + 1] << 8 : 0), out + length);
	out[length] = 0;
}

/* The String that the field at `at` refers to. */
static int string_read(const struct object_reader *r, uint64_t at, char *out, size_t size)
{
	const struct thread_fields *f = r->f;
	uint8_t text[MOST_BYTES], coder = 1;
	uint64_t string, array;
	uint32_t length;
	int err = read_reference(r, at, &string);

	out[0] = 0;
	if (err || !string)
		return err;
	err = read_reference(r, string + f->text, &array);
	if (!err && f->coder)
		err = mem_u8(r->m, string + f->coder, &coder);
	err = err ?: mem_u32(r->m, array + f->array_length, &length);
	if (err || coder > 1 || length > INT32_MAX)
		return err ? err : -EAGAIN;
	if (!f->coder)
		length = length < MOST_BYTES ? length * 2 : MOST_BYTES;
	length = length < MOST_BYTES ? length : MOST_BYTES;
	err = mem_read(r->m, array + f->array_data, text, length);
	if (!err)
		take_text(text, length >> coder, coder + 1, out, size);
	return err;
}

static int read_group(const struct object_reader *r, uint64_t thread, char *out, size_t size)
{
	uint64_t from = thread, group;
	int err = r->f->holder ? read_reference(r, thread + r->f->holder, &from) : 0;

	err = err ?: read_reference(r, from + r->f->group, &group);
	out[0] = 0;
	return err || !group ? err : string_read(r, group + r->f->group_name, out, size);
}

/* The Thread's address, and the word that refers to it. */
static int find_object(const struct hotspot_layout *l, const struct mem *m, uint64_t java_thread, uint64_t *word,
		       uint64_t *object)
{
	int err = mem_u64(m, java_thread + l->thread_object, word);

	if (!err && *word && l->thread_object_is_handle)
		err = mem_u64(m, *word, word);
	*object = decode_address(*word);
	return err ? err : *object ? 0 : -EAGAIN;
}

int thread_object_read(struct thread_object *out, const struct hotspot_layout *l, const struct mem *m,
		       uint64_t java_thread)
{
	const struct thread_fields *f = &l->thread_fields;
	struct object_reader r = {.f = f, .m = m};
	uint64_t word, again, object, moved, native = 0;
	int err = f->id ? find_object(l, m, java_thread, &word, &object) : -ENOTSUP;

	if (!err && f->narrow)
		err = l->narrow_oop_base && l->narrow_oop_shift
			      ? mem_u64(m, l->narrow_oop_base, &r.base) ?: mem_u32(m, l->narrow_oop_shift, &r.shift)
			      : -ENOTSUP;
	if (err || r.shift > 7)
		return err ? err : -EBADMSG;
	err = mem_u64(m, object + f->id, &out->java_id);
	err = err ?: string_read(&r, object + f->name, out->name, sizeof(out->name));
	err = err ?: read_group(&r, object, out->group, sizeof(out->group));
	err = err ?: mem_u64(m, object + f->native, &native);
	err = err ?: find_object(l, m, java_thread, &again, &moved);
	return err ? err : again == word && native == java_thread && out->java_id ? 0 : -EAGAIN;
}
