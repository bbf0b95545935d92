// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Synced DIR: forces files to the disk by channels; `log` has their paths. */
public class Synced {
    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        List<String> log = new ArrayList<>();
        Path[] paths = {Paths.get(args[0], "journal"), Paths.get(args[0], "index")};
        try (FileChannel first = FileChannel.open(paths[0], StandardOpenOption.CREATE, StandardOpenOption.WRITE);
             FileChannel second = FileChannel.open(paths[1], StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            FileChannel[] channels = {first, second};
            first.force(true);
            stage.awaitGo();
            for (int i = 0; i < 30; i++) {
                channels[i % 2].write(ByteBuffer.wrap(new byte[100]));
                channels[i % 2].force(i % 4 == 0);
                log.add(paths[i % 2].toString());
            }
        }
        stage.write("log", String.join("\n", log) + "\n");
        stage.finish();
    }
}
