// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/**
 * OngoingCheck FILE.jfr WAITING STACKS: check that the file has the wait of each thread of WAITING, within the time of
 * each of its open calls. WAITING has a line per thread with the kernel's data: name, latest start of the wait (us
 * since the epoch), number of the system call ("running": none) and the functions of its kernel stack. STACKS is as in
 * OpenCheck.
 */
public class OngoingCheck {
    private static final Map<String, String> CALLS = Map.of("202", "futex", "0", "read");
    private static final Map<String, String> REASONS = Map.of("202", "futex", "0", "socket");
    private static final int LEAST_FRAMES = 3;
    private static final Duration SAFEPOINT = Duration.ofSeconds(1);
    private static final long CLOCK = 1_000_000; /* ns, for the difference of two clocks */

    private static final List<String> faults = new ArrayList<>();
    private static final List<RecordedEvent> waits = new ArrayList<>(), calls = new ArrayList<>();

    static String thread(RecordedEvent e) {
        return e.getThread() == null ? "no thread" : e.getThread().getJavaName();
    }

    static List<RecordedEvent> of(List<RecordedEvent> events, String thread) {
        return events.stream().filter(e -> thread(e).equals(thread)).sorted(Comparator.comparing(RecordedEvent::getStartTime))
            .collect(Collectors.toList());
    }

    static String kernel(RecordedEvent wait) {
        RecordedStackTrace stack = wait.getValue("kernelStack");
        return stack == null ? "none" : stack.getFrames().stream().map(f -> f.getMethod().getName()).collect(Collectors.joining(" "));
    }

    /** A wait that was recorded in two pieces continues where the first one ends. */
    static Instant since(List<RecordedEvent> ongoing) {
        Instant start = ongoing.get(ongoing.size() - 1).getStartTime();
        for (int i = ongoing.size() - 2; i >= 0 && ongoing.get(i).getEndTime().equals(start); i--)
            start = ongoing.get(i).getStartTime();
        return start;
    }

    /** -1: the line is unknown. */
    static boolean same(RecordedFrame f, String want) {
        int colon = want.lastIndexOf(':'), line = Integer.parseInt(want.substring(colon + 1));
        return (f.getMethod().getType().getName() + "." + f.getMethod().getName()).equals(want.substring(0, colon))
            && (line < 0 || line == f.getLineNumber());
    }

    /** The copied stack may be cut; the frames that it has must be right. */
    static void compareStack(String thread, RecordedEvent wait, String[] wanted) {
        List<RecordedFrame> frames = wait.getStackTrace() == null ? List.of() : wait.getStackTrace().getFrames();
        boolean good = frames.size() >= Math.min(LEAST_FRAMES, wanted.length) && frames.size() <= wanted.length;
        for (int i = 0; good && i < frames.size(); i++)
            good = same(frames.get(i), wanted[i]);
        if (!good)
            faults.add(thread + ": stack " + wait.getStackTrace() + "\n  expected " + String.join(" ", wanted));
    }

    static void compare(String[] truth, String[] stack) {
        String thread = truth[0];
        List<RecordedEvent> ongoing = of(waits, thread);
        if (truth[2].equals("running")) /* it may be at a safepoint */
            ongoing.removeIf(w -> w.getDuration().compareTo(SAFEPOINT) < 0);
        if (ongoing.isEmpty() != truth[2].equals("running")) {
            faults.add(thread + ": " + ongoing.size() + " ongoing waits, the kernel has: " + truth[2]);
            return;
        }
        if (ongoing.isEmpty())
            return;
        RecordedEvent wait = ongoing.get(ongoing.size() - 1);
        Instant latest = Instant.EPOCH.plusNanos(Long.parseLong(truth[1]) * 1000 + CLOCK);
        if (since(ongoing).isAfter(latest))
            faults.add(thread + ": waits since " + since(ongoing) + ", the kernel: since " + latest + " at least");
        if (!CALLS.getOrDefault(truth[2], "?").equals(wait.getString("syscall")) || !REASONS.get(truth[2]).equals(wait.getString("reason")))
            faults.add(thread + ": waits for " + wait.getString("reason") + " in " + wait.getString("syscall") + ", the kernel: " + truth[2]);
        if (!truth[3].equals(kernel(wait)))
            faults.add(thread + ": in " + kernel(wait) + "\n  the kernel: " + truth[3]);
        if (wait.getValue("wakerThread") != null)
            faults.add(thread + ": is woken");
        compareStack(thread, wait, stack);
        for (RecordedEvent call : of(calls, thread))
            if (wait.getEndTime().isAfter(call.getEndTime()) || since(ongoing).isBefore(call.getStartTime()))
                faults.add(thread + ": waits from " + since(ongoing) + " to " + wait.getEndTime() + ", its call from "
                    + call.getStartTime() + " to " + call.getEndTime());
        if (of(calls, thread).isEmpty())
            faults.add(thread + ": no open call");
    }

    public static void main(String[] args) throws Exception {
        for (RecordedEvent e : RecordingFile.readAllEvents(Path.of(args[0])))
            if (e.getEventType().getName().equals("frtrace.OpenCall"))
                calls.add(e);
            else if (e.getEventType().getName().equals("frtrace.ThreadWait") && e.getBoolean("ongoing"))
                waits.add(e);
        Instant last = calls.stream().map(RecordedEvent::getEndTime).max(Comparator.naturalOrder()).orElse(Instant.EPOCH);
        calls.removeIf(c -> c.getEndTime().isBefore(last)); /* open in an earlier dump */
        for (String line : Files.readAllLines(Path.of(args[1]))) {
            String[] truth = line.split("\t");
            for (String stack : Files.readAllLines(Path.of(args[2])))
                if (stack.startsWith(truth[0] + "\t"))
                    compare(truth, stack.substring(truth[0].length() + 1).trim().split(" "));
        }
        faults.forEach(System.out::println);
        System.exit(faults.isEmpty() ? 0 : 1);
    }
}
