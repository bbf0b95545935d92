// SPDX-License-Identifier: BSD-2-Clause
#include "user/hotspot/nmethod.h"
#include "user/hotspot/method.h"

#define NMETHOD_MAX \
	(1u << 28) /* maximum bytes of an nmethod and of each of its parts; a code cache has at most 2 GiB */

int nmethod_is(const struct hotspot_layout *l, const struct mem *m, uint64_t address, uint32_t compile_id)
{
	uint8_t used, state = 0;
	uint32_t id;
	int r = mem_u8(m, address - l->walk.block_size + l->walk.block_used, &used);

	r = r ?: mem_u32(m, address + l->walk.nmethod_compile_id, &id);
	if (!r && l->nmethod_state != FRT_NO_OFFSET)
		r = mem_u8(m, address + l->nmethod_state, &state);
	return r ? r : used == 1 && id == compile_id && (int8_t)state < l->nmethod_gone;
}

/* base + the int at offset `at` of the nmethod, which must be plausible. */
static int read_place(const struct mem *m, uint64_t nmethod, uint16_t at, uint64_t base, uint64_t *out)
{
	uint32_t offset = 0;
	int r = at == FRT_NO_OFFSET ? -EBADMSG : mem_u32(m, nmethod + at, &offset);

	*out = base + offset;
	return r ? r : offset < NMETHOD_MAX ? 0 : -EBADMSG;
}

static int read_code_begin(struct nmethod *n, const struct hotspot_layout *l, const struct mem *m)
{
	if (l->code_form == HOTSPOT_CODE_POINTER)
		return mem_u64(m, n->address + l->blob_code, &n->code);
	return read_place(m, n->address, l->blob_code, n->address, &n->code);
}

static int read_scopes(struct nmethod *n, const struct hotspot_layout *l, const struct mem *m)
{
	uint64_t base = n->address;
	uint16_t end = l->nmethod_scopes_data_end;
	int r = 0;

	if (l->scopes_form == HOTSPOT_SCOPES_IMMUTABLE)
		r = mem_u64(m, n->address + l->nmethod_immutable, &base);
	r = r ?: read_place(m, n->address, l->nmethod_scopes_pcs, base, &n->pcs);
	r = r ?: read_place(m, n->address, l->nmethod_scopes_pcs_end, base, &n->pcs_end);
	if (!r && l->scopes_form == HOTSPOT_SCOPES_POINTER)
		r = mem_u64(m, n->address + l->nmethod_scopes_data, &n->scopes);
	else if (!r)
		r = read_place(m, n->address, l->nmethod_scopes_data, base, &n->scopes);
	if (end == FRT_NO_OFFSET)
		end = l->nmethod_immutable_size;
	return r ? r : read_place(m, n->address, end, base, &n->scopes_end);
}

/* Since JDK 25 the metadata is in memory of its own, after the relocations. */
static int read_mutable(struct nmethod *n, const struct hotspot_layout *l, const struct mem *m)
{
	uint64_t base;
	int r = mem_u64(m, n->address + l->blob_mutable, &base);

	r = r ?: read_place(m, n->address, l->blob_relocation_size, base, &n->metadata);
	return r ? r : read_place(m, n->address, l->blob_mutable_size, base, &n->metadata_end);
}

static int nmethod_read_metadata(struct nmethod *n, const struct hotspot_layout *l, const struct mem *m)
{
	uint16_t offset;
	int r;

	switch (l->metadata_form) {
	case HOTSPOT_METADATA_INSIDE:
		n->metadata_end = n->scopes;
		return read_place(m, n->address, l->nmethod_metadata, n->address, &n->metadata);
	case HOTSPOT_METADATA_DATA:
		r = read_place(m, n->address, l->blob_data, n->address, &n->metadata);
		r = r ?: mem_u16(m, n->address + l->nmethod_metadata, &offset);
		if (r)
			return r;
		n->metadata += offset;
		return read_place(m, n->address, l->walk.blob_size, n->address, &n->metadata_end);
	case HOTSPOT_METADATA_MUTABLE: return read_mutable(n, l, m);
	}
	return -EBADMSG;
}

