/* SPDX-License-Identifier: BSD-2-Clause */
/* The loaded classes by name, and who declares a field. */
#ifndef USER_JVM_CLASS_LIST_H
#define USER_JVM_CLASS_LIST_H

#include "filters/near.h"
#include "format/diag.h"
#include "user/hotspot/layout.h"

#include <stdbool.h>

struct class_list {
	const struct hotspot_layout *layout;
	const struct mem *mem;
	struct listed_class {
		uint64_t klass, loader;
		const char *name; /* internal form */
	} *class;
	uint32_t count;
	size_t capacity;
	struct method_table *texts;
	void (*doubts)(const char *message); /* told about fields that no loaded class has; may be NULL */
	bool patient;			     /* the caller comes again when more classes are loaded */
};

/* 0 or -errno. To be released in either case. */
int class_list_read(struct class_list *l, const struct hotspot_layout *layout, const struct mem *mem, struct diag *d);
void class_list_release(struct class_list *l);

/* The class of that name and loader, else of any loader. NULL: it is not loaded. */
const struct listed_class *class_list_find(const struct class_list *l, const char *name, size_t length,
					   uint64_t loader);

/* The class above this one. NULL: there is none, or it is unknown. */
const struct listed_class *class_list_super(const struct class_list *l, const struct listed_class *c);

#define CLASS_LIST_NAMES 400 /* bytes of a list of names in a message */

/* A field that is looked for by its name, which is not 0-terminated; the rest is found. */
struct field_search {
	const char *name;
	size_t length;
	bool found, statical;
	char descriptor[512];
	char others[CLASS_LIST_NAMES]; /* the fields that there are */
	struct near_names near;	       /* among them; its name is set by the search */
};

/* Add a name to such a list, followed directly by `more`. */
void class_list_add_name(char names[CLASS_LIST_NAMES], const char *name, const char *more);

/* The name of the class that declares the field: the class itself or one above it. NULL: none does. */
const char *class_list_find_field(const struct class_list *l, const struct listed_class *c, struct field_search *s);

/* Are objects of a class always those of classes below it, or is it Object? */
bool class_list_is_abstract(const struct class_list *l, const struct listed_class *c);

/* Is a loaded class a subtype of this one? Sets s->found if one of them declares the field for its objects. */
bool class_list_find_below(const struct class_list *l, const char *name, struct field_search *s);

#endif
