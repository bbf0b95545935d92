// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/jfr_names.h"
#include "filters/java_type.h"
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

void put_class_name(struct bytes *out, const char *name, const char *size)
{
	struct java_type type;
	struct bytes text;

	bytes_init(&text);
	if (*name == '[' && java_type_next(name, &type))
		java_type_put(&text, &type, true, size);
	put_dotted(out, text.size ? (char *)text.data : name, text.size ?: strlen(name));
	out->failed |= text.failed;
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
		put_class_name(out, name, "");
	else
		put_dotted(out, name, strlen(name));
	free(name);
}

static bool name_is_place(const struct jfr_value *name)
{
	return name->kind == VALUE_TEXT && name->text.size > 3 && !memcmp(name->text.data, "+0x", 3);
}

void put_method(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *method)
{
	struct jfr_value class = jfr_field(chunk, method, "type"), name = jfr_field(chunk, method, "name");
	struct jfr_value descriptor = jfr_field(chunk, method, "descriptor");
	struct bytes text;

	put_name_of_class(out, chunk, &class, false);
	if (name_is_place(&name)) { /* "libx.so+0x1a2b": code of a library that has no symbol there */
		put_value_text(out, &name);
		return;
	}
	bytes_put_u8(out, '.');
	put_value_text(out, &name);
	bytes_init(&text);
	if (descriptor.kind == VALUE_TEXT)
		bytes_put_decoded(&text, &descriptor.text);
	bytes_put_u8(&text, 0);
	bytes_put_u8(out, '(');
	if (!text.failed)
		put_parameters(out, (char *)text.data);
	bytes_put_u8(out, ')');
	bytes_release(&text);
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
