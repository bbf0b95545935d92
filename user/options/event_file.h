/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads files of JMC Agent's format (openjdk/jmc, agent: jfrprobes_schema.xsd) as events of -e:
 *
 *     <jfragent><events>
 *       <event id="shop.Checkout">
 *         <label>Checkout</label> <path>Shop/Orders</path> <class>com.acme.Shop</class>
 *         <method><name>checkout</name><descriptor>(Lcom/acme/Cart;)Z</descriptor>
 *           <parameters><parameter index="0"><name>cart</name></parameter></parameters>
 *           <returnvalue/></method>
 *         <fields><field><name>Shop</name><expression>this.name</expression></field></fields>
 *       </event>
 *     </events></jfragent>
 *
 * The id is the event's name. As in JMC Agent, fields have their names without what no identifier has, with a capital, and
 * parameters and what is returned "field" before that.
 */
#ifndef USER_OPTIONS_EVENT_FILE_H
#define USER_OPTIONS_EVENT_FILE_H

#include "filters/event_list.h"

/*
 * Add the events of a file. What frtrace cannot do is a usage error that names file, line and element; the list may then
 * have some of the events. 0, or -errno with the message.
 */
int event_file_add(struct event_list *l, const char *path, struct diag *d);

/* The same for bytes; `path` is for messages. */
int event_file_parse(struct event_list *l, const char *path, const void *bytes, size_t size, struct diag *d);

#endif
