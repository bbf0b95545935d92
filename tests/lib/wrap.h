/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the linker puts in place of others; the Makefile names them (-Wl,--wrap). */
#ifndef TESTS_LIB_WRAP_H
#define TESTS_LIB_WRAP_H

/*
 * WRAP(int, close, int fd) { ... } is called instead of close(), which is __real_close() here. The compiler checks that
 * both have the same type.
 */
#define WRAP(type, name, ...)                                 \
	extern __typeof__(name) __real_##name, __wrap_##name; \
	type __wrap_##name(__VA_ARGS__)

#endif
