// SPDX-License-Identifier: BSD-2-Clause
#include "user/print/printer.h"
#include "user/text/io.h"
#include "user/text/memory.h"
#include "user/text/term.h"

#include <errno.h>
#include <unistd.h>

#define FLUSH_SIZE (256u << 10)
#define MAX_EVENT  (32u << 20) /* JSON of 2,048 frames takes 5 MB */

void printer_init(struct printer *p, int fd)
{
	memset(p, 0, sizeof(*p));
	p->fd = fd;
	p->terminal = isatty(fd);
	p->stack_depth = 5;
	p->max_event = MAX_EVENT;
}

void printer_release(struct printer *p)
{
	bytes_release(&p->out);
	bytes_release(&p->text);
	render_cache_release(&p->rendered);
}

void printer_begin(struct printer *p, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	printer_flush(p, false);
	p->chunk = chunk;
	p->event = e;
	p->event_begin = p->out.size;
}

/* Escape control characters. The buffer holds whole events, so no character is split. */
static void printer_show(struct printer *p)
{
	struct bytes shown;

	bytes_init(&shown);
	if (text_show(&shown, (const char *)p->out.data, p->out.size) < p->out.size)
		bytes_put(&shown, "\xef\xbf\xbd", 3);
	bytes_release(&p->out);
	p->out = shown;
}

void printer_flush(struct printer *p, bool all)
{
	if (!all && p->out.size < FLUSH_SIZE)
		return;
	if (p->terminal && p->out.size)
		printer_show(p);
	if (p->out.failed)
		memory_exhausted();
	if (!p->error)
		p->error = -io_write_all(p->fd, p->out.data, p->out.size);
	bytes_clear(&p->out);
}

static bool in_itself(const struct printer *p, const struct jfr_value *v)
{
	for (unsigned int i = 0; i < p->depth; i++)
		if (p->path[i].key == v->key && p->path[i].type == v->type)
			return true;
	return false;
}

/* True if the constant must be omitted: it is nested too deeply, inside itself, or in an event that is too large. */
static bool is_cut(struct printer *p, const struct jfr_value *v)
{
	if (p->out.size - p->event_begin > p->max_event)
		p->too_large = true;
	else if (p->depth < PRINTER_MAX_DEPTH && !in_itself(p, v))
		return false;
	p->cuts++;
	return true;
}

void printer_put(struct printer *p, struct jfr_value *v, const struct meta_field *f, unsigned int form,
		 printer_value *print)
{
	struct render_cache_key key;
	size_t start = p->out.size;
	unsigned int cuts = p->cuts;

	if (v->kind != VALUE_KEY) {
		print(p, v, f);
		return;
	}
	key = (struct render_cache_key){v->key, p->chunk->number, v->type->index, form | p->indent << 4};
	if (render_cache_get(&p->rendered, &key, &p->out))
		return;
	if (is_cut(p, v)) {
		v->kind = VALUE_NULL;
		print(p, v, f);
		return;
	}
	p->path[p->depth++] = (struct printer_path){v->type, v->key};
	jfr_resolve(p->chunk, v);
	print(p, v, f);
	p->depth--;
	if ((v->kind == VALUE_STRUCT || v->kind == VALUE_TEXT) && cuts == p->cuts)
		render_cache_put(&p->rendered, &key, p->out.data + start, p->out.size - start);
}

void printer_check(struct printer *p, const struct cursor *c)
{
	if (cursor_ok(c))
		return;
	p->cuts++;
	jfr_fault_add(p->chunk->fault, c->error, p->chunk->at + c->bad);
}

const char *printer_text(struct printer *p, const struct jfr_value *v, size_t *size)
{
	bytes_clear(&p->text);
	if (v->kind == VALUE_TEXT)
		bytes_put_decoded(&p->text, &v->text);
	*size = p->text.size;
	return memory_text(&p->text);
}
