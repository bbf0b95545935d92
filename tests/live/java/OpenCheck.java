// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * OpenCheck FILE.jfr OPEN NONE | STACKS: check that the frtrace.OpenCall events are exactly the calls in the file OPEN
 * (see Open), with the right start. STACKS has lines "thread, frames from the innermost" that must be equal; NONE: no
 * event has a stack. Prints each difference; status 1 if there is one. The last line of output is the number of events.
 */
public class OpenCheck {
    private static final List<String> faults = new ArrayList<>();
    private static final Map<String, List<String[]>> open = new HashMap<>();
    private static final Map<String, String> stacks = new HashMap<>();
    private static final Set<String> compared = new HashSet<>();

    static void fault(RecordedEvent e, String what) {
        faults.add(thread(e) + " " + method(e) + ": " + what);
    }

    static String thread(RecordedEvent e) {
        RecordedThread t = e.getThread();
        return t == null ? "no thread" : t.getJavaName();
    }

    static String method(RecordedEvent e) {
        return e.getValue("method") == null ? "no method" : e.<jdk.jfr.consumer.RecordedMethod>getValue("method").getName();
    }

    static String frame(RecordedFrame f) {
        return f.getMethod().getType().getName() + "." + f.getMethod().getName();
    }

    /** A native frame has line -2 in Java, none in the file; the top frame of a running thread may be on any line. */
    static boolean same(RecordedFrame f, String want, boolean running) {
        int colon = want.lastIndexOf(':'), line = Integer.parseInt(want.substring(colon + 1));
        return frame(f).equals(want.substring(0, colon)) && (running || line < 0 || f.getLineNumber() == line);
    }

    /** The first frames of a virtual thread's stack. */
    static boolean isBottom(String frame) {
        return frame.startsWith("jdk.internal.vm.Continuation.") || frame.startsWith("java.lang.VirtualThread.run")
                || frame.startsWith("java.lang.VirtualThread$VThreadContinuation");
    }

    static void compareStack(RecordedEvent e) {
        String want = stacks.get(thread(e));
        if (want == null)
            return;
        compared.add(thread(e));
        if (e.getStackTrace() == null) {
            fault(e, "no stack");
            return;
        }
        List<RecordedFrame> frames = new ArrayList<>(e.getStackTrace().getFrames());
        // Thread.getStackTrace() of a virtual thread omits these
        boolean byItself = thread(e).startsWith("v-");
        frames.removeIf(f -> byItself && f.getMethod().isHidden() || isBottom(frame(f)));
        String[] wanted = Arrays.stream(want.split(" ")).filter(f -> !f.isEmpty() && !isBottom(f)).toArray(String[]::new);
        boolean good = frames.size() == wanted.length;
        for (int i = 0; good && i < wanted.length; i++)
            good = same(frames.get(i), wanted[i], i == 0 && thread(e).endsWith("spin"));
        if (!good)
            fault(e, "stack " + frames.stream().map(f -> frame(f) + ":" + f.getLineNumber()).collect(Collectors.joining(" "))
                    + "\n  expected " + want);
        if (frames.stream().noneMatch(f -> f.getMethod().getName().equals(method(e))))
            fault(e, "is missing on its own stack");
    }

    static void compare(RecordedEvent e, boolean none) {
        List<String[]> wanted = open.get(thread(e) + "\t" + method(e));
        long start = e.getLong("startTime");
        String[] own = null;
        for (String[] w : wanted == null ? List.<String[]>of() : wanted)
            if (start >= Long.parseLong(w[2]) && start <= Long.parseLong(w[3]))
                own = w;
        if (own == null)
            fault(e, "is not open since " + start + " " + (e.getString("remark") == null ? "" : e.getString("remark")));
        else
            wanted.remove(own);
        if (e.getDuration().toNanos() <= 0 || !e.getEndTime().isAfter(e.getStartTime()))
            fault(e, "open for " + e.getDuration());
        if (none && e.getStackTrace() != null)
            fault(e, "has a stack");
        if (none == (e.getString("remark") == null))
            fault(e, "remark: " + e.getString("remark"));
        if (!none)
            compareStack(e);
    }

    public static void main(String[] args) throws Exception {
        boolean none = args[2].equals("NONE");
        int events = 0;
        for (String line : Files.readAllLines(Path.of(args[1]))) {
            String[] w = line.split("\t");
            open.computeIfAbsent(w[0] + "\t" + w[1], k -> new ArrayList<>()).add(w);
        }
        if (!none)
            for (String line : Files.readAllLines(Path.of(args[2])))
                stacks.put(line.split("\t")[0], line.contains("\t") ? line.substring(line.indexOf('\t') + 1).trim() : "");
        for (RecordedEvent e : RecordingFile.readAllEvents(Path.of(args[0])))
            if (e.getEventType().getName().equals("frtrace.OpenCall")) {
                compare(e, none);
                events++;
            }
        open.forEach((name, left) -> left.forEach(w -> faults.add(name + ": missing, open since " + w[2])));
        stacks.keySet().stream().filter(t -> !compared.contains(t)).forEach(t -> faults.add(t + ": no event to compare its stack with"));
        faults.stream().limit(20).forEach(System.out::println);
        System.out.println(events);
        System.exit(faults.isEmpty() ? 0 : 1);
    }
}
