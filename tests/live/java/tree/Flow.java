// SPDX-License-Identifier: BSD-2-Clause
// lambdas and method references, nested
package PACKAGE;

import java.util.*;
import java.util.function.*;
import java.util.stream.*;

public class Flow {
    private final int base = NUMBER;

    public Map<Integer, List<String>> group(Collection<String> words) {
        return words.stream().filter(w -> !w.isEmpty()).map(String::trim)
                .sorted(Comparator.comparing(String::length).thenComparing(Comparator.reverseOrder()))
                .collect(Collectors.groupingBy(w -> w.length() % (base + 3), TreeMap::new, Collectors.toList()));
    }

    public Supplier<Supplier<IntUnaryOperator>> nest(int a) {
        return () -> {
            int b = a * base;
            return () -> c -> {
                IntBinaryOperator f = (x, y) -> x * b + y;
                return f.applyAsInt(c, a);
            };
        };
    }

    public int run() {
        Runnable r = () -> {
            class Local {
                int f() {
                    return base + 1;
                }
            }
            new Local().f();
        };
        r.run();
        return IntStream.rangeClosed(1, 9).mapToObj(i -> nest(i).get().get()).mapToInt(f -> f.applyAsInt(base)).sum();
    }
}
