// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * Waits DIR [bench DEPTH]: threads that wait, each below a different kind of frames. The last wait of a thread does not
 * end. bench: a thread that has made 3,000 failing calls before.
 */
public class Waits {
    private static final Object NEVER = new Object();
    private static final Object STEP = new Object();

    /** The end of a dive. There are so many implementations that compiled code does not rely on one. */
    private static final IntSupplier FOR_EVER = () -> waitFor(NEVER, 0);
    private static final IntSupplier[] AT_ONCE = {() -> 1, () -> 2, () -> 3, () -> 4};
    private static final List<Thread> threads = new ArrayList<>();

    /** Compiled code relies on this as long as there is one subclass. */
    abstract static class Shape {
        abstract int corners(IntSupplier end);
    }

    static final class Round extends Shape {
        @Override
        int corners(IntSupplier end) {
            return dive(9, end) + 1;
        }
    }

    static final class Square extends Shape {
        @Override
        int corners(IntSupplier end) {
            return 4;
        }
    }

    /** The initializer of each class triggers the next one: the VM calls Java in between. */
    static class First {
        static final int STARTED = Second.STARTED + 1;
    }

    static class Second {
        static final int STARTED = byName("live.Waits$Third");
    }

    static class Third {
        static final int STARTED = byInstance();
    }

    static class Fourth {
        Fourth() {
            dive(10, FOR_EVER);
        }
    }

    static int byName(String name) {
        try {
            return Class.forName(name) == null ? 0 : 1;
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    static int byInstance() {
        try {
            return Fourth.class.getDeclaredConstructor().newInstance() == null ? 0 : 1;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Recursive, so no compiler inlines all of it. */
    static int dive(int depth, IntSupplier end) {
        return depth > 0 ? dive(depth - 1, end) + 1 : end.getAsInt();
    }

    static int waitFor(Object o, long ms) {
        try {
            synchronized (o) {
                o.wait(ms);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return 1;
    }

    static int count(Shape shape, IntSupplier end) {
        return shape.corners(end) + 1;
    }

    /** Code that is compiled before the class is initialized does that through a stub. */
    static int touch(boolean now) {
        return now ? First.STARTED : 0;
    }

    static void reflect(int depth) {
        try {
            if (depth == 0)
                dive(2, FOR_EVER);
            else
                Waits.class.getDeclaredMethod("reflect", int.class).invoke(null, depth - 1);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static int waitTwice() {
        return waitFor(STEP, 0) + waitFor(NEVER, 0);
    }

    static int waitOften() {
        int refused = 0;
        for (int i = 0; i < 3000; i++)
            refused += fail();
        return refused + waitFor(NEVER, 0);
    }

    static void start(String name, Runnable work) {
        Thread t = new Thread(null, work, "w-" + name, 16 << 20);
        t.setDaemon(true);
        t.start();
        threads.add(t);
        awaitWaiting(t);
    }

    static void awaitWaiting(Thread t) {
        while (t.getState() != Thread.State.WAITING)
            Stage.sleep(1);
    }

    static void warm() {
        Shape shape = new Round();
        int sum = 0;
        for (int i = 0; i < 20_000; i++)
            sum += dive(30, AT_ONCE[i % 4]) + count(shape, AT_ONCE[i % 3]) + touch(false) + fail();
        if (sum == 0)
            throw new IllegalStateException();
    }

    /** Calls Object.wait(), which throws. */
    static int fail() {
        try {
            NEVER.wait(1);
            return 0;
        } catch (InterruptedException | IllegalMonitorStateException e) {
            return 1;
        }
    }

    /** The callers of the last thread are compiled for one Shape; a second one is loaded while it waits. */
    static void deoptimise() {
        Thread t = threads.get(threads.size() - 1);
        byName("live.Waits$Square");
        synchronized (STEP) {
            STEP.notifyAll();
        }
        Stage.sleep(100);
        awaitWaiting(t);
    }

    /**
     * JDK 21 and later; by reflection, to compile with 17. It keeps its carrier because a class is being initialized.
     */
    static void startVirtual() {
        try {
            Thread t = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
                .invoke(null, (Runnable) () -> byName("live.Waits$Held"));
            awaitWaiting(t);
        } catch (ReflectiveOperationException e) {
            System.out.println("no virtual threads");
        }
    }

    static class Held {
        static final int STARTED = dive(5, FOR_EVER);
    }

    static void startAll() {
        startVirtual(); // first: JDK 21 deoptimises Object.wait() for it
        start("shallow", () -> dive(0, FOR_EVER));
        start("deep", () -> dive(110, FOR_EVER));
        start("cut", () -> dive(1000, FOR_EVER));
        start("reflect", () -> reflect(5));
        start("upcall", () -> dive(touch(true), FOR_EVER));
        start("deopt", () -> count(new Round(), Waits::waitTwice));
        deoptimise();
    }

    public static void main(String[] args) {
        Stage stage = new Stage(args[0]);
        warm();
        stage.awaitGo();
        if (args.length == 3)
            start("bench", () -> dive(Integer.parseInt(args[2]), Waits::waitOften));
        else
            startAll();
        stage.finish();
    }
}
