// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import jdk.jfr.consumer.RecordingFile;

/**
 * Chunks FILE: print the number of chunks; fail unless each is finished, the last one ends where the file ends, and all
 * events can be read.
 */
public class Chunks {
    public static void main(String[] args) throws Exception {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(Path.of(args[0])));
        int at = 0, chunks = 0;

        for (; at < bytes.limit(); at += (int) bytes.getLong(at + 8), chunks++)
            if (bytes.getInt(at) != 0x464c5200 || bytes.get(at + 64) != 0)
                throw new IllegalStateException("no finished chunk at " + at + " of " + bytes.limit());
        if (at != bytes.limit())
            throw new IllegalStateException("the last chunk ends at " + at + " of " + bytes.limit());
        RecordingFile.readAllEvents(Path.of(args[0]));
        System.out.println(chunks);
    }
}
