// SPDX-License-Identifier: BSD-2-Clause
#include "user/segment/segment_names.h"
#include "filters/java_type.h"
#include "user/text/java_number.h"

static void segment_text(const struct segment *s, uint32_t class_name, uint32_t method, uint32_t descriptor,
			 struct segment_method_text *out)
{
	segment_string(s, class_name, out->class_name, sizeof(out->class_name));
	segment_string(s, method, out->name, sizeof(out->name));
	segment_string(s, descriptor, out->descriptor, sizeof(out->descriptor));
}

const struct frt_method *segment_method_text(const struct segment *s, uint32_t id, struct segment_method_text *out)
{
	const struct frt_method *m = segment_method(s, id);
	const struct frt_class *c = m ? segment_class(s, m->class_id) : NULL;

	segment_text(s, c ? c->name : 0, c ? m->name : 0, c ? m->descriptor : 0, out);
	return c ? m : NULL;
}

static void put_text_signature(struct bytes *out, const struct segment_method_text *t)
{
	char printed[SEGMENT_NAME];

	java_name_print(t->name, t->descriptor, printed, sizeof(printed));
	put_text(out, printed);
}

static void put_method_text(struct bytes *out, struct segment_method_text *t)
{
	java_name_dots(t->class_name);
	put_text(out, t->class_name);
	if (!t->name[0])
		return;
	put_text(out, ".");
	put_text_signature(out, t);
}

void segment_put_name(struct bytes *out, const struct segment *s, uint32_t class_name, uint32_t method,
		      uint32_t descriptor)
{
	struct segment_method_text t;

	segment_text(s, class_name, method, descriptor, &t);
	put_method_text(out, &t);
}

void segment_put_signature(struct bytes *out, const struct segment *s, const struct frt_method *m)
{
	struct segment_method_text t;

	segment_text(s, 0, m->name, m->descriptor, &t);
	put_text_signature(out, &t);
}

void segment_put_method(struct bytes *out, const struct segment *s, uint32_t id)
{
	struct segment_method_text t;

	if (segment_method_text(s, id, &t))
		put_method_text(out, &t);
	else
		put_text(out, "unknown");
}

void segment_put_loader(struct bytes *out, const struct segment *s, uint32_t number)
{
	const struct frt_loader *l = segment_loader(s, number);
	char text[SEGMENT_NAME] = "boot";

	if (l && number != FRT_BOOT_LOADER && !segment_string(s, l->name, text, sizeof(text))) {
		segment_string(s, l->type, text, sizeof(text));
		java_name_dots(text);
	}
	put_text(out, text);
}
