/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where things are in one JVM: what the walker needs (struct frt_layout, which
 * goes to the agent too) and what it takes to turn its raw frames into methods
 * from outside. Found in the JVM's own tables (vmstructs.h) and, where they do not
 * say, by its version: those rules stand in one table, in layout.c. Users of a layout
 * ask for a form, never for a version.
 *
 * Offsets are in bytes from the thing that the field's name begins with; FRT_NO_OFFSET:
 * this JVM has no such field, or none that can be found.
 */
#ifndef USER_HOTSPOT_LAYOUT_H
#define USER_HOTSPOT_LAYOUT_H

#include "bpf/frtrace.h"
#include "user/hotspot/vmstructs.h"

/* Where an nmethod has its debug information. "int" is a signed 32-bit number read in the nmethod. */
enum hotspot_scopes {
	/* 8: all at int offsets from the nmethod */
	HOTSPOT_SCOPES_INSIDE,
	/* 9 to 22: the same, but nmethod_scopes_data is an address */
	HOTSPOT_SCOPES_POINTER,
	/* 23: at int offsets from the address at nmethod_immutable */
	HOTSPOT_SCOPES_IMMUTABLE,
};

/* Where an nmethod has its array of Metadata *, which a scope's method index (from 1) counts in. */
enum hotspot_metadata {
	/* 8 to 22: at the int nmethod_metadata from the nmethod; ends where the scopes' data begin */
	HOTSPOT_METADATA_INSIDE,
	/* 23, 24: at the int blob_data plus the u16 nmethod_metadata from the nmethod; ends before the blob does */
	HOTSPOT_METADATA_DATA,
	/* 25: at the address at blob_mutable plus the int blob_relocation_size; ends before that address plus the int
	   blob_mutable_size */
	HOTSPOT_METADATA_MUTABLE,
};

/* Where a blob's code begins: PcDesc's offsets count from there. */
enum hotspot_code_begin {
	HOTSPOT_CODE_OFFSET,  /* 8, 23: at the int blob_code from the blob */
	HOTSPOT_CODE_POINTER, /* 9 to 22: at the address at blob_code */
};

/* How the JavaThreads hang together. */
enum hotspot_threads {
	HOTSPOT_THREADS_CHAIN, /* 8, 11: threads is the address of the first one's pointer, thread_next leads on */
	HOTSPOT_THREADS_LIST,  /* threads is the address of a ThreadsList's pointer */
};

/* What a layout cannot serve because something is missing. */
#define HOTSPOT_NO_STACKS  0x01u /* the walk itself: `walk` is not to be used, feature is 0 */
#define HOTSPOT_NO_METHODS 0x02u /* naming of compiled frames: inlined methods, bci */
#define HOTSPOT_NO_LINES   0x04u
#define HOTSPOT_NO_LOADERS 0x08u /* the class loader of a class */
#define HOTSPOT_NO_HIDDEN  0x10u /* the mark of hidden methods */
#define HOTSPOT_NO_THREADS 0x20u /* the enumeration of threads */
#define HOTSPOT_NO_UPCALLS 0x40u /* walks end at a call from C through java.lang.foreign */
#define HOTSPOT_NO_CLASSES 0x80u /* the enumeration of loaded classes and their methods */

/* What that takes in all. */
#define HOTSPOT_CLASSES (HOTSPOT_NO_CLASSES | HOTSPOT_NO_LOADERS | HOTSPOT_NO_METHODS | HOTSPOT_NO_STACKS)

struct hotspot_layout {
	struct frt_layout walk;

	unsigned int without; /* HOTSPOT_NO_* */
	char missing[512];    /* what is missing, for a person: "JavaThread._anchor (stacks), ..."; "" */

	/* CodeBlob; `walk` has name, size and frame size */
	enum hotspot_code_begin code_form;
	uint16_t blob_code, blob_data, blob_mutable, blob_mutable_size, blob_relocation_size;

	/* nmethod; `walk` has the compile id and the deopt handlers */
	enum hotspot_scopes scopes_form;
	enum hotspot_metadata metadata_form;
	uint16_t nmethod_size;	 /* of the header */
	uint16_t nmethod_method; /* Method * of the outermost method */
	uint16_t nmethod_state;	 /* s8, 0: in use; its meaning above 0 changes with the version */
	int nmethod_gone;	 /* states from this one on (unloaded, zombie) have lost their methods; 127: none has */
	uint16_t nmethod_entry_bci;  /* int, -1: not an OSR nmethod */
	uint16_t nmethod_comp_level; /* JDK 8 to 20: int, later s8: the lowest byte tells */
	uint16_t nmethod_metadata;
	uint16_t nmethod_scopes_data;
	uint16_t nmethod_scopes_pcs, nmethod_scopes_pcs_end; /* ints; the end's has the same base */
	uint16_t nmethod_scopes_data_end; /* int, same base as scopes_pcs: they end there at the latest */
	uint16_t nmethod_immutable, nmethod_immutable_size; /* address, int */
	uint16_t unsigned5_bias; /* each byte of a compressed int counts so much less: 0, or 1 from JDK 20 */

