// SPDX-License-Identifier: BSD-2-Clause
/* The target is this process itself, with its libcmocka as libjvm. */
#include "tests/lib/fake_mem.h"
#include "tests/lib/test.h"
#include "user/process/proc.h"
#include "user/process/remote_mem.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int on_cmocka_mapping(const struct mapping *m, void *context)
{
	if (!strncmp(path_base(m->path), "libcmocka.so", 12))
		strcpy(context, m->path);
	return 0;
}

static uint64_t start_time(pid_t pid)
{
	char *text = proc_read(pid, "stat", 4096, NULL);
	uint64_t time;

	assert_non_null(text);
	assert_int_equal(proc_parse_start_time(text, &time), 0);
	free(text);
	return time;
}

static struct target self(void)
{
	struct target t = {.pid = getpid(), .ns_pid = getpid(), .pidfd = -1, .uid = geteuid()};

	t.start_time = start_time(t.pid);
	assert_int_equal(proc_each_mapping(t.pid, on_cmocka_mapping, t.libjvm), 0);
	return t;
}

CASE(memory_is_read_where_it_is_mapped)
{
	struct target t = self();
	struct remote_mem r;
	struct diag d;
	uint64_t value = 0x1122334455667788ULL, got = 0;
	char text[16];

	assert_int_equal(remote_mem_open(&r, &t, &d), 0);
	assert_int_equal(mem_u64(&r.mem, (uintptr_t)&value, &got), 0);
	assert_int_equal(got, value);
	assert_int_equal(mem_unsigned(&r.mem, (uintptr_t)&value, 2, &got), 0);
	assert_int_equal(got, 0x7788);
	assert_int_equal(mem_text(&r.mem, (uintptr_t)"short", text, sizeof(text)), 0);
	assert_string_equal(text, "short");
	assert_int_equal(mem_text(&r.mem, (uintptr_t)"longer than sixteen", text, sizeof(text)), -E2BIG);
	remote_mem_close(&r);
	assert_int_equal(r.fd, -1);
	remote_mem_close(&r);
}

CASE(unmapped_memory_is_an_error)
{
	static const uint64_t nowhere[] = {0, 4096, 0x7ffffffff000, 0x8000000000000000ULL, ~0ULL, ~7ULL};
	struct target t = self();
	struct remote_mem r;
	struct diag d;
	uint64_t got;
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_int_equal(munmap(page + 4096, 4096), 0);
	assert_int_equal(remote_mem_open(&r, &t, &d), 0);
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(*nowhere); i++)
		assert_int_equal(mem_u64(&r.mem, nowhere[i], &got), -EFAULT);
	assert_int_equal(mem_u64(&r.mem, (uintptr_t)page + 4088, &got), 0);
	assert_int_equal(mem_u64(&r.mem, (uintptr_t)page + 4092, &got), -EFAULT);
	remote_mem_close(&r);
	munmap(page, 4096);
}

