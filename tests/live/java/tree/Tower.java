// SPDX-License-Identifier: BSD-2-Clause
// uses the previous package
package PACKAGE;

import java.util.Map;

public class Tower extends BELOW {
    final Shelf<String, Nest> nests = new Shelf<>();
    final Kind kind = Kind.of("+");

    public int build(int n) {
        for (int i = 0; i < n; i++)
            nests.put("n" + i, Nest.of(i));
        int sum = 0;
        for (Map.Entry<String, Nest> e : nests.map(x -> x))
            sum = kind.applyAsInt(sum, e.getValue().value());
        return sum + new Flow().run() + Role.max(NUMBER, sum) + Shelf.most(1, 2, 3);
    }

    @Override
    public String toString() {
        return super.toString() + "/" + getClass().getName() + Role.all();
    }
}
