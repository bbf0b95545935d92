/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides which methods of a class file get hooks: those that filters select, except those that must not be hooked.
 * Needs no JVM.
 */
#ifndef FILTERS_POLICY_H
#define FILTERS_POLICY_H

#include "bpf/frtrace.h"
#include "filters/matcher.h"
#include "format/classfile/class_file.h"

/* Add the tags that a class file provides: for the class's name, its direct supertypes and its annotations. */
void policy_tag_class(const struct matcher *p, const struct class_file *c, struct matcher_tags *tags);

/*
 * True if the class or a method may have a tag, where the name is not enough (MATCHER_TAGGED). `pool` is its
 * constant pool in the form of class_each_utf8(). It contains the name of each type that the class file mentions,
 * so this test rules out most classes. policy_may_bear() checks annotations only.
 */
bool policy_may_have_tag(const struct matcher *p, const void *pool, size_t size, uint16_t count);
bool policy_may_bear(const struct matcher *p, const void *pool, size_t size, uint16_t count);

/* True if a class of that internal name can be rewritten. Hidden and anonymous classes cannot. */
bool policy_class_name(struct slice name);

/* The reason why no method of the class may be hooked, or FRT_SKIP_NONE. */
enum frt_skip_reason policy_class(const struct class_file *c);

/*
 * What the filters want for a method. If they want anything, *reason is set: FRT_SKIP_NONE, or why the method
 * cannot be hooked.
 */
struct matcher_decision policy_method(const struct matcher *p, const struct class_file *c, const struct class_method *m,
				      const struct matcher_tags *of_class, enum frt_skip_reason *reason);

/*
 * True if the JIT has machine code of its own for the method, which bypasses hooks. With `unmarked` (before JDK 9,
 * where annotations are missing) a list of names is used.
 */
bool policy_is_intrinsic(const struct class_file *c, const struct class_method *m, bool unmarked);

/* Whether a method of that name and these modifiers (JVMS 4.6) can be hooked at all. */
enum frt_skip_reason policy_modifiers(const struct matcher *p, struct slice name, unsigned int modifiers);

/* The reason that is reported: one of policy_modifiers() or policy_method(), for a method with this decision. */
enum frt_skip_reason policy_reason(enum frt_skip_reason reason, const struct matcher_decision *v);

#endif
