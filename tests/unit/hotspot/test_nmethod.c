// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fake_code.h"
#include "user/hotspot/nmethod.h"
#include "tests/lib/test.h"

static const uint64_t methods[] = {0x1000, 0x2000, 0x3000, 0x4000};

/* Four deep at 40; the outermost one at its entry at 16; no scope at 8. */
static const struct fake_code_scope scopes[] = {{-1, 1, 300}, {0, 2, 0},   {1, 3, 70000},
						{2, 4, 5},    {-1, 1, -1}, {-1, 1, -6}};
static const int pcs[][2] = {{0, 4}, {8, -1}, {16, 4}, {40, 3}, {44, 1}, {100, 5}};

static uint64_t add(struct fake_code *f)
{
	const struct fake_code_nmethod n = {
		.compile_id = 77,
		.metadata = methods,
		.metadata_count = 4,
		.scope = scopes,
		.scopes = sizeof(scopes) / sizeof(*scopes),
		.pc = pcs,
		.pcs = sizeof(pcs) / sizeof(*pcs),
	};

	return fake_code_nmethod(f, &n);
}

static int scopes_at(struct fake_code *f, uint64_t at, int offset, struct scope *out, size_t max)
{
	struct nmethod n;
	int r = nmethod_read(&n, &f->layout, &f->mem, at);

	return r ? r : nmethod_scopes(&n, &f->layout, &f->mem, fake_code_pc(f, at, offset), false, out, max);
}

CASE(nmethod_names_inlined_methods_innermost_first)
{
	for (enum fake_form form = FAKE_8; form < FAKE_FORMS; form++) {
		struct fake_code f;
		struct scope s[8];

		fake_code_init(&f, form);
		assert_int_equal(scopes_at(&f, add(&f), 40, s, 8), 4);
		assert_int_equal(s[0].method, 0x4000);
		assert_int_equal(s[0].bci, 5);
		assert_int_equal(s[1].method, 0x3000);
		assert_int_equal(s[1].bci, 70000);
		assert_int_equal(s[2].method, 0x2000);
		assert_int_equal(s[2].bci, 0);
		assert_int_equal(s[3].method, 0x1000);
		assert_int_equal(s[3].bci, 300);
		fake_code_release(&f);
	}
}

/* Where a thread was interrupted: as if it were at the next PcDesc. */
CASE(nmethod_code_between_two_places_leads_to_the_latter)
{
	for (enum fake_form form = FAKE_8; form < FAKE_FORMS; form++) {
		struct fake_code f;
		struct scope s[8];
		struct nmethod n;
		uint64_t at;

		fake_code_init(&f, form);
		at = add(&f);
		assert_int_equal(nmethod_read(&n, &f.layout, &f.mem, at), 0);
		assert_int_equal(scopes_at(&f, at, 39, s, 8), 0);
		for (int offset = 37; offset <= 40; offset++) {
			uint64_t pc = fake_code_pc(&f, at, offset);

			assert_int_equal(nmethod_scopes(&n, &f.layout, &f.mem, pc, true, s, 8), 4);
			assert_int_equal(s[0].method, 0x4000);
			assert_int_equal(s[0].bci, 5);
		}
		/* behind the last one is only the sentinel */
		assert_int_equal(nmethod_scopes(&n, &f.layout, &f.mem, fake_code_pc(&f, at, 100000), true, s, 8), 0);
		fake_code_release(&f);
	}
}

CASE(nmethod_may_have_negative_bcis)
{
	for (enum fake_form form = FAKE_8; form < FAKE_FORMS; form++) {
		struct fake_code f;
		struct scope s[8];

		fake_code_init(&f, form);
		assert_int_equal(scopes_at(&f, add(&f), 16, s, 8), 1);
		assert_int_equal(s[0].bci, -1);
		assert_int_equal(scopes_at(&f, add(&f), 100, s, 8), 1);
		assert_int_equal(s[0].bci, -6);
		fake_code_release(&f);
	}
}

CASE(nmethod_without_a_scope_is_its_own_method)
{
	struct fake_code f;
	struct scope s[8];

	fake_code_init(&f, FAKE_17);
	assert_int_equal(scopes_at(&f, add(&f), 8, s, 8), 1);
	assert_int_equal(s[0].method, 0x1000);
	assert_int_equal(s[0].bci, -1);
	fake_code_release(&f);
}

CASE(nmethod_does_not_use_the_pc_desc_of_a_neighbour)
{
	static const int known[] = {0, 8, 16, 40, 44, 100};

	for (enum fake_form form = FAKE_8; form < FAKE_FORMS; form++) {
		struct fake_code f;
		struct scope s[8];
		uint64_t at;
		size_t k = 0;

		fake_code_init(&f, form);
		at = add(&f);
		for (int pc = -8; pc < 256; pc++) {
			int count = scopes_at(&f, at, pc, s, 8);

			if (k < 6 && pc == known[k]) {
				assert_true(count > 0);
				k++;
			} else {
				assert_int_equal(count, 0);
			}
		}
		assert_int_equal(k, 6);
		fake_code_release(&f);
	}
}

CASE(nmethod_deeper_than_the_limit_is_refused)
{
	struct fake_code f;
	struct scope s[4];

	fake_code_init(&f, FAKE_25);
	assert_int_equal(scopes_at(&f, add(&f), 40, s, 4), 4);
	assert_int_equal(scopes_at(&f, add(&f), 40, s, 3), -EBADMSG);
	fake_code_release(&f);
}

