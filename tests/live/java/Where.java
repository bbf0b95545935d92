// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where DIR N FILE KIND...: for each kind, a thread of that name calls a method N times that spends its time in a known
 * way. The kernel's numbers for the thread before and after each call go into the file `splits`:
 *
 *   expect KIND METHOD REASON WAKER      the last wait of a call ("-": none) and the thread that ends it ("-": none)
 *   thread KIND ID                       the id of the thread that makes the calls, in the JVM's pid namespace
 *   call KIND WALL CPU RUNQ ON AT        ns; how often the thread came on a CPU; System.nanoTime() in the call
 *   whole KIND WALL CPU RUNQ ON AT STOLEN  the call of inWhole() around all of them; ns that a hypervisor took from all CPUs
 *   waker KIND ID                        the id of the thread that ends the waits, in the JVM's pid namespace
 */
public class Where {
    interface Calls {
        void run(Meter meter) throws Exception;
    }

    private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();
    private static final Object MONITOR = new Object();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final BlockingQueue<Integer> QUEUE = new ArrayBlockingQueue<>(1);
    private static final List<String> lines = new ArrayList<>();
    private static final ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
    private static Wire wire;
    private static FileChannel file;
    private static long page;
    private static int mixed;
    private static volatile int held, asked, done;
    static volatile long sink;

    static void inSleep(Meter meter) throws Exception {
        meter.begin();
        Thread.sleep(1);
        meter.end();
    }

    static void inMonitor(Meter meter) throws Exception {
        meter.begin();
        synchronized (MONITOR) {
            sink++;
        }
        meter.end();
    }

    static void inLock(Meter meter) throws Exception {
        meter.begin();
        LOCK.lock();
        LOCK.unlock();
        meter.end();
    }

    static void inQueue(Meter meter) throws Exception {
        meter.begin();
        QUEUE.take();
        meter.end();
    }

    static void inSocket(Meter meter) throws Exception {
        meter.begin();
        if (wire.in.read() < 0)
            throw new IOException("end");
        meter.end();
    }

    static void inFile(Meter meter) throws Exception {
        meter.begin();
        buffer.clear();
        if (file.read(buffer, page) != 4096)
            throw new IOException("short");
        meter.end();
    }

    /** Short and long calls in turn, with many waits on both sides of the long one's inner call. */
    static void inMixed(Meter meter) throws Exception {
        meter.begin();
        boolean isLong = ++mixed % 4 == 0;
        for (int i = 0; i < (isLong ? 20 : 1); i++)
            Thread.sleep(0, 100_000);
        if (isLong)
            inner();
        meter.end();
    }

    static void inner() throws Exception {
        for (int i = 0; i < 3; i++)
            Thread.sleep(2);
    }

    static void inBusy(Meter meter) throws Exception {
        meter.begin();
        long end = System.nanoTime() + 2_000_000, n = 0;
        while (System.nanoTime() < end)
            n++;
        sink = n;
        meter.end();
    }

    static void inCrowd(Meter meter) throws Exception {
        meter.begin();
        long n = 0;
        for (int i = 0; i < 4_000_000; i++)
            n += i ^ n << 1;
        sink = n;
        meter.end();
    }

    static void inGc(Meter meter) throws Exception {
        meter.begin();
        System.gc();
        meter.end();
    }

    static void inWhole(Meter meter, Calls calls) throws Exception {
        meter.begin();
        calls.run(meter);
        meter.end();
    }

    /** The kernel's numbers for a thread from begin() to end(), which the thread calls within the measured code. */
    static class Meter implements AutoCloseable {
        private final RandomAccessFile file = new RandomAccessFile("/proc/thread-self/schedstat", "r");
        private final byte[] text = new byte[128];
        private final String kind;
        private long[] before, after;

        Meter(String kind) throws IOException {
            this.kind = kind;
        }

        private long number(int field, int length) {
            long n = 0;
            for (int i = 0; i < length && field >= 0; i++) {
                if (text[i] == ' ')
                    field--;
                else if (field == 0 && text[i] >= '0' && text[i] <= '9')
                    n = 10 * n + text[i] - '0';
            }
            return n;
        }

        /** Wall, CPU and run queue time so far, and how often the thread came on a CPU; all read in one stay there. */
        private long[] read() throws IOException {
            for (;;) {
                file.seek(0);
                int length = file.read(text);
                long queue = number(1, length), arrivals = number(2, length);
                long cpu = CPU.getCurrentThreadCpuTime(), wall = System.nanoTime();
                file.seek(0);
                if (number(2, file.read(text)) == arrivals)
                    return new long[] {wall, cpu, queue, arrivals};
            }
        }

        void begin() throws IOException {
            before = read();
        }

        void end() throws IOException {
            after = read();
        }

        void note(String what, long... more) {
            String line = what + "\t" + kind;
            for (int i = 0; i < 4; i++)
                line += "\t" + (after[i] - before[i]);
            line += "\t" + before[0];
            for (long number : more)
                line += "\t" + number;
            synchronized (lines) {
                lines.add(line);
            }
        }

        @Override public void close() throws IOException {
            file.close();
        }
    }

    /** One call after the other, each when the peer is ready. */
    private static void calls(String kind, int n, Calls call, boolean peer, Meter meter) throws Exception {
        for (int i = 1; i <= n; i++) {
            while (peer && held < i)
                Thread.sleep(0, 50_000);
            page = (i * 7919L % 200) << 20 | (i % 256) << 12;
            asked = i;
            call.run(meter);
            meter.note("call");
            done = i;
        }
    }

