// Sixty endpoints in eight groups, with names as a company has them, for the tests and pictures of finding one.
import { FakeSqlTree, parameter, rowOf } from '../sql/fake-sql-tree.ts';

const NAMES = `
billing cost-per-project cost-per-service credits-used forecast invoices refunds unpaid-invoices
crm accounts-at-risk churn-rate contacts-per-owner lead-sources open-deals pipeline-per-month win-rate
functions cold-starts error-rate invocation-stats memory-use run-time slowest-calls timeouts
logistics carrier-delays damaged-parcels deliveries-per-carrier-and-region late-orders open-shipments returns stock-levels transit-times
marketing ad-spend campaign-clicks conversion-rate email-opens landing-pages newsletter-growth referrers
shop baskets-left best-sellers daily-revenue discounts new-customers orders-per-country product-ratings repeat-buyers
support agent-load answer-times open-tickets reopened-tickets satisfaction tickets-per-topic
usage active-users api-counts browsers feature-adoption page-views search-terms sessions-per-day sign-ups slow-pages top-paths`
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [group, ...names] = line.split(' ');
    return names.map((name) => `${group}.${name}`);
  });

/** Each has the columns `day` and `total`; `logistics.stock-levels` alone has `warehouse_code`. */
export function sixtyEndpoints(): FakeSqlTree {
  const tree = new FakeSqlTree();
  for (const [position, name] of NAMES.entries()) {
    const words = name.slice(name.indexOf('.') + 1).replaceAll('-', ' ');
    const title = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
    const warehouse = name === 'logistics.stock-levels' ? ', warehouse_code STRING' : '';
    tree.endpoint({
      name,
      id: `11111111-2222-4333-8444-${String(position).padStart(12, '0')}`,
      description: `${title} of each day in the last quarter, with the change since the day before.`,
      parameters: {
        region: parameter({ required: true, example: 'eu' }),
        currency: parameter({ enum: ['EUR', 'USD'], example: 'EUR', default: 'EUR' }),
      },
      row: rowOf(`day DATE, total INT64${warehouse}`),
    });
  }
  return tree;
}
