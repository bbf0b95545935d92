// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import jdk.jfr.consumer.RecordedClassLoader;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/**
 * TimingCheck FILE.jfr TRUTH [EMISSIONS]: check that the last emission of jdk.MethodTiming is exactly what the program
 * knows to be true, and that all emissions (at least EMISSIONS) are consistent. Prints each difference; status 1 if
 * there is one. If TRUTH has no lines, only the emissions are checked.
 */
public class TimingCheck {
    /** Tolerance for reading the clock twice around a call, and for 10 s of drift in a long one. */
    static final double CLOCK_ERROR_NS = 150, CLOCK_ERROR = 0.0001;
    static final double BUCKET_ERROR = 0.03;
    static final String[] TIMES = {"minimum", "average", "maximum", "p50", "p90", "p99"};

    record Kind(String type, String method, String descriptor, String loader, long loaderId) {
        static Kind of(RecordedEvent event) {
            RecordedMethod method = event.getValue("method");
            RecordedClassLoader loader = method.getType().getClassLoader();
            return new Kind(method.getType().getName(), method.getName(), method.getDescriptor(),
                    loader == null ? "" : loader.getName(), loader == null ? 0 : loader.getId());
        }

        boolean is(String[] want) {
            return type.equals(want[1]) && method.equals(want[2]) && (want[3].equals("*") || want[3].equals(descriptor))
                    && (want[5].equals("*") || want[5].equals(loader));
        }
    }

    record Row(long invocations, long thrown, Map<String, Long> ns) {
        static Row of(RecordedEvent event) {
            Map<String, Long> ns = new HashMap<>();
            for (String time : TIMES)
                ns.put(time, event.getLong(time) == Long.MIN_VALUE ? null : event.getDuration(time).toNanos());
            return new Row(event.getLong("invocations"), event.getLong("thrown"), ns);
        }
    }

