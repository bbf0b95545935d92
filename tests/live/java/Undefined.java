// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Undefined DIR LOADERS: that many class loaders define Small, and one finds the file of Child, but not its superclass. Then
 * work() is called until the end.
 */
public class Undefined {
    static class Small {
    }

    static class Parent {
    }

    static class Child extends Parent {
        static int child(int x) {
            return x + 1;
        }
    }

    static class Loader extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.endsWith("$Parent"))
                throw new ClassNotFoundException(name);
            if (!name.startsWith("live.Undefined$"))
                return super.loadClass(name, resolve);
            try (InputStream in = Undefined.class.getResourceAsStream(name.substring(5) + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static int work(int x) {
        return x + 1;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        List<Class<?>> kept = new ArrayList<>();
        stage.awaitGo();
        for (int i = Integer.parseInt(args[1]); i-- > 0;)
            kept.add(Class.forName("live.Undefined$Small", true, new Loader()));
        try {
            kept.add(Class.forName("live.Undefined$Child", true, new Loader()));
        } catch (NoClassDefFoundError e) {
            stage.mark("done");
        }
        for (int x = 0; !stage.has("quit"); Stage.sleep(1))
            x = work(x);
        System.out.println(kept.size());
    }
}
