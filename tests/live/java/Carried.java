// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Carried DIR N KIND...: for each kind, a virtual thread of that name calls a method N times that spends its time in a
 * known way, with few carriers (-Djdk.virtualThreadScheduler.parallelism). Where a platform thread ends the wait, the
 * program's clock tells when. A line for each call goes into the file `splits`:
 *
 *   KIND METHOD REASON LEAST MOST AFTER         ns; -1: unknown
 *   KIND METHOD - BEGIN END CARRIER
 *
 * The thread waited for REASON from the begin of the call for at least LEAST and at most MOST, and AFTER passed from the
 * end of the wait to the end of the call. A call without a reason keeps its carrier, whose id this is (0: it is not
 * certain), and uses the CPU from BEGIN to END of System.nanoTime().
 */
public class Carried {
    private static final Object MONITOR = new Object();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final BlockingQueue<Integer> QUEUE = new ArrayBlockingQueue<>(1);
    private static final List<String> lines = new ArrayList<>();
    private static Wire wire;
    private static long begun, ended; /* of the call */
    private static long releases, released; /* of the wait: about to end it, ended it */
    private static volatile int held, asked, done, spinning;
    private static volatile boolean letGo, holds, mayGo;
    private static Thread holder;
    static volatile long sink;

    static void inSleep() throws Exception {
        begun = System.nanoTime();
        Thread.sleep(2);
        ended = System.nanoTime();
    }

    static void inPark() {
        begun = System.nanoTime();
        while (!mayGo) /* a sleep before may have left a permit */
            LockSupport.park();
        ended = System.nanoTime();
    }

    static void inStarved() {
        begun = System.nanoTime();
        while (!mayGo) /* a sleep before may have left a permit */
            LockSupport.park();
        ended = System.nanoTime();
    }

    static void inLock() {
        begun = System.nanoTime();
        LOCK.lock();
        LOCK.unlock();
        ended = System.nanoTime();
    }

    static void inMonitor() {
        begun = System.nanoTime();
        synchronized (MONITOR) {
            sink++;
        }
        ended = System.nanoTime();
    }

    static void inQueue() throws Exception {
        begun = System.nanoTime();
        QUEUE.take();
        ended = System.nanoTime();
    }

    static void inSocket() throws Exception {
        begun = System.nanoTime();
        if (wire.in.read() < 0)
            throw new IOException("end");
        ended = System.nanoTime();
    }

    static void inBusy() {
        begun = System.nanoTime();
        spin(2);
        ended = System.nanoTime();
    }

    static void spin(int ms) {
        long end = System.nanoTime() + ms * 1_000_000L, n = 0;
        while (System.nanoTime() < end)
            n++;
        sink = n;
    }

    /** The id of the carrier. */
    private static String carrier() throws IOException {
        return new File("/proc/thread-self").getCanonicalFile().getName();
    }

    private static void note(String kind, String method, String reason, long least, long most, long after) {
        lines.add(kind + "\t" + method + "\t" + reason + "\t" + least + "\t" + most + "\t" + after);
    }

    /** N calls, each when the other thread is ready to let it wait. */
    private static void calls(int n, Cast.Body call) throws Exception {
        for (int i = 1; i <= n; i++) {
            while (held < i)
                Thread.sleep(0, 50_000);
            asked = i;
            call.run();
            done = i;
        }
    }

    /** N calls whose waits this thread ends. If it only sees to it that another one does, it does not know when. */
    private static void led(String kind, String method, String reason, boolean itself, int n, Cast.Body hold, Cast.Body call, Cast.Body release)
        throws Exception {
        held = asked = done = 0;
        Thread waits = Cast.startVirtual(kind, () -> calls(n, call));
        for (int i = 1; i <= n; i++) {
            mayGo = false;
            hold.run();
            held = i;
            while (asked < i)
                Thread.sleep(0, 50_000);
            Thread.sleep(2);
            releases = System.nanoTime();
            release.run();
            released = System.nanoTime();
            while (done < i || spinning > 0)
                Thread.sleep(0, 50_000);
            note(kind, method, reason, releases - begun, (itself ? released : ended) - begun, itself ? ended - released : -1);
        }
        waits.join();
    }

