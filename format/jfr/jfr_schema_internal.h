/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the schema, for jfr_schema.c, which has them, and jfr_schema_tree.c, which writes them. */
#ifndef FORMAT_JFR_JFR_SCHEMA_INTERNAL_H
#define FORMAT_JFR_JFR_SCHEMA_INTERNAL_H

#include "format/jfr/jfr_schema.h"

struct jfr_schema_type {
	const char *name;
	const char *label, *description, *category[2];
	const struct jfr_field *fields;
	bool simple;	   /* readers replace it by its only field */
	bool content_type; /* this annotation gives a unit */
	enum jfr_kernel kernel;
	bool samples; /* only with `samples` of the schema */
};

extern const struct jfr_schema_type jfr_schema_types[JFR_TYPES];

static inline bool jfr_schema_has_type(const struct jfr_schema *s, enum jfr_type id)
{
	return jfr_schema_types[id].kernel <= s->kernel && (!jfr_schema_types[id].samples || s->samples);
}

#endif
