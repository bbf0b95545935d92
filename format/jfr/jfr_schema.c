// SPDX-License-Identifier: BSD-2-Clause
/*
 * The schema. The metadata event describes every type of the chunk as a tree of elements, whose names and values
 * are indices into one table of strings:
 *
 *     root
 *       metadata
 *         class name="long" id="10002"
 *         class name="jdk.MethodTrace" superType="jdk.jfr.Event" id="10024"
 *           field name="startTime" class="10002"
 *             annotation class="10007" value="TICKS"
 *           ...
 *           annotation class="10004" value="Method Trace"
 *       region locale="en_US" gmtOffset="0" dst="0"
 *
 * Requirements of readers, each found by a tool that failed:
 *    - the first field is startTime; a field `duration` must be the second;
 *    - annotations that give a unit (Timestamp, Timespan, DataAmount, Unsigned)
 *      carry jdk.jfr.ContentType themselves, or values print without unit;
 *    - an annotation with a member has that attribute, or JMC fails;
 *    - JMC casts: thread ids are long; line, bci and modifiers are int; StackFrame has
 *      exactly its four fields in this order; pid is the last of JVMInformation;
 *    - a metadata id that equals the previous chunk's means "the same as there",
 *      also if that chunk comes from a JVM: hence a hash.
 *
 * Names, labels, descriptions and order of the fields are those of JDK 25.
 */
#include "format/jfr/jfr_schema.h"
#include "format/hash.h"
#include "format/jfr/jfr_events.h"
#include "format/jfr/jfr_type_write.h"

#include <stdio.h>
#include <errno.h>
#include <stddef.h>

struct type {
	const char *name;
	const char *label, *description, *category[2];
	const struct jfr_field *fields;
	bool simple;	   /* readers replace it by its only field */
	bool content_type; /* this annotation gives a unit */
	enum jfr_kernel kernel;
	bool samples; /* only with `samples` of the schema */
};

// clang-format off
#define FIELD(n, t, l, ...) { .name = (n), .type = (t), .label = (l), __VA_ARGS__ }
#define FIELDS(...) .fields = (const struct jfr_field[]){ __VA_ARGS__, { .name = NULL } }
#define UNIT(t, v) .unit = { { (t), (v) } }
#define UNSIGNED .unit = { { JFR_UNSIGNED, NULL } }
#define UNSIGNED_BYTES .unit = { { JFR_UNSIGNED, NULL }, { JFR_DATA_AMOUNT, "BYTES" } }
#define FROM(s, m) .at = offsetof(struct jfr_##s, m), .size = sizeof(((struct jfr_##s *)0)->m)
#define START_TIME FIELD("startTime", JFR_LONG, "Start Time", .size = sizeof(int64_t), UNIT(JFR_TIMESTAMP, "TICKS"))
#define SPLIT(n, m, l, k, d) FIELD(n, JFR_LONG, l, FROM(method_trace, m), UNIT(JFR_TIMESPAN, "NANOSECONDS"), .extra = true, .kernel = JFR_KERNEL_##k, .description = (d))
#define COUNT(n, m, l, d) FIELD(n, JFR_LONG, l, FROM(method_trace, m), .extra = true, .kernel = JFR_KERNEL_FULL, .description = (d))
#define TRACE_ID(n, m, l, d) FIELD(n, JFR_LONG, l, FROM(method_trace, m), .extra = true, .trace = true, .description = (d))
#define ALLOCATED(e, d) FIELD("allocated", JFR_LONG, "Allocated", FROM(e, allocated), UNIT(JFR_DATA_AMOUNT, "BYTES"), .extra = true, .allocated = true, .description = (d))
#define MISSING_TIME(what) .description = "The value may be missing (Long.MIN_VALUE) if the clock-resolution is too low to establish " what " time"
#define VALUE FIELDS(FIELD("value", JFR_STRING, NULL))

