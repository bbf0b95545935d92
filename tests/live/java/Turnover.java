// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/**
 * Turnover DIR: load Subject and its nested classes with one new class loader after the other, and drop each loader.
 */
public class Turnover {
    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        URL[] urls = {Path.of(System.getProperty("java.class.path")).toUri().toURL()};
        for (int i = 0; !stage.has("quit"); i++) {
            try (URLClassLoader l = new URLClassLoader("round" + i, urls, ClassLoader.getPlatformClassLoader())) {
                Class.forName("live.Subject", true, l).getMethod("everything").invoke(null);
            }
            if (i % 20 == 19)
                System.gc();
            if (i == 100)
                stage.mark("ready");
        }
    }
}
