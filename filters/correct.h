/* SPDX-License-Identifier: BSD-2-Clause */
/* What was meant by a text that is no filter: pasted stack lines, C.m(), a/b/C, Outer.Inner. */
#ifndef FILTERS_CORRECT_H
#define FILTERS_CORRECT_H

#include "filters/grammar.h"

/*
 * Write the filter that text[begin, end) was meant to be, 0-terminated. Only
 * what grammar_parse() takes is offered; false when nothing can be told. *fault is made
 * more telling where the text has a known form.
 */
bool correct_filter(const char *text, size_t begin, size_t end, struct fault *fault, char *right, size_t size);

#endif
