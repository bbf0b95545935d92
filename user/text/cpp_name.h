/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of C++ functions (Itanium C++ ABI §5.1) as people read them. */
#ifndef USER_TEXT_CPP_NAME_H
#define USER_TEXT_CPP_NAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * "_ZN6Parker4parkEbl": "Parker::park". Classes, constructors and destructors are translated; a name with templates or
 * operators, and one that is not C++'s, stays as it is. What does not fit is cut. False: `symbol` is empty.
 */
bool cpp_name(const char *symbol, char *out, size_t size);

#endif