static const struct type types[JFR_TYPES] = {
	[JFR_BOOLEAN] = { .name = "boolean" },
	[JFR_BYTE] = { .name = "byte" },
	[JFR_CHAR] = { .name = "char" },
	[JFR_SHORT] = { .name = "short" },
	[JFR_INT] = { .name = "int" },
	[JFR_LONG] = { .name = "long" },
	[JFR_FLOAT] = { .name = "float" },
	[JFR_DOUBLE] = { .name = "double" },
	[JFR_STRING] = { .name = "java.lang.String" },

	[JFR_LABEL] = { .name = "jdk.jfr.Label", VALUE },
	[JFR_DESCRIPTION] = { .name = "jdk.jfr.Description", VALUE },
	[JFR_CATEGORY] = { .name = "jdk.jfr.Category", FIELDS(FIELD("value", JFR_STRING, NULL, .array = true)) },
	[JFR_TIMESTAMP] = { .name = "jdk.jfr.Timestamp", VALUE, .content_type = true },
	[JFR_TIMESPAN] = { .name = "jdk.jfr.Timespan", VALUE, .content_type = true },
	[JFR_DATA_AMOUNT] = { .name = "jdk.jfr.DataAmount", VALUE, .content_type = true },
	[JFR_UNSIGNED] = { .name = "jdk.jfr.Unsigned", .content_type = true },
	[JFR_CONTEXTUAL] = { .name = "jdk.jfr.Contextual" },
	[JFR_PERCENTAGE] = { .name = "jdk.jfr.Percentage", .content_type = true },
	[JFR_MEMORY_ADDRESS] = { .name = "jdk.jfr.MemoryAddress", .content_type = true },
	[JFR_FREQUENCY] = { .name = "jdk.jfr.Frequency", .content_type = true },
	[JFR_CALLS] = { .name = "frtrace.Calls" },
	[JFR_CONTENT_TYPE] = { .name = "jdk.jfr.ContentType" },

	[JFR_STACK_FRAME] = { .name = "jdk.types.StackFrame",
		FIELDS(FIELD("method", JFR_METHOD, "Java Method"),
		       FIELD("lineNumber", JFR_INT, "Line Number"),
		       FIELD("bytecodeIndex", JFR_INT, "Bytecode Index"),
		       FIELD("type", JFR_FRAME_TYPE, "Frame Type")) },

	[JFR_THREAD] = { .name = "java.lang.Thread", .label = "Thread",
		FIELDS(FIELD("osName", JFR_STRING, "OS Thread Name"),
		       FIELD("osThreadId", JFR_LONG, "OS Thread Id"),
		       FIELD("javaName", JFR_STRING, "Java Thread Name"),
		       FIELD("javaThreadId", JFR_LONG, "Java Thread Id"),
		       FIELD("group", JFR_THREAD_GROUP, "Java Thread Group"),
		       FIELD("virtual", JFR_BOOLEAN, "Virtual Thread")) },
	[JFR_THREAD_GROUP] = { .name = "jdk.types.ThreadGroup", .label = "Thread Group",
		FIELDS(FIELD("parent", JFR_THREAD_GROUP, "Parent"),
		       FIELD("name", JFR_STRING, "Name")) },
	[JFR_CLASS] = { .name = "java.lang.Class", .label = "Java Class",
		FIELDS(FIELD("classLoader", JFR_CLASS_LOADER, "Class Loader"),
		       FIELD("name", JFR_SYMBOL, "Name"),
		       FIELD("package", JFR_PACKAGE, "Package"),
		       FIELD("modifiers", JFR_INT, "Access Modifiers"),
		       FIELD("hidden", JFR_BOOLEAN, "Hidden")) },
	[JFR_CLASS_LOADER] = { .name = "jdk.types.ClassLoader", .label = "Java Class Loader",
		FIELDS(FIELD("type", JFR_CLASS, "Type"),
		       FIELD("name", JFR_SYMBOL, "Name")) },
	[JFR_METHOD] = { .name = "jdk.types.Method", .label = "Java Method",
		FIELDS(FIELD("type", JFR_CLASS, "Type"),
		       FIELD("name", JFR_SYMBOL, "Name"),
		       FIELD("descriptor", JFR_SYMBOL, "Descriptor"),
		       FIELD("modifiers", JFR_INT, "Access Modifiers"),
		       FIELD("hidden", JFR_BOOLEAN, "Hidden")) },
	[JFR_SYMBOL] = { .name = "jdk.types.Symbol", .label = "Symbol", .simple = true,
		FIELDS(FIELD("string", JFR_STRING, "String")) },
	[JFR_PACKAGE] = { .name = "jdk.types.Package", .label = "Package",
		FIELDS(FIELD("name", JFR_SYMBOL, "Name"),
		       FIELD("module", JFR_MODULE, "Module"),
		       FIELD("exported", JFR_BOOLEAN, "Exported")) },
	[JFR_MODULE] = { .name = "jdk.types.Module", .label = "Module",
		FIELDS(FIELD("name", JFR_SYMBOL, "Name"),
		       FIELD("version", JFR_SYMBOL, "Version"),
		       FIELD("location", JFR_SYMBOL, "Location"),
		       FIELD("classLoader", JFR_CLASS_LOADER, "Class Loader")) },
	[JFR_STACK_TRACE] = { .name = "jdk.types.StackTrace", .label = "Stacktrace",
		FIELDS(FIELD("truncated", JFR_BOOLEAN, "Truncated"),
		       FIELD("frames", JFR_STACK_FRAME, "Stack Frames", .array = true)) },
	[JFR_FRAME_TYPE] = { .name = "jdk.types.FrameType", .label = "Frame type", .simple = true,
		FIELDS(FIELD("description", JFR_STRING, "Description")) },
	[JFR_THREAD_STATE] = { .name = "jdk.types.ThreadState", .label = "Java Thread State", .simple = true,
		FIELDS(FIELD("name", JFR_STRING, "Name")) },

	[JFR_METHOD_TRACE] = { .name = "jdk.MethodTrace", .label = "Method Trace",
		.category = { "Java Virtual Machine", "Method Tracing" },
		FIELDS(START_TIME,
		       FIELD("duration", JFR_LONG, "Duration", FROM(method_trace, duration), UNIT(JFR_TIMESPAN, "TICKS")),
		       FIELD("eventThread", JFR_THREAD, "Event Thread", FROM(method_trace, thread),
			     .description = "Thread in which event was committed in"),
		       FIELD("stackTrace", JFR_STACK_TRACE, "Stack Trace", FROM(method_trace, stack),
			     .description = "Stack Trace starting from the method the event was committed in"),
		       FIELD("method", JFR_METHOD, "Method", FROM(method_trace, method), UNIT(JFR_CONTEXTUAL, NULL)),
		       FIELD("thrown", JFR_BOOLEAN, "Thrown", FROM(method_trace, thrown), .extra = true, .description = "The call ended with an exception"),
		       FIELD("thrownClass", JFR_CLASS, "Thrown Class", FROM(method_trace, thrown_class), .extra = true, .description = "Class of that exception, where known; its loader is not given"),
		       SPLIT("cpuTime", cpu, "CPU Time", WAITS, "Time on a CPU"),
		       SPLIT("runQueueTime", run_queue, "Run Queue Time", WAITS, "Time during which its thread was runnable and waited for a CPU"),
		       SPLIT("blockedTime", blocked, "Blocked Time", WAITS, "Time during which its thread waited for something else"),
		       SPLIT("pauseTime", pause, "Pause Time", WAITS, "Time during which the JVM stood still; part of the run queue and blocked time"),
		       COUNT("majorFaults", major_faults, "Major Page Faults", "Read from a disk"),
		       COUNT("minorFaults", minor_faults, "Minor Page Faults", "Resolved without reading from a disk"),
		       COUNT("syscalls", system_calls, "System Calls", NULL),
		       SPLIT("syscallTime", system_call_time, "System Call Time", FULL, "Total time in system calls, waits included"),
		       ALLOCATED(method_trace, "Bytes that its thread allocated in the call, all that it called included"),
		       FIELD("requestTime", JFR_LONG, "Request Time", FROM(method_trace, request), UNIT(JFR_TIMESPAN, "NANOSECONDS"), .extra = true, .until = true, .description = "Until its last task had ended; missing if that was not after the call"),
		       TRACE_ID("traceIdHi", trace_hi, "Trace Id, High Half", "Of the distributed trace that the thread was in when the call ended; 0: none"),
		       TRACE_ID("traceIdLo", trace_lo, "Trace Id, Low Half", NULL),
		       TRACE_ID("spanId", span, "Span Id", "Of the span of that trace")) },
	[JFR_METHOD_TIMING] = { .name = "jdk.MethodTiming", .label = "Method Timing",
		.description = "Measures the approximate time it takes for a method to execute, including all delays, "
			       "not just CPU processing time",
		.category = { "Java Virtual Machine", "Method Tracing" },
		FIELDS(START_TIME,
		       FIELD("method", JFR_METHOD, "Method", FROM(method_timing, method)),
		       FIELD("invocations", JFR_LONG, "Invocations", FROM(method_timing, invocations)),
		       FIELD("minimum", JFR_LONG, "Minimum Time", FROM(method_timing, minimum), UNIT(JFR_TIMESPAN, "TICKS"), MISSING_TIME("a minimum")),
		       FIELD("average", JFR_LONG, "Average Time", FROM(method_timing, average), UNIT(JFR_TIMESPAN, "TICKS"), MISSING_TIME("an average")),
		       FIELD("maximum", JFR_LONG, "Maximum Time", FROM(method_timing, maximum), UNIT(JFR_TIMESPAN, "TICKS"), MISSING_TIME("a maximum")),
		       FIELD("p50", JFR_LONG, "Median Time", FROM(method_timing, p50), UNIT(JFR_TIMESPAN, "TICKS"), .extra = true),
		       FIELD("p90", JFR_LONG, "P90 Time", FROM(method_timing, p90), UNIT(JFR_TIMESPAN, "TICKS"), .extra = true),
		       FIELD("p99", JFR_LONG, "P99 Time", FROM(method_timing, p99), UNIT(JFR_TIMESPAN, "TICKS"), .extra = true),
		       FIELD("thrown", JFR_LONG, "Thrown", FROM(method_timing, thrown), .extra = true, .description = "Calls that ended with an exception"),
		       FIELD("selfTime", JFR_LONG, "Self Time", FROM(method_timing, self), UNIT(JFR_TIMESPAN, "TICKS"), .extra = true, .description = "Time of all calls without that of the timed calls which they made"),
		       FIELD("outermostTime", JFR_LONG, "Time Without Recursion", FROM(method_timing, outermost), UNIT(JFR_TIMESPAN, "TICKS"), .extra = true, .description = "Time of the calls which were in no other call of the method"),
		       ALLOCATED(method_timing, "Bytes that the calls have allocated, all that they called included")) },
	[JFR_OPEN_CALL] = { .name = "frtrace.OpenCall", .label = "Open Call",
		.description = "A call that had not returned when the recording ended, or was dumped",
		.category = { "Java Virtual Machine", "Method Tracing" },
		FIELDS(START_TIME,
		       FIELD("duration", JFR_LONG, "Duration", FROM(open_call, duration), UNIT(JFR_TIMESPAN, "TICKS"), .description = "Duration up to that moment"),
		       FIELD("eventThread", JFR_THREAD, "Event Thread", FROM(open_call, thread), .description = "The thread that is in the call"),
		       FIELD("stackTrace", JFR_STACK_TRACE, "Stack Trace", FROM(open_call, stack),
			     .description = "The whole stack of the thread at that moment; the call is somewhere in it"),
		       FIELD("method", JFR_METHOD, "Method", FROM(open_call, method), UNIT(JFR_CONTEXTUAL, NULL)),
		       FIELD("remark", JFR_STRING, "Remark", FROM(open_call, remark), .description = "Unknown values, and why")) },
	[JFR_THREAD_WAIT] = { .name = "frtrace.ThreadWait", .label = "Thread Wait", .kernel = JFR_KERNEL_WAITS,
		.description = "A thread in a traced call was off the CPU and waited for something",
		.category = { "Operating System", "Threads" },
		FIELDS(START_TIME,
		       FIELD("duration", JFR_LONG, "Duration", FROM(thread_wait, duration), UNIT(JFR_TIMESPAN, "TICKS"), .description = "Time until the wake-up"),
		       FIELD("eventThread", JFR_THREAD, "Event Thread", FROM(thread_wait, thread), .description = "The thread that waited"),
		       FIELD("stackTrace", JFR_STACK_TRACE, "Stack Trace", FROM(thread_wait, stack), .description = "Its Java stack"),
		       FIELD("reason", JFR_STRING, "Reason", FROM(thread_wait, reason)),
		       FIELD("syscall", JFR_STRING, "System Call", FROM(thread_wait, system_call), .description = "The system call in which it waited"),
		       FIELD("wakerThread", JFR_THREAD, "Waker Thread", FROM(thread_wait, waker), .description = "The thread that woke it"),
		       FIELD("kernelStack", JFR_STACK_TRACE, "Kernel Stack", FROM(thread_wait, kernel_stack), .description = "Its kernel stack"),
		       FIELD("ongoing", JFR_BOOLEAN, "Ongoing", FROM(thread_wait, ongoing),
			     .description = "The wait had not ended when the recording did, or was dumped"),
		       FIELD("nativeStack", JFR_STACK_TRACE, "Native Stack", FROM(thread_wait, native_stack),
			     .description = "Its frames in libraries, between those of the kernel and those in Java"),
		       FIELD("wakerStackTrace", JFR_STACK_TRACE, "Waker Stack Trace", FROM(thread_wait, waker_stack),
			     .description = "The Java stack of the waker as it ended the wait"),
		       FIELD("wakerKernelStack", JFR_STACK_TRACE, "Waker Kernel Stack", FROM(thread_wait, waker_kernel_stack),
			     .description = "The kernel stack of the waker as it ended the wait"),
		       FIELD("wokenBy", JFR_STRING, "Woken By", FROM(thread_wait, waker_kind),
			     .description = "What ended the wait: a thread, a process or an interrupt, such as a timer's"),
		       FIELD("wokenAfter", JFR_LONG, "Woken After", FROM(thread_wait, woken_after), UNIT(JFR_TIMESPAN, "NANOSECONDS"),
			     .description = "Time until the waker ended the wait; the rest of its duration the kernel took to wake the thread"),
		       FIELD("resource", JFR_STRING, "Resource", FROM(thread_wait, resource),
			     .description = "What it waited for: the peer of a socket, the path of a file")) },
	[JFR_RUN_QUEUE] = { .name = "frtrace.RunQueue", .label = "Run Queue", .kernel = JFR_KERNEL_WAITS,
		.description = "A thread in a traced call could have run and waited for a CPU",
		.category = { "Operating System", "Threads" },
		FIELDS(START_TIME,
		       FIELD("duration", JFR_LONG, "Duration", FROM(run_queue, duration), UNIT(JFR_TIMESPAN, "TICKS")),
		       FIELD("eventThread", JFR_THREAD, "Event Thread", FROM(run_queue, thread), .description = "The thread that waited")) },
	[JFR_VM_PAUSE] = { .name = "frtrace.VMPause", .label = "VM Pause", .kernel = JFR_KERNEL_WAITS,
		.description = "All Java threads stood still, or the garbage collector was running",
		.category = { "Java Virtual Machine", "Runtime" },
		FIELDS(START_TIME,
		       FIELD("duration", JFR_LONG, "Duration", FROM(vm_pause, duration), UNIT(JFR_TIMESPAN, "TICKS")),
		       FIELD("what", JFR_STRING, "What", FROM(vm_pause, what)),
		       FIELD("name", JFR_STRING, "Name", FROM(vm_pause, name), .description = "Of the VM operation"),
		       FIELD("byFrtrace", JFR_BOOLEAN, "By frtrace", FROM(vm_pause, own),
			     .description = "frtrace caused it: it changed classes or took stacks")) },
	[JFR_ACTIVE_RECORDING] = { .name = "jdk.ActiveRecording", .label = "Flight Recording",
		.category = { "Flight Recorder" },
		FIELDS(START_TIME,
		       FIELD("id", JFR_LONG, "Id", FROM(active_recording, id)),
		       FIELD("name", JFR_STRING, "Name", FROM(active_recording, name)),
		       FIELD("destination", JFR_STRING, "Destination", FROM(active_recording, destination)),
		       FIELD("disk", JFR_BOOLEAN, "To Disk", FROM(active_recording, disk)),
		       FIELD("maxAge", JFR_LONG, "Max Age", FROM(active_recording, max_age_ms), UNIT(JFR_TIMESPAN, "MILLISECONDS")),
		       FIELD("flushInterval", JFR_LONG, "Flush Interval", FROM(active_recording, flush_interval_ms), UNIT(JFR_TIMESPAN, "MILLISECONDS")),
		       FIELD("maxSize", JFR_LONG, "Max Size", FROM(active_recording, max_size), UNIT(JFR_DATA_AMOUNT, "BYTES")),
		       FIELD("recordingStart", JFR_LONG, "Start Time", FROM(active_recording, recording_start_ms), UNIT(JFR_TIMESTAMP, "MILLISECONDS_SINCE_EPOCH")),
		       FIELD("recordingDuration", JFR_LONG, "Recording Duration", FROM(active_recording, recording_duration_ms), UNIT(JFR_TIMESPAN, "MILLISECONDS"))) },
	[JFR_ACTIVE_SETTING] = { .name = "jdk.ActiveSetting", .label = "Recording Setting",
		.category = { "Flight Recorder" },
		FIELDS(START_TIME,
		       FIELD("id", JFR_LONG, "Event Id", FROM(active_setting, id)),
		       FIELD("name", JFR_STRING, "Setting Name", FROM(active_setting, name)),
		       FIELD("value", JFR_STRING, "Setting Value", FROM(active_setting, value))) },
	[JFR_JVM_INFORMATION] = { .name = "jdk.JVMInformation", .label = "JVM Information",
		.description = "Description of JVM and the Java application",
		.category = { "Java Virtual Machine" },
		FIELDS(START_TIME,
		       FIELD("jvmName", JFR_STRING, "JVM Name", FROM(jvm_information, jvm_name)),
		       FIELD("jvmVersion", JFR_STRING, "JVM Version", FROM(jvm_information, jvm_version)),
		       FIELD("jvmArguments", JFR_STRING, "JVM Command Line Arguments", FROM(jvm_information, jvm_arguments)),
		       FIELD("jvmFlags", JFR_STRING, "JVM Settings File Arguments", FROM(jvm_information, jvm_flags)),
		       FIELD("javaArguments", JFR_STRING, "Java Application Arguments", FROM(jvm_information, java_arguments)),
		       FIELD("jvmStartTime", JFR_LONG, "JVM Start Time", FROM(jvm_information, jvm_start_ms), UNIT(JFR_TIMESTAMP, "MILLISECONDS_SINCE_EPOCH")),
		       FIELD("pid", JFR_LONG, "Process Identifier", FROM(jvm_information, pid))) },
	[JFR_OS_INFORMATION] = { .name = "jdk.OSInformation", .label = "OS Information",
		.description = "Description of the OS the JVM runs on, for example, a uname-like output",
		.category = { "Operating System" },
		FIELDS(START_TIME,
		       FIELD("osVersion", JFR_STRING, "OS Version", FROM(os_information, version))) },
	[JFR_CPU_INFORMATION] = { .name = "jdk.CPUInformation", .label = "CPU Information",
		.description = "Characteristics and descriptions of the processor(s) the JVM is running on",
		.category = { "Operating System", "Processor" },
		FIELDS(START_TIME,
		       FIELD("cpu", JFR_STRING, "Type", FROM(cpu_information, cpu)),
		       FIELD("description", JFR_STRING, "Description", FROM(cpu_information, description)),
		       FIELD("sockets", JFR_INT, "Sockets", FROM(cpu_information, sockets), UNSIGNED),
		       FIELD("cores", JFR_INT, "Cores", FROM(cpu_information, cores), UNSIGNED),
		       FIELD("hwThreads", JFR_INT, "Hardware Threads", FROM(cpu_information, hw_threads), UNSIGNED)) },
	[JFR_PHYSICAL_MEMORY] = { .name = "jdk.PhysicalMemory", .label = "Physical Memory",
		.description = "OS Physical Memory",
		.category = { "Operating System", "Memory" },
		FIELDS(START_TIME,
		       FIELD("totalSize", JFR_LONG, "Total Size", FROM(physical_memory, total), .description = "Total amount of physical memory available to OS", UNSIGNED_BYTES),
		       FIELD("usedSize", JFR_LONG, "Used Size", FROM(physical_memory, used), .description = "Total amount of physical memory in use", UNSIGNED_BYTES)) },
	[JFR_VIRTUALIZATION_INFORMATION] = { .name = "jdk.VirtualizationInformation", .label = "Virtualization Information",
		.description = "Description of the virtualization technology the JVM runs on",
		.category = { "Operating System" },
		FIELDS(START_TIME,
		       FIELD("name", JFR_STRING, "Name", FROM(virtualization_information, name))) },
	[JFR_DATA_LOSS] = { .name = "jdk.DataLoss", .label = "Data Loss",
		.description = "Data could not be copied out from a buffer, typically because of contention",
		.category = { "Flight Recorder" },
		FIELDS(START_TIME,
		       FIELD("amount", JFR_LONG, "Amount", FROM(data_loss, amount), .description = "Amount lost data", UNSIGNED_BYTES),
		       FIELD("total", JFR_LONG, "Total", FROM(data_loss, total), .description = "Total lost amount for thread", UNSIGNED_BYTES)) },
	[JFR_SHUTDOWN] = { .name = "jdk.Shutdown", .label = "JVM Shutdown",
		.description = "JVM shutting down", .category = { "Java Virtual Machine", "Runtime" },
		FIELDS(START_TIME,
		       FIELD("eventThread", JFR_THREAD, "Event Thread", FROM(shutdown, thread),
			     .description = "Thread in which event was committed in"),
		       FIELD("stackTrace", JFR_STACK_TRACE, "Stack Trace", FROM(shutdown, stack),
			     .description = "Stack Trace starting from the method the event was committed in"),
		       FIELD("reason", JFR_STRING, "Reason", FROM(shutdown, reason), .description = "Reason for JVM shutdown")) },
	[JFR_CLOCK] = { .name = "frtrace.Clock", .label = "Clock",
		.description = "One moment on three clocks; the ticks of this recording are nanoseconds of CLOCK_MONOTONIC",
		.category = { "frtrace" },
		FIELDS(START_TIME,
		       FIELD("tsc", JFR_LONG, "Time Stamp Counter", FROM(clock, tsc)),
		       FIELD("monotonic", JFR_LONG, "Monotonic", FROM(clock, monotonic), .description = "CLOCK_MONOTONIC in nanoseconds"),
		       FIELD("realtime", JFR_LONG, "Realtime", FROM(clock, realtime), .description = "CLOCK_REALTIME in nanoseconds since the epoch"),
		       FIELD("error", JFR_LONG, "Error", FROM(clock, error), UNIT(JFR_TIMESPAN, "NANOSECONDS"),
			     .description = "Maximum time between the three readings")) },
	[JFR_MESSAGE] = { .name = "frtrace.Message", .label = "Message",
		.description = "A remark about this recording for its reader",
		.category = { "frtrace" },
		FIELDS(START_TIME,
		       FIELD("kind", JFR_STRING, "Kind", FROM(message, kind)),
		       FIELD("text", JFR_STRING, "Text", FROM(message, text))) },
	[JFR_TASK] = { .name = "frtrace.Task", .label = "Task",
		.description = "A traced call, or a task of one, handed a task to another thread",
		.category = { "Java Virtual Machine", "Method Tracing" },
		FIELDS(START_TIME,
		       FIELD("duration", JFR_LONG, "Duration", FROM(task, duration), UNIT(JFR_TIMESPAN, "TICKS"), .description = "Time until it began, or until it was known that it will not; startTime is when it was handed over"),
		       FIELD("eventThread", JFR_THREAD, "Event Thread", FROM(task, thread), .description = "The thread that ran it, or that ended its wait"),
		       FIELD("stackTrace", JFR_STACK_TRACE, "Stack Trace", FROM(task, stack), .description = "Where it was handed over"),
		       FIELD("submitThread", JFR_THREAD, "Submit Thread", FROM(task, submitter), .description = "The thread that handed it over"),
		       FIELD("method", JFR_METHOD, "Method", FROM(task, method), UNIT(JFR_CONTEXTUAL, NULL), .description = "Innermost traced call of that thread; none if the thread was in a task, or virtual"),
		       FIELD("taskClass", JFR_CLASS, "Task Class", FROM(task, task_class), .description = "Of what the program handed over; its loader is not given"),
		       FIELD("outcome", JFR_STRING, "Outcome", FROM(task, outcome)),
		       FIELD("runTime", JFR_LONG, "Run Time", FROM(task, run_time), UNIT(JFR_TIMESPAN, "NANOSECONDS"), .description = "How long it ran; with the outcome running, until the recording ended")) },
	[JFR_EXECUTION_SAMPLE] = { .name = "jdk.ExecutionSample", .label = "Method Profiling Sample", .samples = true,
		.description = "Snapshot of a threads state",
		.category = { "Java Virtual Machine", "Profiling" },
		FIELDS(START_TIME,
		       FIELD("sampledThread", JFR_THREAD, "Thread", FROM(execution_sample, thread)),
		       FIELD("stackTrace", JFR_STACK_TRACE, "Stack Trace", FROM(execution_sample, stack)),
		       FIELD("state", JFR_THREAD_STATE, "Thread State", FROM(execution_sample, state))) },
	[JFR_PATH_SEGMENT] = { .name = "frtrace.PathSegment", .label = "Path Segment",
		.description = "A part of the critical path of a traced call: what would have had to be faster then",
		.category = { "Java Virtual Machine", "Method Tracing" },
		FIELDS(START_TIME,
		       FIELD("duration", JFR_LONG, "Duration", FROM(path_segment, duration), UNIT(JFR_TIMESPAN, "TICKS")),
		       FIELD("eventThread", JFR_THREAD, "Event Thread", FROM(path_segment, thread), .description = "The thread that the call depended on"),
		       FIELD("stackTrace", JFR_STACK_TRACE, "Stack Trace", FROM(path_segment, stack), .description = "Where that thread waited"),
		       FIELD("offset", JFR_LONG, "Offset", FROM(path_segment, offset), UNIT(JFR_TIMESPAN, "NANOSECONDS"), .description = "Since the call began"),
		       FIELD("depth", JFR_LONG, "Depth", FROM(path_segment, depth), .description = "0: the call's own thread; 1: the one that ended a wait of that; and so on"),
		       FIELD("inside", JFR_METHOD, "Inside", FROM(path_segment, inside), .description = "The shortest recorded call of that thread that covers most of this part"),
		       FIELD("state", JFR_STRING, "State", FROM(path_segment, state), .description = "cpu, runQueue, the reason of a wait, or unknown"),
		       FIELD("resource", JFR_STRING, "Resource", FROM(path_segment, resource), .description = "What it waited for: the peer of a socket, the path of a file"),
		       FIELD("end", JFR_STRING, "End", FROM(path_segment, end), .description = "Why the chain ends here"),
		       FIELD("waiter", JFR_THREAD, "Waiter", FROM(path_segment, waiter), .description = "The thread whose wait this one ended"),
		       FIELD("waited", JFR_STRING, "Waited", FROM(path_segment, waited), .description = "The reason of that wait"),
		       FIELD("wakerStackTrace", JFR_STACK_TRACE, "Waker Stack Trace", FROM(path_segment, waker_stack), .description = "Where this thread ended that wait"),
		       FIELD("method", JFR_METHOD, "Method", FROM(path_segment, method), UNIT(JFR_CONTEXTUAL, NULL), .description = "Of the call"),
		       FIELD("callThread", JFR_THREAD, "Call Thread", FROM(path_segment, call_thread)),
		       FIELD("callStart", JFR_LONG, "Call Start", FROM(path_segment, call_start), UNIT(JFR_TIMESTAMP, "TICKS")),
		       FIELD("callDuration", JFR_LONG, "Call Duration", FROM(path_segment, call_duration), UNIT(JFR_TIMESPAN, "NANOSECONDS")),
		       FIELD("task", JFR_CLASS, "Task", FROM(path_segment, task), .description = "The task that the thread was running")) },
	[JFR_RESOURCE_ATTRIBUTE] = { .name = "frtrace.ResourceAttribute", .label = "Resource Attribute",
		.description = "What the program says of itself by OpenTelemetry's process context",
		.category = { "frtrace" },
		FIELDS(START_TIME,
		       FIELD("key", JFR_STRING, "Key", FROM(resource_attribute, key)),
		       FIELD("value", JFR_STRING, "Value", FROM(resource_attribute, value)),
		       FIELD("type", JFR_STRING, "Type", FROM(resource_attribute, type), .description = "string, bool, int or double")) },
};
// clang-format on

