// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/class_tree.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *const edit_result_text[] = {
	[EDIT_DONE] = "edited",		[EDIT_NO_CODE] = "no code",    [EDIT_JSR] = "jsr or ret",
	[EDIT_TOO_LARGE] = "too large", [EDIT_HUGE] = "would be huge", [EDIT_MALFORMED] = "malformed",
	[EDIT_SHAPE] = "shape",
};

void *file_read(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	void *bytes = NULL;

	if (f && !fstat(fileno(f), &st) && (bytes = malloc((size_t)st.st_size + 1)))
		*size = fread(bytes, 1, (size_t)st.st_size, f);
	if (!bytes)
		fprintf(stderr, "cannot read '%s': %s\n", path, strerror(errno));
	if (f)
		fclose(f);
	return bytes;
}

int file_write(const char *path, const void *bytes, size_t size)
{
	char part[4096];
	const char *slash;
	bool done;
	FILE *f;

	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		mkdir(part, 0755);
	}
	f = fopen(path, "wb");
	done = f && fwrite(bytes, 1, size, f) == size;
	if (f && fclose(f))
		done = false;
	if (!done)
		fprintf(stderr, "cannot write '%s': %s\n", path, strerror(errno));
	return done ? 0 : -1;
}

static bool class_left_alone(const struct class_tree *t, const struct class_file *c)
{
	return slice_begins(c->name, "java/util/concurrent/locks/") ||
	       slice_is(c->name, "jdk/internal/vm/Continuation") || slice_is(c->name, t->owner);
}

static bool method_left_alone(const struct class_file *c, const struct class_method *m)
{
	return class_method_has_annotation(c, m, "Ljdk/internal/vm/annotation/ReservedStackAccess;") ||
	       class_method_has_annotation(c, m, "Ljdk/internal/vm/annotation/JvmtiMountTransition;") ||
	       class_method_is_empty_finalizer(c, m);
}

static void note_result(struct class_tree *t, const struct class_file *c, const struct method_edit *e)
{
	const struct class_method *m = &c->method[e->method];
	bool lambda = slice_begins(m->name, "lambda$");

	t->results[e->result]++;
	if (e->result == EDIT_DONE && t->ids)
		fprintf(t->ids, "%u %.*s.%.*s\n", e->id, (int)c->name.length, c->name.at,
			lambda ? 6 : (int)m->name.length, m->name.at);
	if (e->result > EDIT_NO_CODE && t->log)
		fprintf(t->log, "%s: %.*s.%.*s%.*s\n", edit_result_text[e->result], (int)c->name.length, c->name.at,
			(int)m->name.length, m->name.at, (int)m->descriptor.length, m->descriptor.at);
}

static enum class_status edit_methods(struct class_tree *t, const struct class_file *c, struct arena *a,
				      const uint8_t **out, size_t *out_size)
{
	struct class_hooks hooks = {t->owner, "enter", "leave", "thrown", "left", "threw"};
	struct method_edit *edits = calloc(c->methods + 1u, sizeof(*edits));
	enum class_status status;
	uint32_t i, n = 0;

	for (i = 0; i < c->methods; i++)
		if (method_left_alone(c, &c->method[i]))
			t->left_alone++;
		else
			edits[n++] = (struct method_edit){.method = (uint16_t)i, .id = t->next_id++};
	status = class_edit(c, &hooks, edits, n, a, out, out_size);
	for (i = 0; i < n && !status; i++)
		note_result(t, c, &edits[i]);
	free(edits);
	return status;
}

/* The result lies in *memory; it is the original if nothing has to be edited. */
static enum class_status edit_class(struct class_tree *t, const void *bytes, size_t size, void **memory,
				    const uint8_t **out, size_t *out_size)
{
	struct arena a = {.left = class_edit_memory(size)};
	struct class_file c;
	enum class_status status;

	*memory = a.at = malloc(a.left);
	*out = bytes;
	*out_size = size;
	status = class_parse(&c, bytes, size, &a);
	if (!status && !class_left_alone(t, &c))
		status = edit_methods(t, &c, &a, out, out_size);
	t->classes++;
	t->failed += status != CLASS_OK;
	t->old_size += size;
	t->new_size += *out_size;
	return status;
}

static int edit_file(struct class_tree *t, const char *from, const char *to)
{
	void *bytes, *memory;
	const uint8_t *out;
	size_t size, out_size;
	enum class_status status;
	int err;

	bytes = file_read(from, &size);
	if (!bytes)
		return -1;
	status = edit_class(t, bytes, size, &memory, &out, &out_size);
	if (status && t->log)
		fprintf(t->log, "class status %d: %s\n", status, from);
	err = file_write(to, out, out_size);
	free(memory);
	free(bytes);
	return err;
}

/* nftw() has no context argument */
static struct {
	struct class_tree *t;
	const char *from, *to;
} walk;

static int visit(const char *path, const struct stat *st, int type, struct FTW *w)
{
	size_t length = strlen(path);
	char target[4096];

	if (type != FTW_F || length < 6 || strcmp(path + length - 6, ".class") || strstr(path, "module-info"))
		return 0;
	snprintf(target, sizeof(target), "%s/%s", walk.to, path + strlen(walk.from) + 1);
	return edit_file(walk.t, path, target);
}

int class_tree_edit(struct class_tree *t, const char *from, const char *to)
{
	walk.t = t;
	walk.from = from;
	walk.to = to;
	return nftw(from, visit, 32, FTW_PHYS);
}
