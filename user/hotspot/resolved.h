/* SPDX-License-Identifier: BSD-2-Clause */
/* The result of resolving a raw frame: its methods, or why they are unknown. */
#ifndef USER_HOTSPOT_RESOLVED_H
#define USER_HOTSPOT_RESOLVED_H

#include <stdbool.h>
#include <stdint.h>

#define RESOLVED_DEPTH 256 /* maximum number of methods in a frame; more is RESOLVE_CORRUPT */

/* The module of a class. Only `known` is valid for a class in the unnamed package, whose module is not known. */
struct resolved_module {
	bool known;
	bool exported; /* the class's package, to any other module at all */
	/* NULL: none, or unknown; `name`: an unnamed module */
	const char *name, *version, *location;
};

/* Owned by the resolver, valid until resolver_forget() or resolver_free(). */
struct resolved_method {
	uint32_t number;	  /* 1, 2, 3, ...; equal methods have equal numbers */
	uint16_t modifiers;	  /* JVMS 4.6 access_flags */
	bool hidden;		  /* @Hidden: stack traces omit it by default */
	bool class_hidden;	  /* a hidden class (since 15), or an anonymous one (8 to 14) */
	uint32_t class_modifiers; /* JVMS 4.1 access_flags; for an inner class the value of Class.getModifiers() */
	/* internal form, modified UTF-8; for a hidden class HotSpot's name, a/B$$Lambda+0x0000000098041000 */
	const char *class_name, *name, *descriptor;
	uint64_t loader;		       /* address of the ClassLoaderData; 0: the boot loader */
	const char *loader_type, *loader_name; /* NULL: unknown, or none */
	struct resolved_module module;
};

enum resolved_kind { RESOLVED_INTERPRETED, RESOLVED_JIT, RESOLVED_INLINED, RESOLVED_NATIVE };

struct resolved_frame {
	const struct resolved_method *method;
	int32_t line; /* -1: unknown */
	int32_t bci;  /* -1: unknown; 0 for a native method, as in JFR */
	enum resolved_kind kind;
};

/* Why a frame is unknown. */
enum resolved_failure {
	RESOLVE_OK = 0,
	RESOLVE_CHANGED,    /* its cookie is gone: the code was evicted, or the method unloaded or redefined */
	RESOLVE_UNREADABLE, /* memory that cannot be read */
	RESOLVE_CORRUPT,    /* the data is not what HotSpot writes */
	RESOLVE_NO_SCOPE,   /* no debug information for this program counter */
	RESOLVE_UNKNOWN,    /* an unsupported kind of frame, or a layout without the necessary fields */
	RESOLVE_MEMORY,	    /* out of memory */
	RESOLVE_FAILURES
};

#endif
