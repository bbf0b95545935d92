// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fake_vm.h"
#include "bpf/machine/machine.h"
#include "tests/lib/test.h"

#include <dirent.h>

#define STRIDE 48u
#define NAMES  (FAKE_VM_TABLES + 0x10000)
#define LOG2   7

static void put(struct fake_vm *vm, uint64_t address, uint64_t value)
{
	fake_mem_put(&vm->m, address, value, 8);
}

static void put_int(struct fake_vm *vm, uint64_t address, uint64_t value)
{
	fake_mem_put(&vm->m, address, value, 4);
}

static uint64_t add_name(struct fake_vm *vm, const char *name)
{
	uint64_t at = vm->names;

	fake_mem_put_text(&vm->m, at, name);
	vm->names += (strlen(name) + 16) & ~7ULL;
	return at;
}

struct fake_vm_row *fake_vm_row(struct fake_vm *vm, const char *kind, const char *name)
{
	for (int i = 0; i < vm->rows; i++)
		if (!strcmp(vm->row[i].kind, kind) && !strcmp(vm->row[i].name, name))
			return &vm->row[i];
	return NULL;
}

uint64_t fake_vm_value(struct fake_vm *vm, const char *kind, const char *name)
{
	struct fake_vm_row *row = fake_vm_row(vm, kind, name);

	if (!row)
		print_message("no %s %s in JDK %u\n", kind, name, vm->jdk_version);
	assert_non_null(row);
	return (uint64_t)row->value;
}

void fake_vm_forget(struct fake_vm *vm, const char *kind, const char *name)
{
	struct fake_vm_row *row = fake_vm_row(vm, kind, name);

	assert_non_null(row);
	put(vm, row->address, NAMES);
	strcpy(row->name, "?");
}

void fake_vm_set_static(struct fake_vm *vm, const char *name, uint64_t value)
{
	put(vm, fake_vm_value(vm, "static", name), value);
}

static void read_rows(struct fake_vm *vm)
{
	char path[64], line[160];
	FILE *f;

	snprintf(path, sizeof(path), "tests/data/vmstructs/%u", vm->jdk_version);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		struct fake_vm_row *row = &vm->row[vm->rows];
		long value = 0;

		assert_true(vm->rows < FAKE_VM_ROWS &&
			    sscanf(line, "%15s %79s %ld", row->kind, row->name, &value) >= 2);
		row->value = strcmp(row->kind, "static") ? value : (int64_t)(FAKE_VM_STATICS + 16ULL * vm->rows);
		vm->rows++;
	}
	fclose(f);
}

/* HotSpot's columns: fields {type, field, string, static, offset, address}, types {name, super, ..., size}. */
static void write_row(struct fake_vm *vm, struct fake_vm_row *row, uint64_t at)
{
	char type[80], *dot;

	row->address = at;
	strcpy(type, row->name);
	dot = strrchr(type, '.');
	if (row->kind[0] != 'c' && row->kind[1] != 'i' && dot) {
		/* "ConstMethod._flags._flags": the type is the part before the first dot */
		dot = strchr(type, '.');
		*dot = 0;
		put(vm, at + 8, add_name(vm, dot + 1));
		put_int(vm, at + 24, row->kind[1] == 't');
		put(vm, at + (row->kind[1] == 't' ? 40 : 32), (uint64_t)row->value);
	} else if (row->kind[1] == 'i') {
		put(vm, at + 32, (uint64_t)row->value);
	} else {
		put_int(vm, at + 8, (uint64_t)row->value);
	}
	put(vm, at, add_name(vm, type));
}

