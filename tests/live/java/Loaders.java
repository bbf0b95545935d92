// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/** Loaders DIR: 300 loaders, one after the other, load Plug, whose run() makes 900 calls; `alive` says how many loaders are. */
public class Loaders {
    /** No method of it says what type its weight has. */
    static class Part {
        int weight = 5;
    }

    public static class Plug implements Runnable {
        static int calls;
        int n = 7;
        Object part = new Part();

        public void run() {
            n++;
            calls += 2;
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        URL[] path = {new File(System.getProperty("java.class.path")).toURI().toURL()};
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        int alive = 0;
        stage.awaitGo();
        for (int i = 0; i < 300; i++) {
            URLClassLoader loader = new URLClassLoader(path, null);
            Runnable plug = (Runnable) loader.loadClass("live.Loaders$Plug").getDeclaredConstructor().newInstance();
            for (int k = 0; k <= i % 5; k++)
                plug.run();
            loaders.add(new WeakReference<>(loader));
            loader.close();
        }
        for (int i = 0; i < 400; i++) {
            alive = 0;
            System.gc();
            for (WeakReference<ClassLoader> loader : loaders)
                alive += loader.get() == null ? 0 : 1;
            if (alive == 0)
                break;
            Thread.sleep(50);
        }
        stage.write("alive", alive + "\n");
        stage.expect("live.Loaders$Plug", "run", 900, 0);
        stage.finish();
    }
}
