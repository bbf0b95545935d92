/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HotSpot's Method (oops/method.hpp) and its parts: the ConstMethod, which is followed by the bytecodes and the
 * line table, the ConstantPool with the names, the Klass and its ClassLoaderData.
 */
#ifndef USER_HOTSPOT_METHOD_H
#define USER_HOTSPOT_METHOD_H

#include "format/bytes.h"
#include "user/hotspot/layout.h"
#include "user/hotspot/method_table.h"

#include <stdbool.h>

#define METHOD_NATIVE	 0x0100u      /* JVMS 4.6 */
#define METHOD_LINES_MAX (256u << 10) /* maximum bytes of a line table; a longer one is ignored */

struct method {
	const struct resolved_method *resolved;
	uint64_t code;		  /* address of its first bytecode */
	uint32_t code_size;	  /* bytes; 0: native */
	size_t lines, lines_size; /* its line table, in the buffer that method_read() appended it to */
};

/*
 * Read the Method at an address. Returns 0; -EBADMSG: there is none; -ENOMEM, also if `t` is full; other -errno:
 * unreadable. Only the caller's cookie can tell whether the Method changed meanwhile.
 */
int method_read(struct method *out, const struct hotspot_layout *l, const struct mem *m, uint64_t address,
		struct method_table *t, struct bytes *lines);

/*
 * The address of the code that a native method calls. A method that is not bound yet has that of a function in libjvm
 * which throws UnsatisfiedLinkError; so have those that the JVM replaces, such as MethodHandle.invokeExact(). Returns 0;
 * -ENOTSUP: this JVM does not tell; other -errno: unreadable.
 */
int method_native_code(const struct hotspot_layout *l, const struct mem *m, uint64_t address, uint64_t *code);

/*
 * The line of a bytecode index; like the JDK, -1 (the entry of a method) counts as 0. Returns -1 if unknown. The
 * table (CompressedLineNumberReadStream) may be unsorted; `bias` as in the layout.
 */
int32_t method_line(const unsigned char *lines, size_t size, unsigned int bias, int32_t bci);

/* True if the table contains the line, or if it is empty, because then any line is possible. */
bool method_has_line(const unsigned char *lines, size_t size, unsigned int bias, int32_t line);

/*
 * Decode HotSpot's compressed number (UNSIGNED5), 1 to 5 bytes: a byte of 192 or more is followed by another one,
 * six bits higher. Returns the number of bytes; 0: it extends past `size`, or is invalid.
 */
size_t unsigned5_read(const unsigned char *from, size_t size, unsigned int bias, uint32_t *out);

/* The names of a method's parameters, from the tables at the end of its ConstMethod. */

struct parameter_names {
	bool known; /* the class file has names: MethodParameters or a LocalVariableTable */
	/* Called for each name; `slot` is its local, or `number` its place among the parameters, the other is -1. */
	void (*visit)(const char *name, int slot, int number, void *context);
	void *context;
};

/*
 * Visit the names of the parameters of the Method at an address, as far as they are known. Returns 0; -EBADMSG: the Method
 * is implausible; other -errno: unreadable.
 */
int method_parameter_names(const struct hotspot_layout *l, const struct mem *m, uint64_t method,
			   struct parameter_names *names);

#endif
