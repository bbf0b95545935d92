// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/dwarf/cfi.h"
#include "uprobes/dwarf/cfi_check.h"
#include "bpf/machine/machine.h"
#include "uprobes/elf/machine/machine.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES	     256u   /* kept, by program counter */
#define LOOKUPS_MOST 16384u /* libdw remembers what it has looked up; then it begins anew */
#define ALIGNED(n)   (((n) + 15) & ~(size_t)15)

/* The names of the image's sections, in their order; the first is the null section. */
enum { IMAGE_NULL, IMAGE_HEADER, IMAGE_FRAMES, IMAGE_NAMES, IMAGE_SECTIONS };

struct known_frame {
	uint64_t address;
	Dwarf_Frame *frame;
};

struct cfi {
	char *image;
	size_t size;
	bool eh_frame;
	Elf *elf;
	Dwarf *dwarf; /* NULL with .eh_frame */
	Dwarf_CFI *cfi;
	unsigned int lookups;
	struct known_frame known[FRAMES];
};

struct image_section {
	const char *name;
	const Elf64_Shdr *section; /* in the file */
	void *data;
	size_t size;
};

static int read_frames(const struct elf_file *e, const char *name, size_t limit, struct image_section *out)
{
	out->name = name;
	out->section = elf_file_section(e, name);
	if (!out->section)
		return -ENODATA;
	out->data = elf_file_contents(e, out->section, limit);
	out->size = out->data ? out->section->sh_size : 0;
	return out->data ? 0 : -errno;
}

static size_t put_section(char *image, size_t at, const struct image_section *s, Elf64_Shdr *header, uint32_t name)
{
	if (!s->data)
		return at;
	memcpy(image + at, s->data, s->size);
	*header = (Elf64_Shdr){.sh_name = name,
			       .sh_type = SHT_PROGBITS,
			       .sh_addr = s->section->sh_addr,
			       .sh_offset = at,
			       .sh_size = s->size,
			       .sh_addralign = 8};
	return at + ALIGNED(s->size);
}

/* An ELF file with nothing but these sections. */
static int make_image(struct cfi *c, const struct image_section *header, const struct image_section *frames)
{
	static const char names[] = "\0.eh_frame_hdr\0.eh_frame\0.debug_frame\0.shstrtab";
	Elf64_Shdr sections[IMAGE_SECTIONS] = {0};
	size_t at = ALIGNED(sizeof(Elf64_Ehdr)), table = at + ALIGNED(header->size) + ALIGNED(frames->size);
	Elf64_Ehdr h = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			.e_type = ET_DYN,
			.e_machine = ELF_MACHINE,
			.e_version = EV_CURRENT,
			.e_shoff = table + ALIGNED(sizeof(names)),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = IMAGE_SECTIONS,
			.e_shstrndx = IMAGE_NAMES};

	c->size = h.e_shoff + sizeof(sections);
	c->image = calloc(1, c->size);
	if (!c->image)
		return -ENOMEM;
	at = put_section(c->image, at, header, &sections[IMAGE_HEADER], 1);
	put_section(c->image, at, frames, &sections[IMAGE_FRAMES], c->eh_frame ? 15 : 25);
	memcpy(c->image + table, names, sizeof(names));
	sections[IMAGE_NAMES] = (Elf64_Shdr){
		.sh_name = 38, .sh_type = SHT_STRTAB, .sh_offset = table, .sh_size = sizeof(names), .sh_addralign = 1};
	memcpy(c->image, &h, sizeof(h));
	memcpy(c->image + h.e_shoff, sections, sizeof(sections));
	return 0;
}

static void cfi_forget(struct cfi *c)
{
	for (size_t i = 0; i < FRAMES; i++) {
		free(c->known[i].frame);
		c->known[i] = (struct known_frame){0};
	}
	if (c->cfi && !c->dwarf) /* the other one belongs to the Dwarf */
		dwarf_cfi_end(c->cfi);
	dwarf_end(c->dwarf);
	c->cfi = NULL;
	c->dwarf = NULL;
	c->lookups = 0;
}

static int cfi_begin(struct cfi *c)
{
	cfi_forget(c);
	if (c->eh_frame) {
		c->cfi = dwarf_getcfi_elf(c->elf);
	} else {
		c->dwarf = dwarf_begin_elf(c->elf, DWARF_C_READ, NULL);
		c->cfi = c->dwarf ? dwarf_getcfi(c->dwarf) : NULL;
	}
	return c->cfi ? 0 : -EBADMSG;
}

