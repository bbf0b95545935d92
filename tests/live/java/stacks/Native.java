// SPDX-License-Identifier: BSD-2-Clause
package stacks;

/** The test's own JVMTI agent, agent.c. It is there when the JVM was started with it. */
final class Native {
    private Native() {
    }

    /** The number of the current thread's stack below Probe.hit, as JVMTI sees it. */
    static native int look(int max);

    /** How many different stacks were seen, and one of them as the text of Oracle. */
    static native int stacks();

    static native String stack(int id);

    /** Call the static method `method`()V of `type` from C, `nested` C frames deep. */
    static native void call(Class<?> type, String method, int nested);

    /** Call Runnable.run from C. */
    static native void run(Runnable task);

    /** On a thread made by C: call Probe.hit(key) itself, then initialise `type` and call its run()V. Waits for the end. */
    static native void attached(Class<?> probe, long key, Class<?> type);

    /** RetransformClasses, unchanged, of these; true when the JVM took it. */
    static native boolean retransform(Class<?>... types);

    static native boolean redefine(Class<?> type, byte[] bytes);
}
