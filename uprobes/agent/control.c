// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/control.h"

struct frt_header *control;
uint64_t control_since = UINT64_MAX;

static struct lock table_lock;
static int memfd = -1;
static int own_file = -1; /* the collector finds its sites by this descriptor: the file loses its name */

/*
 * Open-addressed indexes, private to the agent: strings by content, class and method rows by their words. Each has
 * twice as many cells as its table has rows.
 */
#define STRING_INDEX (1u << 17)
#define MOST_STRINGS (STRING_INDEX / 4 * 3)
#define CLASS_INDEX  (2 * FRT_MAX_CLASSES)
#define METHOD_INDEX (2 * FRT_MAX_METHODS)

static uint32_t string_index[STRING_INDEX];
static uint32_t string_count, string_generation;
static uint32_t class_index[CLASS_INDEX];
static uint32_t method_index[METHOD_INDEX];

/* The methods of each class, newest first. */
static uint32_t last_method[FRT_MAX_CLASSES], method_before[FRT_MAX_METHODS];

/* Rows of unloaded loaders. */
static uint32_t free_loader[FRT_MAX_LOADERS], free_loaders;

bool control_create(const char *tag)
{
	struct frt_header *h;
	char name[32] = "frtrace-";
	size_t length = strlen(tag);
	int fd;

	if (length >= sizeof(h->tag))
		return false;
	memcpy(name + 8, tag, length + 1);
	h = sys_map_shared(name, FRT_SEGMENT_SIZE, &fd);
	if (!h)
		return false;
	h->size = FRT_SEGMENT_SIZE;
	h->pid = sys_getpid();
	memcpy(h->tag, tag, length + 1);
	h->strings = 1; /* offset 0 means "none" */
	h->loaders = 1; /* row 0 is the boot loader */
	((struct frt_loader *)((char *)h + FRT_LOADERS_AT))->state = FRT_LOADER_READY;
	h->ring_cap = 4u << 20;
	h->stack_next = 1ULL << 32; /* the first id is 1 */
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		h->recording[r].stack_done = h->stack_next;
	store_release(&h->magic, FRT_MAGIC);
	memfd = fd;
	own_file = sys_open_own_file();
	control = h;
	return true;
}

void control_destroy(void)
{
	if (control)
		sys_unmap_shared(control, FRT_SEGMENT_SIZE, memfd);
	if (own_file >= 0)
		sys_close(own_file);
	control = NULL;
	memfd = own_file = -1;
}

int control_fd(void)
{
	return memfd;
}

bool control_is_locked(uint64_t byte)
{
	return !sys_is_sealed(memfd) || sys_is_locked(memfd, byte);
}

static uint32_t hash_bytes(const char *at, size_t length)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)at[i]) * 16777619u;
	return h ^ h >> 15;
}

static uint32_t hash_words(uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t h = a * 0x9e3779b97f4a7c15ULL;

	h = (h ^ b) * 0xc2b2ae3d27d4eb4fULL;
	h = (h ^ h >> 29 ^ c) * 0x9e3779b97f4a7c15ULL;
	return h >> 32;
}

uint32_t control_hash(struct slice t)
{
	return hash_words(hash_bytes(t.at, t.length), 0, 0);
}

/* The index cell of a string: its own, or the empty one where it belongs. */
static uint32_t *string_cell(struct slice t)
{
	const char *heap = control_at(FRT_STRINGS_AT);
	uint32_t i = hash_bytes(t.at, t.length) % STRING_INDEX, at;

	for (; (at = string_index[i]); i = (i + 1) % STRING_INDEX) {
		size_t length = (unsigned char)heap[at] | (unsigned char)heap[at + 1] << 8;

		if (length == t.length && !memcmp(heap + at + 2, t.at, length))
			break;
	}
	return &string_index[i];
}

