// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/wait_place.h"
#include "user/text/java_number.h"
#include "user/text/memory.h"
#include "user/trace/call.h"
#include "user/trace/jfr_names.h"

#include <stdlib.h>
#include <string.h>

/* The JDK's lock code: what its methods begin with. Names are the same from JDK 8 to 28 unless it says otherwise. */
static const char *const lock_code[] = {
	"java.lang.Object.wait", /* since JDK 19 also wait0 */
	"java.lang.Thread.join(",
	"java.lang.Thread.sleep",	     /* a futex, too, where libjvm has no USDT probes */
	"java.lang.VirtualThread.",	     /* JDK 21; LockSupport.park() gets there */
	"jdk.internal.misc.VirtualThreads.", /* by this, up to JDK 24, */
	"java.lang.System$",		     /* and by an inner class of System */
	"java.lang.ref.ReferenceQueue.",
	"java.util.Collections$Synchronized",
	"java.util.concurrent.",
	"jdk.internal.misc.InternalLock.", /* JDK 19 */
	"jdk.internal.misc.Unsafe.park(",
	"jdk.internal.misc.Unsafe.unpark(", /* JDK 9 */
	"sun.misc.Unsafe.park(",
	"sun.misc.Unsafe.unpark(", /* JDK 8 */
};

/* What threads begin with. It says nothing of what they do. */
static const char *const thread_code[] = {
	"java.lang.Thread.run(",
	"java.lang.Thread.runWith(", /* JDK 19 */
	"jdk.internal.misc.InnocuousThread.run(",
	"jdk.internal.misc.CarrierThread.", /* JDK 21 */
	"jdk.internal.vm.Continuation.",    /* JDK 19: below a virtual thread */
};

/* What waits for the result of a task, or for its end. */
static const char *const task_code[] = {
	"java.lang.Thread.join(",
	"java.util.concurrent.AbstractExecutorService.invoke",
	"java.util.concurrent.CompletableFuture",
	"java.util.concurrent.CountDownLatch.await(",
	"java.util.concurrent.ExecutorCompletionService.",
	"java.util.concurrent.ForkJoinTask.",
	"java.util.concurrent.FutureTask.",
};

/* The locks that one thread holds, or several. */
static const char *const lock_classes[] = {
	"java.util.concurrent.locks.ReentrantLock",
	"java.util.concurrent.locks.ReentrantReadWriteLock",
	"java.util.concurrent.locks.StampedLock",
};

static bool begins_with_one_of(const char *method, const char *const *beginning, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(method, beginning[i], strlen(beginning[i])) == 0)
			return true;
	return false;
}
#define BEGINS(method, table) begins_with_one_of(method, table, sizeof(table) / sizeof(table[0]))

static bool is_lock_code(const char *method)
{
	return BEGINS(method, lock_code);
}

static bool is_code_below_tasks(const char *method)
{
	return is_lock_code(method) || BEGINS(method, thread_code);
}

bool frame_is_of_jdk(const char *frame)
{
	static const char *const packages[] = {"java.",	    "javax.",	 "jdk.",       "sun.",	     "com.sun.",
					       "kernel.",   "libjvm.so", "libjava.so", "libnio.so",  "libnet.so",
					       "libzip.so", "libc.so",	 "libc-",      "libpthread", "ld-musl"};

	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++)
		if (strncmp(frame, packages[i], strlen(packages[i])) == 0)
			return true;
	return false;
}

/*
 * Replace `text` by the place of the innermost frame that is not to be skipped, or else of the outermost one, and
 * *method by its method. False: there is no stack.
 */
static bool find_place_beyond(struct bytes *text, struct jfr_value *method, const struct thread_wait *wait,
			      struct jfr_value stack, bool (*skip)(const char *frame))
{
	struct jfr_value frames, frame;
	struct cursor c;

