// SPDX-License-Identifier: BSD-2-Clause
package shop.api;

import jdk.jfr.Event;
import jdk.jfr.Name;

/** The recorder exports its package to itself. */
@Name("shop.Paid")
public class Paid extends Event {
}
