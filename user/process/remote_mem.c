// SPDX-License-Identifier: BSD-2-Clause
/*
 * Uses pread() of /proc/PID/mem, not process_vm_readv(). Both need the same rights and take the same time, but a
 * descriptor stays bound to the process.
 */
#include "user/process/remote_mem.h"
#include "user/process/root_path.h"
#include "user/text/io.h"

#include <elf.h>

#define MAX_HEADERS 64u
#define MAX_DYNAMIC 256u
#define MAX_CHAIN   4096u /* maximum symbols in a hash bucket */
#define MAX_NAME    128u

static int read_process(const struct mem *m, uint64_t address, void *to, size_t size)
{
	const struct remote_mem *r = (const struct remote_mem *)m;
	ssize_t n;

	if (address > INT64_MAX - size)
		return -EFAULT;
	do {
		n = pread(r->fd, to, size, (off_t)address);
	} while (n < 0 && errno == EINTR);
	if (n == (ssize_t)size)
		return 0;
	if (n < 0)
		return errno == EIO ? -EFAULT : -errno;
	return n || !size ? -EFAULT : -ESRCH;
}

int remote_mem_open(struct remote_mem *r, const struct target *t, struct diag *d)
{
	r->mem.read = read_process;
	r->fd = proc_open(t->pid, "mem");
	if (r->fd < 0)
		return diag_errno(d, errno == ENOENT ? ESRCH : errno, "cannot read the memory of process %d", t->pid);
	if (!target_ended(t))
		return 0;
	remote_mem_close(r);
	return diag_set(d, ESRCH, "process %d has ended", t->pid);
}

void remote_mem_close(struct remote_mem *r)
{
	io_close(r->fd);
	r->fd = -1;
}

struct search {
	const struct target *target;
	const char *root;
	uint64_t base;
};

static int match_libjvm(const struct mapping *m, void *context)
{
	struct search *s = context;
	struct mapping seen = *m;

	root_path_strip_root(s->root, seen.path);
	if (m->offset || strcmp(seen.path, s->target->libjvm))
		return 0;
	if (s->base && m->start > s->target->libjvm_code)
		return 0;
	s->base = m->start; /* the last one before the code */
	return 0;
}

int remote_mem_find_libjvm(const struct target *t, uint64_t *base, struct diag *d)
{
	char root[512];
	struct search s = {t, root, 0};
	int r;

	root_path_root_name(t, root, sizeof(root));
	r = proc_each_mapping(t->pid, match_libjvm, &s);
	if (r < 0)
		return diag_errno(d, -r, "cannot read the mappings of process %d", t->pid);
	if (!s.base)
		return diag_set(d, ENOENT, "process %d has not mapped '%s'", t->pid, t->libjvm);
	*base = s.base;
	return 0;
}

/* The relevant parts of an image's dynamic section. */
struct image {
	uint64_t bias, dynamic, symbols, strings, hash;
	uint32_t buckets, first, bloom; /* the hash table's header; bloom: in words */
};

static int read_headers(const struct mem *m, uint64_t base, struct image *i)
{
	Elf64_Ehdr e;
	Elf64_Phdr p;
	bool loaded = false;
	int r = mem_read(m, base, &e, sizeof(e));

	if (r)
		return r;
	if (memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64 ||
	    e.e_phentsize != sizeof(Elf64_Phdr) || e.e_phnum > MAX_HEADERS)
		return -EBADMSG;
	for (unsigned int n = 0; n < e.e_phnum; n++) {
		r = mem_read(m, base + e.e_phoff + n * sizeof(p), &p, sizeof(p));
		if (r)
			return r;
		if (p.p_type == PT_LOAD && !p.p_offset && !loaded) {
			i->bias = base - p.p_vaddr;
			loaded = true;
		}
		if (p.p_type == PT_DYNAMIC)
			i->dynamic = p.p_vaddr;
	}
	return loaded && i->dynamic ? 0 : -EBADMSG;
}

/* glibc makes these addresses absolute when it loads an image, musl does not. */
static uint64_t absolute(uint64_t address, const struct image *i)
{
	return address < i->bias ? address + i->bias : address;
}

static int read_dynamic(const struct mem *m, struct image *i)
{
	Elf64_Dyn entry;
	uint32_t header[3];
	int r;

	for (unsigned int n = 0; n < MAX_DYNAMIC; n++) {
		r = mem_read(m, i->bias + i->dynamic + n * sizeof(entry), &entry, sizeof(entry));
		if (r)
			return r;
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_SYMTAB)
			i->symbols = absolute(entry.d_un.d_ptr, i);
		else if (entry.d_tag == DT_STRTAB)
			i->strings = absolute(entry.d_un.d_ptr, i);
		else if (entry.d_tag == DT_GNU_HASH)
			i->hash = absolute(entry.d_un.d_ptr, i);
	}
	if (!i->symbols || !i->strings || !i->hash)
		return -EBADMSG;
	r = mem_read(m, i->hash, header, sizeof(header));
	i->buckets = header[0];
	i->first = header[1];
	i->bloom = header[2];
	return r ?: (i->buckets ? 0 : -EBADMSG);
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (uint8_t)*name;
	return h;
}

static int find_symbol(const struct mem *m, const struct image *i, const char *name, uint64_t *address)
{
	uint32_t h = gnu_hash(name), index, tag;
	uint64_t buckets = i->hash + 16 + 8ULL * i->bloom, chains = buckets + 4ULL * i->buckets;
	char text[MAX_NAME];
	Elf64_Sym s;
	int r = mem_u32(m, buckets + 4ULL * (h % i->buckets), &index);

	if (r || index < i->first)
		return r ?: -ENOENT;
	for (unsigned int n = 0; n < MAX_CHAIN; n++, index++) {
		r = mem_u32(m, chains + 4ULL * (index - i->first), &tag);
		if (!r && (tag | 1) == (h | 1)) {
			r = mem_read(m, i->symbols + sizeof(s) * (uint64_t)index, &s, sizeof(s));
			r = r ?: mem_text(m, i->strings + s.st_name, text, sizeof(text));
			if (!r && !strcmp(text, name) && s.st_shndx != SHN_UNDEF) {
				*address = i->bias + s.st_value;
				return 0;
			}
		}
		if (r && r != -E2BIG)
			return r;
		if (tag & 1)
			return -ENOENT;
	}
	return -EBADMSG;
}

int remote_mem_find_symbols(const struct mem *m, uint64_t base, const char *const names[], size_t count,
			    uint64_t addresses[], struct diag *d)
{
	struct image i = {0};
	int r = read_headers(m, base, &i);

	r = r ?: read_dynamic(m, &i);
	if (r)
		return diag_errno(d, -r, "cannot read libjvm's dynamic section");
	for (size_t n = 0; n < count; n++) {
		r = find_symbol(m, &i, names[n], &addresses[n]);
		if (r)
			return r == -ENOENT ? diag_set(d, ENOENT, "libjvm does not export '%s'", names[n])
					    : diag_errno(d, -r, "cannot look for '%s' in libjvm", names[n]);
	}
	return 0;
}
