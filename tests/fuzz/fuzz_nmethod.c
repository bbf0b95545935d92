// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any memory as an nmethod and a Method: the frames that it resolves to are bounded, plausible, and the same when
 * resolved again.
 *
 * Input: form of the nmethod (1 byte); offsets of the nmethod, of the Method, and of the return address in the nmethod
 * (2 bytes each, little-endian); the memory at FUZZ_BASE.
 */
#include "format/diag.h"
#include "tests/fuzz/fuzz_mem.h"
#include "tests/lib/fake_layout.h"
#include "user/hotspot/resolve.h"

#define WALK_READ(w, to, size, address) mem_read((w)->context, address, to, size)
#define WALK_STACK(w, to, address)	mem_u64((w)->context, address, to)
#define WALK_CODE(w, pc, code)		walk_code_at(w, pc, code)
#include "bpf/walk.h"

#define FUZZ_HEAD 7

static void check_frame(const struct resolved_frame *f)
{
	const struct resolved_method *m = f->method;

	check(m && m->number && m->class_name[0] && m->name[0] && m->descriptor[0] == '(');
	check(f->bci >= -1 && f->bci <= UINT16_MAX && f->line >= -1 && f->line <= UINT16_MAX);
	check(f->kind <= RESOLVED_NATIVE);
}

static void resolve(struct resolver *r, const struct frt_frame *f)
{
	static struct resolved_frame first[RESOLVED_DEPTH];
	const struct resolved_frame *out;
	enum resolved_failure why;
	size_t count = resolver_frame(r, f, &out, &why);

	check(count <= RESOLVED_DEPTH && !count == (why != RESOLVE_OK) && why < RESOLVE_FAILURES);
	for (size_t i = 0; i < count; i++)
		check_frame(&out[i]);
	memcpy(first, out, count * sizeof(*out));
	if (count)
		check(resolver_frame(r, f, &out, &why) == count && !memcmp(first, out, count * sizeof(*out)));
}

static uint64_t place(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_mem m = {.mem.read = fuzz_read, .reads_left = 100000};
	struct hotspot_layout l;
	struct walk w = {.layout = &l.walk, .context = &m};
	struct frt_frame f = {.kind = FRT_FRAME_COMPILED};
	struct resolver *r;
	struct diag d;

	if (size < FUZZ_HEAD)
		return 0;
	m.data = data + FUZZ_HEAD;
	m.size = size - FUZZ_HEAD;
	l = fake_layout(data[0] % FAKE_FORMS);
	if (resolver_new(&r, &m.mem, &l, &d))
		return 0;
	f.code = FUZZ_BASE + place(data + 1);
	f.at = f.code + place(data + 5);
	if (!mem_u32(&m.mem, f.code + l.walk.nmethod_compile_id, &f.cookie))
		resolve(r, &f);
	f.kind = FRT_FRAME_NATIVE;
	resolve(r, &f);
	f.kind = FRT_FRAME_INTERPRETED;
	f.code = FUZZ_BASE + place(data + 3);
	f.cookie = walk_fingerprint(&w, f.code);
	resolve(r, &f);
	resolver_free(r);
	return 0;
}
