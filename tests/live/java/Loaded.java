// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Loaded DIR CLASSES HOT: load CLASSES classes, live.Loaded00000 and up, with five methods each. The methods of the
 * first HOT ones are called often enough to be compiled. Runs until `quit` exists.
 */
public class Loaded {
    public static void main(String[] args) throws Throwable {
        Stage stage = new Stage(args[0]);
        byte[] template;
        try (InputStream in = Loaded.class.getResourceAsStream("Loaded00000.class")) {
            template = in.readAllBytes();
        }
        List<MethodHandle> hot = new ArrayList<>();
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            Class<?> c = i == 0 ? Loaded00000.class : lookup.defineClass(renamed(template, i));
            MethodHandle sum = lookup.findStatic(c, "sum", MethodType.methodType(int.class, int.class));
            int ignored = (int) sum.invokeExact(1); // links and initializes the class
            if (i < Integer.parseInt(args[2]))
                hot.add(sum);
        }
        for (MethodHandle sum : hot)
            for (int n = 0; n < 3000; n++) {
                int ignored = (int) sum.invokeExact(n);
            }
        stage.mark("ready");
        stage.await("quit");
    }

    private static byte[] renamed(byte[] template, int number) {
        String text = new String(template, StandardCharsets.ISO_8859_1);
        return text.replace("Loaded00000", String.format("Loaded%05d", number)).getBytes(StandardCharsets.ISO_8859_1);
    }
}

class Loaded00000 {
    private final int first;

    Loaded00000(int first) {
        this.first = first;
    }

    static int sum(int n) {
        Loaded00000 object = new Loaded00000(n);
        return object.add(n) + object.name(n).length() + object.loop(n & 7);
    }

    int add(int n) {
        return first + n;
    }

    String name(int n) {
        return n % 2 == 0 ? "even" : "odd";
    }

    int loop(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += i ^ first;
        return sum;
    }
}
