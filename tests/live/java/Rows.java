// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import jdk.jfr.consumer.RecordedClassLoader;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/** Rows FILE.jfr: print the methods of the last emission of jdk.MethodTiming, "a.b.C m (I)V loader" each. */
public class Rows {
    static String row(RecordedEvent event) {
        RecordedMethod m = event.getValue("method");
        RecordedClassLoader loader = m.getType().getClassLoader();
        String name = loader == null ? "boot" : loader.getName();
        return m.getType().getName() + " " + m.getName() + " " + m.getDescriptor() + " " + (name == null ? "" : name);
    }

    public static void main(String[] args) throws Exception {
        List<RecordedEvent> last = new ArrayList<>();
        Instant at = Instant.MIN;
        try (RecordingFile file = new RecordingFile(Path.of(args[0]))) {
            while (file.hasMoreEvents()) {
                RecordedEvent e = file.readEvent();
                if (!e.getEventType().getName().equals("jdk.MethodTiming"))
                    continue;
                if (!e.getStartTime().equals(at))
                    last.clear();
                at = e.getStartTime();
                last.add(e);
            }
        }
        last.forEach(e -> System.out.println(row(e)));
    }
}
