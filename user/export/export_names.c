// SPDX-License-Identifier: BSD-2-Clause
#include "user/export/export.h"
#include "user/trace/jfr_names.h"
#include "user/trace/normal_name.h"
#include "user/trace/wait.h"

#include <stdlib.h>

void export_names_init(struct export_names *n, bool normalize)
{
	*n = (struct export_names){.normalize = normalize};
	bytes_init(&n->text);
}

void export_names_release(struct export_names *n)
{
	texts_release(&n->texts);
	chunk_map_release(&n->methods);
	aggregate_release(&n->threads);
	bytes_release(&n->text);
}

uint32_t export_method_number(struct export_names *n, struct jfr_chunk *chunk, const struct jfr_value *method)
{
	uint32_t *number = chunk_map_at(&n->methods, chunk, method, 0);

	if (!*number) {
		char *name = method_text(chunk, *method);

		if (n->normalize)
			normal_name(name);
		*number = texts_number(&n->texts, name);
		free(name);
	}
	return *number;
}

const char *export_method(struct export_names *n, struct jfr_chunk *chunk, const struct jfr_value *method)
{
	uint32_t number = export_method_number(n, chunk, method);

	return n->texts.text[number];
}

static int64_t export_names_number_of(struct jfr_chunk *chunk, const struct jfr_value *thread, const char *field)
{
	struct jfr_value v = jfr_field(chunk, thread, field);

	return v.kind == VALUE_NUMBER ? v.number : 0;
}

struct group *export_thread(struct export_names *n, const struct call *call)
{
	struct group *g = aggregate_of(&n->threads, chunk_map_key(&call->thread), call->chunk->number);
	struct jfr_value thread = call->thread;

	if (g->count)
		return g;
	jfr_resolve(call->chunk, &thread);
	bytes_clear(&n->text);
	put_thread_name(&n->text, call->chunk, thread, "");
	g->name = memory_need(strdup(memory_text(&n->text)));
	g->mark = export_names_number_of(call->chunk, &thread, "javaThreadId");
	if (!g->mark)
		g->mark = export_names_number_of(call->chunk, &thread, "osThreadId");
	return g;
}

const char *export_thrown(struct export_names *n, const struct call *call)
{
	bytes_clear(&n->text);
	call_put_thrown(call, &n->text);
	return memory_text(&n->text);
}