static int cfi_read(struct cfi *c, const struct elf_file *e, size_t limit)
{
	struct image_section header = {0}, frames = {0};
	int err = read_frames(e, ".eh_frame", limit, &frames);

	c->eh_frame = !err;
	if (err == -ENODATA)
		err = read_frames(e, ".debug_frame", limit, &frames);
	if (!err && c->eh_frame)
		read_frames(e, ".eh_frame_hdr", limit, &header); /* without it libdw reads them all */
	if (!err && !cfi_check(frames.data, frames.size, c->eh_frame))
		err = -EBADMSG;
	err = err ?: make_image(c, &header, &frames);
	free(header.data);
	free(frames.data);
	return err;
}

int cfi_open(struct cfi **out, const struct elf_file *e, size_t limit)
{
	struct cfi *c = calloc(1, sizeof(*c));
	int err;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	err = cfi_read(c, e, limit);
	if (!err)
		c->elf = elf_memory(c->image, c->size);
	if (!err && !c->elf)
		err = -ENOMEM;
	err = err ?: cfi_begin(c);
	if (err)
		cfi_close(c);
	else
		*out = c;
	return err;
}

void cfi_close(struct cfi *c)
{
	if (!c)
		return;
	cfi_forget(c);
	elf_end(c->elf);
	free(c->image);
	free(c);
}

size_t cfi_size(const struct cfi *c)
{
	return sizeof(*c) + c->size;
}

/* The description of the frame of the code at this address; NULL: there is none. */
static Dwarf_Frame *find_frame(struct cfi *c, uint64_t address)
{
	struct known_frame *k = &c->known[address * 0x9e3779b97f4a7c15ULL >> 56];

	if (k->frame && k->address == address)
		return k->frame;
	if (++c->lookups > LOOKUPS_MOST && cfi_begin(c))
		return NULL;
	free(k->frame);
	k->address = address;
	if (dwarf_cfi_addrframe(c->cfi, address, &k->frame))
		k->frame = NULL;
	return k->frame;
}

/* ---- expressions: where a register is (DWARF 5 §2.5, 2.6) */

/*
 * What compilers and libc write: a register plus an offset, for frames whose stack pointer was aligned; the same
 * behind a pointer, in the frame of a signal handler; and in the procedure linkage table
 *
 *    breg7 8, breg16 0, lit15, and, lit11, ge, lit3, shl, plus
 *
 * There are no jumps among these, so an expression takes no longer than its length.
 */

struct cfi_expression {
	const struct cfi_frame *frame;
	uint64_t cfa; /* for DW_OP_call_frame_cfa */
	cfi_read_word *read;
	void *context;
};

#define DEPTH 16u

struct operands {
	const struct cfi_expression *x;
	uint64_t value[DEPTH];
	unsigned int count;
	int err;
};

static void push(struct operands *o, uint64_t value)
{
	if (o->count < DEPTH)
		o->value[o->count++] = value;
	else
		o->err = -EBADMSG;
}

static uint64_t pop(struct operands *o)
{
	if (o->count)
		return o->value[--o->count];
	o->err = -EBADMSG;
	return 0;
}

static uint64_t register_value(struct operands *o, uint64_t r)
{
	if (r < CFI_REGISTERS && o->x->frame->known & 1ull << r)
		return o->x->frame->reg[r];
	o->err = o->err ?: r < CFI_REGISTERS ? -EFAULT : -EBADMSG;
	return 0;
}

static uint64_t stored_value(struct operands *o, uint64_t address)
{
	uint64_t value = 0;

	if (!o->err && !o->x->read(o->x->context, address, &value))
		o->err = -EFAULT;
	return value;
}

static void push_binary(struct operands *o, uint8_t atom)
{
	uint64_t b = pop(o), a = pop(o);

	switch (atom) {
	case DW_OP_plus: push(o, a + b); break;
	case DW_OP_minus: push(o, a - b); break;
	case DW_OP_and: push(o, a & b); break;
	case DW_OP_shl: push(o, b < 64 ? a << b : 0); break;
	case DW_OP_ge: push(o, (int64_t)a >= (int64_t)b); break;
	default: o->err = -EBADMSG;
	}
}