CASE(gone_process_is_reported)
{
	struct target t = self();
	struct remote_mem r;
	struct diag d;
	uint64_t got;
	pid_t child = fork();

	if (!child)
		for (;;)
			pause();
	t.pid = child;
	t.start_time = start_time(child);
	assert_int_equal(remote_mem_open(&r, &t, &d), 0);
	assert_int_equal(mem_u64(&r.mem, (uintptr_t)&child, &got), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(mem_u64(&r.mem, (uintptr_t)&child, &got), -ESRCH);
	remote_mem_close(&r);
	assert_int_equal(remote_mem_open(&r, &t, &d), -ESRCH);
	assert_int_equal(r.fd, -1);
}

CASE(exported_symbols_are_found_where_the_linker_finds_them)
{
	static const char *const names[] = {"_cmocka_run_group_tests", "_assert_int_equal", "_fail", "print_message"};
	const uintptr_t known[] = {(uintptr_t)_cmocka_run_group_tests, (uintptr_t)_assert_int_equal, (uintptr_t)_fail,
				   (uintptr_t)print_message};
	struct target t = self();
	struct remote_mem r;
	struct diag d;
	uint64_t base, found[4];

	assert_int_equal(remote_mem_open(&r, &t, &d), 0);
	assert_int_equal(remote_mem_find_libjvm(&t, &base, &d), 0);
	assert_int_equal(remote_mem_find_symbols(&r.mem, base, names, 4, found, &d), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(found[i], known[i]);
	remote_mem_close(&r);
}

CASE(missing_symbol_is_named)
{
	static const char *const names[] = {"_fail", "gHotSpotVMStructs"};
	struct target t = self();
	struct remote_mem r;
	struct diag d;
	uint64_t base, found[2];

	assert_int_equal(remote_mem_open(&r, &t, &d), 0);
	assert_int_equal(remote_mem_find_libjvm(&t, &base, &d), 0);
	assert_int_equal(remote_mem_find_symbols(&r.mem, base, names, 2, found, &d), -ENOENT);
	assert_string_equal(d.text, "libjvm does not export 'gHotSpotVMStructs'");
	/* undefined there: libcmocka uses libc's */
	assert_int_equal(remote_mem_find_symbols(&r.mem, base, (const char *const[]){"malloc"}, 1, found, &d), -ENOENT);
	remote_mem_close(&r);
}

CASE(unmapped_library_is_named)
{
	struct target t = self();
	struct diag d;
	uint64_t base;

	strcpy(t.libjvm, "/nowhere/libjvm.so");
	assert_int_equal(remote_mem_find_libjvm(&t, &base, &d), -ENOENT);
	assert_contains(d.text, "has not mapped '/nowhere/libjvm.so'");
}

/* A hand-made image: one segment, a dynamic section, two symbols in one bucket. */
#define IMAGE 0x7f0000000000ULL

static void put_dynamic(struct fake_mem *m, int i, int64_t tag, uint64_t value)
{
	fake_mem_put(m, IMAGE + 0x200 + 16 * i, (uint64_t)tag, 8);
	fake_mem_put(m, IMAGE + 0x208 + 16 * i, value, 8);
}

static uint32_t hash(const char *name)
{
	uint32_t h = 5381;

	while (*name)
		h = h * 33 + (unsigned char)*name++;
	return h;
}

static void build_image(struct fake_mem *m, uint64_t pointers)
{
	static const char *const names[] = {"one", "two"};
	Elf64_Ehdr e = {.e_phoff = 64, .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2};
	Elf64_Phdr p[2] = {{.p_type = PT_LOAD}, {.p_type = PT_DYNAMIC, .p_vaddr = 0x200}};

	fake_mem_init(m);
	fake_mem_map(m, IMAGE, 0x1000);
	memcpy(e.e_ident, ELFMAG, SELFMAG);
	e.e_ident[EI_CLASS] = ELFCLASS64;
	memcpy(fake_mem_at(m, IMAGE, sizeof(e)), &e, sizeof(e));
	memcpy(fake_mem_at(m, IMAGE + 64, sizeof(p)), p, sizeof(p));
	put_dynamic(m, 0, DT_SYMTAB, pointers + 0x300);
	put_dynamic(m, 1, DT_STRTAB, pointers + 0x400);
	put_dynamic(m, 2, DT_GNU_HASH, pointers + 0x500);
	fake_mem_put(m, IMAGE + 0x500, 1, 4); /* buckets */
	fake_mem_put(m, IMAGE + 0x504, 1, 4); /* first symbol in the table */
	fake_mem_put(m, IMAGE + 0x508, 1, 4); /* words of the bloom filter */
	fake_mem_put(m, IMAGE + 0x518, 1, 4);
	for (int i = 0; i < 2; i++) {
		Elf64_Sym s = {.st_name = 1 + 8 * i, .st_shndx = 5, .st_value = 0x800 + i};

		fake_mem_put_text(m, IMAGE + 0x400 + s.st_name, names[i]);
		memcpy(fake_mem_at(m, IMAGE + 0x300 + sizeof(s) * (i + 1), sizeof(s)), &s, sizeof(s));
		fake_mem_put(m, IMAGE + 0x51c + 4 * i, (hash(names[i]) & ~1u) | i, 4);
	}
}

static int find_in_image(struct fake_mem *m, const char *name, uint64_t *address)
{
	struct diag d;

	return remote_mem_find_symbols(&m->mem, IMAGE, &name, 1, address, &d);
}

CASE(dynamic_section_may_be_relocated_or_not)
{
	for (int relocated = 0; relocated < 2; relocated++) {
		struct fake_mem m;
		uint64_t at;

		build_image(&m, relocated ? IMAGE : 0);
		assert_int_equal(find_in_image(&m, "two", &at), 0);
		assert_int_equal(at, IMAGE + 0x801);
		assert_int_equal(find_in_image(&m, "one", &at), 0);
		assert_int_equal(find_in_image(&m, "three", &at), -ENOENT);
		fake_mem_release(&m);
	}
}

CASE(hostile_image_is_refused)
{
	static const struct {
		uint64_t at, value;
		int width, expected;
	} wrong[] = {
		{0, 0, 4, -EBADMSG},		    /* no ELF file */
		{4, 1, 1, -EBADMSG},		    /* of 32 bits */
		{54, 17, 2, -EBADMSG},		    /* e_phentsize */
		{56, 0xffff, 2, -EBADMSG},	    /* e_phnum */
		{32, 1ULL << 62, 8, -EFAULT},	    /* e_phoff */
		{64, 9, 4, -EBADMSG},		    /* nothing loaded */
		{120, 9, 4, -EBADMSG},		    /* no dynamic section */
		{120 + 16, 1ULL << 60, 8, -EFAULT}, /* one that is not mapped */
		{0x220, 9, 8, -EBADMSG},	    /* no hash table */
		{0x228, 0x100000, 8, -EFAULT},
		{0x500, 0, 4, -EBADMSG}, /* no buckets */
		{0x508, 0xffffffff, 4, -EFAULT},
		{0x518, 0, 4, -ENOENT}, /* an empty bucket */
		{0x518, 0xffffff, 4, -EFAULT},
		{0x300 + 48, 0xffffff, 4, -EFAULT}, /* st_name of "two" */
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct fake_mem m;
		uint64_t at;

		build_image(&m, 0);
		fake_mem_put(&m, IMAGE + wrong[i].at, wrong[i].value, wrong[i].width);
		if (find_in_image(&m, "two", &at) != wrong[i].expected)
			fail_msg("wrong %zu", i);
		fake_mem_release(&m);
	}
}

CASE(endless_chain_is_refused)
{
	struct fake_mem m;
	uint64_t at;

	build_image(&m, 0);
	fake_mem_map(&m, IMAGE + 0x100000, 0x20000);
	put_dynamic(&m, 2, DT_GNU_HASH, 0x100000);
	fake_mem_put(&m, IMAGE + 0x100000, 1, 4);
	fake_mem_put(&m, IMAGE + 0x100010, 1, 4); /* without a bloom filter: the bucket */
	assert_int_equal(find_in_image(&m, "two", &at), -EBADMSG);
	fake_mem_release(&m);
}
