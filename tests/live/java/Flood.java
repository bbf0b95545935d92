// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;

/**
 * Flood DIR THREADS CALLS: each thread calls tiny() so often, without pause, while another one collects garbage. The mapped
 * file `counts` has a line of 64 bytes for each of them: how often the garbage was collected, and how many thousands of
 * calls a thread has made. At the end `times` has ms: of all, of the longest thousand, of the longest collection.
 */
public class Flood {
    static final int BLOCK = 1000;

    static int tiny(int x) {
        return x + 1;
    }

    static long flood(int calls, MappedByteBuffer counts, int line) {
        long longest = 0;
        int x = 0;
        for (long n = 1; n <= calls / BLOCK; n++) {
            long begin = System.nanoTime();
            for (int j = 0; j < BLOCK; j++)
                x = tiny(x);
            longest = Math.max(longest, System.nanoTime() - begin);
            counts.putLong(line * 64, n);
        }
        if (x != calls)
            throw new AssertionError(x);
        return longest;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        long[] longest = new long[Integer.parseInt(args[1])];
        int calls = Integer.parseInt(args[2]);
        Thread[] threads = new Thread[longest.length];
        MappedByteBuffer counts;
        try (FileChannel file = FileChannel.open(stage.file("counts"), StandardOpenOption.CREATE,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            counts = file.map(FileChannel.MapMode.READ_WRITE, 0, (threads.length + 1) * 64L);
        }
        counts.order(ByteOrder.nativeOrder());
        stage.awaitGo();
        long begin = System.nanoTime(), collection = 0, most = 0;
        for (int i = 0; i < threads.length; i++) {
            int n = i;
            threads[i] = new Thread(() -> longest[n] = flood(calls, counts, n + 1), "flood-" + i);
            threads[i].start();
        }
        for (Thread thread : threads)
            while (thread.isAlive()) {
                long before = System.nanoTime();
                System.gc();
                collection = Math.max(collection, System.nanoTime() - before);
                counts.putLong(0, counts.getLong(0) + 1);
                thread.join(20);
            }
        long took = System.nanoTime() - begin;
        for (long l : longest)
            most = Math.max(most, l);
        Files.write(stage.file("times"),
                (took / 1000000 + " " + most / 1000000 + " " + collection / 1000000 + "\n").getBytes("US-ASCII"));
        stage.allow("live.Flood", "flood");
        stage.expect("live.Flood", "tiny", (long) threads.length * calls, 0);
        stage.finish();
    }
}
