// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/**
 * Filters DIR: for each file go.N, call everything in {@link Subject} twice: in the classes of a loader "early", which
 * were loaded at the beginning, and in those of a new loader "late". Then make done.N.
 *
 * Filters DIR FILE: do that for each line of FILE while JEP 520 traces with that filter; write the methods with events
 * to set.N.
 *
 * Filters - FILE.jfr: print the methods with events of a recording.
 */
public class Filters {
    static final List<String> JDK = List.of("java.lang.String", "java.lang.Long", "java.util.ArrayList",
            "java.util.concurrent.ConcurrentHashMap", "java.util.concurrent.locks.ReentrantLock");
    static final Path CLASSES = Path.of(System.getProperty("java.class.path"));

    static Class<?> load(String loader) throws Exception {
        URL[] urls = {CLASSES.toUri().toURL()};
        URLClassLoader l = new URLClassLoader(loader, urls, ClassLoader.getPlatformClassLoader());
        return Class.forName("live.Subject", true, l);
    }

    static void call(Class<?> subject) throws Exception {
        subject.getMethod("everything").invoke(null);
    }

    /** LOADER TYPE.METHODDESCRIPTOR of the subject's methods, and of the JDK methods that it calls. */
    static TreeSet<String> methods(Path file) throws Exception {
        TreeSet<String> set = new TreeSet<>();
        for (RecordedEvent e : RecordingFile.readAllEvents(file)) {
            if (!e.getEventType().getName().equals("jdk.MethodTrace"))
                continue;
            RecordedMethod m = e.getValue("method");
            String type = m.getType().getName();
            if (type.startsWith("live.Subject"))
                set.add(m.getType().getClassLoader().getName() + " " + type + "." + m.getName() + m.getDescriptor());
            else if (JDK.contains(type))
                set.add("boot " + type + "." + m.getName() + m.getDescriptor());
        }
        return set;
    }

    static void trace(Stage stage, Class<?> early, List<String> filters) throws Exception {
        for (int i = 0; i < filters.size(); i++) {
            Path file = stage.file("r.jfr");
            try (Recording r = new Recording()) {
                r.enable("jdk.MethodTrace").with("filter", filters.get(i)).with("threshold", "0 ns").withoutStackTrace();
                r.start();
                call(early);
                call(load("late"));
                r.stop();
                r.dump(file);
            }
            stage.write("set." + i, String.join("\n", methods(file)) + "\n");
        }
        stage.mark("done");
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("-")) {
            methods(Path.of(args[1])).forEach(System.out::println);
            return;
        }
        Stage stage = new Stage(args[0]);
        Class<?> early = load("early");
        call(early);
        if (args.length > 1) {
            trace(stage, early, Files.readAllLines(Path.of(args[1])));
            return;
        }
        stage.mark("ready");
        for (int i = 0; !stage.has("quit"); i++) {
            while (!stage.has("go." + i) && !stage.has("quit"))
                Stage.sleep(5);
            call(early);
            call(load("late"));
            stage.mark("done." + i);
        }
    }
}
