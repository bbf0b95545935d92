/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes JSON (RFC 8259), value by value, on one line. The key is NULL in an array and at the top level. The
 * output is always valid UTF-8 and valid JSON, whatever the texts contain.
 *
 *	json_init(&j, stdout);
 *	json_object(&j, NULL);
 *	json_string(&j, "name", "checkout");
 *	json_array(&j, "pids");
 *	json_unsigned(&j, NULL, 4242);
 *	json_end(&j);
 *	json_end(&j);		{"name":"checkout","pids":[4242]} and a newline
 */
#ifndef USER_TEXT_JSON_H
#define USER_TEXT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 16

struct json {
	FILE *to; /* borrowed; its owner checks for errors */
	unsigned int depth;
	bool more;		/* a comma is needed before the next value */
	char close[JSON_DEPTH]; /* '}' or ']' of each open one */
};

void json_init(struct json *j, FILE *to);

/*
 * Begin an object or an array, nested at most JSON_DEPTH deep; end the innermost one. The end of the outermost one
 * ends the line.
 */
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end(struct json *j);

/*
 * Texts may be UTF-8, the JVM's modified UTF-8 (JVMS 4.4.7), or garbage: each invalid byte becomes U+FFFD. NULL is
 * null.
 */
void json_string(struct json *j, const char *key, const char *text);
void json_bytes(struct json *j, const char *key, const char *text, size_t size);

void json_signed(struct json *j, const char *key, int64_t n);
void json_unsigned(struct json *j, const char *key, uint64_t n);
void json_real(struct json *j, const char *key, double n); /* infinities and NaN are null */
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);
void json_literal(struct json *j, const char *key, const char *text); /* a number or word of JSON, as it stands */

#endif
