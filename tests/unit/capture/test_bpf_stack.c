// SPDX-License-Identifier: BSD-2-Clause
/*
 * Kernels before 6.13 add up the stack frames of functions that call each other, and refuse a program with more than 512
 * bytes. Newer ones do not, so this reads the frames from the object files.
 */
#include "bpf/probes.h"
#include "bpf/queue.h"
#include "tests/lib/test.h"

#include "frtrace.skel.h"
#include "native.skel.h"

#include <elf.h>
#include <linux/bpf.h>

#define STACK_MOST  512u /* MAX_BPF_STACK */
#define STACK_UNIT  32u	 /* each frame is rounded up */
#define FRAMES_MOST 8u	 /* MAX_CALL_FRAMES */
#define FUNCTIONS   512u
#define SECTIONS    64u

struct function {
	const char *name;
	uint32_t section, first, end; /* instructions in the section */
	uint32_t frame;
};

struct object {
	const char *bytes;
	const Elf64_Shdr *section;
	const Elf64_Sym *symbol;
	const Elf64_Rel *rel[SECTIONS]; /* by the section that they apply to */
	uint32_t rels[SECTIONS];
	struct function function[FUNCTIONS];
	uint32_t count;
};

static const struct bpf_insn *code_of(const struct object *o, uint32_t section)
{
	return (const struct bpf_insn *)(o->bytes + o->section[section].sh_offset);
}

static void note_access(uint32_t *frame, int64_t offset)
{
	if (-offset > (int64_t)*frame)
		*frame = -offset;
}

/* Which registers point into the frame, as far as that is certain: 0 for r10, negative for copies of it. */
struct pointers {
	bool known[16];
	int64_t offset[16];
};

static void forget_pointers(struct pointers *p)
{
	*p = (struct pointers){.known[BPF_REG_10] = true};
}

/* Returns the register that the instruction changes, or -1. */
static int follow_insn(struct pointers *p, const struct bpf_insn *i, uint32_t *frame)
{
	int base = BPF_CLASS(i->code) == BPF_LDX ? i->src_reg : i->dst_reg;

	switch (BPF_CLASS(i->code)) {
	case BPF_LDX:
	case BPF_ST:
	case BPF_STX:
		if (p->known[base])
			note_access(frame, p->offset[base] + i->off);
		return BPF_CLASS(i->code) == BPF_LDX ? i->dst_reg : -1;
	case BPF_ALU64:
		if (i->code == (BPF_ALU64 | BPF_MOV | BPF_X) && p->known[i->src_reg]) {
			p->known[i->dst_reg] = true;
			p->offset[i->dst_reg] = p->offset[i->src_reg];
			return -1;
		}
		if (i->code == (BPF_ALU64 | BPF_ADD | BPF_K) && p->known[i->dst_reg]) {
			p->offset[i->dst_reg] += i->imm;
			note_access(frame, p->offset[i->dst_reg]);
			return -1;
		}
		return i->dst_reg;
	case BPF_ALU:
	case BPF_LD: return i->dst_reg;
	default: return -1;
	}
}

static bool is_jump(const struct bpf_insn *i)
{
	return (BPF_CLASS(i->code) == BPF_JMP || BPF_CLASS(i->code) == BPF_JMP32) && BPF_OP(i->code) != BPF_CALL &&
	       BPF_OP(i->code) != BPF_EXIT;
}

/* At an instruction that others jump to, registers have what they have there, too. */
static uint32_t frame_of(const struct object *o, const struct function *f)
{
	const struct bpf_insn *code = code_of(o, f->section);
	bool *target = calloc(f->end + 1, 1);
	struct pointers p;
	uint32_t frame = 0;
	int changed;

	for (uint32_t i = f->first; i < f->end; i++) {
		int64_t to = (int64_t)i + 1 + (code[i].code == (BPF_JMP32 | BPF_JA) ? code[i].imm : code[i].off);

		if (is_jump(&code[i]) && to >= f->first && to < f->end)
			target[to] = true;
	}
	forget_pointers(&p);
	for (uint32_t i = f->first; i < f->end; i++) {
		if (target[i])
			forget_pointers(&p);
		changed = follow_insn(&p, &code[i], &frame);
		if (changed >= 0)
			p.known[changed] = false;
		for (int r = BPF_REG_0;
		     r <= BPF_REG_5 && BPF_OP(code[i].code) == BPF_CALL && BPF_CLASS(code[i].code) == BPF_JMP; r++)
			p.known[r] = false;
		i += code[i].code == (BPF_LD | BPF_IMM | BPF_DW); /* it takes two places */
	}
	free(target);
	return frame;
}

static const struct function *function_at(const struct object *o, uint32_t section, int64_t insn)
{
	for (uint32_t i = 0; i < o->count; i++)
		if (o->function[i].section == section && o->function[i].first == insn)
			return &o->function[i];
	return NULL;
}

