// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Compares the events of a recording, read by the JDK, with the log of Valued, one by one. */
class ValuedCheck {
    static String text(RecordedEvent e, String field) {
        String s = e.getString(field);
        if (s == null)
            return "null";
        StringBuilder hex = new StringBuilder("x");
        for (char c : s.toCharArray())
            hex.append(Integer.toHexString(c)).append(',');
        return hex.toString();
    }

    static String number(RecordedEvent e, String field) {
        Object v = e.getValue(field);
        return v.equals(Integer.MIN_VALUE) || v.equals(Long.MIN_VALUE) ? "null" : v.toString();
    }

    static String name(RecordedEvent e, String field) {
        RecordedClass c = e.getClass(field);
        return c == null ? "null" : c.getName();
    }

    static String line(RecordedEvent e) {
        switch (e.getEventType().getName()) {
        case "test.Call":
            if (!e.getString("token").equals("[REDACTED]"))
                return "not redacted: " + e;
            if (!name(e, "ex").equals(name(e, "thrownClass")))
                return "thrownClass is not the exception: " + e;
            return String.join(" ", "call", number(e, "id"), "" + e.getInt("i"), text(e, "s"), "" + e.getDouble("d"),
                text(e, "base"), number(e, "items"), text(e, "color"), text(e, "any"), "" + e.getBoolean("z"),
                "" + (int) e.getChar("c"), "" + e.getShort("h"), "" + e.getByte("b"), "" + e.getFloat("f"), number(e, "length"),
                number(e, "back"), name(e, "ex"), text(e, "name"), number(e, "total"));
        case "test.Made":
            return String.join(" ", "made", number(e, "id"), text(e, "s"), text(e, "text"), name(e, "ex"));
        case "test.Wide":
            return String.join(" ", "wide", number(e, "id"), number(e, "first"), number(e, "last"), number(e, "back"));
        case "test.Exit":
            return String.join(" ", "exit", number(e, "id"), number(e, "kind"), number(e, "back"), name(e, "ex"));
        case "test.Kinds":
            return String.join(" ", "kinds", number(e, "id"), "" + e.getBoolean("z"), "" + e.getByte("b"), "" + (int) e.getChar("c"),
                "" + e.getShort("h"), number(e, "i"), number(e, "j"), "" + e.getFloat("f"), name(e, "type"), text(e, "thread"),
                number(e, "longs"), number(e, "objects"), number(e, "deep"), "" + e.getDouble("back"));
        case "test.Long":
            return String.join(" ", "back", number(e, "id"), "long", number(e, "back"));
        case "test.Double":
            return String.join(" ", "back", number(e, "id"), "double", "" + e.getDouble("back"));
        case "test.Float":
            return String.join(" ", "back", number(e, "id"), "float", "" + e.getFloat("back"));
        case "test.Boolean":
            return String.join(" ", "back", number(e, "id"), "boolean", "" + e.getBoolean("back"));
        case "test.Char":
            return String.join(" ", "back", number(e, "id"), "char", "" + (int) e.getChar("back"));
        case "test.Color":
            return String.join(" ", "back", number(e, "id"), "color", text(e, "back"));
        case "jdk.MethodTrace": // with -m
            return String.join(" ", "fails", name(e, "thrownClass"));
        default:
            return null;
        }
    }

    /** In a file that a kill has cut, values may be missing, but those that are there are of one call. */
    static String mixed(RecordedEvent e) {
        if (!e.getEventType().getName().equals("test.Call"))
            return null;
        String id = number(e, "id"), i = "" + e.getInt("i"), f = number(e, "back");
        if (id.equals("null") || i.equals("" + Integer.MIN_VALUE))
            return null;
        int want = (int) (Long.parseLong(id) * 31);
        boolean good = i.equals("" + want) && (f.equals("null") || f.equals("" + want) || f.equals("" + (want + 1)));
        return good ? null : "two calls in one event: " + e;
    }

    /** FILE [LOG]: without a log, no event may mix two calls, and there may be none. */
    public static void main(String[] arguments) throws Exception {
        Map<String, Integer> wanted = new HashMap<>();
        List<String> findings = new ArrayList<>();
        long events = 0;
        if (arguments.length > 1)
            for (String line : Files.readAllLines(Paths.get(arguments[1])))
                wanted.merge(line, 1, Integer::sum);
        try (RecordingFile file = new RecordingFile(Path.of(arguments[0]))) {
            while (file.hasMoreEvents()) {
                RecordedEvent e = file.readEvent();
                String found = arguments.length > 1 ? line(e) : mixed(e);
                events += e.getEventType().getName().startsWith("test.") ? 1 : 0;
                if (found == null)
                    continue;
                if (arguments.length == 1)
                    findings.add(found);
                else if (wanted.merge(found, -1, Integer::sum) < 0)
                    findings.add("not logged: " + found);
            }
        }
        wanted.forEach((line, n) -> {
            if (n > 0)
                findings.add("no event: " + line);
        });
        findings.stream().limit(10).forEach(System.out::println);
        System.out.println(findings.size() + " findings in " + events + " events");
        System.exit(findings.isEmpty() && (events > 0 || arguments.length == 1) ? 0 : 1);
    }
}