static void step(struct operands *o, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		push(o, register_value(o, op->atom - DW_OP_breg0) + op->number);
		return;
	}
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		push(o, op->atom - DW_OP_lit0);
		return;
	}
	switch (op->atom) {
	case DW_OP_bregx: push(o, register_value(o, op->number) + op->number2); break;
	case DW_OP_call_frame_cfa: push(o, o->x->cfa); break;
	case DW_OP_plus_uconst: push(o, pop(o) + op->number); break;
	case DW_OP_deref: push(o, stored_value(o, pop(o))); break;
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_constu:
	case DW_OP_consts: push(o, op->number); break;
	default: push_binary(o, op->atom);
	}
}

/*
 * The value of an expression. Returns 0; -EFAULT: a register or a word of the stack is not known; -EBADMSG: not an expression
 * of call frame information.
 */
static int cfi_value(const struct cfi_expression *x, const Dwarf_Op *ops, size_t count, uint64_t *out)
{
	struct operands o = {.x = x};

	for (size_t i = 0; i < count && !o.err; i++)
		step(&o, &ops[i]);
	*out = pop(&o);
	return o.err;
}

/* The same of one that is an address, unless it says otherwise: what is stored there. */
static int cfi_location(const struct cfi_expression *x, const Dwarf_Op *ops, size_t count, uint64_t *out)
{
	struct operands o = {.x = x};
	int err;

	if (count == 1 && ops[0].atom == DW_OP_regx) {
		*out = register_value(&o, ops[0].number);
		return o.err;
	}
	if (ops[count - 1].atom == DW_OP_stack_value)
		return cfi_value(x, ops, count - 1, out);
	err = cfi_value(x, ops, count, out);
	o.err = err;
	*out = stored_value(&o, *out);
	return o.err;
}

/* ---- frames */

/*
 * The caller's value of a register. Sets its bit in to->known if it is known. A register that the information does not
 * name is unchanged if the ABI has callees save it. `in`: the register whose rule it is, r but for the program counter.
 */
static int unwind_register(Dwarf_Frame *frame, int r, int in, struct cfi_expression *x, struct cfi_frame *to)
{
	Dwarf_Op own[3], *ops = NULL;
	uint64_t value;
	size_t count;
	int err;

	if (dwarf_frame_register(frame, in, own, &ops, &count))
		return -EBADMSG;
	if (!count && ops == own && !(CFI_UNNAMED >> r & 1))
		return 0; /* undefined */
	if (!count) {	  /* unchanged */
		to->reg[r] = x->frame->reg[in];
		to->known |= (x->frame->known >> in & 1) << r;
		return 0;
	}
	err = cfi_location(x, ops, count, &value);
	if (err == -EFAULT && r != CFI_PC)
		return 0;
	to->reg[r] = value;
	to->known |= err ? 0 : 1ull << r;
	return err;
}

static int unwind_frame(Dwarf_Frame *frame, struct cfi_frame *f, cfi_read_word *read, void *context)
{
	struct cfi_expression x = {.frame = f, .read = read, .context = context};
	struct cfi_frame to = {.known = 1ull << CFI_SP};
	bool signal = false;
	uint64_t moved;
	Dwarf_Op *ops;
	size_t count;
	int err;

	if (dwarf_frame_info(frame, NULL, NULL, &signal) < 0 || dwarf_frame_cfa(frame, &ops, &count) || !count)
		return -EBADMSG;
	err = cfi_value(&x, ops, count, &x.cfa);
	to.reg[CFI_SP] = x.cfa;
	for (int r = 0; !err && r < CFI_REGISTERS; r++)
		if (CFI_KEPT >> r & 1 || r == CFI_PC)
			err = unwind_register(frame, r, r == CFI_PC ? CFI_RETURN : r, &x, &to);
	if (err)
		return err;
	if (!(to.known & 1ull << CFI_PC))
		return 0;
	to.exact = signal;
	to.reg[CFI_PC] = WALK_ADDRESS(to.reg[CFI_PC]);
	moved = to.reg[CFI_SP] - f->reg[CFI_SP];
	if ((to.reg[CFI_SP] < f->reg[CFI_SP] || moved + 1 <= CFI_CALL) && !signal)
		return -EBADMSG;
	*f = to;
	return 1;
}

int cfi_unwind(struct cfi *c, struct cfi_frame *f, uint64_t bias, cfi_read_word *read, void *context)
{
	Dwarf_Frame *frame = find_frame(c, f->reg[CFI_PC] - bias - !f->exact);

	return frame ? unwind_frame(frame, f, read, context) : -ENODATA;
}
