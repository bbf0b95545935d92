// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"
#include "user/jvm/hidden.h"

CASE(methods_are_hidden_by_name)
{
	assert_true(hidden_method("java/lang/VirtualThread$VThreadContinuation$1", "run", "()V"));
	assert_true(hidden_method("jdk/internal/vm/Continuation", "yield0", "()Z"));
	assert_false(hidden_method("jdk/internal/vm/Continuation", "run", "()V"));
	assert_false(
		hidden_method("jdk/internal/vm/Continuation", "enterSpecial", "(Ljdk/internal/vm/Continuation;ZZ)V"));
	assert_false(hidden_method("java/lang/VirtualThread", "run", "(Ljava/lang/Runnable;)V"));
	assert_false(hidden_method("com/acme/Thread", "runWith", "()V"));
}

CASE(all_of_a_class_are_hidden_but_its_constructor)
{
	assert_true(hidden_method("java/lang/invoke/VarHandleGuards", "guard_L_V", "()V"));
	assert_false(hidden_method("java/lang/invoke/VarHandleGuards", "<init>", "()V"));
}

CASE(overload_is_identified_by_its_parameters)
{
	const char *adapter = "jdk/internal/reflect/CsMethodAccessorAdapter";

	assert_true(hidden_method(adapter, "invoke",
				  "(Ljava/lang/Object;[Ljava/lang/Object;Ljava/lang/Class;)Ljava/lang/Object;"));
	assert_false(hidden_method(adapter, "invoke", "(Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;"));
	assert_false(hidden_method(adapter, "invoker", "(Ljava/lang/Object;[Ljava/lang/Object;Ljava/lang/Class;)V"));
}
