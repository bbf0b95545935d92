// SPDX-License-Identifier: BSD-2-Clause
package stacks;

/** The test's own JVMTI agent, agent.c. It is present if the JVM was started with it. */
final class Native {
    private Native() {
    }

    /** The number of the current thread's stack below Probe.hit, as JVMTI sees it. */
    static native int look(int max);

    /** The number of distinct stacks seen, and one of them as text in the form of Oracle. */
    static native int stacks();

    static native String stack(int id);

    /** Call the static method `method`()V of `type` from C, `nested` C frames deep. */
    static native void call(Class<?> type, String method, int nested);

    /** Call Runnable.run from C. */
    static native void run(Runnable task);

    /** On a thread created in C: call Probe.hit(key), initialise `type` and call its run()V. Waits for the end. */
    static native void attached(Class<?> probe, long key, Class<?> type);

    /** RetransformClasses without changes; true if the JVM accepted it. */
    static native boolean retransform(Class<?>... types);

    static native boolean redefine(Class<?> type, byte[] bytes);
}
