/* SPDX-License-Identifier: BSD-2-Clause */
/* Guesses the filter that was meant by an invalid one: pasted stack lines, C.m(), a/b/C, Outer.Inner. */
#ifndef FILTERS_CORRECT_H
#define FILTERS_CORRECT_H

#include "filters/grammar.h"

/*
 * Write the filter that text[begin, end) was probably meant to be, 0-terminated. Only filters that grammar_parse()
 * accepts are offered. Returns false if there is no guess. Makes *fault more specific if the text has a known
 * form.
 */
bool correct_filter(const char *text, size_t begin, size_t end, struct fault *fault, char *right, size_t size);

#endif
