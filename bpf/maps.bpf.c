// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "bpf/maps.bpf.h"

volatile struct frt_target target = {};
volatile __u32 target_process = NO_PROCESS;
volatile struct frt_wait_setup wait_setup = {};
const volatile __s64 count_offset = 0;
const volatile __s64 clock_offset = 0;
const volatile bool usage_wanted = false;
const volatile bool perf_buffers = false;
volatile struct frt_code agent_code = {};
volatile __u32 vm_thread = 0;
volatile bool vm_collects = false;
volatile bool commanding = false;
volatile __u32 paths_wanted = 0;
volatile __u64 samples_lost = 0;
volatile __u64 waits_lost = 0;
volatile __u64 unobserved_lost = 0;
volatile __u64 wake_level = 0;

struct queue_map queue SEC(".maps");
struct perf_queue_map perf_queue SEC(".maps");
struct staging_map staging SEC(".maps");
struct thread_map threads SEC(".maps");
struct thread_usage_map thread_usages SEC(".maps");
struct mapped_slot_map mapped_slots SEC(".maps");
struct drop_map drops SEC(".maps");
