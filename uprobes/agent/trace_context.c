// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is loaded directly is the thread's own: its static block, its dtv, and its block of a library's variables, which
 * the loader frees on the thread itself only, together with the entry of the dtv. The first load of each variable is tried
 * by the kernel before. The record may be anywhere, and the library may have gone while its variable still has a pointer;
 * so the kernel reads both (own_memory.h), and the library's word has to be what it was.
 *
 * A carrier's variable is that of the virtual threads that come and go. OTEP 4947 does not say who changes it then, and
 * the libraries differ. Elastic's has a callback of JVMTI for each mount: NULL between two threads, and each one's own
 * record while it runs. Datadog's leaves the pointer where it is; up to July 2026 a thread kept the record of the carrier
 * that it came to first, and wrote into it from others, while another thread ran there. So a record is a virtual thread's
 * only if the pointer was NULL when that came to the carrier: nobody but the thread that runs can have set it since.
 */
#include "uprobes/agent/trace_context.h"
#include "uprobes/agent/own_memory.h"

_Static_assert(FRT_RECORDINGS == 4, "trace_context_is_published() names them");

#define OTEL_ATTRIBUTES 612u /* bytes at most: the whole record has at most 640 */

/* OTEP 4947, "Thread Context Record"; ids are in network order. */
struct otel_record {
	uint8_t trace[16], span[8];
	uint8_t valid; /* 1: whole */
	uint8_t flags;
	uint16_t attributes; /* bytes that follow */
};

/* elastic/apm, universal-profiling-integration.md, "Thread-Local Storage Layout" */
struct elastic_record {
	uint16_t minor_version;
	uint8_t valid, present, flags;
	uint8_t trace[16], span[8];
} __attribute__((packed));

union record {
	struct otel_record otel;
	struct elastic_record elastic;
};

static uint64_t readable[FRT_MAX_SLOTS]; /* the variable of the slot's thread that has been tried */

/* Copy what a collector has stored. False: it is storing. */
static bool context_copy(const struct frt_context *from, struct frt_context *to)
{
	to->word = load_acquire(&from->word);
	to->value = load_relaxed(&from->value);
	to->module = load_relaxed(&from->module);
	to->offset = load_relaxed(&from->offset);
	to->generation = load_relaxed(&from->generation);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return to->word && load_relaxed(&from->word) == to->word;
}

/*
 * glibc's dtv: entries of 16 bytes. The one before the first
 * has their number, the first the generation, and each other one the thread's block of a module, or -1.
 */
static uint64_t dynamic_variable(const struct frt_context *c)
{
	const uint64_t *dtv = machine_dtv();
	uint64_t block;

	if (!dtv || c->module > dtv[-2] || dtv[0] < c->generation)
		return 0;
	block = dtv[2 * c->module];
	return block && block != UINT64_MAX ? block + c->offset : 0;
}

/* The address of the thread's variable; 0: it has none yet. */
static uint64_t variable_of(const struct frt_context *c)
{
	if (c->word & FRT_CONTEXT_DYNAMIC)
		return dynamic_variable(c);
	if (FRT_TLS_DISTANCE(c->value) > FRT_CONTEXT_NEAR)
		return 0;
	return sys_thread_pointer() + c->value;
}

static bool load_variable(const struct frt_slot *s, uint64_t at, uint64_t *value)
{
	uint64_t *tried = &readable[s - control_slot(0)];

	if (!at || at % sizeof(uint64_t))
		return false;
	if (*tried != at && !own_memory_readable(at, at + sizeof(uint64_t)))
		return false;
	*tried = at;
	*value = *(const volatile uint64_t *)at;
	return true;
}

static bool is_zero(const uint8_t *id, size_t size)
{
	uint8_t all = 0;

	for (size_t i = 0; i < size; i++)
		all |= id[i];
	return !all;
}

static bool put_ids(struct frt_field *out, const uint8_t trace[16], const uint8_t span[8])
{
	if (is_zero(trace, 16) || is_zero(span, 8))
		return false;
	*out = (struct frt_field){.number = FRT_FIELD_TRACE, .size = 24, .form = FRT_FORM_TRACE, .kind = FRT_FIELD};
	memcpy(out->data, trace, 16);
	memcpy(out->data + 16, span, 8);
	return true;
}

static bool read_record(const struct frt_context *c, uint64_t at, struct frt_field *out)
{
	bool elastic = c->word & FRT_CONTEXT_ELASTIC;
	union record r;
	uint64_t word;

	if (!own_memory_read_two(&word, sizeof(word), c->word & ~(uint64_t)FRT_CONTEXT_FLAGS, &r,
				 elastic ? sizeof(r.elastic) : sizeof(r.otel), at) ||
	    word != c->value)
		return false;
	if (elastic)
		return r.elastic.valid == 1 && r.elastic.present == 1 && put_ids(out, r.elastic.trace, r.elastic.span);
	return r.otel.valid == 1 && r.otel.attributes <= OTEL_ATTRIBUTES && put_ids(out, r.otel.trace, r.otel.span);
}

/* The first one that a collector has stored. */
static bool context_find(struct frt_context *out)
{
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		if (context_copy(&control->recording[r].context, out))
			return true;
	return false;
}

/* The thread may have no block of the library's variables yet. Its first access makes one, with zeros. */
uint64_t trace_context_unset(const struct frt_slot *s)
{
	struct frt_context c;
	uint64_t at, record = 0;

	if (!context_find(&c))
		return 0;
	at = variable_of(&c);
	if (!at && c.word & FRT_CONTEXT_DYNAMIC)
		return c.word;
	return load_variable(s, at, &record) && !record ? c.word : 0;
}

static bool is_of_thread(const struct frt_slot *s, uint64_t flags, const struct frt_context *c)
{
	if (!(s->flags & FRT_SLOT_CARRIER))
		return true;
	return flags & FRT_SPAN_VIRTUAL && s->carrier.java_id && s->carrier.java_id == s->vthread &&
	       s->carrier.traceless == c->word;
}

bool trace_context_read(const struct frt_slot *s, uint64_t flags, struct frt_field *out)
{
	struct frt_context c;
	uint64_t record;

	return context_find(&c) && is_of_thread(s, flags, &c) && load_variable(s, variable_of(&c), &record) && record &&
	       read_record(&c, record, out);
}
