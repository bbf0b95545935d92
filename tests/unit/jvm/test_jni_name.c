// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"
#include "user/jvm/jni_name.h"

static const char *name_of(const char *class_name, const char *method, const char *descriptor, bool long_name)
{
	static char out[JNI_NAME];

	assert_true(jni_name(out, NULL, class_name, method, descriptor, long_name));
	return out;
}

/* The example of the specification, and a function of JDK 17. */
CASE(names_are_those_of_the_specification)
{
	assert_string_equal(name_of("p/q/r/A", "f", "(ILjava/lang/String;)D", true),
			    "Java_p_q_r_A_f__ILjava_lang_String_2");
	assert_string_equal(name_of("java/util/zip/Inflater", "inflateBytesBytes", "(J[BII[BII)J", false),
			    "Java_java_util_zip_Inflater_inflateBytesBytes");
	assert_string_equal(name_of("a/B", "f", "()V", true), "Java_a_B_f__");
}

CASE(other_characters_are_escaped)
{
	assert_string_equal(name_of("a_b/C$D", "a_b", "([[J[Lx/Y_Z;)V", true),
			    "Java_a_1b_C_00024D_a_1b___3_3J_3Lx_Y_1Z_2");
	assert_string_equal(name_of("a/B",
				    "gr\xc3\xb6\xc3\x9f"
				    "e",
				    "()V", false),
			    "Java_a_B_gr_000f6_000dfe");
	assert_string_equal(name_of("a/B", "\xe2\x82\xac", "()V", false), "Java_a_B__020ac");
	assert_string_equal(name_of("a/B", "\xed\xa0\xbd\xed\xb8\x80", "()V", false), "Java_a_B__0d83d_0de00");
}

CASE(prefixes_are_exchanged)
{
	char out[JNI_NAME];

	assert_true(jni_name(out, "JavaCritical_", "a/B", "f", "([B)I", false));
	assert_string_equal(out, "JavaCritical_a_B_f");
}

CASE(what_does_not_fit_is_refused)
{
	char out[JNI_NAME], name[JNI_NAME];

	memset(name, 'm', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	assert_false(jni_name(out, NULL, "a/B", name, "()V", false));
	name[JNI_NAME - strlen("Java_a_B_") - 1] = 0;
	assert_true(jni_name(out, NULL, "a/B", name, "()V", false));
	assert_false(jni_name(out, NULL, "a/B", name, "()V", true));
	assert_false(jni_name(out, NULL, "a/B", "f", "I", true));
	assert_false(jni_name(out, NULL, "a/B", "f", "(I", true));
}
