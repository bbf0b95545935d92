/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which methods of a class file get hooks: those that the filters select, but
 * for the ones that must not have any. Asks nothing of a JVM.
 */
#ifndef FILTERS_POLICY_H
#define FILTERS_POLICY_H

#include "bpf/frtrace.h"
#include "filters/matcher.h"
#include "format/classfile/class_file.h"

/* What a class file tells of its class: the name, the types right above it, its annotations. Adds to what *tags holds. */
void policy_tag_class(const struct matcher *p, const struct class_file *c, struct matcher_tags *tags);

/*
 * May a class whose name says nothing (MATCHER_TAGGED) have a mark, it or a
 * method? `pool` is its constant pool as class_each_utf8() takes it, which has
 * the name of every type that the class file speaks of; most have none, and
 * are done with here. policy_may_bear() looks for annotations alone.
 */
bool policy_may_have_tag(const struct matcher *p, const void *pool, size_t size, uint16_t count);
bool policy_may_bear(const struct matcher *p, const void *pool, size_t size, uint16_t count);

/* Can a class of that internal name be rewritten at all? Hidden and anonymous ones cannot. */
bool policy_class_name(struct matcher_text name);

/* Must the class be left alone as a whole, and why? */
enum frt_skip_reason policy_class(const struct class_file *c);

/*
 * What the filters want of a method. When they want something *reason says
 * why it cannot be: FRT_SKIP_NONE, it can.
 */
struct matcher_decision policy_method(const struct matcher *p, const struct class_file *c, const struct class_method *m,
				      const struct matcher_tags *of_class, enum frt_skip_reason *reason);

/* Has the JIT machine code of its own for the method, which no hook sees? `unmarked`: before JDK 9 nothing tags them. */
bool policy_is_intrinsic(const struct class_file *c, const struct class_method *m, bool unmarked);

/* Could a method of that name and these modifiers (JVMS 4.6) have hooks at all? */
enum frt_skip_reason policy_modifiers(const struct matcher *p, struct matcher_text name, unsigned int modifiers);

#endif
