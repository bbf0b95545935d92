// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/normal_name.h"
#include "tests/lib/test.h"

static const struct {
	const char *name, *normal;
} cases[] = {
	/* lambdas of JDK 8, 17, 21 and 25 */
	{"live.Slow$$Lambda$1.1234567.run()", "live.Slow$$Lambda.run()"},
	{"live.Slow$$Lambda$14.0x0000000800c03000.run()", "live.Slow$$Lambda.run()"},
	{"live.Slow$$Lambda.0x00007f7040000218.run()", "live.Slow$$Lambda.run()"},
	{"live.Slow$$Lambda.0x0000000088040228.run()", "live.Slow$$Lambda.run()"},
	/* other hidden classes */
	{"java.lang.invoke.LambdaForm$MH.0x0000000800c00000.invoke(Object)",
	 "java.lang.invoke.LambdaForm$MH.invoke(Object)"},
	{"a.B.call(C$$Lambda.0x00007f7040000218, D)", "a.B.call(C$$Lambda, D)"},
	/* what the reflection and proxies of JDK 17 generate */
	{"jdk.internal.reflect.GeneratedMethodAccessor12.invoke(Object, Object[])",
	 "jdk.internal.reflect.GeneratedMethodAccessor.invoke(Object, Object[])"},
	{"com.sun.proxy.$Proxy7.close()", "com.sun.proxy.$Proxy.close()"},
	/* names that look like it */
	{"live.Slow.lambda$main$0()", "live.Slow.lambda$main$0()"},
	{"live.Slow$1.run()", "live.Slow$1.run()"},
	{"a.0xcafe.B.m()", "a.0xcafe.B.m()"},
	{"a.Lambda$14.run()", "a.Lambda$14.run()"},
	{"a.B$$Lambda.run()", "a.B$$Lambda.run()"},
	{"N/A", "N/A"},
	{"", ""},
};

CASE(what_differs_from_run_to_run_is_left_out)
{
	char name[128];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(name, sizeof(name), "%s", cases[i].name);
		normal_name(name);
		assert_string_equal(name, cases[i].normal);
	}
}
