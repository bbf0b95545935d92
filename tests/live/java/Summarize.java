// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Summarize FILE SECONDS: run `jfr summary FILE` of this JDK every 100 ms while the file is written, all in one process
 * (which needs --add-opens=jdk.jfr/jdk.jfr.internal.tool=ALL-UNNAMED). Prints "N times"; fails if the tool fails.
 */
public class Summarize {
    public static void main(String[] args) throws Exception {
        Constructor<?> summary = Class.forName("jdk.jfr.internal.tool.Summary").getDeclaredConstructor();
        Method execute = summary.getDeclaringClass().getMethod("execute", Deque.class);
        summary.setAccessible(true);
        execute.setAccessible(true);
        PrintStream out = System.out;
        long begin = System.nanoTime(), next = begin;
        int times = 0;

        for (; next - begin < Long.parseLong(args[1]) * 1_000_000_000; times++) {
            while (!Files.exists(Path.of(args[0])) || Files.size(Path.of(args[0])) == 0)
                Thread.sleep(1);
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            System.setOut(new PrintStream(said));
            execute.invoke(summary.newInstance(), new ArrayDeque<>(List.of(args[0])));
            System.out.flush();
            System.setOut(out);
            if (!said.toString().matches("(?s).*jdk\\.MethodTrace +[1-9].*"))
                throw new IllegalStateException("jfr summary says " + said);
            next = Math.max(next + 100_000_000, System.nanoTime());
            Thread.sleep(Math.max(0, next - System.nanoTime()) / 1_000_000);
        }
        System.out.println(times + " times");
    }
}
