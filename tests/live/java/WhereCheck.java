// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * WhereCheck FILE.jfr SPLITS [SWITCHES]: check that the parts of each call agree with the kernel's numbers (see Where)
 * within 5 % of the call or 50 us, that its last wait is the expected one, and that the parts add up. 1 % of the calls
 * of a kind may differ in reason or waker, or in a part. With fewer than 1000 calls 15 % may differ in a part: on a busy
 * machine the kernel's numbers are that often wrong themselves, beside when the thread was on a CPU (see switches.c). A
 * call has waited if and only if its thread came on a CPU in it. The calls of a kind together may differ by 2 %, or
 * 15 us for each switch, or 10 ms.
 *
 * The truth of a call that does not wait by itself is when its thread was off its CPU (SWITCHES, see switches.c). If a
 * wakeup preempts a thread, the kernel takes the time of the wakeup for that of the switch (rq_clock_skip_update()):
 * what interrupts do in between counts as run queue time in schedstat, 200 us a call where others receive many packets.
 *
 * Up to JDK 23 one of the threads that wait for a monitor also looks for itself, by a timer (ObjectMonitor::EnterI): so
 * nobody wakes it in up to half of the calls, the more the busier the machine is.
 *
 * The kernel does not count time that a hypervisor took as CPU time. frtrace does, so that is the difference for a call
 * that never waits. In a quarter of the calls that wait, CPU time may be longer because of it, and all of them together
 * may differ by what the machine lost. Prints a line for each kind, and the errors; status 1 if there are any.
 *
 * With -Dthreshold=NS the file has only the calls that took as long, and none of inWhole().
 */
public class WhereCheck {
    private static final double SHARE = 0.01, PARTS_SHARE = 0.01, FEW_PARTS_SHARE = 0.15, PART = 0.05, WHOLE = 0.02;
    private static final int SHOWN = Integer.getInteger("shown", 5); /* examples of each kind; if set, of tolerated differences, too */
    private static final long THRESHOLD = Long.getLong("threshold", 0);
    private static final int FEW = 5; /* allowed in addition: a share of a few hundred calls says little on a busy machine */
    private static final long LEAST = 50_000, SWITCH = 15_000, ONCE = 10_000_000, TICK = 10_000_000; /* ns; ONCE: taken by the machine in one piece */

    static class Kind {
        String method, reason, waker;
        List<long[]> calls = new ArrayList<>(), whole = new ArrayList<>();
        List<RecordedEvent> events = new ArrayList<>(), wholes = new ArrayList<>(), waits = new ArrayList<>();
        String thread;
        long wakerId;
        boolean timed;
        long outlying; /* ns */
        int sums, parts, stolen, reasons, wakers, polls, switches, next, measured, waited;
        List<String> examples = new ArrayList<>();
    }

    private static final Map<String, Kind> kinds = new HashMap<>();
    private static final List<String> order = new ArrayList<>(), faults = new ArrayList<>();

    static Kind kind(String name) {
        if (!kinds.containsKey(name))
            order.add(name);
        Kind kind = kinds.computeIfAbsent(name, k -> new Kind());
        kind.timed = name.equals("monitor");
        return kind;
    }

    static void readTruth(String line) {
        String[] f = line.split("\t");
        Kind k = kind(f[1]);
        if (f[0].equals("expect")) {
            k.method = f[2];
            k.reason = System.getProperty(f[3], f[3]);
            k.waker = f[4];
            return;
        }
        if (f[0].equals("thread")) {
            k.thread = f[2];
            return;
        }
        if (f[0].equals("waker")) {
            k.wakerId = Long.parseLong(f[2]);
            return;
        }
        (f[0].equals("call") ? k.calls : k.whole).add(Arrays.stream(f).skip(2).mapToLong(Long::parseLong).toArray());
    }

    /** Replace the kernel's numbers by when the thread was off its CPU. */
    static void useSwitches(Kind k, OffCpu offCpu) {
        Stream.concat(k.calls.stream(), k.whole.stream()).forEach(truth -> {
            truth[2] = offCpu.time(k.thread, truth[4], truth[4] + truth[0]);
            truth[1] = truth[0] - truth[2];
        });
    }

    static long nanos(Instant t) {
        return t.getEpochSecond() * 1_000_000_000 + t.getNano();
    }

    static String name(RecordedThread t) {
        return t == null ? "-" : t.getJavaName() != null ? t.getJavaName() : t.getOSName();
    }

