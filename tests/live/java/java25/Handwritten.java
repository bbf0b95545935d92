// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Contextual;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** File reads inside of a contextual event that is written by hand, which is as long as a call (Java 25). */
public class Handwritten {
    @Name("hand.Load")
    @StackTrace(false)
    static class Load extends Event {
        @Contextual
        String user;
        @Contextual
        int number;
    }

    static void read(Path file) throws IOException {
        try (FileInputStream in = new FileInputStream(file.toFile())) {
            in.read(new byte[100]);
        }
    }

    /** The pauses are longer than the clocks of two recorders can be apart. */
    static void load(String user, int number, Path file, int depth) throws Exception {
        Load event = new Load();
        event.user = user;
        event.number = number;
        event.begin();
        Thread.sleep(3);
        read(file);
        if (depth > 0)
            load(user + "'s friend", number + 1, file, depth - 1);
        read(file);
        Thread.sleep(3);
        event.commit();
    }

    static void work(int thread, int calls, Path file) {
        try {
            for (int i = 0; i < calls; i++) {
                load("user" + (thread + i) % 5, 100 * thread + i, file, i % 3);
                Thread.sleep(6);
                read(file);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** DIRECTORY THREADS CALLS */
    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[1]), calls = Integer.parseInt(arguments[2]);
        Path file = Path.of(arguments[0], "file");
        Stage stage = new Stage(arguments[0]);
        List<Thread> all = new ArrayList<>();
        Files.write(file, new byte[1000]);
        load("nobody", 0, file, 0);
        stage.awaitGo();
        for (int t = 0; t < threads; t++) {
            int number = t;
            all.add(t % 2 == 0 ? Thread.ofPlatform().start(() -> work(number, calls, file))
                               : Thread.ofVirtual().start(() -> work(number, calls, file)));
        }
        for (Thread t : all)
            t.join();
        stage.finish();
    }
}
