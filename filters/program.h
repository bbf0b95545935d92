/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Layout of the program that filter_list_compile() writes and matcher.c runs:
 *
 *	header | buckets (u32 each) | entries | names
 *
 * An entry is a filter in the form in which it is looked up: a kind, a class and a method; an empty class or
 * method means "any". Entries whose class has no wildcard come first and are hashed, together with the method if that
 * has none. A wildcard is QUOTE_WILDCARD, which no name has; '*' is a character of a name. The other entries, from `wild` on, are tried one after the other. A bucket, and the `next` of an
 * entry, is the number of an entry plus one, or 0 for none. `next` is always lower than the entry's own number, so
 * a chain ends even in a damaged program. All matching entries of a chain count.
 *
 * Offsets are relative to the beginning of the program. Names have the form of class files: a/b/C$D, and the
 * descriptor La/b/Anno; for an annotation. The types of an overload are those of a method descriptor, with the
 * parentheses, and with what is returned if that matters, too; a class without a package matches that class in any package.
 */
#ifndef FILTERS_PROGRAM_H
#define FILTERS_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#define PROGRAM_MAGIC	0x544c4654u /* "TFLT" */
#define PROGRAM_VERSION 6u

/* Features that the program uses */
#define PROGRAM_ANY_CLASS  0x1u /* a filter selects methods of any class */
#define PROGRAM_SUPERTYPE  0x2u
#define PROGRAM_ANNOTATION 0x4u
#define PROGRAM_LAMBDA	   0x8u /* lambda bodies belong to their method */

struct program_header {
	uint32_t magic, version;
	uint32_t size;
	uint32_t flags;
	uint32_t buckets; /* a power of two */
	uint32_t entries;
	uint32_t wild; /* number of the first entry that is not hashed */
	uint32_t reserved;
};

enum program_kind {
	PROGRAM_NAME = 0,    /* the class of that name */
	PROGRAM_BELOW = '+', /* that class or interface, and all its subtypes */
	PROGRAM_BEARS = '@', /* classes and methods with that annotation */
};

#define PROGRAM_TRACE	  0x1u
#define PROGRAM_TIMING	  0x2u
#define PROGRAM_NO_TRACE  0x4u
#define PROGRAM_NO_TIMING 0x8u
#define PROGRAM_SOME	  0x10u /* for a class: other entries select methods of it */
#define PROGRAM_GLOB	  0x20u /* the method's name has a wildcard */

#define PROGRAM_ROOT   0x40u /* in an entry of its own, apart from those for tracing */
#define PROGRAM_THROWN 0x80u /* of a root */

#define PROGRAM_UNTIL 0x100u /* ends roots; in an entry of its own, too */

#define PROGRAM_SELECT (PROGRAM_TRACE | PROGRAM_TIMING | PROGRAM_ROOT | PROGRAM_UNTIL)
#define PROGRAM_KEY    (PROGRAM_GLOB | PROGRAM_ROOT | PROGRAM_UNTIL) /* entries that differ in these are not the same */

struct program_entry {
	uint64_t threshold_ns; /* for tracing, or of a root; UINT64_MAX: no threshold of its own, or none is enough */
	uint32_t next, hash;
	uint32_t class_at, method_at, types_at;
	uint16_t class_length, method_length, types_length; /* 0: any class, all methods, all overloads */
	uint16_t kind;
	uint32_t flags;
};

_Static_assert(sizeof(struct program_header) == 32, "program layout");
_Static_assert(sizeof(struct program_entry) == 40, "program layout");

#define PROGRAM_HASH_START 2166136261u

/* One step of FNV-1a. */
static inline uint32_t program_hash(uint32_t hash, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)bytes[i]) * 16777619u;
	return hash;
}

/* The hash of an entry. A method with a wildcard is left out. */
static inline uint32_t program_hash_entry(char kind, const char *class_name, size_t class_length, const char *method,
					  size_t method_length)
{
	uint32_t hash = program_hash(PROGRAM_HASH_START, &kind, 1);

	hash = program_hash(hash, class_name, class_length);
	hash = program_hash(hash, "", 1);
	return program_hash(hash, method, method_length);
}

#endif
