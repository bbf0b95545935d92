// SPDX-License-Identifier: BSD-2-Clause
#include "user/segment/segment_names.h"
#include "user/text/java_name.h"

#include <stdio.h>

void segment_name_full(const struct segment *s, uint32_t class_name, uint32_t method, uint32_t descriptor, char *out,
		       size_t size)
{
	char class_text[1024], name[512], types[4096], printed[1024] = "";

	segment_string(s, class_name, class_text, sizeof(class_text));
	java_name_dots(class_text);
	if (segment_string(s, method, name, sizeof(name))) {
		segment_string(s, descriptor, types, sizeof(types));
		java_name_print(name, types, printed, sizeof(printed));
	}
	snprintf(out, size, "%s%s%s", class_text, *printed ? "." : "", printed);
}

void segment_name_method(const struct segment *s, uint32_t id, char *out, size_t size)
{
	const struct frt_method *m = segment_method(s, id);
	const struct frt_class *c = m ? segment_class(s, m->class_id) : NULL;

	if (c)
		segment_name_full(s, c->name, m->name, m->descriptor, out, size);
	else
		snprintf(out, size, "unknown");
}

void segment_name_loader(const struct segment *s, uint32_t number, char *out, size_t size)
{
	const struct frt_loader *l = segment_loader(s, number);

	snprintf(out, size, "boot");
	if (!l || number == FRT_BOOT_LOADER)
		return;
	if (!segment_string(s, l->name, out, size)) {
		segment_string(s, l->type, out, size);
		java_name_dots(out);
	}
}
