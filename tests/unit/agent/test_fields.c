// SPDX-License-Identifier: BSD-2-Clause
/* Taking the plan of events from the config. The source is included, because it calls the JVM. */
#include "uprobes/agent/sys.h"

#include <stdlib.h>

static bool no_memory, no_classes;

static void *scarce_map(size_t size)
{
	return no_memory ? NULL : sys_map(size);
}

#define sys_map scarce_map
#include "uprobes/agent/fields.c"
#undef sys_map

#include "uprobes/agent/loader.h"
#include "uprobes/agent/thread.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

bool field_text_init(jvmtiEnv *j, JNIEnv *env)
{
	return !no_classes;
}

void field_text_release(JNIEnv *env)
{
}

bool field_text_is_string(JNIEnv *env, jobject o)
{
	return false;
}

void field_text_put(JNIEnv *env, struct frt_slot *s, uint32_t number, uint16_t flags, uint32_t kind, uint32_t most,
		    const struct field_value *v)
{
}

void field_put_null(struct frt_slot *s, uint32_t number, uint16_t flags)
{
}

uint32_t thread_identify(struct frt_slot *s, JNIEnv *env)
{
	return 0;
}

bool thread_running_virtual(JNIEnv *env, uint64_t known, char *name, size_t size, struct thread_virtual *v)
{
	return false;
}

bool thread_is_virtual(JNIEnv *env, jthread thread)
{
	return false;
}

jobject thread_own_virtual(JNIEnv *env)
{
	return NULL;
}

bool loader_number(JNIEnv *env, jobject l, uint32_t *number)
{
	return false;
}

static struct frt_config *config;

static int setup(void **state)
{
	if (!control && !control_create("unit"))
		return -1;
	config = control_at(FRT_CONFIG_AT);
	memset(config, 0, FRT_CONFIG_SIZE);
	no_memory = no_classes = false;
	return 0;
}

static void config_without_a_plan_is_good(void **state)
{
	no_memory = true;
	assert_int_equal(fields_begin(NULL, 0), FRT_DONE);
}

static void plan_that_is_not_valid_is_told_from_a_lack_of_memory(void **state)
{
	config->plan_size = FRT_CONFIG_SIZE;
	assert_int_equal(fields_begin(NULL, 0), FRT_BAD_CONFIG); /* beyond the config */
	config->plan_size = sizeof(struct plan_header) + 8;
	memset(config + 1, 0xff, config->plan_size);
	assert_int_equal(fields_begin(NULL, 0), FRT_BAD_CONFIG);
	memset(config + 1, 0, config->plan_size);
	no_memory = true;
	assert_int_equal(fields_begin(NULL, 0), FRT_JVMTI_FAILED);
	no_memory = false;
	no_classes = true; /* the JVM does not give the classes of values */
	assert_int_equal(fields_begin(NULL, 0), FRT_JVMTI_FAILED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(config_without_a_plan_is_good, setup),
		cmocka_unit_test_setup(plan_that_is_not_valid_is_told_from_a_lack_of_memory, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
