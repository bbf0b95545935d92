// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reading HotSpot's tables. A row of gHotSpotVMStructs (JDK 17), as the exported variables
 * gHotSpotVMStructEntry*Offset describe it:
 *
 *   typeName   -> "JavaThread"       +0
 *   fieldName  -> "_anchor"          +8
 *   typeString -> "JavaFrameAnchor"  +16
 *   isStatic      0                  +24   int
 *   offset        656                +32   uint64_t
 *   address       0                  +40   for a static field
 *
 * A row with a NULL type name ends the table. JDK 8 to 28 have 1,300 to 2,100 rows in all; the names are literals
 * in libjvm, close together.
 */
#include "user/hotspot/vmstructs.h"
#include "format/vec.h"
#include "user/hotspot/page_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS   16384u /* of one table */
#define MAX_STRIDE 512u
#define MAX_NAME   96u /* longer names are not needed */

enum table { STATIC, OFFSET, SIZE, CONSTANT };

struct vmstructs_row {
	enum table table;
	char name[MAX_NAME];
	uint64_t value;
};

const char *const vmstructs_symbol_names[VMSTRUCTS_SYMBOLS] = {
	[VMSTRUCTS_FIELDS] = "gHotSpotVMStructs",
	[VMSTRUCTS_FIELD_STRIDE] = "gHotSpotVMStructEntryArrayStride",
	[VMSTRUCTS_FIELD_TYPE] = "gHotSpotVMStructEntryTypeNameOffset",
	[VMSTRUCTS_FIELD_NAME] = "gHotSpotVMStructEntryFieldNameOffset",
	[VMSTRUCTS_FIELD_STATIC] = "gHotSpotVMStructEntryIsStaticOffset",
	[VMSTRUCTS_FIELD_OFFSET] = "gHotSpotVMStructEntryOffsetOffset",
	[VMSTRUCTS_FIELD_ADDRESS] = "gHotSpotVMStructEntryAddressOffset",
	[VMSTRUCTS_TYPES] = "gHotSpotVMTypes",
	[VMSTRUCTS_TYPE_STRIDE] = "gHotSpotVMTypeEntryArrayStride",
	[VMSTRUCTS_TYPE_NAME] = "gHotSpotVMTypeEntryTypeNameOffset",
	[VMSTRUCTS_TYPE_SIZE] = "gHotSpotVMTypeEntrySizeOffset",
	[VMSTRUCTS_INTS] = "gHotSpotVMIntConstants",
	[VMSTRUCTS_INT_STRIDE] = "gHotSpotVMIntConstantEntryArrayStride",
	[VMSTRUCTS_INT_NAME] = "gHotSpotVMIntConstantEntryNameOffset",
	[VMSTRUCTS_INT_VALUE] = "gHotSpotVMIntConstantEntryValueOffset",
};

/* A table while it is being read. */
struct reader {
	struct vmstructs *v;
	const struct mem *m;
	const uint64_t *values; /* of the exported variables */
	size_t capacity;	/* of the rows */
	struct diag *d;
};

static int vmstructs_add_row(struct reader *r, enum table table, const char *type, const char *name, uint64_t value)
{
	struct vmstructs_row *row;

	if (vec_reserve(&r->v->rows, &r->capacity, r->v->count + 1))
		return diag_errno(r->d, ENOMEM, "cannot keep the JVM's tables");
	row = &r->v->rows[r->v->count];
	*row = (struct vmstructs_row){.table = table, .value = value};
	if (snprintf(row->name, MAX_NAME, "%s%s%s", type, name ? "." : "", name ? name : "") < (int)MAX_NAME)
		r->v->count++;
	return 0;
}

/* Read a name that a row points to. -E2BIG is no error: such a name is not needed. */
static int vmstructs_read_name(struct reader *r, uint64_t row, enum vmstructs_symbol column, char name[MAX_NAME])
{
	uint64_t at;
	int e = mem_u64(r->m, row + r->values[column], &at);

	name[0] = 0;
	if (e || !at)
		return e;
	e = mem_text(r->m, at, name, MAX_NAME);
	if (e != -E2BIG)
		return e;
	name[0] = 0;
	return 0;
}

