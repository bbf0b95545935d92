// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedClassLoader;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Check FILE.jfr TRUTH: check that the recording, read with the JDK's own parser, has exactly what the traced program
 * knows to be true. Prints each difference; status 1 if there is one. Check FILE.jfr: print what the recording has.
 */
public class Check {
    record Kind(String type, String method, String descriptor, String thread, String loader) {
        boolean is(String[] want) {
            return type.equals(want[1]) && method.equals(want[2]) && fits(want[3], descriptor)
                    && fits(want[4], thread) && fits(want[5], loader);
        }

        static boolean fits(String pattern, String value) {
            return pattern.equals("*") || pattern.equals(value);
        }
    }

    static final class Tally {
        long events, thrown;
        boolean expected;
    }

    /** The five fields of JEP 520, in its order. */
    static final List<String> FIELDS = List.of("startTime", "duration", "eventThread", "stackTrace", "method");

    final Map<Kind, Tally> tallies = new HashMap<>();
    final Map<String, Map<Long, Long>> threads = new HashMap<>();
    final Map<String, List<Long>> starts = new HashMap<>();
    final Map<String, Set<String>> callers = new HashMap<>();
    final Set<String> faults = new HashSet<>();
    final Set<String> between = new HashSet<>(), called = new HashSet<>();
    long events, lostBytes;

    public static void main(String[] args) throws Exception {
        Check check = new Check();
        List<String[]> truth = new ArrayList<>();
        if (args.length > 1)
            for (String line : Files.readAllLines(Path.of(args[1])))
                truth.add(line.split("\t"));
        for (String[] want : truth) {
            if (want[0].equals("between"))
                check.between.add(want[1] + "." + want[2]);
            if (want[0].equals("caller"))
                check.called.add(want[1] + "." + want[2]);
        }
        check.read(Path.of(args[0]));
        if (args.length == 1) {
            check.print();
            return;
        }
        for (String[] want : truth)
            check.compare(want);
        check.rest();
        check.faults.stream().sorted().limit(20).forEach(System.out::println);
        System.exit(check.faults.isEmpty() ? 0 : 1);
    }