/* The tree being built. */
struct tree {
	const struct jfr_schema *schema;
	struct jfr_type_writer text;
};

static void schema_put_type(struct tree *t, const char *name, enum jfr_type type)
{
	jfr_type_write_number(&t->text, name, jfr_schema_type_id(t->schema, type));
}

static void put_annotation(struct tree *t, enum jfr_type type, const char *value)
{
	if (!type || (types[type].fields && !value))
		return;
	jfr_type_write_element(&t->text, "annotation", value ? 2 : 1);
	schema_put_type(t, "class", type);
	if (value)
		jfr_type_write_attribute(&t->text, "value", value);
	jfr_type_write_children(&t->text, 0);
}

static unsigned int annotations_of_field(const struct jfr_field *f)
{
	return !!f->label + !!f->description + !!f->unit[0].type + !!f->unit[1].type;
}

static void schema_put_field(struct tree *t, const struct jfr_field *f)
{
	bool constant = f->type >= JFR_FIRST_POOL && f->type < JFR_FIRST_EVENT;

	jfr_type_write_element(&t->text, "field", 2 + f->array + constant);
	jfr_type_write_attribute(&t->text, "name", f->name);
	schema_put_type(t, "class", f->type);
	if (f->array)
		jfr_type_write_attribute(&t->text, "dimension", "1");
	if (constant)
		jfr_type_write_attribute(&t->text, "constantPool", "true");
	jfr_type_write_children(&t->text, annotations_of_field(f));
	put_annotation(t, f->unit[0].type, f->unit[0].value);
	put_annotation(t, f->unit[1].type, f->unit[1].value);
	put_annotation(t, JFR_LABEL, f->label);
	put_annotation(t, JFR_DESCRIPTION, f->description);
}

