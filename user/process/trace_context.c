// SPDX-License-Identifier: BSD-2-Clause
/*
 * The word that the loader has filled (uprobes/elf/elf_tls.h) has a distance from the thread pointer or, in a descriptor,
 * may have the address of {module, offset, generation} instead (glibc, struct tlsdesc_dynamic_arg; it is so if a library
 * that is loaded late has more thread-local variables than there is room for in the static block). Before 2.34, glibc fills
 * descriptors with the first access; until then the word has the address of the relocation, whose first number, an address,
 * is no module's. musl's dtv has another layout; it is not read.
 */
#include "user/process/trace_context.h"
#include "format/vec.h"
#include "uprobes/elf/elf_tls.h"
#include "user/process/interrupt.h"
#include "user/process/libraries.h"
#include "user/process/remote_mem.h"
#include "user/text/budget.h"

#include <stdlib.h>
#include <string.h>

#define MODULES_MOST 4096u
#define OFFSET_MOST  (1ull << 32)
#define LOOK_NS	     200000000LL /* CPU time for the files of one look */

enum { OTEL, ELASTIC, FORMS };

static const char *const variables[FORMS] = {"otel_thread_ctx_v1", "elastic_apm_profiling_correlation_tls_v1"};

/* What a file has, however often it is mapped. */
struct looked {
	uint64_t device, inode;
	bool mapped; /* still: another file may get the number of one that is not */
	struct {
		uint64_t word; /* an address in the file; 0: it has none */
		bool descriptor;
	} form[FORMS];
};

/* The library that publishes. */
struct publisher {
	uint32_t library; /* its serial; 0: none */
	uint64_t word;
	bool descriptor, mapped;
};

struct trace_context {
	struct libraries *libraries;
	struct remote_mem memory;
	struct looked *file;
	size_t files, capacity;
	struct budget budget; /* of one look */
	struct publisher publisher[FORMS];
	bool musl;
};

struct trace_context *trace_context_new(const struct target *t)
{
	struct trace_context *c = calloc(1, sizeof(*c));
	struct diag ignored;

	if (!c || remote_mem_open(&c->memory, t, &ignored)) {
		free(c);
		return NULL;
	}
	c->libraries = libraries_new(t, false);
	if (c->libraries)
		return c;
	trace_context_free(c);
	return NULL;
}

void trace_context_free(struct trace_context *c)
{
	if (!c)
		return;
	libraries_free(c->libraries);
	remote_mem_close(&c->memory);
	free(c->file);
	free(c);
}

static struct looked *looked_find(const struct trace_context *c, const struct mapping *m)
{
	for (size_t i = 0; i < c->files; i++)
		if (c->file[i].inode == m->inode && c->file[i].device == m->device)
			return &c->file[i];
	return NULL;
}

static void look_into(struct trace_context *c, const struct library *l)
{
	struct looked *f;

	if (vec_reserve(&c->file, &c->capacity, c->files + 1))
		return;
	f = &c->file[c->files++];
	*f = (struct looked){.device = l->map.device, .inode = l->map.inode, .mapped = true};
	for (int i = 0; i < FORMS; i++)
		if (!elf_tls_find(l->file, variables[i], &f->form[i].word, &f->form[i].descriptor))
			f->form[i].word = 0;
}

static int visit_library(const struct library *l, void *context)
{
	struct trace_context *c = context;
	struct looked *f = looked_find(c, &l->map);

	c->musl |= !strncmp(path_base(l->map.path), "ld-musl-", strlen("ld-musl-"));
	for (int i = 0; i < FORMS; i++)
		c->publisher[i].mapped |= c->publisher[i].library == l->serial;
	if (f)
		f->mapped = true;
	else if (!budget_over(&c->budget) && !interrupted() && (l = libraries_at(c->libraries, l->map.start)) &&
		 l->file)
		look_into(c, l);
	return 0;
}

static void forget_unmapped(struct trace_context *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->files; i++)
		if (c->file[i].mapped)
			c->file[kept++] = c->file[i];
	c->files = kept;
}

/* A publisher stays as long as it is mapped. */
static int choose_publisher(const struct library *l, void *context)
{
	struct trace_context *c = context;
	const struct looked *f = looked_find(c, &l->map);

	for (int i = 0; f && i < FORMS; i++) {
		if (c->publisher[i].mapped || !f->form[i].word)
			continue;
		l = libraries_at(c->libraries, l->map.start);
		if (!l || !l->file)
			return 0;
		c->publisher[i] = (struct publisher){l->serial, f->form[i].word + l->bias, f->form[i].descriptor, true};
	}
	return 0;
}

static void look_at_libraries(struct trace_context *c)
{
	for (int i = 0; i < FORMS; i++)
		c->publisher[i].mapped = false;
	for (size_t i = 0; i < c->files; i++)
		c->file[i].mapped = false;
	libraries_expire(c->libraries);
	budget_set(&c->budget, LOOK_NS);
	budget_begin(&c->budget);
	libraries_each(c->libraries, visit_library, c);
	budget_end(&c->budget);
	forget_unmapped(c);
	libraries_each(c->libraries, choose_publisher, c);
}

static bool is_aligned(uint64_t n)
{
	return n % sizeof(uint64_t) == 0;
}

/* What the loader keeps about a variable that each thread gets when it needs it. */
static bool read_kept(const struct mem *m, struct frt_context *out)
{
	uint64_t kept[3];

	if (!is_aligned(out->value) || mem_read(m, out->value, kept, sizeof(kept)) || !kept[0] ||
	    kept[0] > MODULES_MOST || kept[1] >= OFFSET_MOST || !is_aligned(kept[1]))
		return false;
	out->word |= FRT_CONTEXT_DYNAMIC;
	out->module = kept[0];
	out->offset = kept[1];
	out->generation = kept[2];
	return true;
}

static bool read_publisher(const struct trace_context *c, const struct publisher *p, struct frt_context *out)
{
	*out = (struct frt_context){.word = p->word};
	if (!p->mapped || !is_aligned(p->word) || mem_u64(&c->memory.mem, p->word, &out->value))
		return false;
	if (FRT_TLS_DISTANCE(out->value) - 1 < FRT_CONTEXT_NEAR - 1)
		return is_aligned(out->value);
	return p->descriptor && !c->musl && read_kept(&c->memory.mem, out);
}

bool trace_context_find(struct trace_context *c, bool otel_unknown, struct frt_context *out)
{
	look_at_libraries(c);
	for (int i = 0; i < FORMS; i++) {
		if ((i == OTEL && otel_unknown) || !read_publisher(c, &c->publisher[i], out))
			continue;
		out->word |= i == ELASTIC ? FRT_CONTEXT_ELASTIC : 0;
		return true;
	}
	*out = (struct frt_context){.word = 0};
	return false;
}

void trace_context_store(struct frt_context *row, const struct frt_context *where)
{
	if (!memcmp(row, where, sizeof(*row)))
		return;
	__atomic_store_n(&row->word, 0, __ATOMIC_SEQ_CST);
	row->value = where->value;
	row->module = where->module;
	row->offset = where->offset;
	row->generation = where->generation;
	__atomic_store_n(&row->word, where->word, __ATOMIC_RELEASE);
}
