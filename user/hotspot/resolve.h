/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the raw frames that the agent records to methods and lines, out of the
 * process: the frame says where a Method or an nmethod was and carries a cookie;
 * what stands there now is read, and believed only when the cookie is the
 * same before and after. What cannot be told is not guessed.
 */
#ifndef USER_HOTSPOT_RESOLVE_H
#define USER_HOTSPOT_RESOLVE_H

#include "bpf/frtrace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct hotspot_layout;
struct mem;
struct resolver;

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

/* Both are borrowed until resolver_free(). NULL: no memory, said in d. */
struct resolver *resolver_new(const struct mem *m, const struct hotspot_layout *l, struct diag *d);
void resolver_free(struct resolver *r);

/*
 * A JVM that makes hidden classes has new methods without end. When those that are remembered take too much memory,
 * their user forgets what it knows of them, and the resolver as well: it begins anew.
 */
bool resolver_is_full(const struct resolver *r);
void resolver_forget(struct resolver *r);

/*
 * The methods that a raw frame stands for, innermost first. Returns how many, at
 * most RESOLVED_DEPTH; *out is the resolver's, valid until the next call. 0: it
 * cannot be told, *why says why. What was told once is remembered: asking for the
 * same frame again reads nothing, also when its code is long gone.
 */
size_t resolver_frame(struct resolver *r, const struct frt_frame *f, const struct resolved_frame **out,
		      enum resolved_failure *why);

#endif
