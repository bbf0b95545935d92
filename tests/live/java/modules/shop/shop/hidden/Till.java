// SPDX-License-Identifier: BSD-2-Clause
package shop.hidden;

import shop.api.Paid;

public class Till {
    public void pay() {
        new Paid().commit();
    }
}
