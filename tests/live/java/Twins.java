// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;

/** One class of several loaders, each with a static field of its own. */
public class Twins {
    public static class Twin {
        static int number;

        public static int set(int n) {
            number = n;
            return n;
        }
    }

    static Method twin(ClassLoader loader) throws Exception {
        return Class.forName("live.Twins$Twin", true, loader).getMethod("set", int.class);
    }

    static ClassLoader loader() throws Exception {
        URL[] urls = {new File(System.getProperty("java.class.path")).toURI().toURL()};
        return new URLClassLoader(urls, null);
    }

    /** DIRECTORY CALLS */
    public static void main(String[] arguments) throws Exception {
        Stage stage = new Stage(arguments[0]);
        Method[] twins = {twin(loader()), twin(loader()), twin(loader())};
        stage.awaitGo();
        Method late = twin(loader());
        for (int i = 1; i <= Integer.parseInt(arguments[1]); i++) {
            for (int t = 0; t < twins.length; t++)
                twins[t].invoke(null, 10 * i + t);
            late.invoke(null, 10 * i + 9);
        }
        stage.finish();
    }
}
