// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.ArrayList;
import java.util.List;

/** Renamed DIR: an order in 20 ms, for ProGuard to rename and to optimize. Overloads have equal new names. */
public class Renamed {
    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        stage.awaitGo();
        for (int i = 0; i < 20; i++) {
            Basket basket = new Basket();
            for (int n = 0; n < 5; n++) {
                basket.put(new Goods(n + i));
                basket.put(n);
            }
            basket.put("card", 3L);
            new Desk(basket).serve(i);
        }
        stage.finish();
    }
}

class Goods {
    final int price;

    Goods(int price) {
        this.price = price;
    }
}

class Basket {
    private final List<Goods> goods = new ArrayList<>();
    private final List<Object> cards = new ArrayList<>();

    void put(Goods one) {
        goods.add(one);
        cards.remove(one);
    }

    void put(int price) {
        goods.add(new Goods(price));
        cards.clear();
    }

    void put(String card, long number) {
        for (long i = 0; i < number; i++)
            cards.add(card + i);
    }

    int sum() {
        int sum = 0;
        for (Goods one : goods)
            sum += one.price;
        for (Object card : cards)
            sum += card.hashCode() & 1;
        return sum;
    }
}

class Desk {
    private final Basket basket;

    Desk(Basket basket) {
        this.basket = basket;
    }

    void serve(int number) throws InterruptedException {
        if (basket.sum() + number < 0)
            throw new IllegalStateException("no basket");
        settle();
    }

    /** ProGuard puts it into its only caller. */
    private void settle() throws InterruptedException {
        Thread.sleep(20);
    }
}
