/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables by which HotSpot describes itself to debuggers (vmStructs.hpp; the Serviceability Agent reads them,
 * too): fields of types with their offsets or, if static, their addresses; sizes of types; named constants. libjvm
 * exports them in .dynsym, even if it is stripped.
 */
#ifndef USER_HOTSPOT_VMSTRUCTS_H
#define USER_HOTSPOT_VMSTRUCTS_H

#include "format/diag.h"
#include "user/hotspot/mem.h"

#include <stdbool.h>

/* The exported variables that give the place of the tables and the layout of their rows. */
enum vmstructs_symbol {
	VMSTRUCTS_FIELDS,
	VMSTRUCTS_FIELD_STRIDE,
	VMSTRUCTS_FIELD_TYPE,
	VMSTRUCTS_FIELD_NAME,
	VMSTRUCTS_FIELD_STATIC,
	VMSTRUCTS_FIELD_OFFSET,
	VMSTRUCTS_FIELD_ADDRESS,
	VMSTRUCTS_TYPES,
	VMSTRUCTS_TYPE_STRIDE,
	VMSTRUCTS_TYPE_NAME,
	VMSTRUCTS_TYPE_SIZE,
	VMSTRUCTS_INTS,
	VMSTRUCTS_INT_STRIDE,
	VMSTRUCTS_INT_NAME,
	VMSTRUCTS_INT_VALUE,
	VMSTRUCTS_SYMBOLS
};
extern const char *const vmstructs_symbol_names[VMSTRUCTS_SYMBOLS];

struct vmstructs_row; /* opaque */

struct vmstructs {
	struct vmstructs_row *rows; /* sorted by table and name */
	size_t count;
};

/*
 * Read the tables; symbols[i] is the address of the variable vmstructs_symbol_names[i]. Returns 0; -EAGAIN: the
 * tables are not filled yet; -EBADMSG: these are no such tables; other -errno: unreadable.
 */
int vmstructs_read(struct vmstructs *v, const struct mem *m, const uint64_t symbols[VMSTRUCTS_SYMBOLS], struct diag *d);
void vmstructs_release(struct vmstructs *v);

/* The offset of a field, "JavaThread._anchor". Returns false if it is missing or of another kind. */
bool vmstructs_offset(const struct vmstructs *v, const char *name, uint64_t *offset);
bool vmstructs_static(const struct vmstructs *v, const char *name, uint64_t *address);
/* The size in bytes of a type, "JavaFrameAnchor". */
bool vmstructs_size(const struct vmstructs *v, const char *name, uint64_t *size);
/* The value of a constant, "frame::entry_frame_call_wrapper_offset". */
bool vmstructs_constant(const struct vmstructs *v, const char *name, int64_t *value);

/* The JVM's flags (-XX:...), found through its tables: JVMFlag, since JDK 11. */

/*
 * Find the addresses of flag values; 0 for a flag that this JVM does not have. They exist as soon as libjvm is
 * mapped. Returns 0; -ENOTSUP: not in the tables; other -errno: unreadable.
 */
int hotspot_find_flags(const struct mem *m, const uint64_t symbols[VMSTRUCTS_SYMBOLS], const char *const names[],
		       size_t count, uint64_t addresses[], struct diag *d);

#endif
