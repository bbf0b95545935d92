/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names whose values must not leave the program. The grammar and the defaults are those of the option redact-key of JDK
 * 27's Flight Recorder (JEP 536): globs with ';' between them; '+' in front adds to the defaults; none: no name.
 */
#ifndef FILTERS_REDACT_H
#define FILTERS_REDACT_H

#include "format/diag.h"

#include <stdbool.h>

/* Check the text of the option. 0 or a usage error. */
int redact_check(const char *text, struct diag *d);

/* True if a name, or a word of an expression with dots, matches; letters of either case are equal. NULL: the defaults. */
bool redact_matches(const char *text, const char *expression);

#endif