static void write_tables(struct fake_vm *vm)
{
	static const uint64_t columns[VMSTRUCTS_SYMBOLS] = {
		[VMSTRUCTS_FIELDS] = FAKE_VM_TABLES + 0x1000,
		[VMSTRUCTS_FIELD_STRIDE] = STRIDE,
		[VMSTRUCTS_FIELD_TYPE] = 0,
		[VMSTRUCTS_FIELD_NAME] = 8,
		[VMSTRUCTS_FIELD_STATIC] = 24,
		[VMSTRUCTS_FIELD_OFFSET] = 32,
		[VMSTRUCTS_FIELD_ADDRESS] = 40,
		[VMSTRUCTS_TYPES] = FAKE_VM_TABLES + 0x6000,
		[VMSTRUCTS_TYPE_STRIDE] = STRIDE,
		[VMSTRUCTS_TYPE_NAME] = 0,
		[VMSTRUCTS_TYPE_SIZE] = 32,
		[VMSTRUCTS_INTS] = FAKE_VM_TABLES + 0x8000,
		[VMSTRUCTS_INT_STRIDE] = STRIDE,
		[VMSTRUCTS_INT_NAME] = 0,
		[VMSTRUCTS_INT_VALUE] = 8,
	};
	uint64_t next[128] = {
		['o'] = columns[VMSTRUCTS_FIELDS], ['s'] = columns[VMSTRUCTS_TYPES], ['c'] = columns[VMSTRUCTS_INTS]};

	for (int i = 0; i < VMSTRUCTS_SYMBOLS; i++) {
		vm->symbols[i] = FAKE_VM_TABLES + 8ULL * i;
		put(vm, vm->symbols[i], columns[i]);
	}
	fake_mem_put_text(&vm->m, NAMES, "?");
	vm->names = NAMES + 8;
	for (int i = 0; i < vm->rows; i++) {
		uint64_t *at = &next[vm->row[i].kind[1] == 't' ? 'o' : (int)vm->row[i].kind[0]];

		write_row(vm, &vm->row[i], *at);
		*at += STRIDE;
	}
}

static uint64_t offset(struct fake_vm *vm, const char *name)
{
	return fake_vm_value(vm, "offset", name);
}

static void write_space(struct fake_vm *vm, uint64_t space, uint64_t low, uint64_t committed, uint64_t size)
{
	put(vm, space + offset(vm, "VirtualSpace._low_boundary"), low);
	put(vm, space + offset(vm, "VirtualSpace._high_boundary"), low + size);
	put(vm, space + offset(vm, "VirtualSpace._high"), low + committed);
}

static uint64_t add_heap(struct fake_vm *vm, unsigned int i)
{
	uint64_t heap = vm->statics;

	vm->statics += 512;
	write_space(vm, heap + offset(vm, "CodeHeap._memory"), FAKE_VM_CODE + i * FAKE_VM_HEAP, FAKE_VM_HEAP / 2,
		    FAKE_VM_HEAP);
	write_space(vm, heap + offset(vm, "CodeHeap._segmap"), FAKE_VM_SEGMAP + i * 4096, 4096, 4096);
	put_int(vm, heap + offset(vm, "CodeHeap._log2_segment_size"), LOG2);
	memset(fake_mem_at(&vm->m, FAKE_VM_SEGMAP + i * 4096, 4096), 0xff, 4096);
	return heap;
}

static void write_heaps(struct fake_vm *vm)
{
	uint64_t array = vm->statics, data = array + 64;

	vm->heaps = vm->jdk_version > 8 ? 3 : 1;
	vm->statics += 128;
	for (unsigned int i = 0; i < vm->heaps; i++)
		put(vm, data + 8ULL * i, add_heap(vm, i));
	if (vm->jdk_version == 8) {
		fake_vm_set_static(vm, "CodeCache._heap", vm->statics - 512);
		return;
	}
	put_int(vm, array + offset(vm, vm->jdk_version > 11 ? "GrowableArrayBase._len" : "GenericGrowableArray._len"),
		3);
	put(vm, array + offset(vm, "GrowableArray<int>._data"), data);
	fake_vm_set_static(vm, "CodeCache._heaps", array);
}

uint64_t fake_vm_blob(struct fake_vm *vm, unsigned int heap, const char *name, int frame, unsigned int size)
{
	uint64_t at = vm->used[heap], block = FAKE_VM_CODE + heap * FAKE_VM_HEAP + at, blob;
	uint64_t segments = (size + 63 + (1u << LOG2)) >> LOG2;
	uint8_t *map = fake_mem_at(&vm->m, FAKE_VM_SEGMAP + heap * 4096 + (at >> LOG2), segments), hop = 0;

	for (uint64_t i = 0; i < segments; i++) {
		map[i] = hop++;
		hop = hop == 0xff ? 1 : hop;
	}
	vm->used[heap] += segments << LOG2;
	blob = block + fake_vm_value(vm, "size", "HeapBlock");
	fake_mem_put(&vm->m, block + offset(vm, "HeapBlock::Header._used"), 1, 1);
	put(vm, blob + offset(vm, "CodeBlob._name"), add_name(vm, name));
	put_int(vm, blob + offset(vm, "CodeBlob._size"), size);
	put_int(vm, blob + offset(vm, "CodeBlob._frame_size"), (uint32_t)frame);
	return blob;
}

