// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reading while the JVM runs. The order is: check the cookie, read, check it again. HotSpot frees an nmethod or a
 * Method only as a whole, together with the cookie. So what was read between two successful checks is consistent.
 * Results are cached by their cookie and do not need the target any more.
 */
#include "user/hotspot/resolve.h"
#include "format/vec.h"
#include "user/hotspot/method.h"
#include "user/hotspot/nmethod.h"
#include "user/hotspot/page_cache.h"

#include <stdlib.h>

#define WALK_READ(w, to, size, address) mem_read((w)->context, address, to, size)
#define WALK_STACK(w, to, address)	mem_u64((w)->context, address, to)
#define WALK_CODE(w, pc, code)		walk_code_at(w, pc, code)
#include "bpf/walk.h"

/* When one of these caches is full, all of it is dropped: about 20 MiB together. */
#define FRAMES_MAX  (1u << 16)
#define CACHED_MAX  (1u << 18)
#define METHODS_MAX (1u << 16)
#define LINES_MAX   (8u << 20)

/* Methods and texts are dropped only together: about 32 MiB. */
#define ENOUGH_METHODS (1u << 17)
#define ENOUGH_TEXT    (16u << 20) /* bytes */

struct cached_frame {
	struct frt_frame frame;
	uint32_t first, count; /* in `cached` */
};

struct cached_method {
	uint64_t address,
		/* owner: the nmethod whose metadata contains the Method; 0: none, the cookie is the Method's own */
		owner;
	uint32_t cookie;
	struct method method;
};

struct resolver {
	const struct hotspot_layout *layout;
	struct method_table table;

	struct hash_index by_frame;
	struct cached_frame *frames;
	struct resolved_frame *cached;
	uint32_t frames_count, cached_count;
	size_t frames_capacity, cached_capacity;

	struct hash_index by_method;
	struct cached_method *methods;
	uint32_t methods_count;
	size_t methods_capacity;
	struct bytes lines;

	struct scope scopes[RESOLVED_DEPTH];
	struct resolved_frame result[RESOLVED_DEPTH];
	struct page_cache now;
};

int resolver_new(struct resolver **out, const struct mem *m, const struct hotspot_layout *l, struct diag *d)
{
	struct resolver *r = calloc(1, sizeof(*r));

	*out = r;
	if (!r)
		return diag_set(d, ENOMEM, "cannot resolve stacks: out of memory");
	r->layout = l;
	page_cache_init(&r->now, m);
	return 0;
}

void resolver_free(struct resolver *r)
{
	if (!r)
		return;
	hash_release(&r->by_frame);
	hash_release(&r->by_method);
	method_table_release(&r->table);
	bytes_release(&r->lines);
	free(r->frames);
	free(r->cached);
	free(r->methods);
	free(r);
}

static enum resolved_failure failure(int error)
{
	switch (error) {
	case -EBADMSG: return RESOLVE_CORRUPT;
	case -ENOMEM: return RESOLVE_MEMORY;
	default: return RESOLVE_UNREADABLE;
	}
}

static void forget_frames(struct resolver *r)
{
	hash_clear(&r->by_frame);
	r->frames_count = r->cached_count = 0;
}

static void resolve_forget_methods(struct resolver *r)
{
	hash_clear(&r->by_method);
	bytes_clear(&r->lines);
	r->methods_count = 0;
}

bool resolver_is_full(const struct resolver *r)
{
	return r->table.methods >= ENOUGH_METHODS || r->table.bytes >= ENOUGH_TEXT;
}

void resolver_forget(struct resolver *r)
{
	forget_frames(r);
	resolve_forget_methods(r);
	method_table_release(&r->table);
}

static bool is_cached_method(const void *context, uint32_t row)
{
	const struct cached_method *const *key = context; /* the key, the rows */
	const struct cached_method *m = key[1] + row - 1;

	return m->address == key[0]->address && m->owner == key[0]->owner && m->cookie == key[0]->cookie;
}

static uint64_t hash_method(const struct cached_method *m)
{
	return hash_mix(hash_mix(m->address, m->owner), m->cookie);
}

static const struct method *resolve_find_method(const struct resolver *r, const struct cached_method *wanted)
{
	const struct cached_method *key[] = {wanted, r->methods};
	uint32_t row = hash_find(&r->by_method, hash_method(wanted), is_cached_method, key);

	return row ? &r->methods[row - 1].method : NULL;
}