static void put_category(struct tree *t, const char *const category[2])
{
	unsigned int i, n = category[1] ? 2 : 1;

	jfr_type_write_element(&t->text, "annotation", 1 + n);
	schema_put_type(t, "class", JFR_CATEGORY);
	for (i = 0; i < n; i++)
		jfr_type_write_attribute(&t->text, i ? "value-1" : "value-0", category[i]);
	jfr_type_write_children(&t->text, 0);
}

static const char *super_of(enum jfr_type type)
{
	if (type >= JFR_FIRST_EVENT)
		return "jdk.jfr.Event";
	return type >= JFR_LABEL && type <= JFR_CONTENT_TYPE ? "java.lang.annotation.Annotation" : NULL;
}

static bool has_type(const struct jfr_schema *s, enum jfr_type id)
{
	return types[id].kernel <= s->kernel && (!types[id].samples || s->samples);
}

static unsigned int children_of_type(const struct tree *t, const struct type *type)
{
	unsigned int n = !!type->label + !!type->description + !!type->category[0] + type->content_type;

	for (const struct jfr_field *f = type->fields; f && f->name; f++)
		n += jfr_schema_has(t->schema, f);
	return n;
}

static void schema_put_class(struct tree *t, enum jfr_type id)
{
	const struct type *type = &types[id];
	const char *super = super_of(id);
	const struct jfr_field *f;

	jfr_type_write_element(&t->text, "class", 2 + !!super + type->simple);
	jfr_type_write_attribute(&t->text, "name", type->name);
	if (super)
		jfr_type_write_attribute(&t->text, "superType", super);
	if (type->simple)
		jfr_type_write_attribute(&t->text, "simpleType", "true");
	schema_put_type(t, "id", id);
	jfr_type_write_children(&t->text, children_of_type(t, type));
	for (f = type->fields; f && f->name; f++)
		if (jfr_schema_has(t->schema, f))
			schema_put_field(t, f);
	put_annotation(t, JFR_LABEL, type->label);
	put_annotation(t, JFR_DESCRIPTION, type->description);
	if (type->category[0])
		put_category(t, type->category);
	if (type->content_type)
		put_annotation(t, JFR_CONTENT_TYPE, NULL);
}