	jfr_resolve(wait->chunk, &stack);
	frames = jfr_field(wait->chunk, &stack, "frames");
	if (frames.kind != VALUE_ARRAY || !frames.place.count)
		return false;
	c = jfr_enter(wait->chunk, &frames);
	for (uint64_t i = 0; i < frames.place.count; i++) {
		jfr_take_element(&c, &frames, &frame);
		*method = frame_method(wait->chunk, &frame);
		bytes_clear(text);
		put_frame(text, wait->chunk, &frame, "");
		if (!skip(memory_text(text)))
			break;
	}
	return true;
}

static void put_place_beyond(struct bytes *out, const struct thread_wait *wait, struct jfr_value stack,
			     bool (*skip)(const char *frame))
{
	struct jfr_value method;
	struct bytes text;

	bytes_init(&text);
	if (find_place_beyond(&text, &method, wait, stack, skip))
		put_text(out, memory_text(&text));
	bytes_release(&text);
}

void put_wait_place(struct bytes *out, const struct thread_wait *wait)
{
	put_place_beyond(out, wait, wait->stack, is_lock_code);
}

void put_wait_caller(struct bytes *out, const struct thread_wait *wait)
{
	put_place_beyond(out, wait, wait->stack, frame_is_of_jdk);
}

bool wait_is_for_lock(const char *reason)
{
	return strcmp(reason, "futex") == 0 || strcmp(reason, "parked") == 0;
}

/* A monitor is entered from any code; who waits for something else is in the JDK's lock code. */
enum wait_for wait_is_for(const struct thread_wait *wait)
{
	bool skipped = true, lock = false, task = false, known;
	struct jfr_value stack = wait->stack, frames, frame;
	char *reason = thread_wait_reason(wait);
	struct bytes text;
	struct cursor c;

	jfr_resolve(wait->chunk, &stack);
	frames = jfr_field(wait->chunk, &stack, "frames");
	known = wait_is_for_lock(reason) && frames.kind == VALUE_ARRAY && frames.place.count;
	free(reason);
	if (!known)
		return WAIT_FOR_UNKNOWN;
	bytes_init(&text);
	c = jfr_enter(wait->chunk, &frames);
	for (uint64_t i = 0; skipped && !lock && i < frames.place.count; i++) {
		jfr_take_element(&c, &frames, &frame);
		bytes_clear(&text);
		put_frame(&text, wait->chunk, &frame, "");
		skipped = is_lock_code(memory_text(&text));
		lock = skipped ? BEGINS(memory_text(&text), lock_classes) : i == 0;
		task |= BEGINS(memory_text(&text), task_code);
	}
	bytes_release(&text);
	return lock ? WAIT_FOR_LOCK : task ? WAIT_FOR_TASK : WAIT_FOR_OTHER;
}

/* As find_place_beyond(), but where all frames are skipped, there is no place. */
static bool find_waker_place(struct bytes *text, struct jfr_value *method, const struct thread_wait *wait,
			     bool (*skip)(const char *frame))
{
	return find_place_beyond(text, method, wait, wait->waker_stack, skip) && !skip(memory_text(text));
}

void put_wait_holder(struct bytes *out, const struct thread_wait *wait, const char *reason)
{
	struct jfr_value method;
	struct bytes text;

	bytes_init(&text);
	if (find_waker_place(&text, &method, wait, wait_is_for_lock(reason) ? is_code_below_tasks : frame_is_of_jdk))
		put_text(out, memory_text(&text));
	bytes_release(&text);
}

bool wait_holder_method(const struct thread_wait *wait, struct jfr_value *method)
{
	struct bytes text;
	bool found;

	bytes_init(&text);
	found = find_waker_place(&text, method, wait, is_code_below_tasks);
	bytes_release(&text);
	return found;
}

char *wait_holder(const struct thread_wait *wait)
{
	char *reason = thread_wait_reason(wait);
	struct bytes text;

	bytes_init(&text);
	put_wait_holder(&text, wait, reason);
	free(reason);
	return memory_need(bytes_steal_text(&text));
}
