// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/cpp_name.h"
#include "tests/lib/test.h"

static char text[64];

static const char *of(const char *symbol)
{
	cpp_name(symbol, text, sizeof(text));
	return text;
}

CASE(names_are_those_of_the_source)
{
	assert_string_equal(of("_ZN6Parker4parkEbl"), "Parker::park");
	assert_string_equal(of("_ZN2os13PlatformEvent4parkEl"), "os::PlatformEvent::park");
	assert_string_equal(of("_ZNK6Method4nameEv"), "Method::name");
	assert_string_equal(of("_ZL13thread_nativeP6Thread"), "thread_native");
	assert_string_equal(of("_Z5helloi"), "hello");
	assert_string_equal(of("_ZNSt6thread4joinEv"), "std::thread::join");
	assert_string_equal(of("_ZN12_GLOBAL__N_14waitEv"), "(anonymous)::wait");
}

CASE(constructors_and_destructors_have_the_name_of_the_class)
{
	assert_string_equal(of("_ZN11MutexLockerC2EP5Mutex"), "MutexLocker::MutexLocker");
	assert_string_equal(of("_ZN1a11MutexLockerD1Ev"), "a::MutexLocker::~MutexLocker");
}

CASE(other_names_stay)
{
	assert_string_equal(of("pthread_cond_wait"), "pthread_cond_wait");
	assert_string_equal(of("_ZN13GrowableArrayIiE4growEi"), "_ZN13GrowableArrayIiE4growEi");
	assert_string_equal(of("_Z3maxIiET_S0_S0_"), "_Z3maxIiET_S0_S0_");
	assert_string_equal(of("_ZplRK1aS1_"), "_ZplRK1aS1_");
	assert_string_equal(of("_Z"), "_Z");
	assert_false(cpp_name("", text, sizeof(text)));
}

CASE(odd_names_stay_within_bounds)
{
	static const char *const odd[] = {"_ZN",   "_ZN6ParkerE", "_ZN6Park", "_ZN99999999999999999999999aE",
					  "_ZN0E", "_ZNC1E",	  "_ZNE",     "_ZN1aD",
					  "_ZL",   "_ZN-1aE",	  "_Z 1a",    "_ZN18446744073709551615aE"};
	char whole[2048] = "_ZN";
	size_t at = 3;

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		if (strcmp(odd[i], "_ZN6ParkerE") != 0)
			assert_string_equal(of(odd[i]), odd[i]);
	while (at < sizeof(whole) - 16)
		at += strlen(strcpy(whole + at, "8abcdefgh"));
	strcpy(whole + at, "Ev");
	assert_int_equal(strlen(of(whole)), sizeof(text) - 1);
}
