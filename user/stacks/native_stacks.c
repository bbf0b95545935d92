// SPDX-License-Identifier: BSD-2-Clause
#include "user/stacks/native_stacks.h"
#include "user/process/libraries.h"
#include "user/text/cpp_name.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAPPINGS_NS 1000000000LL /* the mappings are read again after this time, */
#define UNKNOWN_NS  50000000LL	 /* or this one if an address is in none of them */
#define NAMES	    1024u
#define MOST_NATIVE 64u /* frames below Java's */

/*
 * Java code calls C with the stack pointer that it has stored in its anchor, but the interpreter pushes a word first, or
 * two to align the stack.
 */
#define CALL_WORDS 4u

struct known_name {
	uint64_t pc;
	uint32_t serial; /* of the library; 0: none */
	char name[ELF_FILE_SYMBOL];
};

struct native_stacks {
	struct libraries *libraries;
	int64_t read_ns; /* when the mappings were read */
	struct known_name names[NAMES];
};

struct native_stacks *native_stacks_new(const struct target *t)
{
	struct native_stacks *n = calloc(1, sizeof(*n));

	if (n)
		n->libraries = libraries_new(t, true);
	if (!n || n->libraries)
		return n;
	free(n);
	return NULL;
}

void native_stacks_free(struct native_stacks *n)
{
	if (n)
		libraries_free(n->libraries);
	free(n);
}

static void read_mappings_after(struct native_stacks *n, int64_t age)
{
	int64_t now = monotonic_ns();

	if (now - n->read_ns < age)
		return;
	libraries_expire(n->libraries);
	n->read_ns = now;
}

/* A word of the copy, which may lack the middle. */
static bool read_copied(void *context, uint64_t address, uint64_t *to)
{
	const struct frt_native *copy = context;
	uint64_t into = address - copy->at.sp, high = copy->end - copy->high_size;

	if (address >= copy->at.sp && into < copy->low_size && copy->low_size - into >= sizeof(*to))
		memcpy(to, copy->low + into, sizeof(*to));
	else if (address >= high && address < copy->end && copy->end - address >= sizeof(*to))
		memcpy(to, copy->high + (address - high), sizeof(*to));
	else
		return false;
	return true;
}

static struct cfi_frame first_frame(const struct frt_registers *at)
{
	static const uint8_t saved[FRT_SAVED] = CFI_SAVED;
	struct cfi_frame f = {.known = 1ull << CFI_FP | 1ull << CFI_SP | 1ull << CFI_PC, .exact = true};

	f.reg[CFI_FP] = at->fp;
	f.reg[CFI_SP] = at->sp;
	f.reg[CFI_PC] = at->pc;
	for (size_t i = 0; i < FRT_SAVED; i++) {
		f.reg[saved[i]] = at->saved[i];
		f.known |= 1ull << saved[i];
	}
	return f;
}

static bool is_called_by_java(const struct cfi_frame *f, const struct frt_native *copy)
{
	return f->reg[CFI_SP] <= copy->end && copy->end - f->reg[CFI_SP] <= CALL_WORDS * 8;
}

static const struct library *library_of(struct native_stacks *n, uint64_t pc)
{
	return libraries_at(n->libraries, pc);
}

static struct frt_frame frame_in(const struct library *l, const struct cfi_frame *f)
{
	uint64_t pc = f->reg[CFI_PC];

	return (struct frt_frame){.kind = FRT_FRAME_FUNCTION,
				  .code = pc,
				  .at = library_place(l, pc),
				  .cookie = l->serial,
				  .flags = f->exact ? FRT_FRAME_EXACT : 0};
}

/* The innermost frame is in no library that is known: one may have been loaded since. */
static void find_innermost(struct native_stacks *n, uint64_t pc)
{
	read_mappings_after(n, MAPPINGS_NS);
	if (!library_of(n, pc))
		read_mappings_after(n, UNKNOWN_NS);
}

uint32_t native_stacks_unwind(struct native_stacks *n, const struct frt_native *copy, struct frt_frame *frame,
			      uint32_t most, enum frt_walk_end *end)
{
	struct cfi_frame f = first_frame(&copy->at);
	const struct library *l;
	uint32_t count = 0;
	int found = 1;

	*end = FRT_WALK_CODE;
	if (copy->low_size > sizeof(copy->low) || copy->high_size > sizeof(copy->high))
		return 0;
	find_innermost(n, copy->at.pc);
	while (found == 1 && (l = library_of(n, f.reg[CFI_PC]))) {
		if (count == most) {
			*end = FRT_WALK_DEPTH;
			return count;
		}
		frame[count++] = frame_in(l, &f);
		found = l->cfi ? cfi_unwind(l->cfi, &f, l->bias, read_copied, (void *)copy) : -ENODATA;
	}
	if (found == 1 && is_called_by_java(&f, copy))
		*end = FRT_WALK_BOTTOM;
	return count;
}

