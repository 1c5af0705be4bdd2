// Tests of how endpoints are found: which, in which order, and what is marked.
import { type Part, findEndpoints } from '../../functions/console/finding/find-endpoints.ts';

const endpoint = (
  name: string,
  description: string,
  columns = '',
  parameters = '',
): Parameters<typeof findEndpoints>[0][number] => ({
  name,
  description,
  row: columns.split(' ').map((column) => ({ name: column })),
  parameters: parameters.split(' ').map((parameter) => ({ name: parameter })),
});

const ENDPOINTS = [
  endpoint('crm.orders', 'Orders of a customer.', 'customer daily_total', 'customer_id'),
  endpoint('daily.visits', 'Visits.', 'day visits'),
  endpoint('shop.daily-revenue', 'Revenue per day (EUR).', 'day revenue_eur', 'country'),
  endpoint('shop.nondaily', 'Other sales.', 'week'),
  endpoint('web.paths', 'The paths that most visitors ask for, and how often: a daily count.', 'p'),
];

const found = (query: string): string[] =>
  findEndpoints(ENDPOINTS, query).map(({ endpoint: { name } }) => name);

const marked = (parts: readonly Part[] = []): string =>
  parts.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join('');

it.each([
  ['', ['crm.orders', 'daily.visits', 'shop.daily-revenue', 'shop.nondaily', 'web.paths']],
  ['daily', ['daily.visits', 'shop.daily-revenue', 'shop.nondaily', 'crm.orders', 'web.paths']],
  ['DAILY', ['daily.visits', 'shop.daily-revenue', 'shop.nondaily', 'crm.orders', 'web.paths']],
  ['visit', ['daily.visits', 'web.paths']],
  ['revenue_eur', ['shop.daily-revenue']],
  ['daily_revenue', ['shop.daily-revenue']],
  ['country', ['shop.daily-revenue']],
  ['shop sales', ['shop.nondaily']],
  ['  eur   daily ', ['shop.daily-revenue']],
  ['shop. (', ['shop.daily-revenue']],
  ['daily nothing', []],
  ['.*', []],
])('finds for %j the best first: %j', (query, expected) => {
  expect(found(query)).toEqual(expected);
});

it.each([
  ['', 'crm.orders', 'Orders of a customer.'],
  ['orders', 'crm.[orders]', '[Orders] of a customer.'],
  ['dai', '[dai]ly.visits', 'Visits.'],
  ['re rev', 'shop.daily-[rev]enue', '[Rev]enue per day (EUR).'],
  ['total', 'crm.orders', 'Column daily_[total]'],
  ['daily-total crm', '[crm].orders', 'Column [daily_total]'],
  ['id', 'crm.orders', 'Parameter customer_[id]'],
  ['often', 'web.paths', '… for, and how [often]: a daily count.'],
])('marks in the first that has %j: %s, %s', (query, name, note) => {
  const [first] = findEndpoints(ENDPOINTS, query);
  expect([marked(first?.name), marked(first?.note)]).toEqual([name, note]);
});