    void read(Path file) throws Exception {
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                RecordedEvent event = recording.readEvent();
                switch (event.getEventType().getName()) {
                case "jdk.MethodTrace":
                    add(event);
                    break;
                case "jdk.DataLoss":
                    lostBytes += event.getLong("amount");
                    break;
                default:
                }
            }
        }
    }

    void add(RecordedEvent event) {
        if (events++ == 0)
            checkFields(event);
        RecordedMethod method = event.getValue("method");
        RecordedThread thread = event.getThread();
        if (method == null || thread == null) {
            faults.add("an event without " + (method == null ? "method" : "thread"));
            return;
        }
        if (event.getLong("duration") < 0)
            faults.add("a negative duration: " + method.getName());
        if (thread.getJavaName() == null)
            faults.add("a thread without name: " + method.getName());
        RecordedClassLoader loader = method.getType().getClassLoader();
        String type = method.getType().getName();
        Kind kind = new Kind(type, method.getName(), method.getDescriptor(),
                thread.getJavaName(), loader == null ? "" : loader.getName());
        Tally tally = tallies.computeIfAbsent(kind, k -> new Tally());
        tally.events++;
        if (event.hasField("thrown") && event.getBoolean("thrown"))
            tally.thrown++;
        String name = type + "." + method.getName();
        threads.computeIfAbsent(name, k -> new HashMap<>()).merge(thread.getJavaThreadId(), 1L, Long::sum);
        if (between.contains(name))
            starts.computeIfAbsent(name, k -> new ArrayList<>()).add(event.getLong("startTime"));
        if (called.contains(name))
            callers.computeIfAbsent(name, k -> new HashSet<>()).add(caller(event));
    }

    static String caller(RecordedEvent event) {
        if (event.getStackTrace() == null || event.getStackTrace().getFrames().isEmpty())
            return "unknown";
        RecordedMethod top = event.getStackTrace().getFrames().get(0).getMethod();
        return top.getType().getName() + "." + top.getName();
    }

    void checkFields(RecordedEvent event) {
        List<String> names = event.getFields().stream().map(ValueDescriptor::getName).collect(Collectors.toList());
        if (names.size() < 5 || !names.subList(0, 5).equals(FIELDS))
            faults.add("the fields are " + names);
    }

    void compare(String[] want) throws Exception {
        switch (want[0]) {
        case "count":
            compareCount(want);
            break;
        case "allow":
            tallies.forEach((kind, tally) -> {
                if (kind.type.equals(want[1]) && Kind.fits(want[2], kind.method))
                    tally.expected = true;
            });
            break;
        case "caller":
            Set<String> found = callers.getOrDefault(want[1] + "." + want[2], Set.of());
            if (!found.equals(Set.of(want[3])))
                faults.add("callers of " + want[1] + "." + want[2] + ": " + found + ", not " + want[3]);
            break;
        case "threads":
            compareThreads(want);
            break;
        case "between":
            compareStarts(want);
            break;
        case "lost":
            break;
        default:
            throw new IllegalArgumentException(want[0]);
        }
        if (lostBytes > 0)
            faults.add(lostBytes + " bytes lost");
    }

    /** "N" or "N..M" */
    static boolean within(String range, long value) {
        String[] ends = range.split("\\.\\.");
        return value >= Long.parseLong(ends[0]) && value <= Long.parseLong(ends[ends.length - 1]);
    }

    void compareCount(String[] want) {
        long[] found = new long[2];
        tallies.forEach((kind, tally) -> {
            if (!kind.is(want))
                return;
            tally.expected = true;
            found[0] += tally.events;
            found[1] += tally.thrown;
        });
        if (!within(want[6], found[0]) || !within(want[7], found[1]))
            faults.add(String.join(" ", want[1] + "." + want[2], want[3], want[4], want[5]) + ": " + want[6]
                    + " calls, " + want[7] + " thrown; in the file " + found[0] + ", " + found[1]);
    }

    void compareThreads(String[] want) {
        String name = want[1] + "." + want[2];
        Map<Long, Long> found = threads.getOrDefault(name, Collections.emptyMap());
        long wrong = found.values().stream().filter(n -> n != Long.parseLong(want[4])).count();
        if (found.size() != Integer.parseInt(want[3]) || wrong > 0)
            faults.add(name + ": " + want[3] + " threads with " + want[4] + " calls each; in the file "
                    + found.size() + ", " + wrong + " of them with a different number");
        tallies.forEach((kind, tally) -> {
            if (kind.type.equals(want[1]) && kind.method.equals(want[2]))
                tally.expected = true;
        });
    }

    /** The file has pairs of long: nanoTime before the call and inside it. */
    void compareStarts(String[] want) throws Exception {
        List<Long> found = starts.getOrDefault(want[1] + "." + want[2], new ArrayList<>());
        Collections.sort(found);
        ByteBuffer pairs = ByteBuffer.wrap(Files.readAllBytes(Path.of(want[3])));
        int n = pairs.remaining() / 16, outside = 0;
        long worst = 0;
        for (int i = 0; i < Math.min(n, found.size()); i++) {
            long before = pairs.getLong(i * 16), inside = pairs.getLong(i * 16 + 8), start = found.get(i);
            long off = Math.max(before - start, start - inside);
            worst = Math.max(worst, off);
            outside += off > 0 ? 1 : 0;
        }
        if (n != found.size() || outside > 0)
            faults.add("start times: " + outside + " of " + found.size() + " outside of their pair (" + n
                    + " pairs), by up to " + worst + " ns");
    }

    void rest() {
        tallies.forEach((kind, tally) -> {
            if (!tally.expected)
                faults.add("not called, but in the file: " + kind.type + "." + kind.method + kind.descriptor + " "
                        + tally.events + " times, thread " + kind.thread);
        });
    }

    /** One line for each method: events, thrown, threads, name. */
    void print() {
        Map<String, long[]> lines = new HashMap<>();
        tallies.forEach((kind, tally) -> {
            long[] sum = lines.computeIfAbsent(kind.type + "." + kind.method, k -> new long[2]);
            sum[0] += tally.events;
            sum[1] += tally.thrown;
        });
        lines.forEach((name, sum) -> System.out.println(sum[0] + " " + sum[1] + " " + threads.get(name).size() + " " + name));
        faults.forEach(System.out::println);
        if (lostBytes > 0)
            System.out.println("lost " + lostBytes + " bytes");
    }
}
