// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Are the ids of each call, read by the JDK, those that Traced has given it as arguments? Prints numbers of calls. */
class TracedCheck {
    static String ids(RecordedEvent e, String hi, String lo, String span) {
        return e.hasField(hi) ? e.getLong(hi) + " " + e.getLong(lo) + " " + e.getLong(span) : "no fields";
    }

    static String found(RecordedEvent e) {
        return ids(e, "traceIdHi", "traceIdLo", "spanId");
    }

    static boolean isRight(String wanted, String found, int phase) {
        return found.equals(wanted) || (phase >= Traced.LATE && phase != Traced.FOLLOWED && found.equals("0 0 0"));
    }

    public static void main(String[] arguments) throws Exception {
        Map<Long, List<RecordedEvent>> calls = new HashMap<>(), plain = new HashMap<>();
        int[] all = new int[5], with = new int[5];
        int wrong = 0;
        for (String file : arguments) {
            for (RecordedEvent e : RecordingFile.readAllEvents(Paths.get(file))) {
                String type = e.getEventType().getName();
                if (type.equals("test.Call") || type.equals("jdk.MethodTrace"))
                    (type.equals("test.Call") ? calls : plain)
                        .computeIfAbsent(e.getThread().getJavaThreadId(), k -> new ArrayList<>()).add(e);
            }
        }
        for (Map.Entry<Long, List<RecordedEvent>> thread : calls.entrySet()) {
            List<RecordedEvent> mine = thread.getValue(), others = plain.get(thread.getKey());
            mine.sort((a, b) -> a.getStartTime().compareTo(b.getStartTime()));
            others.sort((a, b) -> a.getStartTime().compareTo(b.getStartTime()));
            if (mine.size() != others.size())
                throw new AssertionError(mine.size() + " calls, but " + others.size() + " of the other method");
            for (int i = 0; i < mine.size(); i++) {
                RecordedEvent e = mine.get(i);
                int phase = e.getInt("phase");
                String wanted = ids(e, "hi", "lo", "span");
                all[phase]++;
                with[phase] += found(e).equals("0 0 0") ? 0 : 1;
                if (isRight(wanted, found(e), phase) && isRight(wanted, found(others.get(i)), phase))
                    continue;
                if (wrong++ < 3)
                    System.out.println("phase " + phase + ": wanted " + wanted + ", found " + found(e) + " and " + found(others.get(i)));
            }
        }
        System.out.println("all " + Arrays.toString(all) + " with ids " + Arrays.toString(with) + " wrong " + wrong);
        System.exit(wrong > 0 ? 1 : 0);
    }
}
