// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Woken DIR N: the thread "waiter" calls await() N times, and threads that make no traced call wake it. A line for each call
 * goes into the file `wakes`: KIND BEGIN END ID NAME TID, the times in ms since the epoch.
 *
 *   early    was there before the test began; its name is longer than the kernel's
 *   main     the main thread
 *   late     was started later, and wakes often
 *   once     was started for this, and lives on for a while
 *   brief    the same, but it ends at once
 *   self     gives itself another name each time
 *   other    is given another name by the main thread, now and then
 *   traced   makes traced calls, wakes, and ends
 *   reused   has the kernel's id of the one before, if the kernel lets the program choose (as root)
 */
public class Woken {
    private static final String[] KINDS = {"early", "main", "late", "once", "brief", "self", "other", "traced", "reused"};
    private static final List<String> lines = new ArrayList<>();
    private static volatile int woken;
    private static volatile String wake; /* ID NAME TID */
    private static Thread waiter;
    static volatile int sink;

    static void await(int i) {
        while (woken < i)
            LockSupport.park();
    }

    static void work() {
        sink++;
    }

    private static String tid() {
        try {
            return Files.readSymbolicLink(Paths.get("/proc/thread-self")).getFileName().toString();
        } catch (IOException e) {
            return "0";
        }
    }

    /** The next thread of this pid namespace gets the number after this one, if that is free. */
    private static void choose(int last) {
        try (FileOutputStream file = new FileOutputStream("/proc/sys/kernel/ns_last_pid")) {
            file.write(Integer.toString(last).getBytes());
        } catch (IOException e) {
            /* it may be any */
        }
    }

    static void wakeUp(int i) {
        Stage.sleep(12);
        wake = Thread.currentThread().getId() + "\t" + Thread.currentThread().getName() + "\t" + tid();
        woken = i;
        LockSupport.unpark(waiter);
    }

    /** Wakes whenever it is asked to. */
    static class Waker extends Thread {
        private final SynchronousQueue<Integer> asked = new SynchronousQueue<>();
        private final boolean renames;

        Waker(String name, boolean renames) {
            super(name);
            this.renames = renames;
            setDaemon(true);
            start();
        }

        void ask(int i) throws InterruptedException {
            asked.put(i);
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    int i = asked.take();
                    if (renames)
                        setName("self-" + i);
                    wakeUp(i);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static Thread once(String name, int i, boolean traced, int after) {
        Thread t = new Thread(() -> {
            if (traced)
                work();
            wakeUp(i);
            Stage.sleep(after);
        }, name);
        t.start();
        return t;
    }

    private static String line(String kind, long begin) {
        return kind + "\t" + begin + "\t" + System.currentTimeMillis() + "\t" + wake;
    }

    private static void join(Thread t) throws InterruptedException {
        t.join();
        for (int i = 0; i < 1000 && new File("/proc/self/task/" + wake.split("\t")[2]).exists(); i++)
            Stage.sleep(1);
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);
        Waker early = new Waker("early, with a name of many letters", false), self = new Waker("self", true);
        Waker other = new Waker("other", false), late = null;
        SynchronousQueue<Integer> calls = new SynchronousQueue<>(), done = new SynchronousQueue<>();
        Thread before = null;
        waiter = new Thread(() -> {
            try {
                for (;;) {
                    int i = calls.take();
                    await(i);
                    done.put(i);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "waiter");
        waiter.setDaemon(true);
        waiter.start();
        stage.awaitGo();
        late = new Waker("late", false);
        for (int i = 1; i <= n; i++) {
            String kind = KINDS[i % KINDS.length];
            long begin = System.currentTimeMillis();
            calls.put(i);
            if (i % 90 == 0)
                other.setName("other-" + i);
            switch (kind) {
            case "early": early.ask(i); break;
            case "late": late.ask(i); break;
            case "self": self.ask(i); break;
            case "other": other.ask(i); break;
            case "main": wakeUp(i); break;
            case "once": once("once-" + i, i, false, 400); break;
            case "brief": once("brief-" + i, i, false, 0); break;
            case "traced": before = once("traced-" + i, i, true, 0); break;
            default: once("reused-" + i, i, false, 0);
            }
            done.take();
            lines.add(line(kind, begin));
            if (kind.equals("traced")) {
                join(before);
                choose(Integer.parseInt(wake.split("\t")[2]) - 1);
            }
        }
        stage.write("wakes", String.join("\n", lines) + "\n");
        stage.finish();
    }
}
