/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON (RFC 8259), written value by value, on one line. The key is NULL in an
 * array and at the top. What is printed is always UTF-8 and always JSON,
 * whatever the texts hold.
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
	FILE *to; /* borrowed; its errors are its owner's business */
	unsigned int depth;
	bool more;		/* a value stands before the next one */
	char close[JSON_DEPTH]; /* '}' or ']' of what is open */
};

void json_init(struct json *j, FILE *to);

/* Begin an object or an array, at most JSON_DEPTH in each other; end the innermost. The end of the outermost ends the line. */
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end(struct json *j);

/*
 * Texts: UTF-8, the JVM's modified UTF-8 (JVMS 4.4.7), or garbage: a byte that
 * belongs to nothing becomes U+FFFD. NULL is null.
 */
void json_string(struct json *j, const char *key, const char *text);
void json_bytes(struct json *j, const char *key, const char *text, size_t size);

void json_signed(struct json *j, const char *key, int64_t n);
void json_unsigned(struct json *j, const char *key, uint64_t n);
void json_real(struct json *j, const char *key, double n); /* what is not finite is null */
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

#endif
