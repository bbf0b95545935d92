/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout of one JVM: the part that the walker needs (struct frt_layout, which the agent gets, too), and what
 * it takes to resolve raw frames to methods from outside. It is read from the JVM's own tables (vmstructs.h) and,
 * where they are silent, derived from the version; those rules are in one table in layout.c. Users of a layout
 * test a form, never a version.
 *
 * Offsets are in bytes from the structure with which the field's name begins. FRT_NO_OFFSET: this JVM has no such
 * field, or it cannot be found.
 */
#ifndef USER_HOTSPOT_LAYOUT_H
#define USER_HOTSPOT_LAYOUT_H

#include "bpf/frtrace.h"
#include "user/hotspot/vmstructs.h"

#include <stdbool.h>

/* Where an nmethod's debug information is. "int" is a signed 32-bit number in the nmethod. */
enum hotspot_scopes {
	/* 8: all at int offsets from the nmethod */
	HOTSPOT_SCOPES_INSIDE,
	/* 9 to 22: the same, but nmethod_scopes_data is an address */
	HOTSPOT_SCOPES_POINTER,
	/* since 23: at int offsets from the address at nmethod_immutable */
	HOTSPOT_SCOPES_IMMUTABLE,
};

/* Where an nmethod's array of Metadata * is. A scope's method index, counted from 1, refers to it. */
enum hotspot_metadata {
	/* 8 to 22: at the int nmethod_metadata from the nmethod; ends where the scopes' data begins */
	HOTSPOT_METADATA_INSIDE,
	/* 23, 24: at the int blob_data plus the u16 nmethod_metadata from the nmethod; ends before the blob's end */
	HOTSPOT_METADATA_DATA,
	/*
	 * since 25: at the address at blob_mutable plus the int blob_relocation_size; ends before that address plus the
	 * int blob_mutable_size
	 */
	HOTSPOT_METADATA_MUTABLE,
};

/* Where a blob's code begins. The offsets in PcDescs are relative to it. */
enum hotspot_code_begin {
	HOTSPOT_CODE_OFFSET,  /* 8, since 23: at the int blob_code from the blob */
	HOTSPOT_CODE_POINTER, /* 9 to 22: at the address at blob_code */
};

/* How the JavaThreads are linked. */
enum hotspot_threads {
	/* 8, 11: threads is the address of the pointer to the first one; thread_next links them */
	HOTSPOT_THREADS_CHAIN,
	HOTSPOT_THREADS_LIST, /* threads is the address of a pointer to a ThreadsList */
};

/* Features that are unavailable because something is missing. */
#define HOTSPOT_NO_STACKS  0x01u /* the walk itself: `walk` is unusable, jdk_version is 0 */
#define HOTSPOT_NO_METHODS 0x02u /* names of compiled frames: inlined methods, bci */
#define HOTSPOT_NO_LINES   0x04u
#define HOTSPOT_NO_LOADERS 0x08u /* the class loader of a class */
#define HOTSPOT_NO_HIDDEN  0x10u /* the flag of hidden methods */
#define HOTSPOT_NO_THREADS 0x20u /* listing threads */
#define HOTSPOT_NO_UPCALLS 0x40u /* walks end at a call from C through java.lang.foreign */
#define HOTSPOT_NO_CLASSES 0x80u /* listing loaded classes and their methods */

/* The features that listing classes needs. */
#define HOTSPOT_CLASSES (HOTSPOT_NO_CLASSES | HOTSPOT_NO_LOADERS | HOTSPOT_NO_METHODS | HOTSPOT_NO_STACKS)

/* Where a class's package and module are: found by hotspot_find_modules() (modules.h). */
struct hotspot_modules {
	bool known; /* the rest is valid */
	/* InstanceKlass: PackageEntry *, 0: the unnamed package */
	uint16_t klass_package;
	/* PackageEntry: Symbol *; ModuleEntry *; a word of flags, followed by a list of modules, 0: none */
	uint16_t package_name, package_module, package_exports;
	/* ModuleEntry: Symbol *, 0: an unnamed module; in those below 0 is "not found": Symbol * twice, u1 */
	uint16_t module_name, module_version, module_location, module_open;
};

