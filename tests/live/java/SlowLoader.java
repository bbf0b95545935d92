// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.IntUnaryOperator;

/** SlowLoader DIR MS: a plug-in whose loader takes MS ms to answer for the hook class, which it does not know. */
public class SlowLoader {
    static class Slow extends ClassLoader {
        private final long ms;

        Slow(long ms) {
            this.ms = ms;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("java.lang.Frtrace"))
                Stage.sleep(ms);
            if (!name.equals("live.Copy"))
                return super.loadClass(name, resolve);
            try (InputStream in = SlowLoader.class.getResourceAsStream("/live/Copy.class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        Class<?> plugin = new Slow(Long.parseLong(args[1])).loadClass("live.Copy");
        IntUnaryOperator made = (IntUnaryOperator) plugin.getConstructor().newInstance();
        stage.awaitGo();
        stage.expect("live.Copy", "work", made.applyAsInt(1), 0);
        stage.finish();
    }
}
