// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/skip_reason.h"
#include "bpf/frtrace.h"

const char *skip_reason(uint32_t reason)
{
	static const char *const texts[FRT_SKIP_REASONS] = {
		/* each text must fit one method and several */
		[FRT_SKIP_NATIVE] = "native: traced where a filter names the class, without '*'",
		[FRT_SKIP_NATIVE_INTRINSIC] =
			"native and an intrinsic: the JIT has machine code instead of the function",
		[FRT_SKIP_NATIVE_ROOT] = "native: recorded in roots, but no root itself, because it has no hooks",
		[FRT_SKIP_ABSTRACT] = "abstract, without code",
		[FRT_SKIP_SYNTHETIC] = "made by the compiler",
		[FRT_SKIP_TOO_LARGE] = "too long: with hooks it would pass 64 KiB",
		[FRT_SKIP_HUGE_METHOD] = "long: with hooks it would pass the 8000 bytes that HotSpot compiles",
		[FRT_SKIP_JSR] = "old class files with jsr/ret",
		[FRT_SKIP_RESERVED_STACK] = "@ReservedStackAccess: hooks could leave locks locked",
		[FRT_SKIP_LOCKS] = "java.util.concurrent.locks: hooks could leave locks locked",
		[FRT_SKIP_CONTINUATION] = "part of the virtual threads' machinery",
		[FRT_SKIP_JFR] = "JFR's own classes, or event classes, which JFR rewrites",
		[FRT_SKIP_HIDDEN] = "hidden classes",
		[FRT_SKIP_UNMODIFIABLE] = "unmodifiable, says the JVM",
		[FRT_SKIP_LOADER] = "of a class loader that does not find the helper class",
		[FRT_SKIP_VERIFY] = "refused by the JVM when rewritten",
		[FRT_SKIP_MALFORMED] = "class files that frtrace does not understand",
		[FRT_SKIP_FINALIZER] = "empty finalizers: with code in it every object would get a Finalizer",
		[FRT_SKIP_TABLE_FULL] = "beyond the room for methods",
		[FRT_SKIP_MEMORY] = "without memory for new code in the JVM",
		[FRT_SKIP_METASPACE] = "without room for new code in the JVM's metaspace",
	};

	return reason < FRT_SKIP_REASONS && texts[reason] ? texts[reason] : "unknown reason";
}
