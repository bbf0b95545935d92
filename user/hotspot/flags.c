// SPDX-License-Identifier: BSD-2-Clause
#include "user/hotspot/flags.h"

#include <errno.h>
#include <string.h>

#define MOST_FLAGS	8192
#define NAME_MAX_LENGTH 128

/* An array of JVMFlag. */
struct table {
	uint64_t at, count, stride;
	uint64_t name, value; /* offsets of pointers */
};

static int flags_read_table(struct table *t, const struct mem *m, const struct vmstructs *v)
{
	uint64_t flags, count;

	if (!vmstructs_static(v, "JVMFlag.flags", &flags) || !vmstructs_static(v, "JVMFlag.numFlags", &count) ||
	    !vmstructs_offset(v, "JVMFlag._name", &t->name) || !vmstructs_offset(v, "JVMFlag._addr", &t->value) ||
	    !vmstructs_size(v, "JVMFlag", &t->stride))
		return -ENOTSUP;
	return mem_u64(m, flags, &t->at) ?: mem_u64(m, count, &t->count);
}

static int match_flag(const struct table *t, const struct mem *m, uint64_t flag, const char *const names[],
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
	struct table t;
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