	/* PcDesc: an array, sorted by pc_offset (int), sentinels at both ends */
	uint16_t pc_desc_size, pc_desc_pc, pc_desc_scope;

	/* Method; `walk` has its ConstMethod */
	uint16_t method_access, method_access_width;
	uint16_t method_flags, method_flags_width;
	uint16_t method_flags_in_const; /* 1: they are in the ConstMethod (21 on) */
	uint32_t method_hidden;		/* mask in the flags: @Hidden, not for users' eyes */

	/* ConstMethod; `walk` has the rest */
	uint16_t const_words; /* int: its size with all that stands behind it, in words */
	uint16_t
		const_has_annotations; /* mask in the flags: the last word is an Array<u1> * of RuntimeVisibleAnnotations */
	uint16_t const_overpass;       /* mask in the flags: the JVM made the method itself */

	/* ConstantPool; `walk` has the holder, and the size before the slots of 8 bytes */
	uint16_t pool_length; /* int, slots; slot 0 is not used */
	uint16_t pool_major;  /* u2: version of the class file; from 12 on */

	/* Klass, InstanceKlass; `walk` has the name */
	uint16_t klass_access, klass_access_width;
	/* int: what Class.getModifiers() says; not from 25 on, where inner classes are to be asked */
	uint16_t klass_modifiers;
	uint16_t klass_inner_classes;				   /* Array<u2> *, four each as in JVMS 4.7.6 */
	uint16_t array_length, array_u1, array_u2, array_pointers; /* int; the first element */
	uint16_t klass_loader_data;				   /* ClassLoaderData * */
	uint16_t klass_flags, klass_flags_width;
	/* mask in the flags: a hidden class, from 9 to 14 a VM anonymous one; 0: cannot be told */
	uint32_t klass_hidden;

	uint16_t klass_major;	    /* u2: version of the class file; up to 11 */
	uint16_t klass_next;	    /* Klass *: the next one of its loader */
	uint16_t klass_shape;	    /* int: above 0 the class is no array, and complete */
	uint16_t klass_super;	    /* Klass *; of an interface Object */
	uint16_t klass_interfaces;  /* Array<Klass *> *: all above it */
	uint16_t klass_methods;	    /* Array<Method *> * */
	uint16_t klass_pool;	    /* ConstantPool * */
	uint16_t klass_annotations; /* Annotations *, which begins with the Array<u1> * of the class itself; 0: none */
	uint16_t klass_state;	    /* u1: 0 is made just now; its values below */
	uint16_t klass_linked;	    /* ... from this one on its methods may have been called */
	uint16_t klass_failed;	    /* ... its initializer has thrown */

	/*
	 * ClassLoaderData. The loader's identity is the ClassLoaderData's address, but for hidden classes, which may
	 * have one of their own with the same loader. loader_klass is 0 in the boot loader's.
	 */
	uint16_t loader_oop; /* OopHandle (9 on): address of the loader's oop; 8: the oop itself; 0: the boot loader */
	uint16_t loader_klass; /* Klass * of the loader; from JDK 11 */
	uint16_t loader_name;  /* Symbol *, 0: it has none; from JDK 11 */
	uint16_t loader_next,
		loader_klasses; /* ClassLoaderData *; Klass *: its newest class, which klass_next leads on from */
	/* 8, whose loaders are told by their objects: their class behind the mark, 32 bits or an address */
	uint16_t oop_klass;
	uint64_t narrow_base, narrow_shift; /* addresses of u64, int: to make a Klass * of 32 bits; 0: not known */
	uint64_t loaders;		    /* address of the pointer to the first of all */

	/* JavaThread, OSThread, ThreadsList */
	enum hotspot_threads threads_form;
	uint64_t threads;
	uint16_t thread_next, thread_osthread, thread_state;
	uint16_t osthread_id; /* int: the kernel's, in the JVM's pid namespace */
	uint16_t list_length, list_threads;
};

/*
 * Read a JVM's layout; symbols[] as for vmstructs_read(). 0, and out->without says what
 * cannot be served; -EAGAIN: the JVM has not come far enough yet; -EBADMSG: its tables
 * or what they lead to are not plausible; other -errno: unreadable.
 */
int hotspot_layout_read(struct hotspot_layout *out, const struct mem *m, const uint64_t symbols[VMSTRUCTS_SYMBOLS],
			struct diag *d);

#endif