static int vmstructs_read_field(struct reader *r, uint64_t row)
{
	char type[MAX_NAME], name[MAX_NAME];
	uint32_t is_static;
	uint64_t value;
	int e = vmstructs_read_name(r, row, VMSTRUCTS_FIELD_TYPE, type);

	e = e ?: vmstructs_read_name(r, row, VMSTRUCTS_FIELD_NAME, name);
	e = e ?: mem_u32(r->m, row + r->values[VMSTRUCTS_FIELD_STATIC], &is_static);
	e = e ?: mem_u64(r->m, row + r->values[is_static ? VMSTRUCTS_FIELD_ADDRESS : VMSTRUCTS_FIELD_OFFSET], &value);
	if (e || !type[0] || !name[0])
		return e;
	return vmstructs_add_row(r, is_static ? STATIC : OFFSET, type, name, value);
}

static int read_type(struct reader *r, uint64_t row)
{
	char type[MAX_NAME];
	uint64_t size;
	int e = vmstructs_read_name(r, row, VMSTRUCTS_TYPE_NAME, type);

	e = e ?: mem_u64(r->m, row + r->values[VMSTRUCTS_TYPE_SIZE], &size);
	return e || !type[0] ? e : vmstructs_add_row(r, SIZE, type, NULL, size);
}

static int read_int(struct reader *r, uint64_t row)
{
	char name[MAX_NAME];
	uint32_t value;
	int e = vmstructs_read_name(r, row, VMSTRUCTS_INT_NAME, name);

	e = e ?: mem_u32(r->m, row + r->values[VMSTRUCTS_INT_VALUE], &value);
	return e || !name[0] ? e : vmstructs_add_row(r, CONSTANT, name, NULL, (uint64_t)(int32_t)value);
}

/*
 * Read one table. `first` is the table's variable; the variables after it, up to `end`, are its stride and its
 * columns.
 */
static int vmstructs_read_table(struct reader *r, enum vmstructs_symbol first, enum vmstructs_symbol end,
				int (*read_row)(struct reader *r, uint64_t row))
{
	uint64_t row = r->values[first], stride = r->values[first + 1], name;
	const char *table = vmstructs_symbol_names[first];
	int e;

	if (!row || !stride)
		return diag_set(r->d, EAGAIN, "the JVM's table %s is not there yet", table);
	if (stride < 8 || stride > MAX_STRIDE)
		return diag_set(r->d, EBADMSG, "%s has rows of %lu bytes", table, (unsigned long)stride);
	for (int i = first + 2; i < (int)end; i++)
		if (r->values[i] > stride - 4)
			return diag_set(r->d, EBADMSG, "%s is %lu in rows of %lu bytes", vmstructs_symbol_names[i],
					(unsigned long)r->values[i], (unsigned long)stride);
	for (size_t i = 0; i < MAX_ROWS; i++, row += stride) {
		e = mem_u64(r->m, row + r->values[first + 2], &name);
		if (!e && !name)
			return 0;
		e = e ?: read_row(r, row);
		if (e)
			return e == -ENOMEM ? e : diag_errno(r->d, -e, "cannot read row %zu of %s", i, table);
	}
	return diag_set(r->d, EBADMSG, "%s does not end", table);
}

static int compare_rows(const void *a, const void *b)
{
	const struct vmstructs_row *x = a, *y = b;

	return x->table != y->table ? (int)x->table - (int)y->table : strcmp(x->name, y->name);
}

int vmstructs_read(struct vmstructs *v, const struct mem *m, const uint64_t symbols[VMSTRUCTS_SYMBOLS], struct diag *d)
{
	uint64_t values[VMSTRUCTS_SYMBOLS];
	struct page_cache *pages = malloc(sizeof(*pages)); /* for thousands of short reads from the same few pages */
	struct reader r = {.v = v, .values = values, .d = d};
	int e = 0;

	*v = (struct vmstructs){0};
	if (!pages)
		return diag_errno(d, ENOMEM, "cannot read the JVM's tables");
	page_cache_init(pages, m);
	r.m = &pages->mem;
	for (int i = 0; !e && i < VMSTRUCTS_SYMBOLS; i++) {
		e = mem_u64(m, symbols[i], &values[i]);
		if (e)
			diag_errno(d, -e, "cannot read %s", vmstructs_symbol_names[i]);
	}
	e = e ?: vmstructs_read_table(&r, VMSTRUCTS_FIELDS, VMSTRUCTS_TYPES, vmstructs_read_field);
	e = e ?: vmstructs_read_table(&r, VMSTRUCTS_TYPES, VMSTRUCTS_INTS, read_type);
	e = e ?: vmstructs_read_table(&r, VMSTRUCTS_INTS, VMSTRUCTS_SYMBOLS, read_int);
	free(pages);
	if (e)
		vmstructs_release(v);
	else
		qsort(v->rows, v->count, sizeof(*v->rows), compare_rows);
	return e;
}

