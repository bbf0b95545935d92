// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/** Stacks FILE: print how many distinct stacks the recording's method events have. */
public class Stacks {
    public static void main(String[] args) throws Exception {
        Set<String> stacks = new HashSet<>();
        try (RecordingFile file = new RecordingFile(Path.of(args[0]))) {
            while (file.hasMoreEvents() && stacks.size() < 20_000) {
                RecordedEvent e = file.readEvent();
                if (!e.getEventType().getName().equals("jdk.MethodTrace") || e.getStackTrace() == null)
                    continue;
                StringBuilder text = new StringBuilder();
                for (RecordedFrame f : e.getStackTrace().getFrames())
                    text.append(f.getMethod().getName()).append(f.getBytecodeIndex()).append(' ');
                stacks.add(text.toString());
            }
        }
        System.out.println(stacks.size());
    }
}
