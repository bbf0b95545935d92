// SPDX-License-Identifier: BSD-2-Clause
package stacks;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.concurrent.locks.LockSupport;

/** Shared by the generated classes: random choices, and calls that Java source cannot express. */
public final class Graph {
    /** A call may end with this exception. */
    public static final class Thrown extends RuntimeException {
        private static final long serialVersionUID = 1;

        Thrown() {
            super(null, null, false, false);
        }
    }

    public interface Node {
        int call(long key, int depth, long dice);

        default int again(long key, int depth, long dice) {
            return call(key, depth, dice) + 1;
        }
    }

    private static final MethodType TYPE = MethodType.methodType(int.class, long.class, int.class, long.class);
    private static final boolean VIRTUAL = has("ofVirtual");

    private Graph() {
    }

    private static boolean has(String name) {
        try {
            return Thread.class.getMethod(name) != null;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    private static boolean isVirtual() {
        return Thread.currentThread().getClass().getName().equals("java.lang.VirtualThread");
    }

    public static long next(long dice) {
        return dice * 6364136223846793005L + 1442695040888963407L;
    }

    /** 0 to n - 1 */
    public static int roll(long dice, int n) {
        return (int) ((dice >>> 33) % n);
    }

    public static MethodHandle handle(Class<?> type, String name) {
        try {
            return MethodHandles.publicLookup().findStatic(type, name, TYPE);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static Method method(Class<?> type, String name) {
        try {
            return type.getMethod(name, long.class, int.class, long.class);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static int reflect(Method method, long key, int depth, long dice) {
        try {
            return (Integer) method.invoke(null, key, depth, dice);
        } catch (java.lang.reflect.InvocationTargetException e) {
            throw (RuntimeException) e.getCause();
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    public static RuntimeException wrap(Throwable e) {
        return e instanceof RuntimeException ? (RuntimeException) e : new IllegalStateException(e);
    }

    public static int maybe(long dice) {
        if (roll(next(dice), 3) == 0)
            throw new Thrown();
        return 1;
    }

    /** Through C, if the agent is present. */
    public static int up(Runnable task) {
        if (Oracle.has(2))
            Native.run(task);
        else
            task.run();
        return 1;
    }

    /** A point where a virtual thread leaves its carrier. */
    public static int pause(long dice) {
        if (roll(next(dice), 4) == 0)
            LockSupport.parkNanos(1000);
        else
            Thread.yield();
        return 0;
    }

    /**
     * In a virtual thread, or in a platform thread: a virtual one that waits with native frames would keep its carrier.
     */
    public static int fork(Runnable task) {
        Thread thread = new Thread(task);
        if (VIRTUAL && !isVirtual())
            try {
                Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
                thread = (Thread) Class.forName("java.lang.Thread$Builder").getMethod("unstarted", Runnable.class).invoke(builder, task);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return 1;
    }

    /** That many random walks through the generated classes. */
    static void walk(long key, long seed, int calls) {
        try {
            int n = Class.forName("stacks.random.All").getField("COUNT").getInt(null);
            Method[] starts = new Method[n];
            for (int i = 0; i < n; i++)
                starts[i] = method(Class.forName("stacks.random.R" + i), "s0");
            long dice = next(seed);
            for (int i = 0; i < calls; i++) {
                dice = next(dice);
                try {
                    reflect(starts[roll(dice, n)], key, 1 + i % 23, next(dice));
                } catch (Thrown e) {
                    Probe.hit(key);
                }
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
