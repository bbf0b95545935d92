// SPDX-License-Identifier: BSD-2-Clause
/* The agent's system calls, as the kernel answers them. */
#include "uprobes/agent/sys.h"
#include "tests/lib/test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define SEGMENT_SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW)

static bool is_sealed_with(int seals)
{
	int fd = memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	bool sealed;

	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	sealed = sys_is_sealed(fd);
	close(fd);
	return sealed;
}

/* With vm.memfd_noexec the kernel adds F_SEAL_EXEC; older kernels do not know it, so another seal stands for it. */
CASE(seal_that_the_kernel_adds_does_not_matter)
{
	assert_true(is_sealed_with(SEGMENT_SEALS));
	assert_true(is_sealed_with(SEGMENT_SEALS | F_SEAL_FUTURE_WRITE));
	assert_false(is_sealed_with(F_SEAL_SHRINK | F_SEAL_GROW));
	assert_false(is_sealed_with(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE));
}

CASE(file_that_is_no_memfd_is_not_sealed)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_false(sys_is_sealed(fd)); /* EINVAL */
	close(fd);
	assert_false(sys_is_sealed(fd)); /* EBADF, whose lowest bits are those of the seals */
}

CASE(words_are_copied_and_nothing_beside_them)
{
	unsigned char from[64 + 8], to[sizeof(from) + 4], want[sizeof(to)];

	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = i + 1;
	for (size_t size = 0; size <= 64; size++)
		for (size_t at = 0; at < 8; at++) {
			memset(to, 0xee, sizeof(to));
			memset(want, 0xee, sizeof(want));
			memcpy(want + 1 + at % 3, from + at, size);
			copy_words(to + 1 + at % 3, from + at, size);
			assert_memory_equal(to, want, sizeof(to));
		}
}
