/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modules, as HotSpot stores them since JDK 9: an InstanceKlass has a PackageEntry, which has a ModuleEntry
 * (packageEntry.hpp, moduleEntry.hpp). The JVM's tables describe neither.
 */
#ifndef USER_HOTSPOT_MODULES_H
#define USER_HOTSPOT_MODULES_H

#include "user/hotspot/layout.h"
#include "user/hotspot/method_table.h"

/*
 * Find both structures by what they contain for java.lang.Object and java.lang.invoke.MethodHandle, whatever the
 * version. Sets l->modules; `known` stays false if anything is missing, ambiguous or different, or if the JVM (JDK 8)
 * has no modules. A JVM that is still starting has none yet.
 */
void hotspot_find_modules(struct hotspot_layout *l, const struct mem *m);

/*
 * Read the module of a class, whose name is out->class_name, into out->module. It stays unknown for a class in the
 * unnamed package, and if what is read is no PackageEntry of the class's package. Returns 0 or -ENOMEM.
 */
int module_read(const struct hotspot_layout *l, const struct mem *m, uint64_t klass, struct method_table *t,
		struct resolved_method *out);

#endif
