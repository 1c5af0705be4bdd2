// The examples of docs/examples.md that can run here: each gets the rows of `npm start`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readM } from '../support/read-m.ts';
import {
  LOCAL_KEY,
  type LocalService,
  startLocalService,
} from '../support/service/local-service.ts';
import { readmeBlocks } from '../support/sql/readme-example.ts';

const PAGE = readFileSync('docs/examples.md', 'utf8');

let service: LocalService;
beforeAll(async () => void (service = await startLocalService(LOCAL_KEY)));
afterAll(() => service.stop());

type Answer = Awaited<ReturnType<LocalService['ask']>>;
/** The requests of each day, oldest first. */
const requestsOf = ({ result = [] }: Answer): number[] =>
  result.map((row) => (row as { total_rest_requests: number }).total_rest_requests);
async function served(): Promise<number[]> {
  const call = 'usage.api-counts?project=kfqzwmxhvtrnjdbyplca&interval=daily';
  const counts = requestsOf(await service.ask(call));
  expect(counts.length).toBeGreaterThan(7);
  return counts;
}

const run = (program: string, args: string[], input: string): string =>
  execFileSync(program, args, {
    input: input.replaceAll('http://localhost:8080', service.url),
    encoding: 'utf8',
  });

it('curl', async () => {
  const [shell = ''] = readmeBlocks('sh', PAGE);
  expect(requestsOf(JSON.parse(run('bash', ['-eu'], shell)) as Answer)).toEqual(await served());
});

it('JavaScript', async () => {
  const [javascript = ''] = readmeBlocks('js', PAGE);
  const script = javascript.replace('console.table(rows)', 'console.log(JSON.stringify(rows))');
  const result = JSON.parse(
    run(process.execPath, ['--input-type=module', '-'], script),
  ) as object[];
  expect(requestsOf({ result })).toEqual(await served());
});

it('Python', async () => {
  const [python = ''] = readmeBlocks('python', PAGE);
  const lines = run('python3', ['-'], python).trimEnd().split('\n');
  expect(lines.map((line) => Number(line.split(' ')[1]))).toEqual(await served());
});

it('Google Sheets, with fake services', async () => {
  const [, sheets = ''] = readmeBlocks('js', PAGE);
  const script = readFileSync('test/docs/google-sheets.txt', 'utf8')
    .replace('KEY', LOCAL_KEY)
    .replace('SCRIPT', () => sheets.replace('https://queries.example.com', service.url));
  const { written, odd } = JSON.parse(
    run(process.execPath, ['--input-type=module', '-'], script),
  ) as Record<'written' | 'odd', unknown[]>;
  const [names, ...cells] = written as unknown[][];
  const column = names?.indexOf('total_rest_requests') ?? -1;
  expect(cells.map((row) => row[column])).toEqual(await served());
  expect(odd).toEqual(["'=1+1", "'-x", '-5', 'a', 7, '', '[1]']);
});

it('Power Query, read by its parser', async () => {
  const [powerQuery = ''] = readmeBlocks('powerquery', PAGE);
  const { '': texts = [] } = await readM(powerQuery);
  const [key, address, path, ...values] = texts;
  expect([key, address]).toEqual(['<key>', 'https://queries.example.com']);
  expect(powerQuery).toContain(`Query = [project = "${values[0]}", interval = "${values[1]}"]`);
  // Not with fetch: the service may have closed its idle connection while other programs ran.
  const url = `${service.url}/${path}?project=${values[0]}&interval=${values[1]}`;
  const answer = run('curl', ['-sS', '-H', `X-API-KEY: ${LOCAL_KEY}`, url], '');
  expect(requestsOf(JSON.parse(answer) as Answer)).toEqual(await served());
});
