/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HotSpot's Method (oops/method.hpp) with what belongs to it: the ConstMethod,
 * which the bytecodes and the table of lines stand behind, the ConstantPool with
 * the names, the Klass and its ClassLoaderData.
 */
#ifndef USER_HOTSPOT_METHOD_H
#define USER_HOTSPOT_METHOD_H

#include "format/bytes.h"
#include "user/hotspot/layout.h"
#include "user/hotspot/method_table.h"

#define METHOD_NATIVE	 0x0100u      /* JVMS 4.6 */
#define METHOD_LINES_MAX (256u << 10) /* bytes of a table of lines; of a longer one nothing is known */

struct method {
	const struct resolved_method *resolved;
	uint64_t code;		  /* address of its first bytecode */
	uint32_t code_size;	  /* bytes; 0: it is native */
	size_t lines, lines_size; /* its table of lines in the buffer that method_read() appended it to */
};

/*
 * Read the Method at an address. 0; -EBADMSG: there is none; -ENOMEM: also when `t` is full; other -errno:
 * unreadable. Nobody says that the Method did not change meanwhile, but the caller's cookie.
 */
int method_read(struct method *out, const struct hotspot_layout *l, const struct mem *m, uint64_t address,
		struct method_table *t, struct bytes *lines);

/*
 * The line of a bytecode index, which JDKs take for 0 where it is -1 (the entry of a method). -1: unknown. The table
 * (CompressedLineNumberReadStream) need not be sorted; `bias` as in the layout.
 */
int32_t method_line(const unsigned char *lines, size_t size, unsigned int bias, int32_t bci);

/* Does a line stand in the table? True also of a table that is empty: it can be any. */
bool method_has_line(const unsigned char *lines, size_t size, unsigned int bias, int32_t line);

/*
 * HotSpot's compressed number (UNSIGNED5), 1 to 5 bytes: bytes of 192 and more have a
 * successor, six bits further up. Returns its bytes; 0: it goes on behind `size`, or is none.
 */
size_t unsigned5_read(const unsigned char *from, size_t size, unsigned int bias, uint32_t *out);

#endif
