# SPDX-License-Identifier: BSD-2-Clause
#
# make              build/frtrace (the agent inside), build/libfrtrace.so, manual page, completions
# make check        unit tests, no root; make ASAN=1 check: under the sanitizers
# make fuzz         the fuzz targets (clang, libFuzzer) as build/fuzz_*
# make static       build/frtrace-static, without shared libraries
# make install      PREFIX=/usr/local DESTDIR=
#
# make ARCH=aarch64 builds for another machine into build-aarch64, with what scripts/deps --arch=aarch64 has installed.
# BUILD=DIR builds elsewhere; V=1 shows the commands. EXTRA_CFLAGS and EXTRA_LDFLAGS are added, as packages need them.

VERSION := 0.1.0
PREFIX	?= /usr/local
ZSH	?= site-functions
ARCH	:= $(shell uname -m)
CROSS	:= $(if $(filter-out $(shell uname -m),$(ARCH)),$(ARCH)-linux-gnu-)
BUILD	?= build$(if $(CROSS),-$(ARCH))$(if $(ASAN),-asan)
CC	:= $(CROSS)gcc
AR	:= $(CROSS)ar
NM	:= $(CROSS)nm
PKG_CONFIG := $(if $(CROSS),PKG_CONFIG_LIBDIR=/usr/lib/$(ARCH)-linux-gnu/pkgconfig:/usr/share/pkgconfig )pkg-config
# runs a program of that machine
RUN	:= $(if $(CROSS),$(firstword $(wildcard /usr/bin/qemu-$(ARCH)-static) qemu-$(ARCH)))
CLANG	:= clang
BPFTOOL	:= $(firstword $(wildcard /usr/sbin/bpftool /sbin/bpftool /usr/bin/bpftool) bpftool)
JNI_H	:= $(firstword $(wildcard $(JAVA_HOME)/include/jvmti.h) $(wildcard /usr/lib/jvm/*/include/jvmti.h))
JNI	:= $(dir $(JNI_H))
Q	:= $(if $(V),,@)

# The oldest library that we build with knows only names that newer ones deprecate.
WARN	:= -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-unused-parameter -Wno-format-truncation \
	-Wno-deprecated-declarations
CFLAGS	:= -std=gnu11 -O2 -g -fstack-protector-strong $(WARN) -D_GNU_SOURCE -DFRTRACE_VERSION='"$(VERSION)"' -I. -I$(BUILD) $(EXTRA_CFLAGS)
LDLIBS	:= -lbpf -ldw -lelf -lexpat -lseccomp -lz -lm
ifdef ASAN
CFLAGS	+= -O1 -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=all
endif
DEPS	= -MMD -MP

# The agent links with no library. The sources that it shares with the collector are compiled for it again.
AGENT_SOURCES := $(wildcard uprobes/agent/*.c uprobes/agent/fields/*.c uprobes/agent/tasks/*.c) $(wildcard format/classfile/*.c) format/cursor.c filters/glob.c filters/matcher.c filters/policy.c filters/plan.c filters/handoff_match.c
MACHINE_x86_64	:= -mno-red-zone -fcf-protection=none
MACHINE_aarch64	:= -mno-outline-atomics -mbranch-protection=none
AGENT_CFLAGS  := -std=gnu11 -O2 -g $(WARN) -I. -isystem $(JNI) -isystem $(JNI)linux -DFRTRACE_VERSION='"$(VERSION)"' \
	-ffreestanding -fPIC -fvisibility=hidden $(MACHINE_$(ARCH)) -fno-stack-protector \
	-fno-asynchronous-unwind-tables -fno-tree-loop-distribute-patterns
AGENT_LDFLAGS := -shared -nostdlib -Wl,-soname,libfrtrace.so -Wl,-z,now,-z,relro,-z,noexecstack,-Bsymbolic,--no-undefined \
	-Wl,--build-id=sha1

FORMAT	:= $(wildcard format/*.c format/*/*.c)
FILTERS	:= $(wildcard filters/*.c)
UPROBES	:= $(wildcard uprobes/elf/*.c uprobes/dwarf/*.c)
USER	:= $(wildcard user/*.c user/*/*.c)
BPF	:= $(filter-out bpf/native.bpf.c,$(wildcard bpf/*.bpf.c))

objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
LIB_OBJECTS := $(call objects,$(FORMAT) $(FILTERS) $(UPROBES) $(filter-out user/main.c user/print_options.c user/eu_search.c,$(USER))) \
	$(BUILD)/user/capture/agent_image.o $(BUILD)/user/capture/plain_image.o $(BUILD)/user/options/jfc_image.o $(BUILD)/user/options/presets_image.o $(BUILD)/user/page/page_image.o

LIB	:= $(BUILD)/frtrace.a # an archive: a test links only what it uses

# what the options table is printed into
TEXTS := $(BUILD)/frtrace.1 $(BUILD)/frtrace.bash $(BUILD)/_frtrace

all: $(BUILD)/frtrace $(BUILD)/libfrtrace.so $(TEXTS)

$(BUILD)/frtrace: $(BUILD)/user/main.o $(LIB_OBJECTS)
	@echo "  LD     $@"
	$(Q)$(CC) $(CFLAGS) $(EXTRA_LDFLAGS) -o $@ $^ $(LDLIBS)

# For an image without libraries. The linker warns that names of users are looked up only where the system has them.
static: $(BUILD)/frtrace-static
$(BUILD)/frtrace-static: $(BUILD)/user/main.o $(BUILD)/user/eu_search.o $(LIB_OBJECTS)
	@echo "  LD     $@"
	$(Q)$(CC) $(CFLAGS) -static -o $@ $^ $$($(PKG_CONFIG) --static --libs libdw) $(LDLIBS)

$(BUILD)/print_options: $(BUILD)/user/print_options.o $(LIB)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)

vpath %.in docs scripts/completion
$(TEXTS): $(BUILD)/%: %.in $(BUILD)/print_options
	@echo "  TEXT   $@"
	$(Q)$(RUN) $(BUILD)/print_options <$< >$@.tmp && mv $@.tmp $@

$(LIB): $(LIB_OBJECTS) Makefile
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(BUILD)/%.o: %.c
	@echo "  CC     $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(DEPS) -c -o $@ $<

# half the time of a test run would go into optimizing tests
$(BUILD)/tests/%.o: private CFLAGS += -O1

BPF_x86_64	:= x86
BPF_aarch64	:= arm64

# bpf/: one skeleton for all that every recording needs, one for native methods
define compile_bpf
	@echo "  BPF    $@"
	@mkdir -p $(@D)
	$(Q)$(CLANG) -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_$(ARCH)) -O2 -g -Wall -Werror -I. -idirafter /usr/include/$(shell $(CC) -dumpmachine) $(DEPS) -c -o $@ $<
endef
$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c
	$(compile_bpf)

$(BUILD)/frtrace.bpf.o: $(patsubst bpf/%.bpf.c,$(BUILD)/bpf/%.bpf.o,$(BPF))
	$(Q)$(BPFTOOL) gen object $@ $^

# The same for kernels that refuse a call of a function that they do not have. It has the same maps and variables, so the
# skeleton fits, too.
$(BUILD)/plain/%.bpf.o: private DEPS += -DKERNEL_WITHOUT_CASTS=
$(BUILD)/plain/%.bpf.o: bpf/%.bpf.c
	$(compile_bpf)

$(BUILD)/plain.bpf.o: $(patsubst bpf/%.bpf.c,$(BUILD)/plain/%.bpf.o,$(BPF)) $(BUILD)/frtrace.skel.h
	$(Q)$(BPFTOOL) gen object $@ $(filter %.o,$^)
	$(Q)$(BPFTOOL) gen skeleton $@ name frtrace_bpf | sed '/elf_bytes(size_t/q' | cmp -s -n $$(sed '/elf_bytes(size_t/q' $(BUILD)/frtrace.skel.h | wc -c) - $(BUILD)/frtrace.skel.h || { echo "$@ has other variables"; rm $@; exit 1; }

$(BUILD)/native.bpf.o: $(BUILD)/bpf/native.bpf.o
	$(Q)$(BPFTOOL) gen object $@ $^

$(BUILD)/%.skel.h: $(BUILD)/%.bpf.o
	@echo "  SKEL   $@"
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@.tmp && mv $@.tmp $@

$(call objects,$(USER)): | $(BUILD)/frtrace.skel.h $(BUILD)/native.skel.h

# the agent
$(BUILD)/agent/%.o: %.c
	@echo "  AGENT  $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(AGENT_CFLAGS) $(DEPS) -c -o $@ $<

AGENT_OBJECTS := $(patsubst %.c,$(BUILD)/agent/%.o,$(AGENT_SOURCES))
$(BUILD)/libfrtrace.so: $(AGENT_OBJECTS)
	@echo "  LD     $@"
	$(Q)$(CC) $(AGENT_LDFLAGS) -o $@.tmp $^
	$(Q)test -z "$$($(NM) -D --undefined-only $@.tmp)" || { $(NM) -D --undefined-only $@.tmp; echo "the agent needs a library"; exit 1; }
	$(Q)! $(NM) -u $(BUILD)/agent/uprobes/agent/hook.o | grep -E ' (sys|lock)_' || { echo "a hook makes a system call or takes a lock"; exit 1; }
	$(Q)mv $@.tmp $@

$(BUILD)/user/capture/agent_image.o: user/capture/agent_image.S $(BUILD)/libfrtrace.so
	@mkdir -p $(@D)
	$(Q)$(CC) -c -DAGENT_FILE='"$(BUILD)/libfrtrace.so"' -o $@ $<

$(BUILD)/user/capture/plain_image.o: user/capture/plain_image.S $(BUILD)/plain.bpf.o
	@mkdir -p $(@D)
	$(Q)$(CC) -c -DPLAIN_FILE='"$(BUILD)/plain.bpf.o"' -o $@ $<

$(BUILD)/user/options/jfc_image.o: user/options/jfc_image.S $(wildcard user/options/*.jfc)
	@mkdir -p $(@D)
	$(Q)$(CC) -c -o $@ $<

# Each preset behind a line with its name
PRESETS	:= $(sort $(wildcard presets/*))
$(BUILD)/user/options/presets_image.o: user/options/presets_image.S $(PRESETS)
	@mkdir -p $(@D)
	$(Q)for f in $(PRESETS); do echo "== $${f##*/}" && cat $$f || exit 1; done >$(BUILD)/presets
	$(Q)$(CC) -c -DPRESETS_FILE='"$(BUILD)/presets"' -o $@ $<

# The page of a report has its style and its script inside. A browser uses only those with the hashes that it names.
PAGE	:= user/page/html
SCRIPTS	:= $(addprefix $(PAGE)/,data.js draw.js heat.js bands.js calls.js flame.js waits.js threads.js page.js)
sha256	= sha256-$(shell sha256sum <$(1) | cut -c 1-64 | tr a-f A-F | basenc --base16 -d | base64)

$(BUILD)/$(PAGE).js: $(SCRIPTS)
	@mkdir -p $(@D)
	$(Q)cat $^ >$@

$(BUILD)/user/page/page_image.o: user/page/page_image.S $(BUILD)/$(PAGE).js $(PAGE)/page.html $(PAGE)/style.css
	$(Q)$(CC) -c -DPAGE_SCRIPT='"$(BUILD)/$(PAGE).js"' -DPAGE_SCRIPT_HASH='"$(call sha256,$(BUILD)/$(PAGE).js)"' \
		-DPAGE_STYLE_HASH='"$(call sha256,$(PAGE)/style.css)"' -o $@ $<

# unit tests: tests/unit/ROOM/test_X.c is a CMocka program; tests/lib is linked into each
# and some are of one machine's code
OF_x86_64 := $(patsubst %,tests/unit/%.c,capture/test_usdt_cookie jvm/test_native_entry stacks/test_code_place)
TESTS := $(patsubst %.c,$(BUILD)/%,$(filter-out $(if $(OF_$(ARCH)),,$(OF_x86_64)),$(wildcard tests/unit/*/test_*.c)))
REPLAYS := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/replay_%,$(wildcard tests/fuzz/fuzz_*.c))
TEST_LIB := $(call objects,$(wildcard tests/lib/*.c))

$(TESTS): %: %.o $(TEST_LIB) $(LIB)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS) -lcmocka

# Functions that a test replaces
wrap = -Wl,$(subst $(eval) ,$(comma),$(addprefix --wrap=,$(1)))
comma := ,
$(BUILD)/tests/unit/record/test_output: LDLIBS += $(call wrap,fstatvfs)
$(BUILD)/tests/unit/record/test_output_faults: LDLIBS += $(call wrap,open openat pwrite pread ftruncate renameat renameat2 unlinkat \
	fdatasync fsync fstat fstatat fcntl mkdirat pipe2 fork fstatvfs)
$(BUILD)/tests/unit/capture/test_intake: LDLIBS += $(call wrap,queue_open queue_close queue_consume queue_consumed queue_produced queue_unread queue_room queue_lost_calls \
	queue_report_losses sweep_begin sweep sweep_finish bpf_map__max_entries bpf_map__fd monotonic_ns nanosleep \
	kernel_probes_flush kernel_probes_write_waits)
$(BUILD)/tests/unit/capture/test_natives: LDLIBS += $(call wrap,clock_tsc clock_ticks_of_ns native_probes_forget_stack native_probes_sums native_probes_attach \
	copied_stacks_take_call copied_stacks_is_call_of)
$(BUILD)/tests/unit/capture/test_hotspot_source: LDLIBS += $(call wrap,clock_tsc clock_ticks_of_ns bpf_map_lookup_elem bpf_map__fd hotspot_methods_finish)
$(patsubst %,$(BUILD)/tests/unit/capture/test_%.o,intake kernel_probes natives hotspot_source): | $(BUILD)/frtrace.skel.h
$(BUILD)/tests/unit/capture/test_bpf_stack.o: | $(BUILD)/frtrace.skel.h $(BUILD)/native.skel.h
$(BUILD)/tests/unit/capture/test_queue: LDLIBS += $(call wrap,ring_buffer__new ring_buffer__consume ring_buffer__free \
	copied_stacks_take_wait copied_stacks_take_waker)
$(BUILD)/tests/unit/capture/test_perfbuf: LDLIBS += $(call wrap,perf_buffer__new_raw perf_buffer__buffer perf_buffer__epoll_fd perf_buffer__free)
$(BUILD)/tests/unit/process/test_user_child: LDLIBS += $(call wrap,waitpid)
$(BUILD)/tests/unit/jfr/test_jfr_read: LDLIBS += $(call wrap,sorter_take)
$(BUILD)/tests/unit/trace/test_progress: LDLIBS += $(call wrap,monotonic_ms)
$(BUILD)/tests/unit/run/test_control_socket: LDLIBS += $(call wrap,run_directory_name run_directory_is_own run_directory_make)
$(BUILD)/tests/unit/run/test_priority: LDLIBS += $(call wrap,getpriority setpriority eventfd_write)
$(BUILD)/tests/unit/stacks/test_frames: LDLIBS += $(call wrap,resolver_frame)
$(BUILD)/tests/unit/record/test_paths: LDLIBS += $(call wrap,thread_keys_find_owner)
$(BUILD)/tests/unit/record/test_thread_names: LDLIBS += $(call wrap,monotonic_ns target_task_is thread_object_read)
$(BUILD)/tests/unit/stacks/test_copied_stacks: LDLIBS += $(call wrap,resolver_frame)
$(BUILD)/tests/unit/jvm/test_layout_check: LDLIBS += $(call wrap,hotspot_each_thread target_each_task resolver_frame)
$(BUILD)/tests/unit/record/test_recorder: LDLIBS += $(call wrap,fstatvfs target_describe jvm_model_version)
$(BUILD)/tests/unit/record/test_output_thread: LDLIBS += $(call wrap,pwrite)
$(BUILD)/tests/unit/record/test_output_memory: LDLIBS += $(call wrap,machine_memory cgroup_limit_own_memory mmap madvise pwrite openat fstatvfs)
$(BUILD)/tests/unit/record/test_span_events: LDLIBS += $(call wrap,jfr_method_traces user_events_has user_events_put)
$(addprefix $(BUILD)/tests/unit/run/,test_printout test_printout_notes): LDLIBS += $(call wrap,fstatvfs target_describe)

# what others compile with, or read
$(patsubst %,$(BUILD)/tests/unit/%.o,elf/test_elf_tls process/test_trace_context): CFLAGS += -DCOMPILER='"$(CC)"'
$(BUILD)/tests/unit/verbs/test_options_table.o: CFLAGS += -DBUILD='"$(BUILD)"'
$(BUILD)/tests/unit/verbs/test_options_table: | $(TEXTS)

# The agent's modules that do not need a JVM, compiled for the tests with a libc and, on request, sanitizers.
AGENT_MODULES := allocated control flags hook jvm launch_link lock_free own_memory ring slot span stack stack_chunks stack_memory stack_named \
	stack_table stack_jvmti timing nesting virtual_calls mounts recordings inside open_stack trace_context seccomp tasks/task_others
AGENT_TESTS := $(filter $(BUILD)/tests/unit/agent/%,$(TESTS))
HOSTED_CFLAGS := -DAGENT_HOSTED -isystem $(JNI) -isystem $(JNI)linux
$(BUILD)/hosted/%.o: %.c
	@echo "  CC     $< (hosted)"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(HOSTED_CFLAGS) $(DEPS) -c -o $@ $<

$(BUILD)/hosted/agent.a: $(patsubst %,$(BUILD)/hosted/uprobes/agent/%.o,sys $(AGENT_MODULES)) Makefile
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(AGENT_TESTS:%=%.o): CFLAGS += $(HOSTED_CFLAGS)
$(AGENT_TESTS): $(BUILD)/hosted/agent.a

# test_together under ThreadSanitizer, which does not go with other sanitizers, nor with an emulator, nor with an own malloc()
TSAN_TESTS := $(if $(ASAN)$(CROSS),,$(BUILD)/tests/together_tsan)
$(TSAN_TESTS): $(patsubst %,$(BUILD)/tsan/%.o,tests/unit/agent/test_together $(addprefix uprobes/agent/,hook lock_free own_memory recordings span sys timing) user/capture/stream \
	user/segment/segment) $(BUILD)/hosted/agent.a $(filter-out %/fail_nth.o,$(TEST_LIB)) $(LIB)
	$(Q)$(CC) $(CFLAGS) -fsanitize=thread -o $@ $^ $(LDLIBS) -lcmocka
$(BUILD)/tsan/%.o: %.c
	@echo "  CC     $< (thread sanitizer)"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -O1 -fsanitize=thread -Wno-tsan $(HOSTED_CFLAGS) $(DEPS) -c -o $@ $<

# frtrace variant that gives wrong layouts to the agent, for tests/live/stacks/wrong_layout.sh
$(BUILD)/tests/frtrace_garbled: $(BUILD)/tests/live/garbled.o $(BUILD)/tests/lib/garble.o $(BUILD)/user/main.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS) $(call wrap,session_take_stacks hotspot_layout_read)

# frtrace variant that writes the kernel's records to a file, for tests/live/kernel/waits.sh
$(BUILD)/tests/frtrace_waits: $(BUILD)/tests/live/waits.o $(BUILD)/user/main.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS) $(call wrap,session_take_waits session_start btf__find_by_name_kind)

# frtrace variant that reports the system calls that its filter refuses, for tests/live/life/confined.sh
$(BUILD)/tests/frtrace_confined: $(BUILD)/tests/live/confined.o $(BUILD)/user/main.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS) $(call wrap,seccomp_init tsc_usable)

# loads the BPF programs one by one, for tests/live/kernel/programs.sh
$(BUILD)/tests/live/load_programs.o: $(BUILD)/frtrace.skel.h $(BUILD)/native.skel.h
$(BUILD)/tests/frtrace_programs: $(BUILD)/tests/live/load_programs.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)

# frtrace variant whose hooks return at once, for scripts/bench-inside
$(BUILD)/tests/libfrtrace_empty.so: $(filter-out %/hook.o,$(AGENT_OBJECTS)) $(BUILD)/agent/tests/live/empty_hook.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(AGENT_LDFLAGS) -o $@ $^
$(BUILD)/tests/agent_image_empty.o: user/capture/agent_image.S $(BUILD)/tests/libfrtrace_empty.so
	$(Q)$(CC) -c -DAGENT_FILE='"$(BUILD)/tests/libfrtrace_empty.so"' -o $@ $<
$(BUILD)/tests/frtrace_empty: $(BUILD)/user/main.o $(filter-out %/agent_image.o,$(LIB_OBJECTS)) $(BUILD)/tests/agent_image_empty.o
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)

# the programs that scripts/bench-writer measures, and that write what scripts/bench-export reads
$(BUILD)/tests/bench_writer $(BUILD)/tests/bench_export: $(BUILD)/tests/%: $(BUILD)/tests/live/%.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/tests/bench_collector: $(BUILD)/tests/live/bench_collector.o $(TEST_LIB) $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS) -lcmocka $(call wrap,ring_buffer__new ring_buffer__consume ring_buffer__free target_describe jvm_model_version)

# writes the recording of tests/live/verbs/report.sh
$(BUILD)/tests/planted: $(BUILD)/tests/live/planted.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)

# A fuzz target is LLVMFuzzerTestOneInput() in tests/fuzz/fuzz_X.c; its corpus, tests/fuzz/corpus/X, is replayed by every `make check`.
$(BUILD)/tests/replay_fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/replay.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)

# The whole program over changed recordings, see tests/fuzz/cli_fuzz.c
$(BUILD)/tests/fuzz/frtrace_main.o: user/main.c
	@echo "  CC     $< (called)"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -Wno-missing-prototypes -Dmain=frtrace_main $(DEPS) -c -o $@ $<

CLI_LINES := $(BUILD)/tests/fuzz/cli_lines.o $(BUILD)/tests/fuzz/frtrace_main.o
$(BUILD)/tests/cli_fuzz: $(BUILD)/tests/fuzz/cli_fuzz.o $(BUILD)/tests/fuzz/jfr_mutate.o $(CLI_LINES) $(LIB)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)
CLI_TESTS := $(patsubst %,$(BUILD)/tests/unit/verbs/test_%,hostile_recordings views_agree exports_agree)
$(CLI_TESTS): $(CLI_LINES)
$(CLI_TESTS): LDLIBS := $(LIB) $(LDLIBS)

fuzz: $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
$(BUILD)/fuzz_%: tests/fuzz/fuzz_%.c $(FORMAT) $(FILTERS)
	@echo "  FUZZ   $@"
	@mkdir -p $(@D)
	$(Q)$(CLANG) -std=gnu11 -O1 -g -D_GNU_SOURCE -I. -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -o $@ $^ $(LDLIBS)

# sources that read the target's memory, and what they need
$(BUILD)/fuzz_segment: user/text/budget.c $(addprefix user/capture/,held_spans.c open_calls.c roots.c stream.c) $(addprefix user/segment/,native_rows.c segment.c) user/stacks/agent_stacks.c \
	$(addprefix user/text/,monotonic.c log.c fold.c term.c io.c java_number.c) $(wildcard user/process/*.c) $(UPROBES)
$(BUILD)/fuzz_usdt: uprobes/elf/elf_file.c uprobes/elf/elf_notes.c user/capture/usdt_cookie.c
$(BUILD)/fuzz_nmethod: $(wildcard user/hotspot/*.c)
$(BUILD)/fuzz_kernel_symbols: user/stacks/kernel_symbols.c
$(BUILD)/fuzz_elf: $(UPROBES)
$(BUILD)/fuzz_user_value: user/record/user_value.c user/text/java_number.c
$(BUILD)/fuzz_classes: user/jvm/matches.c user/process/interrupt.c user/text/budget.c user/text/monotonic.c $(wildcard user/hotspot/*.c)
# sources that print recordings
$(BUILD)/fuzz_jfr_read: $(wildcard user/text/*.c) $(patsubst %,user/trace/%.c,event_members jfr_names sorter wait) \
	$(patsubst %,user/print/%.c,context event_json event_text old_object print printer render_cache select value_text)

# the benchmarks are only built, so that they follow the code
check: $(TESTS) $(TSAN_TESTS) $(REPLAYS) $(patsubst %,$(BUILD)/tests/bench_%,writer export collector)
	$(Q)RUN="$(RUN)" scripts/run-tests $(TESTS) $(TSAN_TESTS) $(REPLAYS)

install: all
	install -D -m 755 $(BUILD)/frtrace $(DESTDIR)$(PREFIX)/bin/frtrace
	install -D -m 644 $(BUILD)/frtrace.1 $(DESTDIR)$(PREFIX)/share/man/man1/frtrace.1
	install -D -m 644 $(BUILD)/frtrace.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/frtrace
	install -D -m 644 $(BUILD)/_frtrace $(DESTDIR)$(PREFIX)/share/zsh/$(ZSH)/_frtrace

clean:
	rm -rf build build-*

.PHONY: all static check fuzz install clean
.SECONDARY:
# the roots of scripts/jdks contain *.d files and directories that are not dependencies
-include $(shell find $(BUILD) -path $(BUILD)/jdks -prune -o -type f -name '*.d' -print 2>/dev/null)
