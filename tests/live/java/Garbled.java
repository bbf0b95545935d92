// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntUnaryOperator;

/**
 * Garbled DIR: for each file go-K, make a burst of calls of `traced` from new threads, on stacks of every kind; then
 * make done-K. Meanwhile other threads make garbage, and load and unload classes, which deoptimises code.
 */
public class Garbled {
    static final int THREADS = 6, EACH = 300;
    static final LongAdder calls = new LongAdder();
    static volatile Object garbage;
    static volatile String fault;

    public interface Step {
        int step(int n);
    }

    /** Loaded repeatedly. */
    public static class Fresh implements Step {
        public int step(int n) {
            return way(n);
        }
    }

    static final class Loader extends ClassLoader {
        Class<?> fresh() throws Exception {
            try (InputStream in = Garbled.class.getResourceAsStream("Garbled$Fresh.class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass("live.Garbled$Fresh", bytes, 0, bytes.length);
            }
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            throw new ClassNotFoundException(name);
        }
    }

    static volatile Step step = new Fresh();

    static int traced(int n) {
        calls.increment();
        if (n % 10 == 9)
            throw new IllegalStateException();
        return n * 31;
    }

    static int deep(int depth, int n) {
        return depth > 0 ? deep(depth - 1, n) + 1 : traced(n) + 1;
    }

    static int handled(int n) throws Throwable {
        MethodHandle h = MethodHandles.lookup().findStatic(Garbled.class, "traced",
                MethodType.methodType(int.class, int.class));
        return (int) h.invokeExact(n);
    }

    public static int way(int n) {
        try {
            switch (n % 6) {
            case 0:
                return deep(n % 90, n);
            case 1:
                return (int) Garbled.class.getDeclaredMethod("traced", int.class).invoke(null, n);
            case 2:
                return Arrays.asList(n).stream().mapToInt(i -> traced(i)).sum();
            case 3:
                return handled(n);
            case 4:
                if (n % 5 == 0)
                    Thread.sleep(0, 1000);
                return ((IntUnaryOperator) Garbled::traced).applyAsInt(n);
            default:
                return traced(n);
            }
        } catch (Throwable e) {
            return 0;
        }
    }

    static void calls() {
        for (int n = 0; n < EACH; n++)
            step.step(n);
    }

    static Thread virtual(Runnable r) throws Exception {
        return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, r);
    }

    static void burst(boolean virtual) throws Exception {
        List<Thread> all = new ArrayList<>();
        long before = calls.sum();

        for (int i = 0; i < THREADS; i++) {
            Thread t = virtual && i % 2 == 0 ? virtual(Garbled::calls) : new Thread(Garbled::calls, "burst-" + i);
            if (!t.isAlive() && t.getState() == Thread.State.NEW)
                t.start();
            all.add(t);
        }
        for (Thread t : all)
            t.join();
        if (calls.sum() - before != THREADS * EACH)
            fault = "a burst had " + (calls.sum() - before) + " calls";
    }

    static void churn(Stage stage) {
        for (int i = 0; !stage.has("quit"); i++) {
            byte[][] some = new byte[200][];
            for (int k = 0; k < some.length; k++)
                some[k] = new byte[i * 7919 % 5000];
            garbage = some;
            try {
                if (i % 10 == 0)
                    step = (Step) new Loader().fresh().getDeclaredConstructor().newInstance();
            } catch (Exception e) {
                fault = "churn: " + e;
            }
            if (i % 50 == 0)
                System.gc();
            Stage.sleep(1);
        }
    }

    public static void main(String[] args) throws Exception {
        boolean virtual = Runtime.version().feature() >= 21;
        Stage stage = new Stage(args[0]);
        Thread churn = new Thread(() -> churn(stage), "churn");

        burst(virtual);
        churn.start();
        stage.mark("ready");
        for (int k = 0; !stage.has("quit"); k++) {
            while (!stage.has("go-" + k) && !stage.has("quit"))
                Stage.sleep(5);
            if (stage.has("go-" + k)) {
                burst(virtual);
                stage.mark("done-" + k);
            }
        }
        churn.join();
        System.out.println(fault == null ? "garbled: every burst was whole" : fault);
    }
}