void vmstructs_release(struct vmstructs *v)
{
	free(v->rows);
	*v = (struct vmstructs){0};
}

static bool vmstructs_find(const struct vmstructs *v, enum table table, const char *name, uint64_t *value)
{
	struct vmstructs_row key = {.table = table};
	const struct vmstructs_row *row;

	if (!v->count || snprintf(key.name, sizeof(key.name), "%s", name) >= (int)sizeof(key.name))
		return false;
	row = bsearch(&key, v->rows, v->count, sizeof(*v->rows), compare_rows);
	if (!row)
		return false;
	*value = row->value;
	return true;
}

bool vmstructs_offset(const struct vmstructs *v, const char *name, uint64_t *offset)
{
	return vmstructs_find(v, OFFSET, name, offset);
}

bool vmstructs_static(const struct vmstructs *v, const char *name, uint64_t *address)
{
	return vmstructs_find(v, STATIC, name, address);
}

bool vmstructs_size(const struct vmstructs *v, const char *name, uint64_t *size)
{
	return vmstructs_find(v, SIZE, name, size);
}

bool vmstructs_constant(const struct vmstructs *v, const char *name, int64_t *value)
{
	uint64_t bits;

	if (!vmstructs_find(v, CONSTANT, name, &bits))
		return false;
	*value = (int64_t)bits;
	return true;
}

/* ---- flags */

#define MOST_FLAGS	8192
#define NAME_MAX_LENGTH 128

/* An array of JVMFlag. */
struct flag_table {
	uint64_t at, count, stride;
	uint64_t name, value; /* offsets of pointers */
};

static int flags_read_table(struct flag_table *t, const struct mem *m, const struct vmstructs *v)
{
	uint64_t flags, count;

	if (!vmstructs_static(v, "JVMFlag.flags", &flags) || !vmstructs_static(v, "JVMFlag.numFlags", &count) ||
	    !vmstructs_offset(v, "JVMFlag._name", &t->name) || !vmstructs_offset(v, "JVMFlag._addr", &t->value) ||
	    !vmstructs_size(v, "JVMFlag", &t->stride))
		return -ENOTSUP;
	return mem_u64(m, flags, &t->at) ?: mem_u64(m, count, &t->count);
}

static int match_flag(const struct flag_table *t, const struct mem *m, uint64_t flag, const char *const names[],
		      size_t count, uint64_t addresses[])
{
	char name[NAME_MAX_LENGTH];
	uint64_t text;
	int err = mem_u64(m, flag + t->name, &text);

	if (err || !text)
		return err; /* the last one has no name */
	err = mem_text(m, text, name, sizeof(name));
	for (size_t i = 0; i < count && !err; i++)
		if (!strcmp(name, names[i]))
			err = mem_u64(m, flag + t->value, &addresses[i]);
	return err == -E2BIG ? 0 : err;
}

int hotspot_find_flags(const struct mem *m, const uint64_t symbols[VMSTRUCTS_SYMBOLS], const char *const names[],
		       size_t count, uint64_t addresses[], struct diag *d)
{
	struct vmstructs v;
	struct flag_table t;
	int err = vmstructs_read(&v, m, symbols, d);

	if (err)
		return err;
	memset(addresses, 0, count * sizeof(*addresses));
	err = flags_read_table(&t, m, &v);
	for (uint64_t i = 0; i < t.count && i < MOST_FLAGS && !err; i++)
		err = match_flag(&t, m, t.at + i * t.stride, names, count, addresses);
	vmstructs_release(&v);
	return err ? diag_set(d, -err, "cannot find the JVM's flags in its tables") : 0;
}
