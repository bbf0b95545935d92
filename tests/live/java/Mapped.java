// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;

/**
 * Mapped DIR THREADS: call work() forever and count in a mapped file that survives a kill; each thread has a line of 64
 * bytes.
 */
public class Mapped {
    static int work(int x) {
        for (int i = 0; i < 600; i++)
            x = x * 31 + i;
        return x;
    }

    static void count(MappedByteBuffer counts, int line) {
        int x = line;
        for (long n = 1;; n++) {
            x = work(x);
            counts.putLong(line * 64, n);
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int threads = Integer.parseInt(args[1]);
        try (FileChannel file = FileChannel.open(stage.file("counts"), StandardOpenOption.CREATE,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer counts = file.map(FileChannel.MapMode.READ_WRITE, 0, threads * 64L);
            counts.order(java.nio.ByteOrder.nativeOrder());
            stage.awaitGo();
            for (int i = 0; i < threads; i++) {
                int line = i;
                new Thread(() -> count(counts, line), "mapped-" + i).start();
            }
            stage.await("quit");
        }
    }
}
