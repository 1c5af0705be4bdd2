-- What follows FROM, with the fault of a query, or the scan window that is shown of it.

-- # rejected

crm.invoices
--! Table not found: crm.invoices: no source has this name; npm run new -- --source crm.invoices --from FILE creates sql/sources/crm.invoices (known: orders, crm.customers, billing.invoices, analytics_1.events, analytics_1.events_intraday, web.events, visits)

`acme.sales.refunds`
--! Table not found: `acme.sales.refunds`: no source has this name; npm run new -- --source sales.refunds --from FILE creates sql/sources/sales.refunds, whose table.json needs "table": "acme.sales.refunds" (known: orders, crm.customers, billing.invoices, analytics_1.events, analytics_1.events_intraday, web.events, visits)

`crm.mails_*`
--! Table not found: `crm.mails_*`: no source has this name; npm run new -- --source 'crm.mails_*' --from FILE creates sql/sources/crm.mails (known: orders, crm.customers, billing.invoices, analytics_1.events, analytics_1.events_intraday, web.events, visits)

`analytics_1.events_fresh_*`
--! Table not found: `analytics_1.events_fresh_*`; Did you mean analytics_1.events_*?

crm.customer
--! Table not found: crm.customer; Did you mean crm.customers?

Orders
--! Table not found: Orders; Did you mean orders?

billing.invoices
--! Table not found: billing.invoices: the table.json of billing.invoices says that it is in acme-billing: write `acme-billing.billing.invoices`

`web.events_2026*`
--! Table not found: `web.events_2026*`: the table.json of web.events says that it is in acme-web: write `acme-web.web.events_2026*`

acme.billing.invoices
--! Table not found: acme.billing.invoices: the table.json of billing.invoices says that it is in acme-billing: write `acme-billing.billing.invoices`

acme.crm.customers
--! Table not found: acme.crm.customers: the table.json of crm.customers needs "table": "acme.crm.customers", if the table is there

`analytics_1.events_*` WHERE count > 0
--! reads all shards of analytics_1.events_*: table.json requires a filter on _TABLE_SUFFIX by constants or parameters, such as _TABLE_SUFFIX BETWEEN 'YYYYMMDD' AND 'YYYYMMDD'

`analytics_1.events_*` WHERE _TABLE_SUFFIX = (SELECT MAX(_TABLE_SUFFIX) FROM `analytics_1.events_2026*` WHERE _TABLE_SUFFIX > '1120')
--! reads all shards of analytics_1.events_*: table.json requires a filter on _TABLE_SUFFIX by constants or parameters, such as _TABLE_SUFFIX BETWEEN 'YYYYMMDD' AND 'YYYYMMDD'

visits
--! Cannot query over table 'visits' without a filter over column(s) '_PARTITIONTIME, _PARTITIONDATE' that can be used for partition elimination: add _PARTITIONTIME >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY) for the last 30 days

-- # shown

`analytics_1.events_*` WHERE _TABLE_SUFFIX BETWEEN FORMAT_DATE('%Y%m%d', @a) AND FORMAT_DATE('%Y%m%d', DATE_ADD(@a, INTERVAL 6 DAY))
--> analytics_1.events_* 2026-11-19T00:00:00Z 2026-11-26T00:00:00Z 7 days 7 days

`analytics_1.events_202611*` WHERE _TABLE_SUFFIX <= '15'
--> analytics_1.events_202611* 2026-11-01T00:00:00Z 2026-11-16T00:00:00Z 15 days 15 days

--- Not shards of events_*, which require a filter.
`analytics_1.events_intraday_*`
--> analytics_1.events_intraday_* whole table all

analytics_1.events_20261120
--> analytics_1.events_20261120 2026-11-20T00:00:00Z 2026-11-21T00:00:00Z 1 day 1 day

`acme-web.web.events_*`
--> web.events_* whole table all

visits WHERE _PARTITIONDATE >= @a
--> visits 2026-11-19T00:00:00Z 34 hours 2 days (or 34 hours)

`crm.customers`
--> crm.customers whole table

orders
--> orders whole table

acme-billing.billing.invoices
--> billing.invoices whole table

`acme-billing.billing.invoices`
--> billing.invoices whole table

acme-web.web.events_20261120
--> web.events_20261120 2026-11-20T00:00:00Z 2026-11-21T00:00:00Z 1 day 1 day
