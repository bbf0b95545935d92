// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as an ELF file with USDT notes: places lie in the file, arguments end, and cookies name the site that was
 * asked for.
 */
#include "uprobes/elf/elf_notes.h"
#include "user/capture/usdt_cookie.h"
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

static void check_sites(const struct elf_notes *notes, const char *provider, const char *name, size_t size)
{
	struct elf_note found[ELF_NOTES_MAX_SITES];
	struct diag d = {0};
	int count = elf_notes_find(notes, provider, name, found, &d);

	require(count >= 0 ? count <= ELF_NOTES_MAX_SITES : !!d.text[0], "a number of sites that cannot be");
	for (int i = 0; i < count; i++) {
		uint64_t cookie = usdt_cookie(FRT_SITE_MOUNT, found[i].arguments);

		require(found[i].offset && found[i].offset < size, "a site outside the file");
		require(strlen(found[i].arguments) < size, "arguments without an end");
		require((cookie & ((1 << FRT_SITE_BITS) - 1)) == FRT_SITE_MOUNT, "a cookie of another site");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct elf_notes *notes;
	struct diag d = {0};

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size, "no file");
	if (elf_notes_read(&notes, fd, "fuzz", &d)) {
		require(!notes && d.text[0], "rejected without a message");
	} else {
		check_sites(notes, "frtrace", "drain", size);
		check_sites(notes, "hotspot", "vmops__begin", size);
	}
	elf_notes_free(notes);
	close(fd);
	return 0;
}
