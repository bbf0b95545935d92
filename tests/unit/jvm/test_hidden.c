// SPDX-License-Identifier: BSD-2-Clause
#include "user/jvm/hidden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void methods_are_hidden_by_name(void **state)
{
	assert_true(hidden_method("java/lang/VirtualThread$VThreadContinuation$1", "run", "()V"));
	assert_true(hidden_method("jdk/internal/vm/Continuation", "yield0", "()Z"));
	assert_false(hidden_method("jdk/internal/vm/Continuation", "run", "()V"));
	assert_false(
		hidden_method("jdk/internal/vm/Continuation", "enterSpecial", "(Ljdk/internal/vm/Continuation;ZZ)V"));
	assert_false(hidden_method("java/lang/VirtualThread", "run", "(Ljava/lang/Runnable;)V"));
	assert_false(hidden_method("com/acme/Thread", "runWith", "()V"));
}

static void all_of_a_class_are_hidden_but_its_constructor(void **state)
{
	assert_true(hidden_method("java/lang/invoke/VarHandleGuards", "guard_L_V", "()V"));
	assert_false(hidden_method("java/lang/invoke/VarHandleGuards", "<init>", "()V"));
}

static void overload_is_identified_by_its_parameters(void **state)
{
	const char *adapter = "jdk/internal/reflect/CsMethodAccessorAdapter";

	assert_true(hidden_method(adapter, "invoke",
				  "(Ljava/lang/Object;[Ljava/lang/Object;Ljava/lang/Class;)Ljava/lang/Object;"));
	assert_false(hidden_method(adapter, "invoke", "(Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;"));
	assert_false(hidden_method(adapter, "invoker", "(Ljava/lang/Object;[Ljava/lang/Object;Ljava/lang/Class;)V"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(methods_are_hidden_by_name),
		cmocka_unit_test(all_of_a_class_are_hidden_but_its_constructor),
		cmocka_unit_test(overload_is_identified_by_its_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
