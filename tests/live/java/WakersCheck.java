// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Paths;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * WakersCheck FILE.jfr N SHARE KIND...: check who ended the waits of live.Wakers. The file has N calls of each kind.
 * The first call of a thread was ended by its thread -b in b(), the second one by -a in a(), and so on; one of process()
 * by the thread of the JDK that reaps processes, in ProcessHandleImpl's run() or what the JIT has left of the methods that
 * it calls; one of sleep() by a timer, so nobody may be named.
 *
 * What counts is the last wait of a call that has taken more than 1 ms: shorter ones have no stacks. A wait that names
 * another thread or another method is wrong. One without a thread or method is unknown. Waits that the JVM has
 * ended, or that lie elsewhere in the call, are skipped: it has locks of its own, and up to JDK 23 looks after a monitor
 * once in a while. Up to JDK 12 (-Dtraced=VERSION) threads that were stopped for a safepoint wake each other, whatever
 * they do: such a waker comes back from a wait of its own, or is of another lane. Most of these waits lie in a pause and
 * have the reason of it, but Debian's JDK 8 does not tell of its pauses. Prints a line for each kind, and one with FAILED
 * if a wait is wrong, if more than SHARE is unknown or woken after a safepoint (6 if there are few), or if more than a
 * quarter of the calls has no such wait.
 */
public class WakersCheck {
    private static final double SHORT = 0.25;
    private static final int FEW = 6; // on a busy machine a thread may be woken before it is seen to leave its CPU
    private static final Duration LONG = Duration.ofMillis(1);
    private static final Pattern OF_JVM = Pattern.compile("(C[12] |G1 |GC |VM |Reference Handler).*");
    private static final Pattern COMES_BACK = Pattern.compile("(\\w+\\.)*(Unsafe\\.park|Thread\\.sleep)( .*)?");
    private static final boolean WAKE_EACH_OTHER = Integer.getInteger("traced") < 13;
    private static final Pattern REAPER = Pattern.compile("java\\.lang\\.(ProcessImpl|UNIXProcess|ProcessHandleImpl|Process\\b).*");

    private static final List<String> PARKED = List.of("lock", "semaphore", "latch", "queue", "future", "park");
    private static final List<String> IN_KERNEL = List.of("socket", "pipe");

    private static final class Span {
        final Instant start, end;
        String waker, method, by, stack, place, natives, reason; // of a wait; "" if the file does not name it

        Span(RecordedEvent e) {
            start = e.getStartTime();
            end = e.getEndTime();
        }
    }

    private static final class Lane {
        final List<Span> calls = new ArrayList<>(), waits = new ArrayList<>();
    }

    private static String name(RecordedThread t) {
        if (t == null)
            return "";
        return t.getJavaName() != null ? t.getJavaName() : t.getOSName() != null ? t.getOSName() : "?";
    }

    private static List<String> frames(RecordedStackTrace stack) {
        List<String> names = new ArrayList<>();
        if (stack != null)
            for (RecordedFrame f : stack.getFrames()) {
                RecordedMethod m = f.getMethod();
                names.add(m == null ? "?" : m.getType().getName() + "." + m.getName());
            }
        return names;
    }

    /** The innermost frame of those that end waits; "" if there is none. */
    private static String ender(String kind, List<String> frames) {
        for (String f : frames)
            if (kind.equals("process") ? REAPER.matcher(f).matches() : f.equals("live.Wakers.a") || f.equals("live.Wakers.b"))
                return f;
        return "";
    }

    private static void read(RecordedEvent e, Map<String, Lane> lanes, List<String> kinds) {
        String type = e.getEventType().getName(), thread = name(e.getThread()), kind = thread.replaceFirst("\\.\\d+$", "");
        if (!kinds.contains(kind) || thread.equals(kind))
            return;
        Lane lane = lanes.computeIfAbsent(thread, k -> new Lane());
        Span span = new Span(e);
        if (type.equals("jdk.MethodTrace")) {
            lane.calls.add(span);
        } else if (type.equals("frtrace.ThreadWait")) {
            String reason = e.getString("reason");
            if (e.getDuration().compareTo(LONG) <= 0 || "gc".equals(reason) || "safepoint".equals(reason) || "frtrace".equals(reason))
                return;
            List<String> frames = frames(e.getValue("wakerStackTrace"));
            span.waker = name(e.getThread("wakerThread"));
            span.method = ender(kind, frames);
            span.place = String.join(" < ", frames(e.getStackTrace()));
            span.natives = String.join(" < ", frames(e.getValue("nativeStack")));
            span.reason = reason;
            span.by = String.valueOf(e.getString("wokenBy"));
            span.stack = String.join(" < ", frames);
            lane.waits.add(span);
        }
    }

