// SPDX-License-Identifier: BSD-2-Clause
#include "user/export/export.h"
#include "user/trace/jfr_names.h"
#include "user/trace/normal_name.h"
#include "user/view/views.h"

#include <stdlib.h>
#include <string.h>

void export_names_init(struct export_names *n, bool normalize)
{
	*n = (struct export_names){.normalize = normalize};
	bytes_init(&n->text);
}

void export_names_release(struct export_names *n)
{
	aggregate_release(&n->methods);
	aggregate_release(&n->threads);
	aggregate_release(&n->texts);
	bytes_release(&n->text);
}

static uint64_t export_names_key_of(const struct jfr_value *v)
{
	return v->kind == VALUE_KEY ? v->key : 0;
}

const char *export_method(struct export_names *n, struct jfr_chunk *chunk, const struct jfr_value *method)
{
	struct group *g = aggregate_of(&n->methods, export_names_key_of(method), chunk->number);

	if (!g)
		return NULL;
	if (!g->count) {
		char *name = method_text(chunk, *method);

		if (name && n->normalize)
			normal_name(name);
		g->name = name;
		g->count = name != NULL;
	}
	return g->name;
}

static int64_t export_names_number_of(struct jfr_chunk *chunk, const struct jfr_value *thread, const char *field)
{
	struct jfr_value v = jfr_field(chunk, thread, field);

	return v.kind == VALUE_NUMBER ? v.number : 0;
}

static char *name_of(struct export_names *n, struct jfr_chunk *chunk, const struct jfr_value *thread)
{
	struct jfr_value name = jfr_field(chunk, thread, "javaName");

	if (name.kind != VALUE_TEXT)
		name = jfr_field(chunk, thread, "osName");
	bytes_clear(&n->text);
	if (name.kind == VALUE_TEXT)
		put_value_text(&n->text, &name);
	bytes_put_u8(&n->text, 0);
	return n->text.failed ? NULL : strdup((char *)n->text.data);
}

struct group *export_thread(struct export_names *n, const struct call *call)
{
	struct group *g = aggregate_of(&n->threads, export_names_key_of(&call->thread), call->chunk->number);
	struct jfr_value thread = call->thread;

	if (!g || g->count)
		return g;
	jfr_resolve(call->chunk, &thread);
	g->name = name_of(n, call->chunk, &thread);
	g->mark = export_names_number_of(call->chunk, &thread, "javaThreadId");
	if (!g->mark)
		g->mark = export_names_number_of(call->chunk, &thread, "osThreadId");
	return g->name ? g : NULL;
}

const char *export_thrown(struct export_names *n, const struct call *call)
{
	bytes_clear(&n->text);
	call_put_thrown(call, &n->text);
	bytes_put_u8(&n->text, 0);
	return n->text.failed ? "" : (char *)n->text.data;
}

uint32_t export_text(struct export_names *n, const char *text)
{
	struct group *g = text ? aggregate_of(&n->texts, hash_data(text, strlen(text)), 0) : NULL;

	if (!g)
		return 0;
	if (!g->count) {
		g->name = strdup(text);
		g->count = g->name != NULL;
	}
	return g->count ? g - n->texts.group + 1 : 0;
}