static uint32_t string_find_or_add(struct slice t)
{
	char *heap = control_at(FRT_STRINGS_AT);
	uint32_t at, *cell;

	if (!t.at || t.length > 0xffff)
		return 0;
	cell = string_cell(t);
	if (*cell)
		return *cell;
	at = control->strings;
	if (at + t.length + 3 > FRT_STRINGS_SIZE || string_count >= MOST_STRINGS)
		return 0;
	heap[at] = t.length & 0xff;
	heap[at + 1] = t.length >> 8;
	memcpy(heap + at + 2, t.at, t.length);
	heap[at + 2 + t.length] = 0;
	*cell = at;
	string_count++;
	store_release(&control->strings, at + (uint32_t)t.length + 3);
	return at;
}

/* The number of a string for a table that has `room` for a new row, or has not: then only an existing string is of use. */
static uint32_t string_for_row(struct slice t, bool room)
{
	return room ? string_find_or_add(t) : *string_cell(t);
}

struct frt_class *control_class_row(uint32_t id)
{
	return (struct frt_class *)control_at(FRT_CLASSES_AT) + id;
}

struct frt_method *control_method_row(uint32_t id)
{
	return (struct frt_method *)control_at(FRT_METHODS_AT) + id;
}

struct frt_loader *control_loader_row(uint32_t id)
{
	return (struct frt_loader *)control_at(FRT_LOADERS_AT) + id;
}

/* The index cell of the row with these words: its own, or the empty one where it belongs. */
static uint32_t *class_cell(uint32_t name, uint32_t loader)
{
	uint32_t i = hash_words(name, loader, 0) % CLASS_INDEX;

	for (; class_index[i]; i = (i + 1) % CLASS_INDEX) {
		const struct frt_class *c = control_class_row(class_index[i]);

		if (c->name == name && c->loader == loader)
			break;
	}
	return &class_index[i];
}

static uint32_t *method_cell(uint32_t class_id, uint32_t name, uint32_t descriptor)
{
	uint32_t i = hash_words(class_id, name, descriptor) % METHOD_INDEX;

	for (; method_index[i]; i = (i + 1) % METHOD_INDEX) {
		const struct frt_method *m = control_method_row(method_index[i]);

		if (m->class_id == class_id && m->name == name && m->descriptor == descriptor)
			break;
	}
	return &method_index[i];
}

uint32_t control_class(struct slice name, uint32_t loader, uint32_t modifiers)
{
	uint32_t string, id, *cell;
	bool room;

	lock_take(&table_lock);
	room = control->classes + 1 < FRT_MAX_CLASSES;
	string = string_for_row(name, room);
	cell = class_cell(string, loader);
	id = *cell;
	if (!id && string && room) {
		id = control->classes + 1;
		*control_class_row(id) = (struct frt_class){string, loader, modifiers, 0};
		*cell = id;
		store_release(&control->classes, id);
	}
	lock_drop(&table_lock);
	return id;
}

struct frt_class *control_find_class(struct slice name, uint32_t loader)
{
	uint32_t id, string;

	lock_take(&table_lock);
	string = *string_cell(name);
	id = string ? *class_cell(string, loader) : 0;
	lock_drop(&table_lock);
	return id ? control_class_row(id) : NULL;
}

uint32_t control_method(uint32_t class_id, struct slice name, struct slice descriptor, uint16_t modifiers)
{
	uint32_t n, d, id, *cell;
	bool room;

	lock_take(&table_lock);
	room = control->methods + 1 < FRT_MAX_METHODS;
	n = string_for_row(name, room);
	d = string_for_row(descriptor, room);
	cell = method_cell(class_id, n, d);
	id = *cell;
	if (!id && n && d && room) {
		id = control->methods + 1;
		*control_method_row(id) = (struct frt_method){class_id, n, d, modifiers, 0};
		for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
			store_relaxed(control_rule(r, id), FRT_RULE_UNTRACED);
		*cell = id;
		method_before[id] = last_method[class_id];
		store_release(&last_method[class_id], id);
		store_release(&control->methods, id);
	}
	lock_drop(&table_lock);
	return id;
}

