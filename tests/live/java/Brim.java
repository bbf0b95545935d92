// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.FileInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.List;

/**
 * Brim DIR threads|heap|error|files|spin|nothing [SPARE]: use something up but for SPARE (threads, bytes, descriptors), then write
 * `ready` and call work() ten times a second, which takes no memory.
 */
public class Brim {
    static volatile int calls;
    static volatile long spun;
    static volatile Object held;

    static int work(int x) {
        return x + 1;
    }

    static void fillThreads(int spare) {
        List<Thread> all = new ArrayList<>();
        try {
            for (;;) {
                Thread t = new Thread(() -> {
                    try {
                        synchronized (Thread.currentThread()) {
                            Thread.currentThread().wait();
                        }
                    } catch (InterruptedException e) {
                        return;
                    }
                }, "held-" + all.size());
                t.setDaemon(true);
                t.start();
                all.add(t);
            }
        } catch (OutOfMemoryError e) {
            for (int i = 0; i < spare; i++) {
                Thread t = all.remove(all.size() - 1);
                t.interrupt();
                try {
                    t.join();
                } catch (InterruptedException interrupted) {
                    throw new IllegalStateException(interrupted);
                }
            }
        }
        held = all;
    }

    static void fillFiles(int spare) {
        List<FileInputStream> all = new ArrayList<>();
        try {
            for (;;)
                all.add(new FileInputStream("/dev/null"));
        } catch (IOException e) {
            try {
                for (int i = 0; i < spare; i++)
                    all.remove(all.size() - 1).close();
            } catch (IOException close) {
                throw new IllegalStateException(close);
            }
        }
        held = all;
    }

    /** Serial GC fills its survivor space in the end, up to JDK 24 (or before: 22 to 24 were not tried); Parallel GC does not. */
    static boolean isFilled(MemoryPoolMXBean pool) {
        double version = Double.parseDouble(System.getProperty("java.specification.version"));
        return pool.getType() == MemoryType.HEAP && !pool.getName().equals("PS Survivor Space")
                && !(pool.getName().equals("Survivor Space") && version >= 25);
    }

    /** Bytes that can be allocated still. */
    static long left() {
        long left = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            MemoryUsage usage = pool.getUsage();
            if (isFilled(pool))
                left += Math.max(usage.getMax(), usage.getCommitted()) - usage.getUsed();
        }
        return left;
    }

    static void hold(long bytes, int each) {
        for (Object[] link; bytes >= each; bytes -= each) {
            link = new Object[(each - 16) / 4];
            link[0] = held;
            held = link;
        }
    }

    /* Without an OutOfMemoryError, by a chain of arrays that takes no further memory to keep. */
    static void fillHeap(int spare) {
        for (int slack = 1 << 20; slack > 16 << 10; slack /= 4) {
            while (left() > slack)
                hold(slack / 8, slack / 8);
            System.gc();
            while (left() > slack)
                hold(slack / 8, slack / 8);
        }
        System.gc();
        long first = left(), garbage = first - left(), left = 0;
        System.gc();
        left = left() + garbage - spare;
        hold(left, 64);
    }

    /* Up to a minute. */
    static void spin() {
        long end = System.nanoTime() + 60_000_000_000L;
        Thread t = new Thread(() -> {
            while (System.nanoTime() < end)
                spun++;
        }, "spin");
        t.setDaemon(true);
        t.start();
    }

    static void fillUp() {
        for (int size = 16 << 10; size >= 16;) {
            try {
                hold(size, size);
            } catch (OutOfMemoryError e) {
                size /= 2;
            }
        }
    }

    public static void main(String[] args) {
        Stage stage = new Stage(args[0]);
        int spare = args.length > 2 ? Integer.parseInt(args[2]) : 0;
        stage.mark("ready");
        stage.await("go");
        work(0);
        Stage.sleep(1);
        stage.mark("done");
        if (args[1].equals("threads"))
            fillThreads(spare);
        else if (args[1].equals("files"))
            fillFiles(spare);
        else if (args[1].equals("heap"))
            fillHeap(spare);
        else if (args[1].equals("error"))
            fillUp();
        else if (args[1].equals("spin"))
            spin();
        for (;;) {
            calls = work(calls);
            Stage.sleep(100);
        }
    }
}
