// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/jfr_names.h"
#include "filters/java_type.h"
#include "filters/mapping.h"
#include "user/text/java_number.h"
#include "user/text/memory.h"
#include "user/text/term.h"

#include <stdlib.h>

void put_shown_name(struct bytes *out, const char *name)
{
	text_show_name(out, name, strlen(name));
}

static void put_dotted(struct bytes *out, const char *text, size_t size)
{
	size_t begin = out->size;

	text_show_name(out, text, size);
	for (size_t i = begin; !out->failed && i < out->size; i++)
		if (out->data[i] == '/')
			out->data[i] = '.';
}

void put_parameters(struct bytes *out, const char *descriptor)
{
	struct bytes types;

	bytes_init(&types);
	java_types_put(&types, descriptor);
	text_show_name(out, (char *)types.data, types.size);
	out->failed |= types.failed;
	bytes_release(&types);
}

/* The name as the program's source has it, if the chunk has a mapping. */
static void put_original_class(struct bytes *out, const struct jfr_chunk *chunk, const char *name)
{
	struct slice own = slice_of(name);

	if (chunk->mapping && *name != '[')
		own = mapping_class(chunk->mapping, own);
	if (chunk->mapping && *name == '[')
		mapping_put_descriptor(chunk->mapping, out, own);
	else
		bytes_put(out, own.at, own.length);
}

void put_class_name(struct bytes *out, const struct jfr_chunk *chunk, const char *name, const char *size)
{
	struct java_type type;
	struct bytes own, text;

	bytes_init(&own);
	bytes_init(&text);
	put_original_class(&own, chunk, name);
	if (*name == '[' && java_type_next(bytes_text(&own), &type))
		java_type_put(&text, &type, true, size);
	put_dotted(out, text.size ? (char *)text.data : bytes_text(&own), text.size ?: own.size);
	out->failed |= text.failed | own.failed;
	bytes_release(&own);
	bytes_release(&text);
}

void put_value_text(struct bytes *out, const struct jfr_value *text)
{
	struct bytes decoded;

	if (text->kind != VALUE_TEXT) {
		put_text(out, "null");
		return;
	}
	bytes_init(&decoded);
	bytes_put_decoded(&decoded, &text->text);
	text_show_name(out, (char *)decoded.data, decoded.size);
	out->failed |= decoded.failed;
	bytes_release(&decoded);
}

/* Copy the name of a class; free it with free(). NULL: no name or no memory. */
static char *names_class_name(struct jfr_chunk *chunk, const struct jfr_value *class)
{
	struct jfr_value name = jfr_field(chunk, class, "name");
	struct bytes b;

	if (name.kind != VALUE_TEXT)
		return NULL;
	bytes_init(&b);
	bytes_put_decoded(&b, &name.text);
	bytes_put_u8(&b, 0);
	if (b.failed)
		bytes_release(&b);
	return (char *)b.data;
}

static void put_name_of_class(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *class, bool arrays)
{
	char *name = names_class_name(chunk, class);

	if (!name)
		put_text(out, "null");
	else if (arrays)
		put_class_name(out, chunk, name, "");
	else
		put_dotted(out, name, strlen(name));
	free(name);
}

/* False: there is none. */
static bool method_parts_take_one(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *of,
				  const char *field)
{
	struct jfr_value part = jfr_field(chunk, of, field);

	bytes_init(out);
	if (part.kind == VALUE_TEXT)
		bytes_put_decoded(out, &part.text);
	return part.kind == VALUE_TEXT;
}

static struct slice method_part_slice(const struct bytes *part)
{
	return (struct slice){(const char *)part->data, part->size};
}

static void method_part_replace(struct bytes *part, struct slice by)
{
	struct bytes own = *part; /* which `by` may be in */

	bytes_init(part);
	bytes_put(part, by.at, by.length);
	bytes_release(&own);
}

static void method_parts_rename(struct method_parts *p, const struct mapping *m)
{
	struct mapped_method original =
		mapping_method(m, method_part_slice(&p->class_name), method_part_slice(&p->name),
			       method_part_slice(&p->descriptor), p->line);
	struct bytes descriptor;

	p->line = original.line;
	method_part_replace(&p->class_name, original.class_name);
	method_part_replace(&p->name, original.name);
	bytes_init(&descriptor);
	mapping_put_descriptor(m, &descriptor, method_part_slice(&p->descriptor));
	bytes_release(&p->descriptor);
	p->descriptor = descriptor;
}

void method_parts_take(struct method_parts *p, struct jfr_chunk *chunk, const struct jfr_value *method, int64_t line)
{
	struct jfr_value class = jfr_field(chunk, method, "type");

	p->has_class = method_parts_take_one(&p->class_name, chunk, &class, "name");
	p->has_name = method_parts_take_one(&p->name, chunk, method, "name");
	method_parts_take_one(&p->descriptor, chunk, method, "descriptor");
	p->line = line;
	if (chunk->mapping && p->has_class && p->has_name)
		method_parts_rename(p, chunk->mapping);
}