static const Elf64_Sym *symbol_of(const struct object *o, uint32_t section, uint32_t insn)
{
	for (uint32_t i = 0; i < o->rels[section]; i++)
		if (o->rel[section][i].r_offset == insn * sizeof(struct bpf_insn))
			return &o->symbol[ELF64_R_SYM(o->rel[section][i].r_info)];
	return NULL;
}

/* The function that this instruction calls, or gives to a helper that calls it. NULL: none. */
static const struct function *called_by(const struct object *o, const struct function *f, uint32_t insn)
{
	const struct bpf_insn *i = &code_of(o, f->section)[insn];
	const Elf64_Sym *s;

	if (i->code == (BPF_JMP | BPF_CALL) && i->src_reg == BPF_PSEUDO_CALL) {
		s = symbol_of(o, f->section, insn);
		if (s && s->st_shndx == SHN_UNDEF) /* the kernel's */
			return NULL;
		f = s ? function_at(o, s->st_shndx, s->st_value / sizeof(*i) + i->imm + 1)
		      : function_at(o, f->section, (int64_t)insn + i->imm + 1);
		assert_non_null(f);
		return f;
	}
	if (i->code != (BPF_LD | BPF_IMM | BPF_DW))
		return NULL;
	s = symbol_of(o, f->section, insn);
	return s ? function_at(o, s->st_shndx, (s->st_value + i->imm) / sizeof(*i)) : NULL;
}

/* The longest chain of calls from here on, in bytes; its functions are added to `chain`. */
static uint32_t stack_of(const struct object *o, const struct function *f, unsigned int depth, char *chain, size_t size)
{
	uint32_t own = f->frame ?: 1, most = 0, below;
	char called[1024], longest[1024] = "";
	const struct function *next;

	assert_true(depth < FRAMES_MOST);
	for (uint32_t i = f->first; i < f->end; i++) {
		next = called_by(o, f, i);
		below = next ? stack_of(o, next, depth + 1, called, sizeof(called)) : 0;
		if (below > most) {
			most = below;
			memcpy(longest, called, sizeof(longest));
		}
	}
	snprintf(chain, size, "%s %u%s%s", f->name, f->frame, *longest ? ", " : "", longest);
	return (own + STACK_UNIT - 1) / STACK_UNIT * STACK_UNIT + most;
}

static void object_read(struct object *o, const void *bytes)
{
	const Elf64_Ehdr *header = bytes;

	o->bytes = bytes;
	o->section = (const Elf64_Shdr *)(o->bytes + header->e_shoff);
	assert_true(header->e_shnum <= SECTIONS);
	for (uint32_t i = 0; i < header->e_shnum; i++) {
		const Elf64_Shdr *s = &o->section[i];

		if (s->sh_type == SHT_REL) {
			o->rel[s->sh_info] = (const Elf64_Rel *)(o->bytes + s->sh_offset);
			o->rels[s->sh_info] = s->sh_size / sizeof(Elf64_Rel);
		}
		if (s->sh_type != SHT_SYMTAB)
			continue;
		o->symbol = (const Elf64_Sym *)(o->bytes + s->sh_offset);
		for (uint32_t k = 0; k < s->sh_size / sizeof(Elf64_Sym); k++) {
			const Elf64_Sym *symbol = &o->symbol[k];
			uint32_t first = symbol->st_value / sizeof(struct bpf_insn);

			if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !symbol->st_size)
				continue;
			assert_true(o->count < FUNCTIONS);
			o->function[o->count++] = (struct function){
				.name = o->bytes + o->section[s->sh_link].sh_offset + symbol->st_name,
				.section = symbol->st_shndx,
				.first = first,
				.end = first + symbol->st_size / sizeof(struct bpf_insn),
			};
		}
	}
	for (uint32_t i = 0; i < o->count; i++)
		o->function[i].frame = frame_of(o, &o->function[i]);
}

static void expect_small_stacks(const void *bytes)
{
	struct object *o = calloc(1, sizeof(*o));
	uint32_t stack, most = 0;
	char chain[2048];

	object_read(o, bytes);
	for (uint32_t i = 0; i < o->count; i++) {
		stack = stack_of(o, &o->function[i], 0, chain, sizeof(chain));
		if (stack > STACK_MOST)
			fail_msg("%u bytes of stack: %s", stack, chain);
		most = stack > most ? stack : most;
	}
	assert_true(most > STACK_MOST / 4); /* else nothing has been understood */
	free(o);
}

CASE(the_frames_of_programs_fit_into_the_stack_of_old_kernels)
{
	size_t size;

	expect_small_stacks(frtrace_bpf__elf_bytes(&size));
	expect_small_stacks(native_bpf__elf_bytes(&size));
}
