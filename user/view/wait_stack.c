// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/wait_stack.h"
#include "user/text/java_number.h"
#include "user/text/log.h"
#include "user/text/memory.h"
#include "user/text/name_fit.h"
#include "user/trace/jfr_names.h"
#include "user/trace/wait_place.h"
#include "user/view/views.h"

#include <string.h>

#define FRAMES	     8
#define FRAME_INDENT 12

/*
 * The entry of the kernel: do_syscall_64 and what is below it on each kernel stack of a system call, up to the function
 * with the call's name, __x64_sys_fdatasync (since Linux 4.17, see the kernel's SYSCALL_DEFINE). Returns that name with
 * *entry false, or NULL.
 */
static char *kernel_frame(char *frame, bool *entry)
{
	static const char *const entries[] = {"do_syscall_64", "entry_SYSCALL_64", "x64_sys_call",
					      "entry_SYSCALL_compat"};
	static const char *const calls[] = {"__x64_sys_", "__do_sys_", "__se_sys_"};

	*entry = false;
	if (strncmp(frame, "kernel.", strlen("kernel.")) != 0)
		return NULL;
	frame += strlen("kernel.");
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		*entry |= strncmp(frame, entries[i], strlen(entries[i])) == 0;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strncmp(frame, calls[i], strlen(calls[i])) == 0)
			return frame + strlen(calls[i]);
	return NULL;
}

struct shown_stack {
	struct bytes *out;
	size_t width;
	bool whole;	     /* all frames have their lines */
	unsigned int frames; /* lines so far */
	bool own;	     /* a frame that is not the JDK's has its line */
	bool cut;	     /* frames were left out since the last line */
};

static void put_dots(struct shown_stack *s)
{
	if (s->cut) {
		put_spaces(s->out, FRAME_INDENT);
		put_text(s->out, "...\n");
	}
	s->cut = false;
}

static void put_stack_line(struct shown_stack *s, const char *frame)
{
	put_dots(s);
	put_spaces(s->out, FRAME_INDENT);
	name_fit(s->out, frame, s->width - FRAME_INDENT, false);
	bytes_put_u8(s->out, '\n');
}

/* The name of the system call always gets its line, and so does the first frame that is not the JDK's. */
static void put_stack_frame(struct shown_stack *s, char *frame)
{
	bool entry, own = !frame_is_of_jdk(frame);
	char *call = kernel_frame(frame, &entry);

	if (s->whole) {
		put_stack_line(s, frame);
		return;
	}
	if (entry)
		return;
	if (call) {
		call[strcspn(call, "(")] = 0;
		put_stack_line(s, call);
	} else if (s->frames++ < FRAMES || (own && !s->own)) {
		put_stack_line(s, frame);
	} else {
		s->cut = true;
	}
	s->own |= own;
}

void wait_stack_put(struct bytes *out, struct jfr_chunk *chunk, struct jfr_value stack, size_t width, bool whole)
{
	struct shown_stack shown = {.out = out, .width = width, .whole = whole};
	struct jfr_value frames, frame;
	struct bytes text;
	struct cursor c;

	jfr_resolve(chunk, &stack);
	frames = jfr_field(chunk, &stack, "frames");
	if (frames.kind != VALUE_ARRAY)
		return;
	bytes_init(&text);
	c = jfr_enter(chunk, &frames);
	for (uint64_t i = 0; i < frames.place.count && cursor_ok(&c); i++) {
		bytes_clear(&text);
		jfr_take_element(&c, &frames, &frame);
		put_frame(&text, chunk, &frame, "?");
		put_stack_frame(&shown, (char *)memory_text(&text));
	}
	put_dots(&shown);
	bytes_release(&text);
}

void wait_stack_put_native(struct bytes *out, struct jfr_chunk *chunk, struct jfr_value stack, size_t width, bool whole)
{
	struct jfr_value cut;

	wait_stack_put(out, chunk, stack, width, whole);
	jfr_resolve(chunk, &stack);
	cut = jfr_field(chunk, &stack, "truncated");
	put_dots(&(struct shown_stack){.out = out, .cut = cut.kind == VALUE_BOOLEAN && cut.number});
}
