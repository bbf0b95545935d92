// SPDX-License-Identifier: BSD-2-Clause
/*
 * edit_classes OWNER OUTDIR DIR...
 *
 * Edit every method of every .class file below each DIR, with hooks enter,
 * leave and thrown of the class OWNER (internal form), and write the classes
 * to the same places below OUTDIR. Prints how many methods were edited, and
 * each one that was not, with the reason. Ids are given from 0 on.
 *
 * Left as they are, since tracing them would change what they do:
 * java.util.concurrent.locks, Continuation, methods with @ReservedStackAccess
 * or @JvmtiMountTransition, empty finalizers, and OWNER itself.
 */
#include "format/class_edit.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const result_text[] = {
	[EDIT_DONE] = "edited",	      [EDIT_NO_CODE] = "no code",   [EDIT_JSR] = "jsr or ret",
	[EDIT_TOO_LARGE] = "too large", [EDIT_HUGE] = "would be huge", [EDIT_MALFORMED] = "malformed",
	[EDIT_SHAPE] = "shape",
};

static struct {
	struct class_hooks hooks;
	const char *out, *root;
	uint32_t next_id;
	unsigned classes, failed, untouched, results[EDIT_SHAPE + 1];
} run = { .hooks = { .enter = "enter", .leave = "leave", .thrown = "thrown" } };

static void die(const char *what, const char *path)
{
	fprintf(stderr, "edit_classes: %s '%s': %s\n", what, path, strerror(errno));
	exit(1);
}

static void *read_all(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	void *bytes;

	if (!f || fstat(fileno(f), &st))
		die("cannot open", path);
	bytes = malloc((size_t)st.st_size + 1);
	*size = fread(bytes, 1, (size_t)st.st_size, f);
	fclose(f);
	return bytes;
}

static void write_all(const char *path, const void *bytes, size_t size)
{
	char part[4096];
	const char *slash;
	FILE *f;

	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		mkdir(part, 0755);
	}
	f = fopen(path, "wb");
	if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
		die("cannot write", path);
}

static bool text_begins(struct class_text t, const char *prefix)
{
	return t.length >= strlen(prefix) && !memcmp(t.text, prefix, strlen(prefix));
}

static bool class_left_alone(const struct class_file *c)
{
	return text_begins(c->name, "java/util/concurrent/locks/") || class_text_is(c->name, "jdk/internal/vm/Continuation") ||
	       class_text_is(c->name, run.hooks.owner);
}

static bool method_left_alone(const struct class_file *c, const struct class_method *m)
{
	return class_method_has_annotation(c, m, "Ljdk/internal/vm/annotation/ReservedStackAccess;") ||
	       class_method_has_annotation(c, m, "Ljdk/internal/vm/annotation/JvmtiMountTransition;") ||
	       class_method_is_empty_finalizer(c, m);
}

static void count_results(const struct class_file *c, const struct method_edit *edits, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		const struct class_method *m = &c->method[edits[i].method];

		run.results[edits[i].result]++;
		if (edits[i].result > EDIT_NO_CODE)
			printf("%s: %.*s.%.*s%.*s\n", result_text[edits[i].result], c->name.length, c->name.text, m->name.length,
			       m->name.text, m->descriptor.length, m->descriptor.text);
	}
}

static void edit_one(const char *path, const void *bytes, size_t size)
{
	struct arena arena = { .left = class_edit_memory(size) };
	void *memory = arena.at = malloc(arena.left);
	struct method_edit *edits;
	struct class_file c;
	enum class_status status = class_parse(&c, bytes, size, &arena);
	const uint8_t *out = bytes;
	size_t out_size = size;
	char target[4096];
	uint32_t i, n = 0;

	run.classes++;
	snprintf(target, sizeof(target), "%s/%s", run.out, path + strlen(run.root) + 1);
	if (!status && !class_left_alone(&c)) {
		edits = calloc(c.methods + 1u, sizeof(*edits));
		for (i = 0; i < c.methods; i++)
			if (!method_left_alone(&c, &c.method[i]))
				edits[n++] = (struct method_edit){ .method = (uint16_t)i, .id = run.next_id++ };
			else
				run.untouched++;
		status = class_edit(&c, &run.hooks, edits, n, &arena, &out, &out_size);
		if (!status)
			count_results(&c, edits, n);
		free(edits);
	}
	if (status) {
		run.failed++;
		printf("class status %d: %s\n", status, path);
	}
	write_all(target, out, out_size);
	free(memory);
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *w)
{
	size_t length = strlen(path), size;
	void *bytes;

	if (type != FTW_F || length < 6 || strcmp(path + length - 6, ".class") || strstr(path, "module-info"))
		return 0;
	bytes = read_all(path, &size);
	edit_one(path, bytes, size);
	free(bytes);
	return 0;
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 4) {
		fprintf(stderr, "usage: edit_classes OWNER OUTDIR DIR...\n");
		return 2;
	}
	run.hooks.owner = argv[1];
	run.out = argv[2];
	for (i = 3; i < argc; i++) {
		run.root = argv[i];
		if (nftw(argv[i], visit, 32, FTW_PHYS))
			die("cannot walk", argv[i]);
	}
	printf("%u classes, %u failed; methods: %u left alone", run.classes, run.failed, run.untouched);
	for (i = 0; i <= EDIT_SHAPE; i++)
		printf(", %u %s", run.results[i], result_text[i]);
	printf("\n");
	return run.failed != 0;
}