/* Where Java's fields lie in this JVM, for thread_object.h. */
struct thread_fields {
	uint32_t id, native, name; /* of Thread: tid, eetop, name; id 0: all are unknown */
	uint32_t holder;	   /* of Thread, since JDK 21; 0: the group is its own field */
	uint32_t group, group_name;
	uint32_t text, coder; /* of String; coder 0: there is none, as in JDK 8 */
	uint32_t array_length, array_data;
	bool narrow; /* references have 32 bits */
};

struct hotspot_layout {
	struct frt_layout walk;

	unsigned int without; /* HOTSPOT_NO_* */
	char missing[512];    /* what is missing, for messages: "JavaThread._anchor (stacks), ..."; or "" */

	/* CodeBlob; `walk` has name, size and frame size */
	uint16_t code_form; /* enum hotspot_code_begin */
	uint16_t blob_code, blob_data, blob_mutable, blob_mutable_size, blob_relocation_size;

	/* nmethod; `walk` has the compile id and the deopt handlers */
	uint16_t scopes_form;	 /* enum hotspot_scopes */
	uint16_t metadata_form;	 /* enum hotspot_metadata */
	uint16_t nmethod_size;	 /* of the header */
	uint16_t nmethod_method; /* Method * of the outermost method */
	uint16_t nmethod_state;	 /* s8, 0: in use; the meaning of higher values depends on the version */
	/* nmethods in this state or a higher one (unloaded, zombie) have lost their methods; 127: no such state */
	uint16_t nmethod_gone;
	uint16_t nmethod_entry_bci;  /* int, -1: not an OSR nmethod */
	uint16_t nmethod_comp_level; /* JDK 8 to 20: int, later s8; the lowest byte suffices */
	uint16_t nmethod_metadata;
	uint16_t nmethod_scopes_data;
	uint16_t nmethod_scopes_pcs, nmethod_scopes_pcs_end; /* ints with the same base */
	uint16_t nmethod_scopes_data_end; /* int, same base as scopes_pcs: upper limit of the scopes */
	uint16_t nmethod_immutable, nmethod_immutable_size; /* address, int */
	uint16_t unsigned5_bias; /* subtracted from each byte of a compressed int: 0, or 1 since JDK 20 */

	/* PcDesc: an array sorted by pc_offset (int), with sentinels at both ends */
	uint16_t pc_desc_size, pc_desc_pc, pc_desc_scope;

	/* Method; `walk` has its ConstMethod */
	uint16_t method_access, method_access_width;
	uint16_t method_flags, method_flags_width;
	uint16_t method_flags_in_const; /* 1: they are in the ConstMethod (since 21) */
	uint16_t method_hidden;		/* mask in the flags: @Hidden */
	uint16_t method_size;		/* the address of a native method's code is behind it */

	/* ConstMethod; `walk` has the rest */
	uint16_t const_words; /* int: its size with everything after it, in words */
	/* mask in the flags: the last word is an Array<u1> * with RuntimeVisibleAnnotations */
	uint16_t const_has_annotations;
	uint16_t const_overpass; /* mask in the flags: the JVM created the method */

	/* ConstantPool; `walk` has the holder, and the header size before the slots of 8 bytes */
	uint16_t pool_length; /* int: number of slots; slot 0 is unused */
	uint16_t pool_major;  /* u2: version of the class file; since 12 */

	/* Klass, InstanceKlass; `walk` has the name */
	uint16_t klass_access, klass_access_width;
	/* int: the result of Class.getModifiers(); until 24, afterwards see klass_inner_classes */
	uint16_t klass_modifiers;
	uint16_t klass_inner_classes; /* Array<u2> *, four elements per class as in JVMS 4.7.6 */
	uint16_t array_length, array_u1, array_u2, array_pointers; /* int; offset of the first element */
	uint16_t klass_loader_data;				   /* ClassLoaderData * */
	uint16_t klass_flags, klass_flags_width;
	/* mask in the flags: a hidden class, for 9 to 14 a VM anonymous class; 0: unknown */
	uint16_t klass_hidden;

