// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/threads.h"
#include "user/text/java_number.h"

#include <ctype.h>
#include <stdlib.h>

void threads_release(struct threads *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->thread[i].name);
		free(t->thread[i].group);
	}
	free(t->thread);
	chunk_map_release(&t->keys);
	map_release(&t->ids);
	texts_release(&t->names);
	*t = (struct threads){0};
}

/* "pool-1-thread-17" becomes "pool-*-thread-*". */
static char *thread_group_of(const char *name)
{
	char *group = memory_need(malloc(strlen(name) + 1)), *to = group;

	for (; *name; name++) {
		if (!isdigit((unsigned char)*name))
			*to++ = *name;
		else if (to == group || to[-1] != '*')
			*to++ = '*';
	}
	*to = 0;
	return group;
}

void put_thread_kind(struct bytes *out, struct jfr_chunk *chunk, struct jfr_value thread, const char *none)
{
	struct jfr_value is_virtual;
	struct bytes name;
	char *group;

	jfr_resolve(chunk, &thread);
	is_virtual = jfr_field(chunk, &thread, "virtual");
	bytes_init(&name);
	put_thread_name(&name, chunk, thread, none);
	group = is_virtual.kind == VALUE_BOOLEAN && is_virtual.number ? thread_group_of(memory_text(&name)) : NULL;
	put_text(out, group ?: memory_text(&name));
	free(group);
	bytes_release(&name);
}

static int64_t thread_id_field(struct jfr_chunk *chunk, const struct jfr_value *thread, const char *field)
{
	struct jfr_value v = jfr_field(chunk, thread, field);

	return v.kind == VALUE_NUMBER && v.number > 0 ? v.number : 0;
}

static uint32_t threads_new(struct threads *t, struct jfr_chunk *chunk, struct jfr_value thread, char *name)
{
	jfr_resolve(chunk, &thread);
	memory_reserve(&t->thread, &t->capacity, t->count + 1);
	t->thread[t->count++] = (struct threads_entry){.name = name,
						       .group = thread_group_of(name),
						       .tid = thread_id_field(chunk, &thread, "osThreadId"),
						       .java_id = thread_id_field(chunk, &thread, "javaThreadId")};
	return t->count;
}

static uint32_t threads_find(struct threads *t, struct jfr_chunk *chunk, const struct jfr_value *thread, bool by_name)
{
	uint64_t id = thread_number(chunk, *thread);
	struct bytes name;
	uint32_t *number;

	if (!id && !by_name)
		return 0;
	bytes_init(&name);
	put_thread_name(&name, chunk, *thread, by_name ? "unknown thread" : "?");
	number = memory_map_at(&t->ids, id ?: texts_number(&t->names, memory_text(&name)), !id);
	if (!*number)
		*number = threads_new(t, chunk, *thread, memory_need(bytes_steal_text(&name)));
	bytes_release(&name);
	return *number;
}

static uint32_t threads_of_key(struct threads *t, struct jfr_chunk *chunk, const struct jfr_value *thread, bool by_name)
{
	uint32_t *number = chunk_map_at(&t->keys, chunk, thread, 0);

	if (!*number)
		*number = threads_find(t, chunk, thread, by_name) + 1;
	return *number - 1;
}

uint32_t threads_number(struct threads *t, struct jfr_chunk *chunk, const struct jfr_value *thread)
{
	return thread->kind == VALUE_KEY ? threads_of_key(t, chunk, thread, false) : 0;
}

uint32_t threads_named(struct threads *t, struct jfr_chunk *chunk, const struct jfr_value *thread)
{
	return threads_of_key(t, chunk, thread, true);
}

uint32_t threads_of_id(const struct threads *t, uint64_t id)
{
	return id ? map_get(&t->ids, id, 0) : 0;
}