/* Read a Method and cache it. A caller that finds the cookie gone calls resolve_forget_methods(). */
static int learn_method(struct resolver *r, struct cached_method *new, const struct method **out)
{
	int e;

	if (r->methods_count == METHODS_MAX || r->lines.size > LINES_MAX)
		resolve_forget_methods(r);
	e = method_read(&new->method, r->layout, &r->now.mem, new->address, &r->table, &r->lines);
	e = e ?: vec_reserve(&r->methods, &r->methods_capacity, (size_t)r->methods_count + 1);
	e = e ?: hash_add(&r->by_method, hash_method(new), r->methods_count + 1);
	if (e)
		return e;
	r->methods[r->methods_count] = *new;
	*out = &r->methods[r->methods_count++].method;
	return 0;
}

/* `bci`: -1 is the method's entry; a value outside of the method is unknown. */
static struct resolved_frame frame_of(const struct resolver *r, const struct method *m, int64_t bci,
				      enum resolved_kind kind)
{
	struct resolved_frame f = {.method = m->resolved, .line = -1, .bci = -1, .kind = kind};

	if (m->resolved->modifiers & METHOD_NATIVE) {
		f.kind = RESOLVED_NATIVE;
		f.bci = 0;
	} else if (bci >= -1 && bci < m->code_size) {
		f.bci = (int32_t)bci;
		if (m->lines_size)
			f.line = method_line(r->lines.data + m->lines, m->lines_size, r->layout->unsigned5_bias, f.bci);
	}
	return f;
}

static enum resolved_failure check_fingerprint(struct resolver *r, const struct frt_frame *f)
{
	struct walk w = {.layout = &r->layout->walk, .context = &r->now.mem};
	uint32_t fingerprint;

	page_cache_clear(&r->now);
	fingerprint = walk_fingerprint(&w, f->code);
	if (!fingerprint)
		return RESOLVE_UNREADABLE;
	return fingerprint == f->cookie ? RESOLVE_OK : RESOLVE_CHANGED;
}

static enum resolved_failure learn_interpreted(struct resolver *r, const struct frt_frame *f, struct cached_method *new,
					       const struct method **out)
{
	enum resolved_failure why = check_fingerprint(r, f);
	int e;

	if (why)
		return why;
	e = learn_method(r, new, out);
	why = check_fingerprint(r, f);
	if (!why && e)
		why = failure(e);
	if (why)
		resolve_forget_methods(r);
	return why;
}

/*
 * A method that is redefined without change has the same fingerprint, but its ConstMethod may have moved. The
 * cached entry then belongs to the other version.
 */
static bool has_bytecode(const struct method *m, const struct frt_frame *f)
{
	return !f->at || m->resolved->modifiers & METHOD_NATIVE || f->at - m->code < (uint64_t)m->code_size;
}

static enum resolved_failure tell_interpreted(struct resolver *r, const struct frt_frame *f, size_t *count)
{
	struct cached_method wanted = {.address = f->code, .cookie = f->cookie};
	const struct method *m = resolve_find_method(r, &wanted);
	enum resolved_failure why;

	if (m && !has_bytecode(m, f)) {
		resolve_forget_methods(r);
		m = NULL;
	}
	if (!m) {
		why = learn_interpreted(r, f, &wanted, &m);
		if (why)
			return why;
	}
	/* the walker stores 0 if it found no bytecode pointer; -2 is outside of any method */
	r->result[0] = frame_of(r, m, f->at >= m->code ? (int64_t)(f->at - m->code) : -2, RESOLVED_INTERPRETED);
	*count = 1;
	return RESOLVE_OK;
}

static enum resolved_failure check_compile_id(struct resolver *r, const struct frt_frame *f)
{
	int is;

	page_cache_clear(&r->now);
	is = nmethod_is(r->layout, &r->now.mem, f->code, f->cookie);
	return is < 0 ? failure(is) : is ? RESOLVE_OK : RESOLVE_CHANGED;
}

static int tell_scope(struct resolver *r, const struct frt_frame *f, const struct scope *s, enum resolved_kind kind,
		      struct resolved_frame *out)
{
	struct cached_method wanted = {.address = s->method, .owner = f->code, .cookie = f->cookie};
	const struct method *m = resolve_find_method(r, &wanted);
	int e = m ? 0 : learn_method(r, &wanted, &m);

	if (!e)
		*out = frame_of(r, m, s->bci, kind);
	return e;
}

/*
 * Code that HotSpot calls as a leaf, such as the release of a monitor, has no scope. Which inlined method calls it is not
 * known then, but the nmethod's own method is on the stack.
 */