static void put_user_field(struct tree *t, const struct jfr_user_field *f)
{
	struct jfr_field as = {.name = f->name,
			       .type = f->type,
			       .label = f->label ?: f->name,
			       .description = f->description,
			       .unit = {{f->unit, f->unit_value}, {f->contextual ? JFR_CONTEXTUAL : 0, NULL}}};

	schema_put_field(t, &as);
}

/* A field of jdk.MethodTrace. Context is only what the user has marked, so the method is none. */
static void put_call_field(struct tree *t, const struct jfr_field *f)
{
	struct jfr_field as = *f;

	for (int i = 0; i < 2; i++)
		if (as.unit[i].type == JFR_CONTEXTUAL)
			as.unit[i].type = 0;
	schema_put_field(t, &as);
}

static unsigned int user_children(const struct tree *t, const struct jfr_user_type *type)
{
	unsigned int n = type->fields + 2 + (type->description != NULL) + type->calls;

	for (const struct jfr_field *f = types[JFR_METHOD_TRACE].fields; f->name; f++)
		n += jfr_schema_has(t->schema, f);
	return n;
}

/* "Shop/Orders" are two categories. Empty parts do not count. */
static void put_user_category(struct tree *t, const char *path)
{
	unsigned int n = 0, i = 0;
	char name[24], part[256];

	path += strspn(path, "/");
	for (const char *at = path; *at; n++) {
		at += strcspn(at, "/");
		at += strspn(at, "/");
	}
	jfr_type_write_element(&t->text, "annotation", 1 + n);
	schema_put_type(t, "class", JFR_CATEGORY);
	for (; *path; i++) {
		size_t length = strcspn(path, "/");

		snprintf(name, sizeof(name), "value-%u", i);
		snprintf(part, sizeof(part), "%.*s", (int)length, path);
		jfr_type_write_attribute(&t->text, name, part);
		path += length;
		path += strspn(path, "/");
	}
	jfr_type_write_children(&t->text, 0);
}

