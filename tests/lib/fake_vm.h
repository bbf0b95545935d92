/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fake JVM with the tables of a real version (tests/data/vmstructs/N: the relevant rows, with the offsets of a
 * JDK N on x86-64), a code cache with blobs, a thread and its stack. The code under test reads its layout.
 */
#ifndef TESTS_LIB_FAKE_VM_H
#define TESTS_LIB_FAKE_VM_H

#include "tests/lib/fake_mem.h"
#include "user/hotspot/layout.h"

#define FAKE_VM_ROWS 160

#define FAKE_VM_TABLES 0x7f1000000000ULL
#define FAKE_VM_STATICS \
	0x7f2000000000ULL /* values of static fields, 16 bytes each, and the objects that they point to */
#define FAKE_VM_CODE	   0x7f3000000000ULL
#define FAKE_VM_HEAP	   0x40000ULL /* size of a code heap; half of it is committed */
#define FAKE_VM_SEGMAP	   0x7f4000000000ULL
#define FAKE_VM_STACK	   0x7f5000000000ULL
#define FAKE_VM_STACK_SIZE 0x10000ULL
#define FAKE_VM_THREADS	   0x7f6000000000ULL

struct fake_vm_row {
	char kind[16]; /* offset, static, size, constant */
	char name[80];
	int64_t value;	  /* for a static field: the address of its value */
	uint64_t address; /* of the row in its table */
};

struct fake_vm {
	struct fake_mem m;
	unsigned int jdk_version;
	struct fake_vm_row row[FAKE_VM_ROWS];
	int rows;
	uint64_t symbols[VMSTRUCTS_SYMBOLS];
	uint64_t heaps, used[3]; /* number of code heaps; bytes in use in each */
	uint64_t names;		 /* place for the next literal */
	uint64_t statics;	 /* place for the next object that a static field points to */
	uint64_t interpreter, call_stub, continuation, barrier;
	struct hotspot_layout layout;
	struct diag d;

	/* the stack built so far: its innermost frame */
	uint64_t sp, pc, fp;
	uint64_t thread;
};

/* The JDK versions in tests/data/vmstructs, ascending, and 0 behind the last. */
const unsigned int *fake_vm_versions(void);

/* Build a JVM of one of these versions, and read its layout. */
void fake_vm_init(struct fake_vm *vm, unsigned int jdk_version);
void fake_vm_release(struct fake_vm *vm);
int fake_vm_read_layout(struct fake_vm *vm);

/* A row of the tables; NULL if this version has none. */
struct fake_vm_row *fake_vm_row(struct fake_vm *vm, const char *kind, const char *name);
/* Remove a row from the tables by giving it another name. */
void fake_vm_forget(struct fake_vm *vm, const char *kind, const char *name);
/* An offset, a size, or the address of a static field's value. */
uint64_t fake_vm_value(struct fake_vm *vm, const char *kind, const char *name);
void fake_vm_set_static(struct fake_vm *vm, const char *name, uint64_t value);

/* Add a blob of `size` bytes to code heap `heap`, with a name and a frame size in words. Returns its address. */
uint64_t fake_vm_blob(struct fake_vm *vm, unsigned int heap, const char *name, int frame, unsigned int size);
/* Add an nmethod. Its code begins at +FAKE_VM_CODE_AT, the deopt handlers are at FAKE_VM_DEOPT and FAKE_VM_DEOPT_MH. */
uint64_t fake_vm_nmethod(struct fake_vm *vm, unsigned int heap, const char *name, int frame, uint32_t compile_id);
#define FAKE_VM_CODE_AT	 0x200
#define FAKE_VM_DEOPT	 0x300
#define FAKE_VM_DEOPT_MH 0x310
#define FAKE_VM_ORIG_PC	 24 /* from sp, the slot of a deoptimised frame's real pc */

/* Add frames, beginning with the outermost; each calls the next. */
void fake_vm_call_stub(struct fake_vm *vm); /* the first one, or nested with C code in between */
void fake_vm_interpreted(struct fake_vm *vm, uint64_t method, uint64_t bcp);
void fake_vm_fixed(struct fake_vm *vm, uint64_t pc, int words); /* compiled code or a stub: its pc and size */
void fake_vm_upcall(struct fake_vm *vm, uint64_t pc, int frame_data);
/* The thread enters C: set its anchor. */
void fake_vm_leave(struct fake_vm *vm);

#endif