uint32_t control_loader(struct slice type, struct slice name)
{
	uint32_t id;

	lock_take(&table_lock);
	id = free_loaders ? free_loader[--free_loaders] : control->loaders < FRT_MAX_LOADERS ? control->loaders : 0;
	if (id) {
		*control_loader_row(id) =
			(struct frt_loader){.type = string_find_or_add(type), .name = string_find_or_add(name)};
		if (id == control->loaders)
			store_release(&control->loaders, id + 1);
	}
	lock_drop(&table_lock);
	return id;
}

uint32_t control_string(struct slice text)
{
	uint32_t at;

	lock_take(&table_lock);
	at = string_find_or_add(text);
	lock_drop(&table_lock);
	return at;
}

uint32_t control_strings_generation(void)
{
	return load_acquire(&string_generation);
}

bool control_is_crowded(void)
{
	return control->classes > FRT_MAX_CLASSES / 2 || control->methods > FRT_MAX_METHODS / 2 ||
	       control->loaders - free_loaders > FRT_MAX_LOADERS / 2 || control->strings > FRT_STRINGS_SIZE / 2 ||
	       string_count > MOST_STRINGS / 2;
}

static bool control_has_hooks(const bool alive[FRT_MAX_LOADERS])
{
	for (uint32_t i = 1; i <= control->classes; i++) {
		const struct frt_class *c = control_class_row(i);

		if (c->flags & FRT_CLASS_REWRITTEN && alive[c->loader % FRT_MAX_LOADERS])
			return true;
	}
	return false;
}

static uint32_t string_add_again(const char *old_heap, uint32_t at)
{
	size_t length = (unsigned char)old_heap[at] | (unsigned char)old_heap[at + 1] << 8;

	return at ? string_find_or_add((struct slice){old_heap + at + 2, length}) : 0;
}

static void keep_loaders(const char *old_heap, const bool alive[FRT_MAX_LOADERS])
{
	free_loaders = 0;
	for (uint32_t i = control->loaders; i-- > 1;) {
		struct frt_loader *l = control_loader_row(i);

		if (!alive[i])
			free_loader[free_loaders++] = i;
		l->type = alive[i] ? string_add_again(old_heap, l->type) : 0;
		l->name = alive[i] ? string_add_again(old_heap, l->name) : 0;
	}
}

/* Their methods have no rows any more, but none of them runs before ClassPrepare restores the class. */
static void keep_left_classes(const char *old_heap, const bool alive[FRT_MAX_LOADERS])
{
	uint32_t classes = control->classes, kept = 0;

	for (uint32_t i = 1; i <= classes; i++) {
		struct frt_class c = *control_class_row(i);

		if (!(c.flags & FRT_CLASS_LEFT) || !alive[c.loader % FRT_MAX_LOADERS])
			continue;
		c.name = string_add_again(old_heap, c.name);
		c.flags = FRT_CLASS_LEFT;
		*control_class_row(++kept) = c;
		*class_cell(c.name, c.loader) = kept;
	}
	store_release(&control->classes, kept);
}

static void empty_tables(void)
{
	memset(string_index, 0, sizeof(string_index));
	memset(class_index, 0, sizeof(class_index));
	memset(method_index, 0, sizeof(method_index));
	memset(last_method, 0, sizeof(last_method));
	string_count = 0;
	store_release(&string_generation, string_generation + 1);
	store_release(&control->strings, 1);
	store_release(&control->methods, 0);
}

bool control_forget(const bool alive[FRT_MAX_LOADERS])
{
	char *old_heap = NULL;
	uint32_t size;

	lock_take(&table_lock);
	size = control->strings;
	if (!control_has_hooks(alive))
		old_heap = sys_map(size);
	if (old_heap) {
		memcpy(old_heap, control_at(FRT_STRINGS_AT), size);
		empty_tables();
		keep_loaders(old_heap, alive);
		keep_left_classes(old_heap, alive);
		sys_unmap(old_heap, size);
	}
	lock_drop(&table_lock);
	return old_heap;
}

