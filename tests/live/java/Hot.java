// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;

/**
 * Hot DIR THREADS LENGTH: THREADS threads call hot() without pause, a loop of LENGTH rounds; another thread calls
 * slow() twenty times per second, until a file `stop` exists. Each thread counts in its line of 64 bytes of the mapped
 * file `counts`, which survives a kill; the first line is slow()'s.
 */
public class Hot {
    static volatile boolean stop;
    static int length;

    static int hot(int x) {
        for (int i = 0; i < length; i++)
            x = x * 31 + i;
        return x;
    }

    static void slow() {
        Stage.sleep(50);
    }

    static void count(MappedByteBuffer counts, int line) {
        int x = line;
        for (long n = 1; !stop; n++) {
            if (line == 0)
                slow();
            else
                x = hot(x);
            counts.putLong(line * 64, n);
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        Thread[] threads = new Thread[Integer.parseInt(args[1]) + 1];
        length = Integer.parseInt(args[2]);
        try (FileChannel file = FileChannel.open(stage.file("counts"), StandardOpenOption.CREATE,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer counts = file.map(FileChannel.MapMode.READ_WRITE, 0, threads.length * 64L);
            counts.order(ByteOrder.nativeOrder());
            stage.awaitGo();
            for (int i = 0; i < threads.length; i++) {
                int line = i;
                threads[i] = new Thread(() -> count(counts, line), "hot-" + i);
                threads[i].start();
            }
            stage.await("stop");
            stop = true;
            for (Thread thread : threads)
                thread.join();
            stage.finish();
        }
    }
}