/* A word of a waker's stack. */
static bool read_wakers(void *context, uint64_t address, uint64_t *to)
{
	const struct frt_waker *w = context;
	const uint8_t *copy = (const uint8_t *)(w + 1);

	if (address - w->low < w->low_size && w->low_size - (address - w->low) >= sizeof(*to))
		memcpy(to, copy + (address - w->low), sizeof(*to));
	else if (address - w->high < w->high_size && w->high_size - (address - w->high) >= sizeof(*to))
		memcpy(to, copy + FRT_WAKER_LOW + (address - w->high), sizeof(*to));
	else
		return false;
	return true;
}

bool native_stacks_find_java(struct native_stacks *n, const struct frt_waker *w, struct cfi_frame *out)
{
	const struct library *l;
	uint32_t count = 0;

	*out = first_frame(&w->at_entry);
	find_innermost(n, w->at_entry.pc);
	while ((l = library_of(n, out->reg[CFI_PC])))
		if (count++ == MOST_NATIVE || !l->cfi || cfi_unwind(l->cfi, out, l->bias, read_wakers, (void *)w) != 1)
			return false;
	return count;
}

/* The name of the function as it is in the source, if that is simple. */
static void name_function(const struct library *l, const struct frt_frame *f, struct known_name *k)
{
	char symbol[ELF_FILE_SYMBOL];

	*k = (struct known_name){.pc = f->code, .serial = f->cookie};
	/* the instruction before a return address is the call, which may be the last of its function */
	if (!library_symbol(l, f->code - !(f->flags & FRT_FRAME_EXACT), symbol) ||
	    !cpp_name(symbol, k->name, sizeof(k->name)))
		snprintf(k->name, sizeof(k->name), "+0x%" PRIx64, f->at);
}

bool native_stacks_name(struct native_stacks *n, const struct frt_frame *frame, char library[NATIVE_STACKS_NAME],
			char function[NATIVE_STACKS_NAME])
{
	const struct library *l = library_of(n, frame->code);
	struct known_name *k = &n->names[(frame->code ^ frame->cookie) * 0x9e3779b97f4a7c15ULL >> 54];

	if (!l || l->serial != frame->cookie)
		return false;
	if (k->pc != frame->code || k->serial != frame->cookie)
		name_function(l, frame, k);
	snprintf(library, NATIVE_STACKS_NAME, "%s", path_base(l->map.path));
	snprintf(function, NATIVE_STACKS_NAME, "%s", k->name);
	return true;
}

/*
 * Whose locks HotSpot's functions take, JDK 8 to 28. Its mutexes are the JVM's own; a monitor of the program is an
 * ObjectMonitor, but initialization of a class waits in one, too, up to JDK 17.
 */
static unsigned int reason_of_function(const char *function)
{
	static const struct {
		const char *begins;
		unsigned int reason;
	} functions[] = {
		{"CompileBroker::", FRT_WAIT_JIT},
		{"CompilationPolicy::", FRT_WAIT_JIT},
		{"CodeCache::", FRT_WAIT_JIT},
		{"AdapterHandlerLibrary::", FRT_WAIT_JIT},
		{"InstanceKlass::initialize", FRT_WAIT_CLASS},
		{"InstanceKlass::link_class", FRT_WAIT_CLASS},
		{"SystemDictionary::", FRT_WAIT_CLASS},
		{"Mutex::", FRT_WAIT_JVM},
		{"Monitor::", FRT_WAIT_JVM},
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strncmp(function, functions[i].begins, strlen(functions[i].begins)) == 0)
			return functions[i].reason;
	return 0;
}

unsigned int native_stacks_reason(struct native_stacks *n, const struct frt_frame *frame, uint32_t count)
{
	char library[NATIVE_STACKS_NAME], function[NATIVE_STACKS_NAME];
	unsigned int found = 0;

	for (uint32_t i = 0; i < count && (!found || found == FRT_WAIT_JVM); i++)
		if (native_stacks_name(n, &frame[i], library, function) && strcmp(library, "libjvm.so") == 0)
			found = reason_of_function(function) ?: found;
	return found;
}