static void skip_add(uint32_t recording, const struct frt_skip *row)
{
	struct frt_skip *rows = (struct frt_skip *)control_at(FRT_SKIPS_AT) + recording * FRT_MAX_SKIPS;
	uint32_t *count = &control->recording[recording].skips;

	for (uint32_t i = 0; i < *count && i < 256; i++) /* the same skip, reported again */
		if (!memcmp(&rows[i], row, sizeof(*row)))
			return;
	if (*count >= FRT_MAX_SKIPS)
		return;
	rows[*count] = *row;
	store_release(count, *count + 1);
}

static bool has_room_for_skip(uint32_t recordings)
{
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		if (recordings >> r & 1 && control->recording[r].skips < FRT_MAX_SKIPS)
			return true;
	return false;
}

void control_skip(uint32_t recordings, struct slice class_name, struct slice method, struct slice descriptor,
		  enum frt_skip_reason reason)
{
	struct frt_skip row = {.reason = reason};

	lock_take(&table_lock);
	if (has_room_for_skip(recordings)) {
		row.class_name = string_find_or_add(class_name);
		row.method = string_find_or_add(method);
		row.descriptor = string_find_or_add(descriptor);
		for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
			if (recordings >> r & 1)
				skip_add(r, &row);
	}
	lock_drop(&table_lock);
}

void control_reset_skips(uint32_t recording)
{
	store_release(&control->recording[recording].skips, 0);
}

static void control_unhook_methods(uint32_t id)
{
	for (uint32_t i = load_acquire(&last_method[id]); i; i = method_before[i])
		clear_bits(&control_method_row(i)->flags, FRT_METHOD_HOOKED);
}

void control_unhook_class(uint32_t id)
{
	clear_bits(&control_class_row(id)->flags, FRT_CLASS_REWRITTEN | FRT_CLASS_LEFT | FRT_CLASS_MOUNTS);
	control_unhook_methods(id);
}

uint32_t control_hooked_for(uint32_t id)
{
	uint32_t recordings = 0;

	for (uint32_t i = load_acquire(&last_method[id]); i; i = method_before[i])
		recordings |= load_relaxed(&control_method_row(i)->flags) & FRT_METHOD_HOOKED;
	return recordings;
}

bool control_hooked_only_for(uint32_t id, uint32_t recording)
{
	for (uint32_t i = load_acquire(&last_method[id]); i; i = method_before[i])
		if ((load_relaxed(&control_method_row(i)->flags) & FRT_METHOD_HOOKED) == FRT_METHOD_FOR(recording))
			return true;
	return false;
}

bool control_is_given_up(uint32_t method, uint32_t recordings)
{
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		if (recordings >> r & 1 && !(load_relaxed(control_rule(r, method)) & FRT_RULE_UNHOOKED))
			return false;
	return recordings;
}

bool control_has_given_up(uint32_t id)
{
	for (uint32_t i = load_acquire(&last_method[id]); i; i = method_before[i])
		if (control_is_given_up(i, load_relaxed(&control_method_row(i)->flags) & FRT_METHOD_HOOKED))
			return true;
	return false;
}

void control_leave_class(uint32_t id)
{
	struct frt_class *c = control_class_row(id);

	set_bits(&c->flags, FRT_CLASS_LEFT); /* first: the class may be prepared meanwhile */
	clear_bits(&c->flags, FRT_CLASS_REWRITTEN | FRT_CLASS_MOUNTS);
	control_unhook_methods(id);
}

void control_unhook_for(uint32_t id, uint32_t recording)
{
	for (uint32_t i = load_acquire(&last_method[id]); i; i = method_before[i])
		clear_bits(&control_method_row(i)->flags, FRT_METHOD_FOR(recording));
}

void control_say(const char *message)
{
	size_t length = strlen(message);

	if (length >= sizeof(control->message))
		length = sizeof(control->message) - 1;
	memcpy(control->message, message, length);
	control->message[length] = 0;
}