static int tell_scopes(struct resolver *r, const struct frt_frame *f, const struct nmethod *n)
{
	int count = nmethod_scopes(n, r->layout, &r->now.mem, f->at, f->flags & FRT_FRAME_EXACT, r->scopes,
				   RESOLVED_DEPTH),
	    e;

	if (!count && f->flags & FRT_FRAME_LEAF) {
		r->scopes[0] = (struct scope){n->method, -2}; /* no line */
		count = 1;
	}
	for (int i = 0; i < count; i++) {
		e = tell_scope(r, f, &r->scopes[i], i + 1 < count ? RESOLVED_INLINED : RESOLVED_JIT, &r->result[i]);
		if (e)
			return e;
	}
	return count;
}

/* Since JDK 23 an nmethod's tables are freed before the nmethod, so they must still be in the same place. */
static enum resolved_failure check_tables(const struct resolver *r, const struct frt_frame *f, const struct nmethod *n)
{
	struct nmethod again;
	int e = nmethod_read(&again, r->layout, &r->now.mem, f->code);

	if (e && e != -EBADMSG)
		return failure(e);
	return memcmp(n, &again, sizeof(again)) ? RESOLVE_CHANGED : RESOLVE_OK;
}

/* The wrapper of a native method has no scope. Returns 1 or -errno. */
static int tell_wrapper(struct resolver *r, const struct frt_frame *f)
{
	struct scope s = {.bci = 0};
	int e = mem_u64(&r->now.mem, f->code + r->layout->nmethod_method, &s.method);

	e = e ?: tell_scope(r, f, &s, RESOLVED_NATIVE, &r->result[0]);
	return e ? e : 1;
}

static enum resolved_failure tell_compiled(struct resolver *r, const struct frt_frame *f, size_t *count)
{
	enum resolved_failure why = check_compile_id(r, f);
	struct nmethod n;
	int cached;

	if (why)
		return why;
	if (f->kind == FRT_FRAME_NATIVE)
		cached = tell_wrapper(r, f);
	else
		cached = nmethod_read(&n, r->layout, &r->now.mem, f->code) ?: tell_scopes(r, f, &n);
	why = check_compile_id(r, f);
	if (!why && f->kind == FRT_FRAME_COMPILED)
		why = check_tables(r, f, &n);
	if (!why && cached <= 0)
		why = cached ? failure(cached) : RESOLVE_NO_SCOPE;
	if (why)
		resolve_forget_methods(r);
	*count = cached;
	return why;
}

static enum resolved_failure resolve_tell(struct resolver *r, const struct frt_frame *f, size_t *count)
{
	unsigned int without = r->layout->without;

	if (f->kind == FRT_FRAME_INTERPRETED && !(without & HOTSPOT_NO_STACKS))
		return tell_interpreted(r, f, count);
	if ((f->kind == FRT_FRAME_COMPILED || f->kind == FRT_FRAME_NATIVE) &&
	    !(without & (HOTSPOT_NO_STACKS | HOTSPOT_NO_METHODS)))
		return tell_compiled(r, f, count);
	return RESOLVE_UNKNOWN;
}

static bool is_cached_frame(const void *context, uint32_t row)
{
	const void *const *key = context; /* the key, the rows */
	const struct frt_frame *a = key[0];
	const struct frt_frame *b = &((const struct cached_frame *)key[1])[row - 1].frame;

	return a->code == b->code && a->at == b->at && a->cookie == b->cookie && a->kind == b->kind;
}

static void cache_put_frame(struct resolver *r, const struct frt_frame *f, uint64_t hash, size_t count)
{
	if (r->frames_count == FRAMES_MAX || r->cached_count + count > CACHED_MAX)
		forget_frames(r);
	if (vec_reserve(&r->frames, &r->frames_capacity, (size_t)r->frames_count + 1) ||
	    vec_reserve(&r->cached, &r->cached_capacity, (size_t)r->cached_count + count) ||
	    hash_add(&r->by_frame, hash, r->frames_count + 1))
		return; /* it will be read again when needed */
	memcpy(r->cached + r->cached_count, r->result, count * sizeof(*r->result));
	r->frames[r->frames_count++] = (struct cached_frame){*f, r->cached_count, count};
	r->cached_count += count;
}

size_t resolver_frame(struct resolver *r, const struct frt_frame *f, const struct resolved_frame **out,
		      enum resolved_failure *why)
{
	uint64_t hash = hash_mix(hash_mix(f->code, f->at), f->cookie);
	const void *key[] = {f, r->frames};
	uint32_t row = hash_find(&r->by_frame, hash, is_cached_frame, key);
	size_t count = 0;

	*why = RESOLVE_OK;
	*out = r->result;
	if (row) {
		*out = r->cached + r->frames[row - 1].first;
		return r->frames[row - 1].count;
	}
	*why = resolve_tell(r, f, &count);
	if (*why)
		return 0;
	cache_put_frame(r, f, hash, count);
	return count;
}