    /** The ns that a hypervisor took from all CPUs; the kernel counts ticks of 10 ms (proc(5), /proc/stat). */
    private static long stolen() throws IOException {
        String[] cpu = Files.readAllLines(Paths.get("/proc/stat")).get(0).split(" +");
        return Long.parseLong(cpu[8]) * 10_000_000;
    }

    private static void traced(String kind, int n, Calls call, boolean peer) throws Exception {
        try (Meter meter = new Meter(kind); Meter around = new Meter(kind)) {
            long before = stolen();
            noteThread("thread", kind);
            inWhole(around, m -> calls(kind, n, call, peer, meter));
            around.note("whole", stolen() - before);
        }
    }

    /** The id of this thread, in the JVM's pid namespace. */
    private static String self() throws IOException {
        return Files.readSymbolicLink(Paths.get("/proc/thread-self")).getFileName().toString();
    }

    private static void noteThread(String what, String kind) throws IOException {
        synchronized (lines) {
            lines.add(String.join("\t", what, kind, self()));
        }
    }

    /** Lets the traced thread wait, and continue. */
    private static Cast.Body lead(String kind, int n, Cast.Body hold, Cast.Body release) {
        return () -> {
            noteThread("waker", kind);
            for (int i = 1; i <= n; i++) {
                hold.run();
                held = i;
                while (asked < i)
                    Thread.sleep(0, 50_000);
                Thread.sleep(1);
                release.run();
                while (done < i)
                    Thread.sleep(0, 50_000);
            }
        };
    }

    /** Like lead(), but a block holds a monitor. */
    private static void leadMonitor(int n) throws Exception {
        noteThread("waker", "monitor");
        for (int i = 1; i <= n; i++) {
            synchronized (MONITOR) {
                held = i;
                while (asked < i)
                    Thread.sleep(0, 50_000);
                Thread.sleep(3); /* the JVM checks after 1 ms whether it is free, and again 8 ms later */
            }
            while (done < i)
                Thread.sleep(0, 50_000);
        }
    }

    private static void both(String kind, String method, int n, String reason, String waker, Calls call, Cast.Body leader)
            throws InterruptedException {
        held = asked = done = 0;
        lines.add(String.join("\t", "expect", kind, method, reason, waker));
        Thread first = Cast.start(kind, () -> traced(kind, n, call, leader != null));
        if (leader != null)
            Cast.start(kind + "-2", leader).join();
        first.join();
    }

    /** Four processes compete with this thread for one CPU, as long as there is this JVM. */
    private static List<Process> crowd() throws IOException, InterruptedException {
        List<Process> others = new ArrayList<>();

        new ProcessBuilder("taskset", "-cp", "0", self()).start().waitFor();
        for (int i = 0; i < 4; i++)
            others.add(new ProcessBuilder("taskset", "-c", "0", "sh", "-c", "while kill -0 $PPID; do :; done").start());
        return others;
    }

    private static void crowded(int n) throws InterruptedException {
        lines.add(String.join("\t", "expect", "crowd", "inCrowd", "-", "-"));
        Cast.start("crowd", () -> {
            List<Process> others = new ArrayList<>();
            try {
                others = crowd();
                Thread.sleep(100);
                traced("crowd", n, Where::inCrowd, false);
            } finally {
                others.forEach(Process::destroyForcibly);
            }
        }).join();
    }

    private static void run(String kind, int n, String path) throws Exception {
        Cast.Body nothing = () -> { };
        switch (kind) {
        case "sleep":
            both(kind, "inSleep", n, "sleep", "-", Where::inSleep, null);
            break;
        case "monitor":
            both(kind, "inMonitor", n, "futex", "monitor-2", Where::inMonitor, () -> leadMonitor(n));
            break;
        case "lock":
            both(kind, "inLock", n, "futex", "lock-2", Where::inLock, lead(kind, n, LOCK::lock, LOCK::unlock));
            break;
        case "queue":
            both(kind, "inQueue", n, "futex", "queue-2", Where::inQueue, lead(kind, n, nothing, () -> QUEUE.put(1)));
            break;
        case "socket":
            wire = new Wire();
            both(kind, "inSocket", n, "socket", "socket-2", Where::inSocket, lead(kind, n, nothing, () -> wire.out.write(1)));
            break;
        case "file":
            file = FileChannel.open(Paths.get(path));
            both(kind, "inFile", Math.min(n, 200), "disk", "*", Where::inFile, null);
            break;
        case "mixed":
            both(kind, "inMixed", n, "sleep", "-", Where::inMixed, null);
            break;
        case "busy":
            both(kind, "inBusy", n, "-", "-", Where::inBusy, null);
            break;
        case "crowd":
            crowded(Math.min(n, 100));
            break;
        case "gc":
            both(kind, "inGc", Math.min(n, 100), "gc", "VM Thread", Where::inGc, null);
            break;
        default:
            throw new IllegalArgumentException(kind);
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);
        stage.awaitGo();
        for (int i = 3; i < args.length; i++)
            run(args[i], n, args[2]);
        stage.write("splits", String.join("\n", lines) + "\n");
        stage.finish();
    }
}