CASE(nmethod_is_recognised_only_while_it_is_alive)
{
	for (enum fake_form form = FAKE_8; form < FAKE_FORMS; form++) {
		struct fake_code f;
		int8_t *state_of;
		uint64_t at;

		fake_code_init(&f, form);
		at = add(&f);
		state_of = fake_code_at(&f, at + f.layout.nmethod_state);
		assert_int_equal(nmethod_is(&f.layout, &f.mem, at, 77), 1);
		assert_int_equal(nmethod_is(&f.layout, &f.mem, at, 78), 0);
		*state_of = -1;
		assert_int_equal(nmethod_is(&f.layout, &f.mem, at, 77), 1);
		*state_of = 1; /* not entrant, but on stacks */
		assert_int_equal(nmethod_is(&f.layout, &f.mem, at, 77), 1);
		*state_of = 3;
		assert_int_equal(nmethod_is(&f.layout, &f.mem, at, 77), form >= FAKE_23);
		*state_of = 0;
		*(uint8_t *)fake_code_at(&f, at - f.layout.walk.block_size + f.layout.walk.block_used) = 0;
		assert_int_equal(nmethod_is(&f.layout, &f.mem, at, 77), 0);
		assert_int_equal(nmethod_is(&f.layout, &f.mem, 0x100, 77), -EFAULT);
		fake_code_release(&f);
	}
}

/*
 * A scope that calls itself, one called by a later scope, a method outside of the table, no method, truncated
 * scopes.
 */
CASE(nmethod_absurd_tables_are_refused)
{
	struct fake_code f;
	struct nmethod n;
	struct scope s[64];
	unsigned char *scope;
	uint32_t later;
	uint64_t at;

	fake_code_init(&f, FAKE_17);
	at = add(&f);
	assert_int_equal(nmethod_read(&n, &f.layout, &f.mem, at), 0);
	scope = (unsigned char *)fake_code_at(&f, n.scopes) + 1; /* of the outermost method: 0, 1, 301 */
	assert_int_equal(nmethod_scopes(&n, &f.layout, &f.mem, fake_code_pc(&f, at, 44), false, s, 64), 2);
	scope[0] = 1;
	assert_int_equal(nmethod_scopes(&n, &f.layout, &f.mem, fake_code_pc(&f, at, 44), false, s, 64), -EBADMSG);
	memcpy(&later, fake_code_at(&f, n.pcs + 16 + f.layout.pc_desc_scope), 4); /* the PcDesc of pc 0 */
	scope[0] = later;
	assert_int_equal(nmethod_scopes(&n, &f.layout, &f.mem, fake_code_pc(&f, at, 44), false, s, 64), -EBADMSG);
	scope[0] = 0;
	scope[1] = 5;
	assert_int_equal(nmethod_scopes(&n, &f.layout, &f.mem, fake_code_pc(&f, at, 44), false, s, 64), -EBADMSG);
	scope[1] = 0;
	assert_int_equal(nmethod_scopes(&n, &f.layout, &f.mem, fake_code_pc(&f, at, 44), false, s, 64), -EBADMSG);
	scope[1] = 1;
	memset(fake_code_at(&f, n.metadata), 0, 8);
	assert_int_equal(nmethod_scopes(&n, &f.layout, &f.mem, fake_code_pc(&f, at, 44), false, s, 64), -EBADMSG);
	n.scopes_end = n.scopes + 3;
	assert_int_equal(nmethod_scopes(&n, &f.layout, &f.mem, fake_code_pc(&f, at, 44), false, s, 64), -EBADMSG);
	f.layout.pc_desc_size = 0;
	assert_int_equal(nmethod_read(&n, &f.layout, &f.mem, at), -EBADMSG);
	fake_code_release(&f);
}

CASE(nmethod_absurd_offsets_are_refused)
{
	static const uint32_t absurd[] = {0x80000000, 0xffffffff, 0x40000000};

	for (enum fake_form form = FAKE_8; form < FAKE_FORMS; form++) {
		struct fake_code f;
		struct nmethod n;
		uint64_t at;

		fake_code_init(&f, form);
		at = add(&f);
		assert_int_equal(nmethod_read(&n, &f.layout, &f.mem, at), 0);
		for (size_t i = 0; i < 3; i++) {
			uint32_t *offset = fake_code_at(&f, at + f.layout.nmethod_scopes_pcs_end), was = *offset;

			*offset = absurd[i];
			assert_int_equal(nmethod_read(&n, &f.layout, &f.mem, at), -EBADMSG);
			*offset = was;
		}
		*(uint32_t *)fake_code_at(&f, at + f.layout.nmethod_scopes_pcs_end) = 0;
		assert_int_equal(nmethod_read(&n, &f.layout, &f.mem, at), -EBADMSG);
		fake_code_release(&f);
	}
}

CASE(unreadable_nmethod_is_reported)
{
	for (enum fake_form form = FAKE_8; form < FAKE_FORMS; form++) {
		struct fake_code f;
		struct scope s[8];
		unsigned int reads;
		uint64_t at;

		fake_code_init(&f, form);
		at = add(&f);
		assert_int_equal(scopes_at(&f, at, 40, s, 8), 4);
		reads = f.reads;
		for (unsigned int n = 1; n <= reads; n++) {
			f.reads = 0;
			f.fail_first = f.fail_last = n;
			assert_int_equal(scopes_at(&f, at, 40, s, 8), -EFAULT);
		}
		fake_code_release(&f);
	}
}
