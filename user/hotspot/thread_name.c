// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread's name is the String `name` of its java.lang.Thread. No table of the JVM tells where Java's fields lie; that
 * depends on the version, on flags and on the collector. So the references in the first words of the Thread are
 * followed, and those in the objects that they lead to, in each form that HotSpot has:
 *
 *	JavaThread._threadObj	an oop; since JDK 16 an OopHandle, the address of one
 *	reference		32 bits to be shifted and added to a base, or an address; ZGC with generations (JDK 21)
 *				shifts the address by 13 to 16, by the one bit that is set among bits 12 to 15
 *	array			its length is after the mark word and the class, of 0, 4 or 8 bytes, its elements follow,
 *				before JDK 23 at a multiple of 8
 *	characters		JDK 8: UTF-16; later also Latin-1
 *
 * All of this may change meanwhile. The text must agree with the kernel's name in all of its bytes.
 */
#include "user/hotspot/thread_name.h"

#include <stdbool.h>

#define THREAD_SIZE 128u /* bytes of a Thread in which its name is */
#define STRING_SIZE 32u
#define MOST_BYTES  512u /* of an array */
#define REFERENCES  2u	 /* forms in which a word may be one */

#define FIRST 7u /* of an abbreviation: its beginning and end */
#define LAST  6u

struct name_search {
	const struct hotspot_layout *l;
	const struct mem *m;
	uint64_t base;
	uint32_t shift;
	bool narrow; /* base and shift are known */
	const char *kernel_name;
	char *out;
	size_t size;
};

static uint64_t decode_address(uint64_t word)
{
	unsigned int bits = word >> 12 & 15;

	return word >> 47 && bits ? word >> (13 + __builtin_ctz(bits)) : word;
}

/* What the word at `at` may refer to. Returns the number of addresses. */
static unsigned int references_at(const struct name_search *s, uint64_t at, uint64_t out[REFERENCES])
{
	unsigned int n = 0;
	uint32_t narrow;
	uint64_t word;

	if (s->narrow && !mem_u32(s->m, at, &narrow) && narrow)
		out[n++] = s->base + ((uint64_t)narrow << s->shift);
	if (at % 8 == 0 && !mem_u64(s->m, at, &word) && word)
		out[n++] = decode_address(word);
	return n;
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

static bool is_abbreviation(const char *kernel_name, const char *name, size_t length)
{
	if (length < HOTSPOT_KERNEL_NAME)
		return false;
	if (!memcmp(name, kernel_name, HOTSPOT_KERNEL_NAME))
		return true;
	return !memcmp(name, kernel_name, FIRST) && !memcmp(kernel_name + FIRST, "..", 2) &&
	       !memcmp(name + length - LAST, kernel_name + HOTSPOT_KERNEL_NAME - LAST, LAST);
}

static bool take_text(const struct name_search *s, const uint8_t *text, size_t units, unsigned int width)
{
	size_t length = 0;

	for (size_t i = 0; i < units; i++) {
		uint16_t unit = text[i * width] | (width > 1 ? text[i * width + 1] << 8 : 0);

		if (length + 3 >= s->size)
			return false;
		length += encode(unit, s->out + length);
	}
	s->out[length] = 0;
	return is_abbreviation(s->kernel_name, s->out, length);
}

static bool take_characters(const struct name_search *s, uint64_t array)
{
	static const uint8_t forms[][2] = {
		{8, 12}, {12, 16}, {16, 20}, {16, 24}}; /* of the length and of the elements */
	bool bytes = s->l->walk.jdk_version > 8;
	uint8_t text[MOST_BYTES];
	uint32_t length;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (mem_u32(s->m, array + forms[i][0], &length))
			continue;
		if (!bytes && length <= MOST_BYTES)
			length *= 2;
		if (length < HOTSPOT_KERNEL_NAME || length > MOST_BYTES ||
		    mem_read(s->m, array + forms[i][1], text, length))
			continue;
		if ((bytes && take_text(s, text, length, 1)) || take_text(s, text, length / 2, 2))
			return true;
	}
	return false;
}

static bool search_string(const struct name_search *s, uint64_t string)
{
	uint64_t references[REFERENCES];

	for (uint64_t at = string + 8; at < string + STRING_SIZE; at += 4)
		for (unsigned int n = references_at(s, at, references); n-- > 0;)
			if (take_characters(s, references[n]))
				return true;
	return false;
}

static bool search_thread(const struct name_search *s, uint64_t thread)
{
	uint64_t references[REFERENCES];

	for (uint64_t at = thread + 8; at < thread + THREAD_SIZE; at += 4)
		for (unsigned int n = references_at(s, at, references); n-- > 0;)
			if (search_string(s, references[n]))
				return true;
	return false;
}

int hotspot_thread_name(const struct hotspot_layout *l, const struct mem *m, uint64_t java_thread,
			const char *kernel_name, char *out, size_t size)
{
	struct name_search s = {.l = l, .m = m, .kernel_name = kernel_name, .out = out, .size = size};
	uint64_t object;

	if (l->thread_object == FRT_NO_OFFSET || mem_u64(m, java_thread + l->thread_object, &object) || !object)
		return -ENOENT;
	if (l->thread_object_is_handle && mem_u64(m, object, &object))
		return -ENOENT;
	s.narrow = l->narrow_oop_base && l->narrow_oop_shift && !mem_u64(m, l->narrow_oop_base, &s.base) &&
		   !mem_u32(m, l->narrow_oop_shift, &s.shift) && s.shift < 8;
	return search_thread(&s, decode_address(object)) ? 0 : -ENOENT;
}