static void put_user_type(struct tree *t, uint32_t number)
{
	const struct jfr_user_type *type = &t->schema->user[number];
	const char *path = type->category ?: "";
	const struct jfr_field *f = types[JFR_METHOD_TRACE].fields;

	jfr_type_write_element(&t->text, "class", 3);
	jfr_type_write_attribute(&t->text, "name", type->name);
	jfr_type_write_attribute(&t->text, "superType", "jdk.jfr.Event");
	jfr_type_write_number(&t->text, "id", JFR_TYPE_ID_BASE + JFR_TYPES + 1 + number);
	jfr_type_write_children(&t->text, user_children(t, type));
	for (int i = 0; i < JFR_HEAD_FIELDS; i++, f++)
		schema_put_field(t, f);
	for (uint32_t i = 0; i < type->fields; i++)
		put_user_field(t, &type->field[i]);
	for (; f->name; f++)
		if (jfr_schema_has(t->schema, f))
			put_call_field(t, f);
	put_annotation(t, JFR_LABEL, type->label ?: type->name);
	put_annotation(t, JFR_DESCRIPTION, type->description);
	put_user_category(t, path[strspn(path, "/")] ? path : "Methods");
	if (type->calls)
		put_annotation(t, JFR_CALLS, NULL);
}

static void schema_put_root(struct tree *t, const struct jfr_region *region)
{
	unsigned int i, n = t->schema->users;

	for (i = 0; i < JFR_TYPES; i++)
		n += has_type(t->schema, i);
	jfr_type_write_element(&t->text, "root", 0);
	jfr_type_write_children(&t->text, 2);
	jfr_type_write_element(&t->text, "metadata", 0);
	jfr_type_write_children(&t->text, n);
	for (i = 0; i < JFR_TYPES; i++)
		if (has_type(t->schema, i))
			schema_put_class(t, i);
	for (i = 0; i < t->schema->users; i++)
		put_user_type(t, i);
	jfr_type_write_element(&t->text, "region", 3);
	jfr_type_write_attribute(&t->text, "locale", region->locale ? region->locale : "en_US");
	jfr_type_write_number(&t->text, "gmtOffset", region->gmt_offset_ms);
	jfr_type_write_number(&t->text, "dst", region->dst_ms);
	jfr_type_write_children(&t->text, 0);
}

