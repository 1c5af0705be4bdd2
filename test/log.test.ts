// Tests of the log of a whole process: the form of its lines, and which lines are written.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createLog } from '../functions/log.ts';
import { describeError, usualError } from '../functions/core/errors.ts';
import { startScript } from './support/command.ts';
import { parseLog } from './support/service/running-function.ts';
import type { Severity } from '../functions/core/services.ts';

function linesAt(
  level: Lowercase<Severity>,
  write: (log: ReturnType<typeof createLog>) => void,
): string[] {
  const lines: string[] = [];
  write(createLog(level, (line) => lines.push(line)));
  return lines;
}

it('a log line is one line of JSON with the names that Cloud Logging reads', () => {
  const lines = linesAt('info', (log) =>
    log.write('WARNING', 'Two\nlines.', { event: 'store_read_failed', endpoint: 'a.b', ms: 12 }),
  );
  expect(lines).toEqual([
    '{"severity":"WARNING","message":"Two\\nlines.","event":"store_read_failed","endpoint":"a.b","ms":12}',
  ]);
});

it.each([undefined, {}, { event: undefined }])('a log line may have no fields: %j', (fields) => {
  expect(linesAt('info', (log) => log.write('INFO', 'Started.', fields))).toEqual([
    '{"severity":"INFO","message":"Started."}',
  ]);
});

it.each([
  ['debug', ['DEBUG', 'INFO', 'WARNING', 'ERROR']],
  ['info', ['INFO', 'WARNING', 'ERROR']],
  ['warning', ['WARNING', 'ERROR']],
  ['error', ['ERROR']],
] as const)('a log line is written at level %s if its severity is one of %j', (level, expected) => {
  const lines = linesAt(level, (log) => {
    for (const severity of ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const) {
      log.write(severity, 'Text.');
    }
  });
  const severities = lines.map((line) => (JSON.parse(line) as { severity: string }).severity);
  expect(severities).toEqual(expected);
});

const cause = new RangeError('inner', { cause: new Error('innermost') });
const loop = new Error('loop');
loop.cause = loop;
it.each<[string, unknown, string]>([
  ['has its name and message', new TypeError('no function'), 'TypeError: no function'],
  ['of the service has its name', usualError('INTERNAL'), 'ServiceError: Internal error.'],
  [
    'includes its causes',
    new Error('outer', { cause }),
    'Error: outer <- RangeError: inner <- Error: innermost',
  ],
  ['ends at an error that is its own cause', loop, Array(5).fill('Error: loop').join(' <- ')],
  ['of a text is fixed', 'text', 'not an Error'],
  ['of an object is fixed', { message: 'not one either' }, 'not an Error'],
])('the description of an error %s', (_name, thrown, expected) => {
  expect(describeError(thrown)).toBe(expected);
});

it('the log of a process has each line at once and in order, even if the process ends immediately', async () => {
  const { child, stdout, until } = startScript('test/support/processes/log-and-exit.ts');
  await until(/First/);
  child.kill();
  await once(child, 'close');
  expect(parseLog(stdout())).toEqual([
    { severity: 'INFO', message: 'First.' },
    { severity: 'ERROR', message: 'Second.' },
    { severity: 'ERROR', message: 'Last.' },
  ]);
});

it('the log of a process has every line in order, even if its reader is slow', async () => {
  const child = spawn(process.execPath, ['test/support/processes/log-much.ts']);
  // Nothing is read before everything is written.
  await once(child.stderr, 'data');
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  await once(child, 'close');
  expect(parseLog(stdout)).toEqual(
    Array.from({ length: 2000 }, (_, line) => ({
      severity: 'INFO',
      message: 'é'.repeat(line === 0 ? 300_000 : 300),
      line,
    })),
  );
});

it('the log of a process does not end it when its reader disconnects', async () => {
  const { child } = startScript('test/support/processes/log-and-go-on.ts');
  child.stdout?.destroy();
  expect(await once(child, 'exit')).toEqual([0, null]);
});
