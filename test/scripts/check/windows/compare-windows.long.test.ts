// Tests, by the command, of warm.sql that reads another part of its tables than query.sql.
import { main } from '../../../../scripts/check.ts';
import { runCommand } from '../../../support/command.ts';
import { FakeSqlTree, parameter, rowOf } from '../../../support/sql/fake-sql-tree.ts';
import { readExpectations } from '../../../support/sql/read-expectations.ts';

it.each(readExpectations('test/scripts/check/windows/windows.sql')['of warm.sql'] ?? [])(
  '%s: %s',
  async (text, expected) => {
    const nowMs = () => Date.parse('2026-11-20T10:00:00Z');
    const PARAMETERS: Record<string, object> = {
      shop: parameter({ required: true }),
      span: parameter({ required: true, example: 'short', enum: ['short', 'long'] }),
      days: parameter({ type: 'INT64', default: '7', example: '7', minimum: 1, maximum: 30 }),
    };
    const FOUND = 'orders JOIN UNNEST(@keys) AS keys USING (shop)';

    /** Of the two queries, the conditions on `orders` ({n}: of the last n days), and their parameters beside `shop`. */
    interface Given extends Record<'where' | 'warm', string> {
      from?: string;
      own?: string[];
      batched?: string[];
    }

    const days = text.replaceAll(
      /\{([^{}"]+)\}/g,
      'ts >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL $1 DAY)',
    );
    const { where, warm, from = FOUND, own = [], batched = [] } = JSON.parse(days) as Given;
    const names = ['shop', ...own, ...batched];
    const byDay = { partitioning: { type: 'DAY', field: 'ts' } };
    const tree = new FakeSqlTree()
      .source('orders', 'ts TIMESTAMP, shop STRING', byDay)
      .source('returns', 'ts TIMESTAMP, shop STRING', byDay)
      .endpoint(
        {
          parameters: Object.fromEntries(names.map((name) => [name, PARAMETERS[name]])),
          row: rowOf('shop STRING'),
          warming: { batchOver: ['shop', ...batched], maxKeys: 10 },
        },
        `SELECT shop FROM orders WHERE shop = @shop AND ${where}`,
        `SELECT key, shop FROM ${from} WHERE ${warm} ORDER BY key`,
      );
    const { code, stderr } = await runCommand(main, ['--sql', tree.directory], {}, nowMs);
    const isRight = expected === 'passes';
    expect(code).toBe(isRight ? 0 : 1);
    const remedy = 'filter both by the same times, or rows change when they are warmed';
    if (isRight) expect(stderr).toBe('');
    else expect(stderr).toMatch(/group\.example\/warm\.sql(?::1:23)?: reads of /);
    expect(stderr).toContain(isRight ? '' : `reads of ${expected}: ${remedy}\n`);
  },
);
