// A directory of saved queries with the tables `orders` and `customers`, made by `npm run new`.
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../../scripts/new.ts';
import { type CommandResult, refusal, runCommand } from '../../support/command.ts';
import { columns } from '../../support/sql/columns.ts';
import { testDirectory } from '../../support/temporary-directory.ts';
import { TEST_SQL } from '../../support/sql/test-sql.ts';

export const NOW = '2026-11-20T10:15:00Z';

/** The sample rows of the tables. */
export const ORDERS = [
  { order_id: 'o-1', customer_id: 'c-1', order_day: '2020-02-29', amount: '80.00' },
  { order_id: 'o-2', customer_id: 'c-1', order_day: '2026-11-20', amount: '120.50' },
  { order_id: 'o-3', customer_id: 'c-2', order_day: '2026-11-20', amount: '19.90' },
  { order_id: 'o-4', customer_id: 'c-3', order_day: '2026-11-20', amount: '45.00' },
];
export const CUSTOMERS = [
  { customer_id: 'c-1', country: 'DE', segment: 'business' },
  { customer_id: 'c-2', country: 'DE', segment: 'private' },
  { customer_id: 'c-3', country: 'FR', segment: 'private' },
];

export class NewTables {
  /** Holds `sql/` and the files that the commands are given. */
  readonly directory = testDirectory('new-');
  readonly sql = join(this.directory, 'sql');

  constructor() {
    cpSync(TEST_SQL, this.sql, { recursive: true });
  }

  /** Makes both tables, `orders` with a partition per day. */
  async make(): Promise<this> {
    const fields = [
      ...columns('order_id STRING REQUIRED, customer_id STRING REQUIRED, amount NUMERIC REQUIRED'),
      { name: 'order_day', type: 'DATE', mode: 'REQUIRED', description: 'Day of the order.' },
    ];
    const schema = this.file('orders.json', JSON.stringify(fields));
    const customers = this.file('customers.ndjson', ndjson(CUSTOMERS));
    const made = [
      await this.new('--source', 'orders', '--from', schema, '--partition', 'order_day'),
      await this.new('--source', 'customers', '--from', customers),
    ];
    expect(made.map(({ code }) => code)).toEqual([0, 0]);
    this.file('sql/sources/orders/sample.ndjson', ndjson(ORDERS));
    return this;
  }

  /** `npm run new` at `NOW`. */
  new(...args: string[]): Promise<CommandResult> {
    return runCommand(main, ['--directory', this.sql, ...args], {}, () => Date.parse(NOW));
  }

  /** `npm run new` of an endpoint with this query. */
  fromQuery(name: string, sql: string, ...options: string[]): Promise<CommandResult> {
    return this.new(name, '--sql', this.file('query.sql', sql), ...options);
  }

  /** Expects that the command is refused with this line, and creates nothing. */
  async expectRefused(args: string[], fault: string, code = 1): Promise<void> {
    const before = this.tree();
    expect(await this.new(...args)).toEqual(refusal(fault, code));
    expect(this.tree()).toEqual(before);
  }

  /** Writes a file, and answers its path. */
  file(name: string, content: string | Uint8Array): string {
    const path = join(this.directory, name);
    writeFileSync(path, content);
    return path;
  }

  read(name: string): string {
    return readFileSync(join(this.sql, name), 'utf8');
  }

  json(name: string): unknown {
    return JSON.parse(this.read(name));
  }

  /** Every file and folder below, in alphabetical order. */
  tree(): string[] {
    return readdirSync(this.directory, { recursive: true, encoding: 'utf8' }).sort();
  }
}

export function ndjson(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