	uint16_t klass_major;			  /* u2: version of the class file; until 11 */
	uint16_t klass_next;			  /* Klass *: the next class of its loader */
	uint16_t klass_shape;			  /* int: positive if the class is complete and no array */
	uint16_t klass_super;			  /* Klass *; for an interface Object */
	uint16_t klass_interfaces;		  /* Array<Klass *> *: all superinterfaces */
	uint16_t klass_methods;			  /* Array<Method *> * */
	uint16_t klass_pool;			  /* ConstantPool * */
	uint16_t klass_fields, klass_field_count; /* until 20: Array<u2> *; u2: number of fields of the class file */
	uint16_t field_flag_shift;		  /* of the JVM's flags there: new ones stand below since 28 */
	uint16_t klass_field_stream;		  /* since 21: Array<u1> *; see fields.c */
	uint16_t klass_annotations; /* Annotations *, which begins with the Array<u1> * of the class; 0: none */
	uint16_t klass_state;	    /* u1: 0: being created; other values below */
	uint16_t klass_linked;	    /* ... from this value on its methods may have been called */
	uint16_t klass_failed;	    /* ... its initializer has thrown */
	uint16_t klass_size;	    /* of an InstanceKlass's header */

	/*
	 * ClassLoaderData. Its address identifies the loader, except that a hidden class may have a ClassLoaderData of
	 * its own with the same loader. loader_klass is 0 for the boot loader.
	 */
	/* since 9: OopHandle, the address of the loader's oop; 8: the oop itself; 0: the boot loader */
	uint16_t loader_oop;
	uint16_t loader_klass; /* Klass * of the loader; since JDK 11 */
	uint16_t loader_name;  /* Symbol *, 0: none; since JDK 11 */
	uint16_t loader_size;
	/* ClassLoaderData *; Klass *: the newest class, head of the klass_next list */
	uint16_t loader_next, loader_klasses;
	/* 8, where the object gives the class of a loader: after the mark word, 32 bits or an address */
	uint16_t oop_klass;
	uint64_t narrow_base, narrow_shift; /* addresses of u64 and int, to decode a Klass * of 32 bits; 0: unknown */
	uint64_t loaders;		    /* address of the pointer to the first ClassLoaderData */

	/* addresses of Klass * of java.lang.Object and java.lang.invoke.MethodHandle; 0: unknown */
	uint64_t object_class, handle_class;
	/* the same of java.lang.Thread, ThreadGroup, String, and since JDK 21 of Thread.FieldHolder */
	uint64_t thread_class, group_class, string_class, holder_class;
	struct hotspot_modules modules;

	/* JavaThread, OSThread, ThreadsList */
	enum hotspot_threads threads_form;
	uint64_t threads;
	uint16_t thread_next, thread_osthread, thread_state;
	uint16_t osthread_id; /* int: the kernel's id, in the JVM's pid namespace */
	uint16_t list_length, list_threads;

	/* java.lang.Thread of a JavaThread: its oop, or the address of that */
	uint16_t thread_object, thread_object_is_handle;
	struct thread_fields thread_fields;
	uint16_t thread_stack_size; /* before JDK 24: the thread's stack lies below its stack base */
	uint16_t thread_pending;    /* in JavaThread: the pending exception, an oop */
	/* in JavaThread: bytes allocated in earlier buffers and outside of them, int64_t; its buffer: two pointers */
	uint16_t thread_allocated, thread_buffer, buffer_start, buffer_top;
	/* the interpreter's code that leaves a method which an exception ends; both 0: unknown */
	uint64_t exceptions, exceptions_end;
	uint64_t narrow_oop_base,
		narrow_oop_shift; /* addresses of u64 and int, for references of 32 bits; 0: unknown */
};

/* Where a thread counts what it allocates (struct frt_allocated). False: the JVM's tables do not say. */
bool hotspot_layout_allocated(const struct hotspot_layout *l, struct frt_allocated *out);

/*
 * Read a JVM's layout; symbols[] as for vmstructs_read(). Returns 0, with out->without as the set of unavailable
 * features; -EAGAIN: the JVM has not initialised far enough; -EBADMSG: its tables, or what they refer to, are
 * implausible; other -errno: unreadable.
 */
int hotspot_layout_read(struct hotspot_layout *out, const struct mem *m, const uint64_t symbols[VMSTRUCTS_SYMBOLS],
			struct diag *d);

#endif
