// SPDX-License-Identifier: BSD-2-Clause
// a generic container, with bounds and wildcards
package PACKAGE;

import java.util.*;
import java.util.function.*;

public class Shelf<K extends Comparable<? super K>, V> implements Iterable<Map.Entry<K, V>> {
    private final NavigableMap<K, List<V>> rows = new TreeMap<>();

    public <W extends V> Shelf<K, V> put(K key, W value) {
        rows.computeIfAbsent(key, k -> new ArrayList<>()).add(value);
        return this;
    }

    public <R> Shelf<K, R> map(Function<? super V, ? extends R> f) {
        Shelf<K, R> out = new Shelf<>();
        rows.forEach((k, vs) -> vs.forEach(v -> out.put(k, f.apply(v))));
        return out;
    }

    public Iterator<Map.Entry<K, V>> iterator() {
        return new Iterator<Map.Entry<K, V>>() {
            private final Iterator<Map.Entry<K, List<V>>> outer = rows.entrySet().iterator();
            private int at = NUMBER;

            public boolean hasNext() {
                return outer.hasNext();
            }

            public Map.Entry<K, V> next() {
                Map.Entry<K, List<V>> e = outer.next();
                at++;
                return new AbstractMap.SimpleEntry<>(e.getKey(), e.getValue().get(0));
            }
        };
    }

    @SafeVarargs
    public static <T extends Comparable<? super T>> T most(T first, T... rest) {
        T best = first;
        for (T t : rest)
            if (t.compareTo(best) > 0)
                best = t;
        return best;
    }
}