    final TreeMap<Long, Map<Kind, Row>> emissions = new TreeMap<>();
    final List<String> faults = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        TimingCheck check = new TimingCheck();
        check.read(Path.of(args[0]));
        if (check.emissions.size() < (args.length > 2 ? Integer.parseInt(args[2]) : 1))
            check.faults.add("only " + check.emissions.size() + " emissions");
        check.fitTogether();
        check.compare(Files.readAllLines(Path.of(args[1])));
        check.faults.stream().limit(20).forEach(System.out::println);
        System.exit(check.faults.isEmpty() ? 0 : 1);
    }

    void read(Path file) throws Exception {
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                RecordedEvent event = recording.readEvent();
                if (event.getEventType().getName().equals("jdk.DataLoss"))
                    faults.add(event.getLong("amount") + " bytes lost");
                if (!event.getEventType().getName().equals("jdk.MethodTiming"))
                    continue;
                long at = event.getLong("startTime");
                Kind kind = Kind.of(event);
                if (emissions.computeIfAbsent(at, t -> new HashMap<>()).put(kind, Row.of(event)) != null)
                    faults.add("two rows at " + at + ": " + kind);
            }
        }
    }

    /** Each emission has all rows of the one before, with counts that never decrease. */
    void fitTogether() {
        Map<Kind, Row> last = new HashMap<>();
        for (Map<Kind, Row> emission : emissions.values()) {
            for (Kind kind : last.keySet())
                if (!emission.containsKey(kind))
                    faults.add("disappeared: " + kind);
            emission.forEach((kind, row) -> {
                Row before = last.put(kind, row);
                if (before != null && (row.invocations < before.invocations || row.thrown < before.thrown))
                    faults.add("fewer than before: " + kind + " " + before + " " + row);
                fits(kind, row);
            });
        }
    }

    void fits(Kind kind, Row row) {
        if (row.invocations == 0) {
            if (row.thrown != 0 || row.ns.values().stream().anyMatch(ns -> ns != null))
                faults.add("times without calls: " + kind + " " + row);
            return;
        }
        if (row.thrown > row.invocations || row.ns.values().stream().anyMatch(ns -> ns == null)) {
            faults.add("impossible or missing: " + kind + " " + row);
            return;
        }
        long[] ordered = {0, row.ns.get("minimum"), row.ns.get("p50"), row.ns.get("p90"), row.ns.get("p99"), row.ns.get("maximum")};
        for (int i = 1; i < ordered.length; i++)
            if (ordered[i - 1] > ordered[i])
                faults.add("out of order: " + kind + " " + row);
        if (row.ns.get("average") < row.ns.get("minimum") || row.ns.get("average") > row.ns.get("maximum"))
            faults.add("the average is not between minimum and maximum: " + kind + " " + row);
    }

    void compare(List<String> truth) throws Exception {
        Map<Kind, Row> rest = new HashMap<>(emissions.isEmpty() ? Map.of() : emissions.lastEntry().getValue());
        Map<Kind, Row> all = new HashMap<>(rest);
        for (String line : truth) {
            String[] want = line.split("\t");
            switch (want[0]) {
            case "count": count(want, all, rest); break;
            case "threads": count(threads(want), all, rest); break;
            case "stamps": stamps(want, all); break;
            default: throw new IllegalArgumentException(line);
            }
        }
        if (!truth.isEmpty())
            rest.forEach((kind, row) -> faults.add("not expected: " + kind + " " + row));
    }

    static String[] threads(String[] want) {
        return new String[] {"count", want[1], want[2], "*", "*", "*",
            "" + Long.parseLong(want[3]) * Long.parseLong(want[4]), "0"};
    }

    void count(String[] want, Map<Kind, Row> all, Map<Kind, Row> rest) {
        List<Row> rows = all.entrySet().stream().filter(e -> e.getKey().is(want)).map(Map.Entry::getValue).toList();
        rest.keySet().removeIf(kind -> kind.is(want));
        if (rows.size() != 1 || !Check.within(want[6], rows.get(0).invocations) || !Check.within(want[7], rows.get(0).thrown))
            faults.add(String.join(" ", want[1] + "." + want[2], want[3], want[5]) + ": " + want[6] + " calls, "
                    + want[7] + " thrown; in the file " + rows);
    }

    /**
     * The file has pairs: the time of each call, inside and around it. Recorded times lie between them, sorted one by
     * one.
     */
    void stamps(String[] want, Map<Kind, Row> all) throws Exception {
        Row row = all.entrySet().stream().filter(e -> e.getKey().type.equals(want[1]) && e.getKey().method.equals(want[2]))
                .map(Map.Entry::getValue).findFirst().orElse(null);
        ByteBuffer pairs = ByteBuffer.wrap(Files.readAllBytes(Path.of(want[3])));
        int n = pairs.remaining() / 16;
        long[] inside = new long[n], around = new long[n];
        for (int i = 0; i < n; i++) {
            inside[i] = pairs.getLong();
            around[i] = pairs.getLong();
        }
        Arrays.sort(inside);
        Arrays.sort(around);
        if (row == null || row.ns.containsValue(null)) {
            faults.add("no times for " + want[2]);
            return;
        }
        between(row, "minimum", inside[0], around[0], 0);
        between(row, "maximum", inside[n - 1], around[n - 1], 0);
        between(row, "average", Arrays.stream(inside).average().orElse(0), Arrays.stream(around).average().orElse(0), 0);
        for (int percent : new int[] {50, 90, 99}) {
            int at = (n * percent + 99) / 100 - 1;
            between(row, "p" + percent, inside[at], around[at], BUCKET_ERROR);
        }
    }

    void between(Row row, String time, double low, double high, double error) {
        long ns = row.ns.get(time);
        low = low * (1 - error - CLOCK_ERROR) - CLOCK_ERROR_NS;
        high = high * (1 + error + CLOCK_ERROR) + CLOCK_ERROR_NS;
        if (ns < low || ns > high)
            faults.add(String.format("%s: %d ns, not in %.0f .. %.0f", time, ns, low, high));
    }
}
