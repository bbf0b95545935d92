/* SPDX-License-Identifier: BSD-2-Clause */
/* The methods that a raw frame stands for, or why they are unknown. */
#ifndef USER_HOTSPOT_RESOLVED_H
#define USER_HOTSPOT_RESOLVED_H

#include <stdbool.h>
#include <stdint.h>

#define RESOLVED_DEPTH 256 /* methods at most that one frame stands for; more: RESOLVE_CORRUPT */

/* Owned by the resolver, valid until resolver_forget() and resolver_free(). */
struct resolved_method {
	uint32_t number;	  /* 1, 2, 3, ...; equal numbers are equal methods */
	uint16_t modifiers;	  /* JVMS 4.6 access_flags */
	bool hidden;		  /* @Hidden: stack traces leave it out unless asked for */
	bool class_hidden;	  /* a hidden class (15+), an anonymous one (8 to 14) */
	uint32_t class_modifiers; /* JVMS 4.1 access_flags; what java.lang.Class.getModifiers() says for an inner class
				   */
	/* internal form, modified UTF-8; a hidden class as HotSpot calls it, a/B$$Lambda+0x0000000098041000 */
	const char *class_name, *name, *descriptor;
	uint64_t loader;		       /* address of the ClassLoaderData; 0: the boot loader */
	const char *loader_type, *loader_name; /* NULL: unknown, or none */
};

enum resolved_kind { RESOLVED_INTERPRETED, RESOLVED_JIT, RESOLVED_INLINED, RESOLVED_NATIVE };

struct resolved_frame {
	const struct resolved_method *method;
	int32_t line; /* -1: unknown */
	int32_t bci;  /* -1: unknown; of a native method 0, as JFR has it */
	enum resolved_kind kind;
};

/* Why a frame cannot be told. */
enum resolved_failure {
	RESOLVE_OK = 0,
	RESOLVE_CHANGED, /* the code was evicted, the method unloaded or redefined: its cookie is not found any more */
	RESOLVE_UNREADABLE, /* memory that cannot be read */
	RESOLVE_CORRUPT,    /* what was read is not what HotSpot writes */
	RESOLVE_NO_SCOPE,   /* no debug information for this program counter */
	RESOLVE_UNKNOWN,    /* a kind of frame that is not the resolver's, or a layout that lacks what it takes */
	RESOLVE_MEMORY,	    /* none left for us */
	RESOLVE_FAILURES
};

#endif
