// SPDX-License-Identifier: BSD-2-Clause
/* Taken from the annotations in JDK 21 and 25 to 28; tests/live/stacks/frames_vs_recorder.sh compares them. */
#include "user/jvm/hidden.h"

#include <stddef.h>
#include <string.h>

#define NAMES 9

struct row {
	const char *class_name;
	const char *name[NAMES]; /* with parameter types if not all overloads are hidden; no name: all methods */
};

static const struct row rows[] = {
	{"java/lang/ScopedValue$Carrier", {"runWith"}},
	{"java/lang/Thread", {"runWith"}},
	{"java/lang/VirtualThread", {"yieldContinuation", "postPinnedEvent"}},
	{"java/lang/VirtualThread$VThreadContinuation$1", {"run"}},
	{"java/lang/invoke/DelegatingMethodHandle$Holder", {0}},
	{"java/lang/invoke/DirectMethodHandle$Holder", {0}},
	{"java/lang/invoke/Invokers", {"checkVarHandleGenericType"}},
	{"java/lang/invoke/Invokers$Holder", {0}},
	{"java/lang/invoke/LambdaForm", {"interpretWithArguments", "interpretName"}},
	{"java/lang/invoke/LambdaForm$Holder", {0}},
	{"java/lang/invoke/LambdaForm$NamedFunction", {"invokeWithArguments", "invokeWithArgumentsTracing"}},
	{"java/lang/invoke/MethodHandleImpl",
	 {"selectAlternative", "profileBoolean", "isCompileConstant", "guardWithCatch", "prepend", "loop", "tryFinally",
	  "tableSwitch", "synchronize"}},
	{"java/lang/invoke/MethodHandleImpl$CountingWrapper", {"getTarget", "maybeStopCounting"}},
	{"java/lang/invoke/VarForm", {"getMemberName"}},
	{"java/lang/invoke/VarHandleGuards", {0}},
	{"java/security/AccessController", {"ensureMaterializedForStackWalk", "executePrivileged", "wrapException"}},
	{"jdk/internal/reflect/CsMethodAccessorAdapter",
	 {"invoke(Ljava/lang/Object;[Ljava/lang/Object;Ljava/lang/Class;)"}},
	{"jdk/internal/reflect/DirectConstructorHandleAccessor", {"invokeImpl"}},
	{"jdk/internal/reflect/DirectMethodHandleAccessor", {"invokeImpl"}},
	{"jdk/internal/vm/Continuation", {"enter", "enter0", "yield", "yield0"}},
};

static bool is(const char *method, const char *name, const char *descriptor)
{
	size_t length = strcspn(method, "(");

	return strlen(name) == length && !memcmp(method, name, length) &&
	       !strncmp(method + length, descriptor, strlen(method + length));
}

static bool has(const struct row *r, const char *name, const char *descriptor)
{
	if (!r->name[0])
		return name[0] != '<'; /* all except constructors */
	for (size_t i = 0; i < NAMES && r->name[i]; i++)
		if (is(r->name[i], name, descriptor))
			return true;
	return false;
}

bool hidden_method(const char *class_name, const char *name, const char *descriptor)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].class_name, class_name))
			return has(&rows[i], name, descriptor);
	return false;
}