    private static String judge(String kind, String thread, int number, Span w) {
        boolean named = !w.waker.isEmpty() || !w.method.isEmpty();
        if (w.by.equals("interrupt") || kind.equals("sleep"))
            return named ? "wrong" : kind.equals("sleep") ? "right" : "unknown";
        char turn = number % 2 == 0 ? 'b' : 'a';
        boolean rightThread = kind.equals("process") ? w.waker.startsWith("process") : w.waker.equals(thread + "-" + turn);
        boolean rightMethod = kind.equals("process") ? !w.method.isEmpty() : w.method.equals("live.Wakers." + turn);
        if ((!w.waker.isEmpty() && !rightThread) || (!w.method.isEmpty() && !rightMethod))
            return "wrong";
        return rightThread && rightMethod ? "right" : "unknown";
    }

    private static boolean isOfJvm(String kind, Span w) {
        boolean bySelf = kind.equals("monitor") && w.by.equals("interrupt") && w.waker.isEmpty();
        if (PARKED.contains(kind) && !(w.place.contains("Unsafe.park") && w.reason.equals("futex")))
            return true;
        if (w.natives.contains("pthread_mutex_lock") || (IN_KERNEL.contains(kind) && w.reason.equals("futex")))
            return true; // Java waits by conditions
        return w.method.isEmpty() && (bySelf || OF_JVM.matcher(w.waker).matches());
    }

    private static boolean isAfterSafepoint(String thread, Span w) {
        return WAKE_EACH_OTHER && w.by.equals("thread") && (!w.waker.startsWith(thread + "-") || COMES_BACK.matcher(w.stack).matches());
    }

    private static final class Kind {
        final Map<String, Integer> unknown = new TreeMap<>();
        final List<String> wrong = new ArrayList<>();
        int calls, right, unknowns, none, jvm, stopped;
    }

    private static void judge(String kind, String thread, Lane lane, Kind k) {
        Comparator<Span> order = Comparator.comparing(s -> s.start);
        lane.calls.sort(order);
        lane.waits.sort(order);
        int next = 0;
        for (int i = 0; i < lane.calls.size(); i++, k.calls++) {
            Span call = lane.calls.get(i), last = null;
            for (; next < lane.waits.size() && lane.waits.get(next).start.isBefore(call.end); next++) {
                Span w = lane.waits.get(next);
                if (w.start.isBefore(call.start))
                    continue;
                if (isOfJvm(kind, w))
                    k.jvm++;
                else
                    last = w;
            }
            String verdict = last == null ? "none" : judge(kind, thread, i, last);
            if (verdict.equals("none")) {
                k.none++;
            } else if (verdict.equals("right")) {
                k.right++;
            } else if (verdict.equals("unknown")) {
                k.unknowns++;
                k.unknown.merge("by " + last.by + " \"" + last.waker + "\" in " + last.stack, 1, Integer::sum);
            } else if (isAfterSafepoint(thread, last)) {
                k.stopped++;
            } else {
                k.wrong.add(thread + " call " + (i + 1) + ": by \"" + last.waker + "\" in " + last.stack + "; " + last.reason + " in " +
                    last.place + ", " + last.natives);
            }
        }
    }

    private static void print(String kind, Kind k, int wanted, double share) {
        System.out.printf("%s: %d calls, %d right, %d unknown, %d wrong, %d without a long wait, %d after a safepoint, %d waits for the JVM%n", kind,
            k.calls, k.right, k.unknowns, k.wrong.size(), k.none, k.stopped, k.jvm);
        k.unknown.entrySet().stream().limit(10).forEach(e -> System.out.println("  unknown " + e.getValue() + " times: " + e.getKey()));
        k.wrong.stream().limit(10).forEach(what -> System.out.println("  wrong: " + what));
        double few = Math.max(FEW, wanted * share);
        if (k.calls != wanted || !k.wrong.isEmpty() || k.none > wanted * SHORT || k.unknowns > few || k.stopped > few)
            System.out.println("FAILED " + kind);
    }

    public static void main(String[] args) throws Exception {
        List<String> kinds = List.of(args).subList(3, args.length);
        Map<String, Lane> lanes = new TreeMap<>();
        try (RecordingFile file = new RecordingFile(Paths.get(args[0]))) {
            while (file.hasMoreEvents())
                read(file.readEvent(), lanes, kinds);
        }
        for (String kind : kinds) {
            Kind k = new Kind();
            lanes.forEach((thread, lane) -> {
                if (thread.startsWith(kind + "."))
                    judge(kind, thread, lane, k);
            });
            print(kind, k, Integer.parseInt(args[1]), Double.parseDouble(args[2]));
        }
    }
}