    static void readEvent(RecordedEvent e) {
        Kind k = kinds.get(name(e.getThread()));
        if (k == null)
            return;
        if (e.getEventType().getName().equals("frtrace.ThreadWait"))
            k.waits.add(e);
        if (!e.getEventType().getName().equals("jdk.MethodTrace"))
            return;
        String method = e.<jdk.jfr.consumer.RecordedMethod>getValue("method").getName();
        if (method.equals("inWhole"))
            k.wholes.add(e);
        else if (method.equals(k.method))
            k.events.add(e);
    }

    static long part(RecordedEvent e, String field) {
        return e.getLong(field);
    }

    /** Neither CPU nor run queue time in the kernel's numbers: waited, or taken by a hypervisor. */
    static long rest(long[] truth) {
        return truth[0] - truth[1] - truth[2];
    }

    /**
     * The largest difference of a part that a hypervisor cannot cause. Switches do not tell the run queue from a wait,
     * such as for a safepoint.
     */
    static long difference(Kind k, RecordedEvent e, long[] truth) {
        if (k.reason.equals("-"))
            return Math.abs(part(e, "runQueueTime") + part(e, "blockedTime") - truth[2]);
        return Math.max(Math.abs(part(e, "runQueueTime") - truth[2]), part(e, "blockedTime") - rest(truth));
    }

    /** The part of the rest that the file counts as CPU time. */
    static long taken(RecordedEvent e, long[] truth) {
        return rest(truth) - part(e, "blockedTime");
    }

    static String show(RecordedEvent e, long[] truth) {
        return String.format("%d: %d us = cpu %d runq %d blocked %d, the truth: %d = %d %d %d", e.getLong("startTime"), e.getDuration().toNanos() / 1000,
            part(e, "cpuTime") / 1000, part(e, "runQueueTime") / 1000, part(e, "blockedTime") / 1000, truth[0] / 1000,
            truth[1] / 1000, truth[2] / 1000, rest(truth) / 1000);
    }

    static void addsUp(Kind k, RecordedEvent e) {
        long sum = part(e, "cpuTime") + part(e, "runQueueTime") + part(e, "blockedTime");
        if (sum != e.getDuration().toNanos() || part(e, "cpuTime") < 0)
            k.sums++;
    }

    /** Calls and waits are sorted, and calls of a kind are not nested. */
    static RecordedEvent last(Kind k, RecordedEvent call) {
        long from = nanos(call.getStartTime()), to = nanos(call.getEndTime());
        RecordedEvent found = null;
        while (k.next < k.waits.size() && middle(k.waits.get(k.next)) < from)
            k.next++;
        for (; k.next < k.waits.size() && middle(k.waits.get(k.next)) <= to; k.next++)
            found = k.waits.get(k.next);
        return found;
    }

    static long middle(RecordedEvent e) {
        return (nanos(e.getStartTime()) + nanos(e.getEndTime())) / 2;
    }

    static long id(RecordedEvent wait) {
        RecordedThread t = wait == null ? null : wait.getValue("wakerThread");
        return t == null ? 0 : t.getOSThreadId();
    }

    static boolean isWaker(Kind k, RecordedEvent wait) {
        return k.wakerId == 0 || id(wait) == k.wakerId;
    }

    static void checkWait(Kind k, RecordedEvent call) {
        k.waited++;
        RecordedEvent wait = last(k, call);
        if (k.reason.equals("-"))
            return;
        String reason = wait == null ? "none" : wait.getString("reason");
        String waker = wait == null ? "none" : name(wait.getValue("wakerThread"));
        boolean polled = k.timed && waker.equals("-");
        boolean right = polled || k.waker.equals("*") || waker.equals(k.waker) && isWaker(k, wait);
        k.polls += polled ? 1 : 0;
        k.reasons += reason.equals(k.reason) ? 0 : 1;
        k.wakers += right ? 0 : 1;
        if (!reason.equals(k.reason) || !right)
            example(k, "waits for " + reason + ", woken by " + waker + " " + id(wait));
    }

    static void example(Kind k, String text) {
        if (k.examples.size() < SHOWN)
            k.examples.add(text);
    }

    static void checkCall(Kind k, RecordedEvent e, long[] truth) {
        addsUp(k, e);
        if ((part(e, "blockedTime") + part(e, "runQueueTime") > 0) != (truth[3] > 0)) {
            k.switches++;
            example(k, truth[3] + " switches, " + show(e, truth));
        }
        if (truth[3] > 0 && (!k.reason.equals("disk") || rest(truth) > LEAST)) /* the file may still be in memory */
            checkWait(k, e);
        if (truth[3] == 0 || e.getDuration().toNanos() - truth[0] > Math.max(LEAST, truth[0] * PART))
            return; /* the program was interrupted before or after measuring */
        k.measured++;
        double most = Math.max(LEAST, truth[0] * PART);
        k.parts += difference(k, e, truth) > most ? 1 : 0;
        k.outlying += difference(k, e, truth) > most ? difference(k, e, truth) : 0;
        k.stolen += !k.reason.equals("-") && taken(e, truth) > most ? 1 : 0;
        if (difference(k, e, truth) > most || !k.reason.equals("-") && taken(e, truth) > most)
            example(k, show(e, truth));
    }

