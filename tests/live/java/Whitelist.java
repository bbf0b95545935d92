// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.InputStream;
import java.util.Set;
import java.util.function.IntUnaryOperator;

/** Whitelist DIR CALLS: a plug-in whose loader accepts only the names on a list. */
public class Whitelist {
    static class Strict extends ClassLoader {
        static final Set<String> NAMES = Set.of("java.lang.Object", "java.lang.String", "java.lang.IllegalStateException",
                "java.util.function.IntUnaryOperator", "java.lang.RuntimeException", "java.lang.Throwable");

        Strict() {
            super(null, null);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("live.Copy")) {
                if (!NAMES.contains(name))
                    throw new ClassNotFoundException(name + " is not on the list");
                return Class.forName(name);
            }
            try (InputStream in = Whitelist.class.getResourceAsStream("/live/Copy.class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static IntUnaryOperator plugin() throws Exception {
        return (IntUnaryOperator) new Strict().loadClass("live.Copy").getConstructor().newInstance();
    }

    static String use(IntUnaryOperator plugin, int n) {
        int good = 0, bad = 0;
        for (int i = 0; i < n; i++) {
            try {
                good += plugin.applyAsInt(i) & 1;
            } catch (IllegalStateException e) {
                bad++;
            } catch (Throwable e) {
                return "broken: " + e;
            }
        }
        return good + " good, " + bad + " bad";
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);
        IntUnaryOperator early = plugin();
        stage.awaitGo();
        System.out.println("loaded before: " + use(early, n));
        System.out.println("loaded later: " + use(plugin(), n));
        stage.finish();
    }
}