int jfr_schema_init(struct jfr_schema *s, const struct jfr_region *region, enum jfr_kernel kernel, bool jdk_fields,
		    uint64_t salt)
{
	struct tree t = {.schema = s};
	bool done;

	s->kernel = kernel;
	s->jdk_fields = jdk_fields;
	/* 2^24 blocks of 64 ids, after the fixed ones */
	s->pool_base = (1 << 15) + (hash_data(&salt, sizeof(salt)) >> 40) * 64;
	jfr_type_writer_init(&t.text);
	schema_put_root(&t, region);
	done = jfr_type_writer_write(&t.text, &s->body, &s->id);
	jfr_type_writer_release(&t.text);
	if (!done)
		jfr_schema_release(s);
	return done ? 0 : -ENOMEM;
}

void jfr_schema_release(struct jfr_schema *s)
{
	bytes_release(&s->body);
}

enum jfr_type jfr_schema_event(const struct jfr_schema *s, const char *name)
{
	enum jfr_type type;

	for (type = JFR_FIRST_EVENT; type < JFR_TYPES; type++)
		if (has_type(s, type) && !strcmp(types[type].name, name))
			return type;
	for (uint32_t i = 0; i < s->users; i++)
		if (!strcmp(s->user[i].name, name))
			return JFR_TYPES + 1 + i;
	return JFR_TYPES;
}

const struct jfr_field *jfr_schema_fields(enum jfr_type type)
{
	return types[type].fields;
}

bool jfr_schema_is_extra(const char *event, const char *field)
{
	for (enum jfr_type type = JFR_FIRST_EVENT; type < JFR_TYPES; type++) {
		if (strcmp(types[type].name, event) != 0)
			continue;
		for (const struct jfr_field *f = types[type].fields; f->name; f++)
			if (strcmp(f->name, field) == 0)
				return f->extra;
	}
	return false;
}

void jfr_schema_write(const struct jfr_schema *s, struct bytes *out, int64_t start_ticks)
{
	jfr_metadata_write(out, &s->body, s->id, start_ticks);
}