    /** What few calls differ by is judged once, by their number: the wake of one wait is missed where a hypervisor hides it. */
    static void checkWhole(String name, Kind k) {
        if (k.wholes.size() != 1 || k.whole.size() != 1) {
            faults.add(name + ": " + k.wholes.size() + " calls of inWhole, the program: " + k.whole.size());
            return;
        }
        RecordedEvent e = k.wholes.get(0);
        long[] truth = k.whole.get(0);
        double most = Math.max(Math.max(truth[0] * WHOLE, truth[3] * SWITCH), ONCE);
        addsUp(k, e);
        if (e.getDuration().toNanos() - truth[0] > truth[0] * WHOLE / 2)
            System.out.println(name + ": the whole was interrupted before or after measuring");
        else if (difference(k, e, truth) > most + k.outlying || taken(e, truth) > most + truth[5] + TICK)
            faults.add(name + ": the whole: " + show(e, truth) + ", stolen " + truth[5] / 1000);
    }

    static boolean contains(RecordedEvent e, long at) {
        return e.getLong("startTime") <= at && at <= e.getLong("startTime") + e.getDuration().toNanos();
    }

    /** Leave out the calls that are not in the file because they were too short. */
    static void leaveOut(Kind k) {
        List<long[]> recorded = new ArrayList<>();
        int next = 0;
        for (long[] call : k.calls) {
            if (next < k.events.size() && contains(k.events.get(next), call[4])) {
                recorded.add(call);
                next++;
            } else if (call[0] >= THRESHOLD) {
                faults.add("a call of " + call[0] / 1000 + " us is not recorded");
            }
        }
        k.calls = recorded;
    }

    static void check(String name, Kind k) {
        k.events.sort(Comparator.comparing(RecordedEvent::getStartTime));
        k.waits.sort(Comparator.comparing(RecordedEvent::getStartTime));
        if (THRESHOLD > 0)
            leaveOut(k);
        if (k.events.size() != k.calls.size()) {
            faults.add(name + ": " + k.events.size() + " calls recorded, calls made: " + k.calls.size());
            return;
        }
        int n = k.calls.size(), most = (int) (n * SHARE) + FEW, parts = (int) (n * (n < 1000 ? FEW_PARTS_SHARE : PARTS_SHARE)) + FEW;
        for (int i = 0; i < n; i++)
            checkCall(k, k.events.get(i), k.calls.get(i));
        if (THRESHOLD == 0)
            checkWhole(name, k);
        System.out.printf("%s: %d calls, %d do not add up, parts of %d and %d of %d, %d waits, reasons of %d, wakers of %d of %d are wrong, %d woken by a timer%n",
            name, n, k.sums, k.parts, k.stolen, k.measured, k.switches, k.reasons, k.wakers, k.waited, k.polls);
        if (Integer.getInteger("shown") != null)
            k.examples.forEach(System.out::println);
        if (k.sums > 0 || k.parts > parts || k.stolen > n / 4 + FEW || k.switches > most || k.reasons > most || k.wakers > most || k.polls > n / 2)
            faults.add(name + ": " + k.sums + " sums, " + k.parts + " and " + k.stolen + " parts, " + k.switches + " waits, " + k.reasons + " reasons, " + k.wakers
                + " wakers of " + n + " are wrong, " + k.polls + " woken by a timer: " + String.join("; ", k.examples));
    }

    public static void main(String[] args) throws Exception {
        for (String line : Files.readAllLines(Path.of(args[1])))
            readTruth(line);
        try (RecordingFile file = new RecordingFile(Path.of(args[0]))) {
            while (file.hasMoreEvents())
                readEvent(file.readEvent());
        }
        OffCpu offCpu = args.length > 2 ? new OffCpu(Path.of(args[2])) : null;
        for (String name : order) {
            if (kinds.get(name).reason.equals("-"))
                useSwitches(kinds.get(name), offCpu);
            check(name, kinds.get(name));
        }
        faults.forEach(System.out::println);
        System.exit(faults.isEmpty() ? 0 : 1);
    }
}
