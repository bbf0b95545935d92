// SPDX-License-Identifier: BSD-2-Clause
/*
 * Parsing HotSpot's thread dump. Two kinds of line matter:
 *
 *	"http-1" #31 daemon prio=5 os_prio=0 cpu=3.1ms elapsed=5.0s tid=0x... nid=0x1a2b runnable  [0x...]
 *		at com.acme.Cart.checkout(Cart.java:42)				JDK 8
 *		at java.lang.Thread.sleep(java.base@17.0.15/Native Method)	9+: the module is in the parentheses
 *		at com.acme.Cart$$Lambda$14/0x00000008000c2840.run(Unknown Source)
 *
 * Stack traces of Throwable begin with loader and module ("app//com.acme.Cart.checkout",
 * "app/shop@1.0/com.acme..."); both forms are accepted. A hidden class's "/0x..." (8: a decimal number) is part of
 * its name. nid is the kernel's thread id, hexadecimal or (since 19) decimal.
 */
#include "user/process/dump.h"
#include "format/vec.h"
#include "user/process/attach.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 15000

int target_thread_dump(const struct target *t, char **dump, struct diag *d)
{
	int code;

	return attach_command(t, "threaddump", NULL, TIMEOUT_MS, &code, dump, d);
}

static void dump_copy(char *out, size_t size, const char *from, size_t length)
{
	snprintf(out, size, "%.*s", (int)(length < size ? length : size), from);
}

/* nid=0x1a2b, nid=6699 */
static uint32_t parse_tid(const char *from, const char *end)
{
	static const char key[] = " nid=";
	const char *at = memmem(from, end - from, key, strlen(key));

	return at ? strtoul(at + strlen(key), NULL, 0) : 0;
}

/* The name may contain quotes: it ends at the last one that is followed by a known word. */
static bool parse_thread(const char *line, size_t length, struct active_frame *f)
{
	static const char *const followers[] = {" #", " daemon ", " prio=", " os_prio=", " virtual"};
	const char *end = NULL;

	if (length < 2 || line[0] != '"')
		return false;
	for (const char *c = line + 1; c < line + length; c++)
		for (int i = 0; *c == '"' && i < 5; i++)
			if (strncmp(c + 1, followers[i], strlen(followers[i])) == 0)
				end = c;
	if (!end)
		end = memchr(line + 1, '"', length - 1);
	if (!end)
		return false;
	dump_copy(f->thread, sizeof(f->thread), line + 1, end - line - 1);
	f->tid = parse_tid(end, line + length);
	return true;
}

/* "http-1" #31 */
static uint64_t parse_java_id(const char *line, size_t length, const struct active_frame *f)
{
	size_t name = strlen(f->thread);

	return length > name + 4 && !strncmp(line + 1 + name, "\" #", 3) ? strtoull(line + name + 4, NULL, 10) : 0;
}

int dump_each_thread(const char *text, int (*visit)(const struct dump_thread *t, void *context), void *context)
{
	struct active_frame f = {0};
	size_t length;
	int r = 0;

	for (; *text && !r; text += length + (text[length] == '\n')) {
		struct dump_thread t;

		length = strcspn(text, "\n");
		if (!parse_thread(text, length, &f))
			continue;
		t = (struct dump_thread){.java_id = parse_java_id(text, length, &f), .tid = f.tid};
		memcpy(t.name, f.thread, sizeof(t.name));
		if (t.java_id && t.tid)
			r = visit(&t, context);
	}
	return r;
}

/* Skip loader and module, up to the last '/' that no digit follows. */
static const char *skip_module(const char *name, const char *end)
{
	const char *begin = name;

	for (const char *c = name; c + 1 < end; c++)
		if (*c == '/' && !isdigit((unsigned char)c[1]))
			begin = c + 1;
	return begin;
}

/* (Cart.java:42), (Cart.java), (java.base@17.0.15/Native Method), (Unknown Source) */
static void parse_place(const char *open, const char *end, struct active_frame *f)
{
	static const char native[] = "Native Method)", unknown[] = "Unknown Source)";
	const char *colon;

	while (end > open && end[-1] != ')')
		end--;
	colon = memrchr(open, ':', end - open);
	f->native = memmem(open, end - open, native, strlen(native));
	f->unknown = memmem(open, end - open, unknown, strlen(unknown));
	f->line = colon && isdigit((unsigned char)colon[1]) ? atoi(colon + 1) : -1;
}

static bool parse_frame(const char *line, size_t length, struct active_frame *f)
{
	const char *end = line + length, *name, *open, *dot;

	while (line < end && isspace((unsigned char)*line))
		line++;
	if (end - line < 4 || strncmp(line, "at ", 3))
		return false;
	name = line + 3;
	open = memchr(name, '(', end - name);
	if (!open)
		return false;
	name = skip_module(name, open);
	dot = memrchr(name, '.', open - name);
	if (!dot || dot == name || dot + 1 == open)
		return false;
	dump_copy(f->class_name, sizeof(f->class_name), name, dot - name);
	dump_copy(f->method, sizeof(f->method), dot + 1, open - dot - 1);
	parse_place(open, end, f);
	return true;
}

int dump_each_frame(const char *text, int (*visit)(const struct active_frame *f, void *context), void *context)
{
	struct active_frame f = {0};
	size_t length;
	int r = 0;

	for (; *text && !r; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		if (!parse_thread(text, length, &f) && parse_frame(text, length, &f))
			r = visit(&f, context);
	}
	return r;
}

static int java_threads_add(const struct dump_thread *thread, void *context)
{
	struct java_threads *t = context;

	if (vec_reserve(&t->thread, &t->capacity, t->count + 1))
		return -ENOMEM;
	t->thread[t->count++] = *thread;
	return 0;
}

static int java_threads_compare(const void *a, const void *b)
{
	const struct dump_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

void java_threads_read(struct java_threads *t, const char *dump)
{
	t->count = 0;
	dump_each_thread(dump, java_threads_add, t);
	if (t->count)
		qsort(t->thread, t->count, sizeof(t->thread[0]), java_threads_compare);
}

void java_threads_release(struct java_threads *t)
{
	free(t->thread);
	*t = (struct java_threads){.count = 0};
}

const struct dump_thread *java_threads_find(const struct java_threads *t, uint32_t tid)
{
	struct dump_thread wanted = {.tid = tid};

	return t->count ? bsearch(&wanted, t->thread, t->count, sizeof(wanted), java_threads_compare) : NULL;
}
