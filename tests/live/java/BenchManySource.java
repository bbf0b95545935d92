// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Prints the source of the methods that BenchMany calls, too long to be checked in: 50 classes Many0.. with 100 methods
 * m0.., each with the work of Bench, and callers of all 5,000 in a shuffled order, or of one 5,000 times.
 */
public class BenchManySource {
    static final int CLASSES = 50, METHODS = 100;

    static String each(int n, IntFunction<String> text) {
        return IntStream.range(0, n).mapToObj(text).collect(Collectors.joining());
    }

    static String method(String name, String body) {
        return "    static int " + name + "(int x) {\n" + body + "        return x;\n    }\n\n";
    }

    static String call(String method) {
        return "        x = " + method + "(x);\n";
    }

    static String type(String name, String body) {
        return "class " + name + " {\n" + body + "}\n\n";
    }

    public static void main(String[] args) {
        String work = "        for (int i = 0; i < 5; i++) {\n            x ^= x << 13;\n            x ^= x >>> 17;\n            x ^= x << 5;\n        }\n";
        List<Integer> order = Arrays.asList(IntStream.range(0, CLASSES * METHODS).boxed().toArray(Integer[]::new));
        Collections.shuffle(order, new Random(7));
        IntFunction<String> name = number -> "Many" + number / METHODS + ".m" + number % METHODS;

        System.out.print("package live;\n\n" + each(CLASSES, k -> type("Many" + k, each(METHODS, m -> method("m" + m, work)))
                + type("Calls" + k, method("all", each(METHODS, m -> call(name.apply(order.get(k * METHODS + m)))))
                    + method("one", each(METHODS, m -> call("Many0.m0")))))
                + type("ManyCalls", method("all", each(CLASSES, k -> call("Calls" + k + ".all")))
                    + method("one", each(CLASSES, k -> call("Calls" + k + ".one")))));
    }
}