void method_parts_release(struct method_parts *p)
{
	bytes_release(&p->class_name);
	bytes_release(&p->name);
	bytes_release(&p->descriptor);
}

static void method_parts_put(struct bytes *out, const struct bytes *part, bool known)
{
	text_show_name(out, known ? (char *)part->data : "null", known ? part->size : strlen("null"));
	out->failed |= part->failed;
}

static void method_parts_put_all(struct bytes *out, struct method_parts *p)
{
	if (p->has_class)
		put_dotted(out, (char *)p->class_name.data, p->class_name.size);
	else
		put_text(out, "null");
	out->failed |= p->class_name.failed;
	if (p->name.size > 3 && !memcmp(p->name.data, "+0x", 3)) {
		method_parts_put(out, &p->name,
				 true); /* "libx.so+0x1a2b": code of a library that has no symbol there */
		return;
	}
	bytes_put_u8(out, '.');
	method_parts_put(out, &p->name, p->has_name);
	bytes_put_u8(out, '(');
	put_parameters(out, bytes_text(&p->descriptor));
	bytes_put_u8(out, ')');
}

void put_method(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *method)
{
	struct method_parts parts;

	method_parts_take(&parts, chunk, method, -1);
	method_parts_put_all(out, &parts);
	method_parts_release(&parts);
}

static int64_t frame_own_line(struct jfr_chunk *chunk, const struct jfr_value *frame)
{
	struct jfr_value line = jfr_field(chunk, frame, "lineNumber");

	return line.kind == VALUE_NUMBER && line.number >= 0 ? line.number : -1;
}

int64_t frame_line(struct jfr_chunk *chunk, const struct jfr_value *frame)
{
	int64_t line = frame_own_line(chunk, frame);
	struct method_parts parts;
	struct jfr_value method;

	if (!chunk->mapping)
		return line;
	method = jfr_field(chunk, frame, "method");
	if (method.kind != VALUE_STRUCT)
		return line;
	method_parts_take(&parts, chunk, &method, line);
	method_parts_release(&parts);
	return parts.line;
}

void put_frame(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *frame, const char *unknown)
{
	struct jfr_value method = jfr_field(chunk, frame, "method");
	struct method_parts parts = {.line = frame_own_line(chunk, frame)};

	if (method.kind == VALUE_STRUCT) {
		method_parts_take(&parts, chunk, &method, parts.line);
		method_parts_put_all(out, &parts);
		method_parts_release(&parts);
	} else {
		put_text(out, unknown);
	}
	if (parts.line >= 0) {
		bytes_put_u8(out, ':');
		put_integer(out, parts.line);
	}
}

static void put_loader_name(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *loader)
{
	struct jfr_value name = jfr_field(chunk, loader, "name"), type = jfr_field(chunk, loader, "type");

	if (name.kind == VALUE_TEXT)
		put_value_text(out, &name);
	else
		put_name_of_class(out, chunk, &type, false);
}

void put_class(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *class)
{
	struct jfr_value loader = jfr_field(chunk, class, "classLoader");

	put_name_of_class(out, chunk, class, true);
	put_text(out, " (classLoader = ");
	put_loader_name(out, chunk, &loader);
	bytes_put_u8(out, ')');
}

static int64_t field_number(struct jfr_chunk *chunk, const struct jfr_value *v, const char *name, int64_t otherwise)
{
	struct jfr_value number = jfr_field(chunk, v, name);

	return number.kind == VALUE_NUMBER || number.kind == VALUE_BOOLEAN ? number.number : otherwise;
}

void put_thread(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *thread)
{
	int64_t id = field_number(chunk, thread, "javaThreadId", -1);
	bool is_virtual = field_number(chunk, thread, "virtual", 0);
	struct jfr_value name = jfr_field(chunk, thread, id > 0 ? "javaName" : "osName");

	bytes_put_u8(out, '"');
	put_value_text(out, &name);
	put_text(out, id > 0 ? "\" (javaThreadId = " : "\" (osThreadId = ");
	if (id <= 0)
		id = is_virtual ? -1 : field_number(chunk, thread, "osThreadId", -1);
	else if (is_virtual) {
		put_integer(out, id);
		put_text(out, ", virtual)");
		return;
	}
	put_integer(out, id);
	bytes_put_u8(out, ')');
}

void put_method_or_none(struct bytes *out, struct jfr_chunk *chunk, struct jfr_value method)
{
	jfr_resolve(chunk, &method);
	if (method.kind == VALUE_STRUCT)
		put_method(out, chunk, &method);
	else
		put_text(out, "N/A");
}

char *method_text(struct jfr_chunk *chunk, struct jfr_value method)
{
	struct bytes text;

	bytes_init(&text);
	put_method_or_none(&text, chunk, method);
	return memory_need(bytes_steal_text(&text));
}