uint64_t fake_vm_nmethod(struct fake_vm *vm, unsigned int heap, const char *name, int frame, uint32_t compile_id)
{
	uint64_t blob = fake_vm_blob(vm, heap, name, frame, 0x400);

	put_int(vm, blob + offset(vm, "nmethod._compile_id"), compile_id);
	put_int(vm, blob + offset(vm, "nmethod._orig_pc_offset"), FAKE_VM_ORIG_PC);
	if (vm->jdk_version == 8) {
		put_int(vm, blob + offset(vm, "nmethod._deoptimize_offset"), FAKE_VM_DEOPT);
		put_int(vm, blob + offset(vm, "nmethod._deoptimize_mh_offset"), FAKE_VM_DEOPT_MH);
	} else if (vm->jdk_version <= 22) {
		put(vm, blob + offset(vm, "CompiledMethod._deopt_handler_begin"), blob + FAKE_VM_DEOPT);
		put(vm, blob + offset(vm, "CompiledMethod._deopt_mh_handler_begin"), blob + FAKE_VM_DEOPT_MH);
	} else if (vm->jdk_version <= 25) {
		put_int(vm, blob + offset(vm, "nmethod._deopt_handler_offset"), FAKE_VM_DEOPT);
		put_int(vm, blob + offset(vm, "nmethod._deopt_mh_handler_offset"), FAKE_VM_DEOPT_MH);
	} else {
		put_int(vm, blob + offset(vm, "nmethod._deopt_handler_entry_offset"), FAKE_VM_DEOPT);
	}
	return blob;
}

/* Three codelets; the second one is for exceptions. */
static void write_codelets(struct fake_vm *vm, uint64_t queue)
{
	static const char *const names[] = {"error exits", "exception handling", "ireturn"};
	uint64_t codelet = vm->interpreter + 0x20;

	put_int(vm, queue + offset(vm, "StubQueue._queue_begin"), 0x20);
	put_int(vm, queue + offset(vm, "StubQueue._queue_end"), 0x320);
	for (int i = 0; i < 3; i++, codelet += 0x100) {
		put(vm, codelet + offset(vm, "InterpreterCodelet._description"), add_name(vm, names[i]));
		put_int(vm, codelet + offset(vm, "InterpreterCodelet._size"), 0x100);
	}
}

static void write_interpreter(struct fake_vm *vm)
{
	uint64_t queue = vm->statics;

	vm->statics += 64;
	vm->interpreter = fake_vm_blob(vm, 0, "Interpreter", 0, 0x1000) + 0x100;
	put(vm, queue + offset(vm, "StubQueue._stub_buffer"), vm->interpreter);
	put_int(vm, queue + offset(vm, "StubQueue._buffer_limit"), 0x800);
	write_codelets(vm, queue);
	fake_vm_set_static(vm, "AbstractInterpreter._code", queue);
	vm->call_stub = fake_vm_blob(vm, 0, "StubRoutines (1)", 0, 0x400) + 0x111;
	fake_vm_set_static(vm, "StubRoutines._call_stub_return_address", vm->call_stub);
	if (vm->jdk_version < 21)
		return;
	vm->barrier = fake_vm_blob(vm, 0,
				   vm->jdk_version == 25 ? "StubRoutines (continuationstubs)"
							 : "StubRoutines (continuation stubs)",
				   0, 0x400) +
		      0x222;
	if (fake_vm_row(vm, "static", "StubRoutines._cont_returnBarrier"))
		fake_vm_set_static(vm, "StubRoutines._cont_returnBarrier", vm->barrier);
	vm->continuation = fake_vm_nmethod(vm, 1, "native nmethod", 10, 1) + FAKE_VM_CODE_AT;
	if (vm->jdk_version >= 25)
		fake_vm_set_static(vm, "ContinuationEntry._return_pc", vm->continuation);
}

static void write_version(struct fake_vm *vm)
{
	struct fake_vm_row *row = fake_vm_row(vm, "static", "JDK_Version._current");

	fake_vm_set_static(vm, "Abstract_VM_Version._vm_major_version", vm->jdk_version == 8 ? 25 : vm->jdk_version);
	if (row)
		put(vm, (uint64_t)row->value, 0x1010800210000ULL | vm->jdk_version);
}

int fake_vm_read_layout(struct fake_vm *vm)
{
	vm->d.text[0] = 0;
	return hotspot_layout_read(&vm->layout, &vm->m.mem, vm->symbols, &vm->d);
}

