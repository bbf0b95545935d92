// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/recording.h"
#include "tests/lib/test.h"

static struct diag diag;

struct recording recording_new(void)
{
	return recording_new_with(JFR_KERNEL_NONE);
}

struct recording recording_new_with(enum jfr_kernel kernel)
{
	struct jfr_origin origin = {.start_ticks = T0, .start_nanos = NANOS, .locale = "en_US", .kernel = kernel};
	struct recording r = {.now = T0};

	assert_int_equal(jfr_writer_new(&r.w, &origin, &diag), 0);
	return r;
}

void recording_begin(struct recording *r)
{
	assert_int_equal(jfr_chunk_begin(r->w, r->now, &diag), 0);
}

void recording_end(struct recording *r, bool final)
{
	const void *bytes;
	size_t size;

	r->now += 1000000;
	assert_int_equal(jfr_chunk_finish(r->w, r->now, final, &bytes, &size, &diag), 0);
	bytes_put(&r->file, bytes, size);
}

struct dissect *recording_read(struct recording *r)
{
	dissect_free(r->d);
	r->d = dissect_new(r->file.data, r->file.size);
	assert_string_equal(r->d->error, "");
	return r->d;
}

void recording_free(struct recording *r)
{
	dissect_free(r->d);
	bytes_release(&r->file);
	jfr_writer_free(r->w);
}

uint64_t recording_class(struct recording *r, const char *name)
{
	return jfr_class(r->w, &(struct jfr_class_constant){.name = name, .modifiers = 1});
}

uint64_t recording_method(struct recording *r, const char *name)
{
	return jfr_method(r->w,
			  &(struct jfr_method_constant){recording_class(r, "com/acme/Cart"), name, "()V", 1, false});
}

uint64_t recording_thread(struct recording *r, int64_t id)
{
	char name[32];

	snprintf(name, sizeof(name), "worker-%lld", (long long)id);
	return jfr_thread(
		r->w, &(struct jfr_thread_constant){.name = name, .group = "main", .os_id = 4000 + id, .java_id = id});
}

void recording_call(struct recording *r, uint64_t thread, uint64_t method)
{
	r->now += 100;
	jfr_method_trace(
		r->w, &(struct jfr_method_trace){.start = r->now, .duration = 50, .thread = thread, .method = method});
}

void recording_call_from(struct recording *r, uint64_t stack, uint64_t method)
{
	r->now += 100;
	jfr_method_trace(r->w,
			 &(struct jfr_method_trace){.start = r->now, .duration = 50, .stack = stack, .method = method});
}

uint64_t recording_stack(struct recording *r, uint64_t method, int line)
{
	return jfr_stack(r->w, &(struct jfr_frame){method, line, 7, JFR_FRAME_JIT}, 1, false);
}

int64_t event_number(struct recording *r, const struct dissect_event *e, const char *path)
{
	int64_t v;

	assert_non_null(e);
	assert_true(dissect_number(r->d, e, path, &v));
	return v;
}

void assert_event_text(struct recording *r, const struct dissect_event *e, const char *path, const char *want)
{
	const char *got;

	assert_non_null(e);
	got = dissect_text(r->d, e, path);
	assert_non_null(got);
	assert_string_equal(got, want);
}

void recording_companions(struct jfr_writer *w)
{
	jfr_active_recording(w, &(struct jfr_active_recording){T0, 3, "frtrace", "/tmp/x.jfr", INT64_MAX, 1000, 1 << 30,
							       1700000000000, INT64_MAX, true});
	jfr_active_setting(w, T0, TRACE, "threshold", "10 ms");
	jfr_jvm_information(w, &(struct jfr_jvm_information){T0, "OpenJDK", "17.0.15", "-Xmx1g", NULL, "Main",
							     1699999999000, 4242});
	jfr_os_information(w, T0, "Linux 6.18");
	jfr_cpu_information(w, &(struct jfr_cpu_information){T0, "x86", "AMD EPYC", 1, 2, 4});
	jfr_virtualization_information(w, T0, "KVM virtualization detected");
	jfr_physical_memory(w, &(struct jfr_physical_memory){T0, 8ull << 30, 3ull << 30});
	jfr_clock(w, &(struct jfr_clock){T0, -5, T0 + 1, NANOS + 1, 40});
	jfr_data_loss(w, T0, 10, UINT64_MAX);
	jfr_shutdown(w, T0, "killed by signal 9");
	jfr_message(w, T0, "skipped", "too large");
	jfr_resource_attribute(w, &(struct jfr_resource_attribute){T0, "service.name", "shop", "string"});
	jfr_open_call(w, &(struct jfr_open_call){.start = T0, .duration = 77, .remark = "no stack"});
}
