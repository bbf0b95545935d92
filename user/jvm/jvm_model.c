// SPDX-License-Identifier: BSD-2-Clause
#include "user/jvm/jvm_model.h"
#include "user/hotspot/vmstructs.h"
#include "user/hotspot/modules.h"
#include "user/hotspot/threads.h"
#include "user/text/log.h"
#include "user/jvm/layout_check.h"
#include "user/process/dump.h"

#include <errno.h>
#include <stdlib.h>

#define ROUNDS 3 /* a sleeping thread may have been inspected while it woke up */

/* Open the memory, and find the JVM's tables in it. To be closed with jvm_model_close() in any case. */
static int open_tables(struct jvm_model *m, const struct target *t, struct diag *d)
{
	uint64_t base;
	int err;

	*m = (struct jvm_model){.remote.fd = -1};
	err = remote_mem_open(&m->remote, t, d) ?: remote_mem_find_libjvm(t, &base, d);
	return err
		       ?: remote_mem_find_symbols(&m->remote.mem, base, vmstructs_symbol_names, VMSTRUCTS_SYMBOLS,
						  m->symbols, d);
}

int jvm_model_find_flags(const struct target *t, const char *const names[], size_t count, uint64_t addresses[],
			 struct diag *d)
{
	struct jvm_model m;
	int err = open_tables(&m, t, d) ?: hotspot_find_flags(&m.remote.mem, m.symbols, names, count, addresses, d);

	jvm_model_close(&m);
	return err;
}

static int read_flag_bytes(const struct target *t, const char *name, void *value, size_t size, struct diag *d)
{
	struct jvm_model m;
	uint64_t address;
	int err = open_tables(&m, t, d) ?: hotspot_find_flags(&m.remote.mem, m.symbols, &name, 1, &address, d);

	if (!err) {
		err = address ? mem_read(&m.remote.mem, address, value, size) : -ENOENT;
		err = err ? diag_errno(d, -err, "cannot read the JVM's flag %s", name) : 0;
	}
	jvm_model_close(&m);
	return err;
}

int jvm_model_read_flag(const struct target *t, const char *name, bool *value, struct diag *d)
{
	uint8_t byte;
	int err = read_flag_bytes(t, name, &byte, sizeof(byte), d);

	if (!err)
		*value = byte;
	return err;
}

int jvm_model_read_number(const struct target *t, const char *name, uint64_t *value, struct diag *d)
{
	return read_flag_bytes(t, name, value, sizeof(*value), d);
}

int jvm_model_version(const struct target *t, char *out, size_t size, struct diag *d)
{
	struct jvm_model m;
	uint64_t address;
	struct vmstructs v;
	int err = open_tables(&m, t, d) ?: vmstructs_read(&v, &m.remote.mem, m.symbols, d);

	if (!err) {
		err = vmstructs_static(&v, "Abstract_VM_Version._s_internal_vm_info_string", &address) ? 0 : -ENOTSUP;
		err = err ?: mem_u64(&m.remote.mem, address, &address) ?: mem_text(&m.remote.mem, address, out, size);
		vmstructs_release(&v);
		err = err ? diag_errno(d, -err, "cannot read the JVM's version text") : 0;
	}
	jvm_model_close(&m);
	return err;
}

/* `needs`: HOTSPOT_NO_* features that must be available */
static int open_memory(struct jvm_model *m, const struct target *t, unsigned int needs, struct diag *d)
{
	int err = open_tables(m, t, d) ?: hotspot_layout_read(&m->layout, &m->remote.mem, m->symbols, d);

	if (!err && m->layout.without & needs)
		err = diag_set(d, ENOTSUP, "libjvm does not export %s", m->layout.missing);
	if (!err)
		thread_object_find_fields(&m->layout, &m->remote.mem);
	return err;
}

int jvm_model_open_classes(struct jvm_model *m, const struct target *t, struct diag *d)
{
	return open_memory(m, t, HOTSPOT_CLASSES, d);
}

int jvm_model_open(struct jvm_model *m, const struct target *t, struct diag *d)
{
	int err = open_memory(m, t, HOTSPOT_NO_STACKS, d);

	if (!err)
		hotspot_find_modules(&m->layout, &m->remote.mem);
	return err ? err : resolver_new(&m->resolver, &m->remote.mem, &m->layout, d);
}

void jvm_model_close(struct jvm_model *m)
{
	resolver_free(m->resolver);
	if (m->remote.mem.read)
		remote_mem_close(&m->remote);
	*m = (struct jvm_model){.remote.fd = -1};
}

static enum layout_check_result check_once(struct layout_check *p, const struct target *t, char **dump,
					   struct layout_check_account *a, int *err, struct diag *d)
{
	if (p)
		layout_check_walk(p);
	free(*dump);
	*dump = NULL;
	*err = target_thread_dump(t, dump, d);
	if (*err) {
		log_detail("%s", d->text);
		return LAYOUT_CHECK_NOTHING;
	}
	return p ? layout_check_compare(p, *dump, a) : LAYOUT_CHECK_NOTHING;
}

int jvm_model_check(struct jvm_model *m, const struct target *t, char **dump, struct diag *d)
{
	struct layout_check_setup setup = {
		.target = t, .mem = &m->remote.mem, .layout = &m->layout, .resolver = m->resolver};
	struct layout_check *p = m->resolver ? layout_check_new(&setup) : NULL;
	struct layout_check_account a = {0};
	enum layout_check_result result = LAYOUT_CHECK_DIFFERENT;
	int err = 0;

	*dump = NULL;
	for (int round = 0; round < ROUNDS && result != LAYOUT_CHECK_PASSED && (*dump || !round); round++)
		result = check_once(p, t, dump, &a, &err, d);
	if (result == LAYOUT_CHECK_NOTHING && err != -ETIMEDOUT)
		err = diag_set(d, ENODATA, "%s",
			       *dump ? "no stack could be compared with the JVM's own dump"
				     : "the JVM gives no thread dump to compare walked stacks with");
	if (result == LAYOUT_CHECK_DIFFERENT)
		err = diag_set(d, EPROTO, "walked stacks differ from the JVM's own: %s", a.difference);
	else if (result == LAYOUT_CHECK_PASSED)
		log_detail("stacks checked: %u threads, %u frames equal those in the JVM's own dump", a.threads,
			   a.frames);
	layout_check_free(p);
	return err;
}