static bool is_table(uint64_t from, uint64_t to)
{
	return from <= to && to - from < NMETHOD_MAX;
}

int nmethod_read(struct nmethod *out, const struct hotspot_layout *l, const struct mem *m, uint64_t address)
{
	int r;

	*out = (struct nmethod){.address = address};
	r = mem_u64(m, address + l->nmethod_method, &out->method);
	r = r ?: read_code_begin(out, l, m);
	r = r ?: read_scopes(out, l, m);
	r = r ?: nmethod_read_metadata(out, l, m);
	if (r)
		return r;
	return l->pc_desc_size && is_table(out->pcs, out->pcs_end) && is_table(out->scopes, out->scopes_end) &&
			       is_table(out->metadata, out->metadata_end)
		       ? 0
		       : -EBADMSG;
}

/*
 * The offset of the scope at a program counter; each return address has a PcDesc of its own. With `near` that of the next
 * one that has some: code between two PcDescs leads to the latter. Returns 1, 0: none, or -errno.
 */
static int find_scope(const struct nmethod *n, const struct hotspot_layout *l, const struct mem *m, uint64_t pc,
		      bool near, uint32_t *scope)
{
	uint64_t low = 0, all = (n->pcs_end - n->pcs) / l->pc_desc_size, high = all;
	int64_t wanted = (int64_t)(pc - n->code);

	if (wanted < 0) /* the pc of the first sentinel */
		return 0;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2, at = n->pcs + middle * l->pc_desc_size;
		uint32_t offset;
		int r = mem_u32(m, at + l->pc_desc_pc, &offset);

		if (r)
			return r;
		if ((int32_t)offset == wanted) {
			r = mem_u32(m, at + l->pc_desc_scope, scope);
			return r ? r : 1;
		}
		if ((int32_t)offset < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	if (near && low + 1 < all) { /* the last one is a sentinel */
		int r = mem_u32(m, n->pcs + low * l->pc_desc_size + l->pc_desc_scope, scope);

		return r ? r : 1;
	}
	return 0;
}

/* Read the three numbers at the start of a scope. */
static int read_scope(const struct nmethod *n, const struct hotspot_layout *l, const struct mem *m, uint32_t offset,
		      uint32_t v[3])
{
	uint64_t left = n->scopes_end - n->scopes;
	unsigned char bytes[15];
	size_t size, at = 0;
	int r;

	if (offset >= left)
		return -EBADMSG;
	left -= offset;
	size = left < sizeof(bytes) ? left : sizeof(bytes);
	r = mem_read(m, n->scopes + offset, bytes, size);
	for (int i = 0; !r && i < 3; i++) {
		size_t used = unsigned5_read(bytes + at, size - at, l->unsigned5_bias, &v[i]);

		at += used;
		r = used ? 0 : -EBADMSG;
	}
	return r;
}

static int read_scope_method(const struct nmethod *n, const struct mem *m, uint32_t index, uint64_t *method)
{
	int r;

	if (!index || index > (n->metadata_end - n->metadata) / 8)
		return -EBADMSG;
	r = mem_u64(m, n->metadata + 8ULL * (index - 1), method);
	return r ? r : *method ? 0 : -EBADMSG;
}

int nmethod_scopes(const struct nmethod *n, const struct hotspot_layout *l, const struct mem *m, uint64_t pc, bool near,
		   struct scope *out, size_t max)
{
	uint32_t offset, v[3];
	size_t count = 0;
	int r = find_scope(n, l, m, pc, near, &offset);

	if (r <= 0)
		return r;
	if (!offset) { /* no scope was recorded: the nmethod's own method */
		*out = (struct scope){n->method, -1};
		return 1;
	}
	while (offset) {
		if (count == max)
			return -EBADMSG;
		r = read_scope(n, l, m, offset, v);
		r = r ?: read_scope_method(n, m, v[1], &out[count].method);
		if (r)
			return r;
		out[count++].bci = (int32_t)(v[2] - 1);
		/* callers are recorded first */
		if (v[0] >= offset)
			return -EBADMSG;
		offset = v[0];
	}
	return (int)count;
}