static int by_number(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

const unsigned int *fake_vm_versions(void)
{
	static unsigned int versions[64];
	struct dirent *e;
	size_t n = 0;
	DIR *dir;

	if (versions[0])
		return versions;
	dir = opendir("tests/data/vmstructs");
	assert_non_null(dir);
	while ((e = readdir(dir))) {
		unsigned int version = (unsigned int)strtoul(e->d_name, NULL, 10);

		if (version && n < sizeof(versions) / sizeof(*versions) - 1)
			versions[n++] = version;
	}
	closedir(dir);
	assert_true(n >= 8);
	qsort(versions, n, sizeof(*versions), by_number);
	return versions;
}

void fake_vm_init(struct fake_vm *vm, unsigned int jdk_version)
{
	*vm = (struct fake_vm){.jdk_version = jdk_version, .thread = FAKE_VM_THREADS};
	fake_mem_init(&vm->m);
	fake_mem_map(&vm->m, FAKE_VM_TABLES, 0x20000);
	fake_mem_map(&vm->m, FAKE_VM_STATICS, 0x4000);
	fake_mem_map(&vm->m, FAKE_VM_CODE, 3 * FAKE_VM_HEAP);
	fake_mem_map(&vm->m, FAKE_VM_SEGMAP, 0x4000);
	fake_mem_map(&vm->m, FAKE_VM_STACK, FAKE_VM_STACK_SIZE);
	fake_mem_map(&vm->m, FAKE_VM_THREADS, 0x4000);
	vm->statics = FAKE_VM_STATICS + 0x1000;
	vm->sp = FAKE_VM_STACK + FAKE_VM_STACK_SIZE - 256;
	read_rows(vm);
	write_tables(vm);
	write_version(vm);
	write_heaps(vm);
	write_interpreter(vm);
	if (fake_vm_read_layout(vm))
		fail_msg("JDK %u: %s", jdk_version, vm->d.text);
}

void fake_vm_release(struct fake_vm *vm)
{
	fake_mem_release(&vm->m);
}

static void write_anchor(struct fake_vm *vm, uint64_t at, uint64_t sp, uint64_t pc, uint64_t fp)
{
	put(vm, at + offset(vm, "JavaFrameAnchor._last_Java_sp"), sp);
	put(vm, at + offset(vm, "JavaFrameAnchor._last_Java_pc"), pc);
	put(vm, at + offset(vm, "JavaFrameAnchor._last_Java_fp"), fp);
}

/* The caller is C code: its rbp is no Java frame. */
void fake_vm_call_stub(struct fake_vm *vm)
{
	uint64_t wrapper = vm->sp - 256, fp = wrapper - 64;

	write_anchor(vm, wrapper + offset(vm, "JavaCallWrapper._anchor"), vm->pc ? vm->sp : 0, vm->pc, vm->fp);
	put(vm, fp, 0xc0ffee);
	put(vm, fp + 8, 0xc0de);
	put(vm, fp - 48, wrapper); /* as the tables say, which are those of x86-64 */
	vm->fp = fp;
	vm->sp = fp - 96;
	vm->pc = vm->call_stub;
}

void fake_vm_interpreted(struct fake_vm *vm, uint64_t method, uint64_t bcp)
{
	uint64_t fp = vm->sp - 32; /* two words of arguments lie above */

	put(vm, fp + 8, vm->pc);
	put(vm, fp, vm->fp);
	put(vm, fp - 8, vm->sp);
	put(vm, fp - 24, method);
	put(vm, fp + 8 * (vm->jdk_version > 8 ? WALK_BYTECODE : -7), bcp);
	vm->fp = fp;
	vm->sp = fp - 96;
	vm->pc = vm->interpreter + 0x77;
}

/* Compiled code uses rbp for other values. */
void fake_vm_fixed(struct fake_vm *vm, uint64_t pc, int words)
{
	put(vm, vm->sp - 8, vm->pc);
	put(vm, vm->sp - 16, vm->fp);
	vm->sp -= 8ULL * words;
	vm->pc = pc;
	vm->fp = 0xdead;
}

void fake_vm_upcall(struct fake_vm *vm, uint64_t pc, int frame_data)
{
	uint64_t sp = vm->sp - 512;

	write_anchor(vm, sp + frame_data, vm->sp, vm->pc, vm->fp);
	vm->sp = sp;
	vm->pc = pc;
	vm->fp = 0xbeef;
}

void fake_vm_leave(struct fake_vm *vm)
{
	write_anchor(vm, vm->thread + offset(vm, "JavaThread._anchor"), vm->sp, vm->pc, vm->fp);
}