    private static Thread[] spinners(int carriers) {
        Thread[] all = new Thread[carriers];
        letGo = false;
        for (int i = 0; i < carriers; i++)
            all[i] = Cast.startVirtual("spinner", () -> {
                synchronized (LOCK) {
                    spinning++;
                }
                while (!letGo)
                    sink++;
                spin(3);
                synchronized (LOCK) {
                    spinning--;
                }
            });
        return all;
    }

    /** Up to JDK 22 a carrier may stay idle though there is a thread for it (JDK-8322732): once more then. */
    private static void occupy(int carriers) throws Exception {
        for (;;) {
            Thread[] all = spinners(carriers);
            long end = System.nanoTime() + 200_000_000;
            while (spinning < carriers && System.nanoTime() < end)
                Thread.sleep(0, 50_000);
            if (spinning == carriers)
                return;
            letGo = true;
            for (Thread t : all)
                t.join();
        }
    }

    /** While all carriers are busy. */
    private static void starve(Thread parked, int carriers) throws Exception {
        occupy(carriers);
        mayGo = true;
        releases = System.nanoTime();
        LockSupport.unpark(parked);
        letGo = true;
    }

    private static void alone(String kind, int n) throws Exception {
        Cast.startVirtual(kind, () -> {
            for (int i = 0; i < n; i++) {
                if (kind.equals("sleep")) {
                    inSleep();
                    note(kind, "inSleep", "sleep", 2_000_000, ended - begun, -1);
                } else {
                    String carrier = carrier();
                    inBusy();
                    note(kind, "inBusy", "-", begun, ended, carrier.equals(carrier()) ? Long.parseLong(carrier) : 0);
                }
            }
        }).join();
    }

    /** Before JDK 24 a virtual thread keeps its carrier while it waits for a monitor (JEP 491). */
    private static String monitors() {
        return Integer.parseInt(System.getProperty("java.specification.version")) < 24 ? "futex" : "parked";
    }

    private static void holdMonitor() throws Exception {
        letGo = holds = false;
        holder = Cast.start("holder", () -> {
            synchronized (MONITOR) {
                holds = true;
                while (!letGo)
                    Thread.sleep(0, 50_000);
            }
        });
        while (!holds)
            Thread.sleep(0, 50_000);
    }

    private static void run(String kind, int n, int carriers) throws Exception {
        Thread[] parked = new Thread[1];
        Cast.Body nothing = () -> {};
        switch (kind) {
        case "park":
            led(kind, "inPark", "parked", true, n, nothing, () -> {
                parked[0] = Thread.currentThread();
                inPark();
            }, () -> {
                mayGo = true;
                LockSupport.unpark(parked[0]);
            });
            break;
        case "starved":
            led(kind, "inStarved", "parked", true, n, nothing, () -> {
                parked[0] = Thread.currentThread();
                inStarved();
            }, () -> starve(parked[0], carriers));
            break;
        case "lock":
            led(kind, "inLock", "parked", true, n, LOCK::lock, Carried::inLock, LOCK::unlock);
            break;
        case "queue":
            led(kind, "inQueue", "parked", true, n, nothing, Carried::inQueue, () -> QUEUE.put(1));
            break;
        case "monitor":
            led(kind, "inMonitor", monitors(), false, n, Carried::holdMonitor, Carried::inMonitor, () -> {
                letGo = true;
                holder.join();
            });
            break;
        case "socket":
            wire = new Wire();
            led(kind, "inSocket", "parked", false, n, nothing, Carried::inSocket, () -> wire.out.write(1));
            break;
        default:
            alone(kind, n);
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        stage.awaitGo();
        for (int i = 2; i < args.length; i++)
            run(args[i], Integer.parseInt(args[1]), Integer.getInteger("jdk.virtualThreadScheduler.parallelism"));
        stage.write("splits", String.join("\n", lines) + "\n");
        stage.finish();
    }
}
