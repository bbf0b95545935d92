/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Layout of the program that filter_list_compile() writes and pattern.c reads:
 *
 *	header | buckets (u32 each) | entries | names
 *
 * An entry is a filter in the form that it is looked up by: a sort, a class and
 * a method, either of which may be empty for "any". Those whose class has no '*'
 * come first and are hashed, by the method too where it has no '*'; the rest,
 * from `wild` on, are tried one after the other. A bucket, and `next` of an
 * entry, is the number of an entry plus one, 0 for none; `next` is always a
 * lower number than the entry's own, so a chain ends in a damaged program, too.
 * All entries of a chain that fit count together.
 *
 * Offsets count from the program's begin. Names are as class files have them:
 * a/b/C$D; an annotation's is its descriptor, La/b/Anno;. The types of an
 * overload are those of a method descriptor, with the parentheses; a class in them
 * that has no package stands for that of any package.
 */
#ifndef FILTERS_PROGRAM_H
#define FILTERS_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#define PROGRAM_MAGIC	0x544c4654u /* "TFLT" */
#define PROGRAM_VERSION 2u

/* What there is in the program at all */
#define PROGRAM_ANY_CLASS  0x1u /* a filter selects a method of any class */
#define PROGRAM_SUPERTYPE  0x2u
#define PROGRAM_ANNOTATION 0x4u
#define PROGRAM_LAMBDA	   0x8u /* the bodies of lambdas belong to their method */

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
	PROGRAM_BELOW = '+', /* that class or interface, and all below it */
	PROGRAM_BEARS = '@', /* what bears that annotation */
};

#define PROGRAM_TRACE	  0x1u
#define PROGRAM_TIMING	  0x2u
#define PROGRAM_NO_TRACE  0x4u
#define PROGRAM_NO_TIMING 0x8u
#define PROGRAM_SOME	  0x10u /* of a class: there are entries that select methods of it */
#define PROGRAM_GLOB	  0x20u /* the method's name has a '*' */

#define PROGRAM_SELECT (PROGRAM_TRACE | PROGRAM_TIMING)

struct program_entry {
	uint64_t threshold_ns; /* of a trace; UINT64_MAX: none of its own */
	uint32_t next, hash;
	uint32_t class_at, method_at, types_at;
	uint16_t class_length, method_length, types_length; /* 0: any class, all methods, all overloads */
	uint16_t kind;
	uint32_t flags;
};

_Static_assert(sizeof(struct program_header) == 32, "program layout");
_Static_assert(sizeof(struct program_entry) == 40, "program layout");

#define PROGRAM_HASH_START 2166136261u

/* FNV-1a, to be continued. */
static inline uint32_t program_hash(uint32_t hash, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)bytes[i]) * 16777619u;
	return hash;
}

/* The hash of an entry; of a method with a '*' without the method. */
static inline uint32_t program_hash_entry(char kind, const char *class_name, size_t class_length, const char *method,
					  size_t method_length)
{
	uint32_t hash = program_hash(PROGRAM_HASH_START, &kind, 1);

	hash = program_hash(hash, class_name, class_length);
	hash = program_hash(hash, "", 1);
	return program_hash(hash, method, method_length);
}

#endif
