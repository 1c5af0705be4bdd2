// Tests of the console's fields and links in a real browser.
import type { Page } from 'playwright-core';
import { LOOKS, describeInBrowser, useBrowser } from '../support/browser/browser.ts';
import { type ConsoleServer, serveConsole } from '../support/browser/console-server.ts';
import { API_KEY } from '../support/world.ts';
import { queryResult } from '../support/fakes/fake-query-runner.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';
import { eventually } from '../support/until.ts';

const LEVELS = ['debug', 'info', 'error'];
/** A single number is shown without a table. */
const ROW = '#result:not(.stale):not(.waiting) :is(.figures, table)';

const browser = useBrowser();
let page: Page;
let service: ConsoleServer;

function tree(): FakeSqlTree {
  return new FakeSqlTree()
    .endpoint({
      name: 'events.typed',
      parameters: {
        n: parameter({ type: 'INT64', required: true, example: '1', minimum: 1, maximum: 100 }),
        share: parameter({ type: 'FLOAT64', example: '0.5' }),
        price: parameter({ type: 'NUMERIC', example: '9.99', minimum: 0 }),
        flag: parameter({ type: 'BOOL', example: 'true' }),
        sure: parameter({ type: 'BOOL', required: true, example: 'false' }),
        day: parameter({ type: 'DATE', example: '2026-11-20' }),
        local: parameter({ type: 'DATETIME', example: '2026-11-20T10:00:00' }),
        at: parameter({ type: 'TIMESTAMP', example: '2026-11-20T10:00:00Z' }),
        span: parameter({ enum: ['1', '60'], aliases: { hour: '60' }, example: '1' }),
        ids: parameter({ type: 'ARRAY<INT64>', example: ['1', '2'], maxItems: 3 }),
        levels: parameter({ type: 'ARRAY<STRING>', example: 'info', enum: LEVELS }),
        tags: parameter({ type: 'ARRAY<STRING>', example: 'a', default: ['a', 'b'] }),
      },
    })
    .endpoint({
      id: '22222222-2222-4333-8444-555555555555',
      name: 'events.ranges',
      parameters: {
        to_day: parameter({ type: 'DATE', required: true, example: '2026-11-20' }),
        from_day: parameter({ type: 'DATE', required: true, example: '2026-11-14' }),
        from_local: parameter({ type: 'DATETIME', example: '2026-11-14T00:00:00' }),
        to_local: parameter({ type: 'DATETIME', example: '2026-11-20T00:00:00' }),
        from: parameter({ type: 'TIMESTAMP', example: '2026-11-14T00:00:00Z' }),
        to: parameter({ type: 'TIMESTAMP', example: '2026-11-20T00:00:00Z' }),
      },
    })
    .endpoint({
      id: '55555555-2222-4333-8444-555555555555',
      name: 'events.berlin',
      parameters: {
        from: parameter({ type: 'DATE', example: '2026-11-14' }),
        to: parameter({ type: 'DATE', example: '2026-11-20' }),
      },
      bucket: { column: 'count', step: 'P1D', zone: 'Europe/Berlin' },
      row: rowOf('count DATE'),
    })
    .endpoint({
      id: '33333333-2222-4333-8444-555555555555',
      name: 'orders.daily',
      parameters: {
        shop: parameter({ required: true, example: 'a' }),
        day: parameter({ type: 'DATE', example: '2026-11-20' }),
      },
      row: rowOf('count INT64, total INT64'),
    })
    .endpoint({
      id: '44444444-2222-4333-8444-555555555555',
      name: 'orders.by-kind',
      parameters: {
        shop: parameter({ required: true, example: 'a' }),
        kind: parameter({ enum: ['all', 'paid', 'open'], default: 'all', example: 'all' }),
      },
    });
}

async function open(hash: string, key = API_KEY): Promise<void> {
  await browser.signIn(`${service.origin}/${hash}`, key);
  await page.waitForSelector('#workspace:not([hidden])');
}

async function paste(text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await browser.press('Control+V');
}

const type = (keys: string): Promise<void> => page.keyboard.type(keys);
/** What a run would send. */
async function query(): Promise<string> {
  const curl = (await page.textContent('#snippet')) ?? '';
  return decodeURIComponent((/\?(.*)'/.exec(curl)?.[1] ?? '').replaceAll('+', ' '));
}
const values = (name: string): Promise<unknown> =>
  page.evaluate(
    `[...document.querySelectorAll('#fields [name=${name}]')]
       .filter(({ type, checked }) => !['checkbox', 'radio'].includes(type) || checked)
       .map(({ value }) => value)`,
  );

describeInBrowser('the fields of typed parameters', () => {
  beforeAll(async () => {
    service = await serveConsole(tree(), { runsExamples: true });
  });
  beforeEach(async () => {
    page = await browser.open(service.origin);
  });

  it('are filled in with the keyboard, run, and are kept by the link', async () => {
    await open('#events.typed');
    await page.focus('#field-n');
    await browser.press('Control+A');
    await type('42');
    await browser.press('Tab');
    await type('1e3');
    await browser.press('Tab');
    await type('12.50');
    await browser.press('Tab', 'ArrowDown', 'ArrowDown', 'Tab', 'Tab');
    await type('11202026');
    await page.focus('#field-local');
    await type('11202026100005AM');
    await page.focus('#field-at');
    await type('11202026110000AM');
    await page.focus('#field-span');
    await type('60');
    await browser.press('Tab');
    expect(await browser.focused()).toBe('field-ids');
    await type('7');
    await browser.press('Enter');
    await type('9');
    await page.focus('input[value=info]');
    await browser.press('Space', 'Tab', 'Space', 'Enter');
    await page.waitForURL(/n=42/);
    await page.waitForSelector('#progress', { state: 'hidden' });
    expect(service.queryRunner.requests.at(-1)?.parameters).toMatchObject({
      ...{ n: '42', share: '1000', flag: 'false', local: '2026-11-20T10:00:05', span: '60' },
      ...{ at: '2026-11-20T02:00:00Z', ids: ['7', '9'], levels: ['info', 'error'] },
    });
    const sent =
      'n=42&share=1e3&price=12.50&flag=false&sure=false&day=2026-11-20&local=2026-11-20T10:00:05' +
      '&at=2026-11-20T11:00:00+09:00&span=60&ids=7&ids=9&levels=info&levels=error&tags=a&tags=b';
    expect(decodeURIComponent(page.url())).toBe(`${service.origin}/#events.typed?${sent}`);
    await page.reload();
    await page.waitForSelector(ROW);
    expect(await query()).toBe(sent);
    // Rows are not taken for those of values that were not run.
    expect(await page.isVisible('#stale')).toBe(false);
    await page.fill('#field-n', '43');
    expect(await page.isVisible('#stale')).toBe(true);
    await page.fill('#field-n', '42');
    expect(await page.isVisible('#stale')).toBe(false);
    await page.fill('#field-n', '44');
    await browser.press('Enter');
    await page.waitForSelector('#stale', { state: 'hidden' });
  });

  it('are of the kind of their type, with bounds and choices before an error', async () => {
    await open('#events.typed');
    expect(
      await page.evaluate(
        `Object.fromEntries([...document.querySelectorAll('#fields [name]')].map((control) =>
           [control.name, control.inputMode || control.type]))`,
      ),
    ).toEqual({
      ...{ n: 'numeric', share: 'decimal', price: 'decimal', flag: 'select-one' },
      ...{ sure: 'select-one' },
      ...{ day: 'date', local: 'datetime-local', at: 'datetime-local', span: 'select-one' },
      ...{ ids: 'textarea', levels: 'checkbox', tags: 'textarea' },
    });
    const labels = page.locator('#fields .field > :is(label, legend)');
    const texts = await labels.allTextContents();
    expect(texts.map((text) => text.trim())).toEqual([
      ...['n required 1 to 100', 'share', 'price at least 0', 'flag', 'sure required', 'day'],
      ...['local', 'at Tokyo', 'span', 'ids', 'levels', 'tags'],
    ]);
    for (const [name, states] of Object.entries({
      flag: 'not set true false',
      sure: 'true false',
    })) {
      const shown = await page.locator(`#field-${name} option`).allTextContents();
      expect(shown.join(' ')).toBe(states);
    }
    expect(await page.locator('#field-span option').allTextContents()).toEqual([
      'not set',
      '1',
      '60',
    ]);
    expect(await query()).toBe('n=1&sure=false&tags=a&tags=b');
    expect(await page.getAttribute('#field-share', 'placeholder')).toBe('such as 0.5');
    expect(await page.textContent('#hint-ids')).toBe(
      'A parameter. One value a line. A whole number, up to 3 values.',
    );
  });

  it('show every value of a link', async () => {
    await open('#events.typed');
    for (const [given, name, expected] of [
      ['day=soon', 'day', ['soon']],
      ['local=2026-11-20T10:00:00', 'local', ['2026-11-20T10:00']],
      ['local=2026-11-20T10:00:00.123456', 'local', ['2026-11-20T10:00:00.123456']],
      ['local=2026-11-20T10:00:00Z', 'local', ['2026-11-20T10:00:00Z']],
      ['at=2026-11-20T10:00:00', 'at', ['2026-11-20T10:00']],
      ['at=0000-11-20T10:00:00Z', 'at', ['0000-11-20T10:00:00Z']],
      ['flag=yes', 'flag', ['yes']],
      ['span=hour', 'span', ['hour']],
      ['levels=info&levels=error', 'levels', ['info', 'error']],
      ['levels=error&levels=info', 'levels', ['error\ninfo']],
      ['levels=info&levels=info', 'levels', ['info\ninfo']],
      ['levels=other', 'levels', ['other']],
      ['ids=1&ids=&ids=3', 'ids', ['["1","","3"]']],
      ['ids=3&ids=1&ids=3', 'ids', ['3\n1\n3']],
      ['tags=Smith,%20John', 'tags', ['Smith, John']],
      ['tags=%20a', 'tags', ['[" a"]']],
      ['tags=', 'tags', ['']],
    ] as const) {
      await page.goto(`${service.origin}/#events.typed?n=1&sure=true&${given}`);
      await eventually(async () => expect([given, await values(name)]).toEqual([given, expected]));
    }
  });

  it.each([
    ['ids', '3;1\t3\r\n', 'ids=3&ids=1&ids=3'],
    ['tags', 'Smith, John\nDoe, Jane\n', 'tags=Smith, John&tags=Doe, Jane'],
  ])('take pasted lists, in order and with what repeats: %s %j', async (name, text, expected) => {
    await open('#events.typed?n=1&sure=true');
    await page.fill(`#field-${name}`, '');
    await page.focus(`#field-${name}`);
    await paste(text);
    expect(await query()).toContain(`sure=true&${expected}`);
    await browser.press('Control+Z');
    expect(await page.inputValue(`#field-${name}`)).toBe('');
  });

  it('lose nothing of a list that is too long', async () => {
    await open('#events.typed?n=1&sure=true');
    await page.focus('#field-ids');
    await paste('1,2,3,4,5');
    const count = service.queryRunner.requests.length;
    await browser.press('Control+Enter');
    await page.waitForSelector('#error-ids:has-text("Must have at most 3 values")');
    expect(await browser.focused()).toBe('field-ids');
    expect(await page.inputValue('#field-ids')).toBe('1,2,3,4,5');
    expect(service.queryRunner.requests).toHaveLength(count);
  });

  it('send an empty list, where no value would be the default', async () => {
    await open('#events.typed');
    await page.fill('#field-tags', '');
    expect(await query()).toBe('n=1&sure=false&tags=');
  });

  it('show what is wrong next to them, and focus the first', async () => {
    await open('#events.typed?n=500&sure=true&ids=1&ids=x&day=soon');
    await page.waitForSelector('#error-ids:not([hidden])');
    expect(await page.locator('.field-error:visible').allTextContents()).toEqual([
      'Must be at most 100.',
      'Must be a day of the calendar (DATE), such as 2026-11-20.',
      'Value 2 must be a whole number (INT64), such as 42.',
    ]);
    expect(await browser.focused()).toBe('field-n');
    expect(await page.isVisible('#problem')).toBe(false);
    expect(await page.textContent('#hint-n')).toBe('A parameter. A whole number, 1 to 100.');
    for (const name of ['n', 'day', 'ids']) {
      const field = page.locator(`#field-${name}`);
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await field.getAttribute('aria-describedby')).toBe(`error-${name} hint-${name}`);
    }
    await page.fill('#field-ids', '1\n2');
    expect(await page.isVisible('#error-ids')).toBe(false);
    expect(await page.getAttribute('#field-ids', 'aria-invalid')).toBeNull();
  });

  it('are not sent with a part of a date, which the browser would leave out', async () => {
    await open('#events.typed');
    for (const name of ['day', 'at']) {
      await page.focus(`#field-${name}`);
      await type('11');
    }
    await page.click('#run');
    const errors = await page.locator('.field-error:visible').allTextContents();
    expect(errors).toEqual(['Must be complete or empty.', 'Must be complete or empty.']);
    expect(await browser.focused()).toBe('field-day');
  });

  it.each([
    ['2026-11-20T10:00:00Z', '2026-11-20T05:00', '2026-11-20T05:30:00-05:00'],
    ['2026-07-01T00:30:00-04:00', '2026-07-01T00:30', '2026-07-01T05:30:00-04:00'],
    ['2026-07-01T00:30:00%2B05:45', '2026-06-30T14:45', '2026-06-30T05:30:00-04:00'],
  ])(
    'show a TIMESTAMP in the zone of the page, and send it with its offset: %s',
    async (...given) => {
      const [text, wall, changed] = given;
      page = await browser.open(service.origin, { timezoneId: 'America/New_York' });
      await open(`#events.typed?n=1&sure=true&day=2026-11-20&at=${text}`);
      expect(await page.inputValue('#field-at')).toBe(wall);
      expect(await page.textContent('label[for=field-at]')).toContain('New York');
      expect(await query()).toContain(`day=2026-11-20&at=${decodeURIComponent(text)}`);
      await page.fill('#field-at', `${wall.slice(0, 11)}05:30`);
      expect(await query()).toContain(`at=${changed}`);
      // Digit by digit, of which the first make years of long ago.
      await page.focus('#field-at');
      await browser.press('ArrowRight', 'ArrowRight', ...'2025');
      expect(await page.inputValue('#field-at')).toBe(`2025${wall.slice(4, 11)}05:30`);
    },
  );

  it('make two ends one range, whose presets are days of the query and fill in both', async () => {
    // Half past one on the 24th in Tokyo, and still the 23rd in UTC.
    await page.clock.setFixedTime('2026-11-23T16:30:40Z');
    await open('#events.ranges');
    for (const label of ['from_day to to_day', 'from_local to to_local', 'from to to'])
      expect(await page.locator(`.range[aria-label="${label}"]`).count()).toBe(1);
    expect(await page.inputValue('#range-local')).toBe('any');
    await page.focus('#range-day');
    expect(await page.textContent('label[for=range-day]')).toBe('range days of UTC');
    await type('Last 7');
    expect(await query()).toBe('to_day=2026-11-23&from_day=2026-11-17');
    await page.selectOption('#range-local', 'Yesterday');
    await page.selectOption('#range-time', 'Last hour');
    expect(await query()).toBe(
      'to_day=2026-11-23&from_day=2026-11-17&from_local=2026-11-22T00:00:00&to_local=2026-11-23T00:00:00' +
        '&from=2026-11-24T00:30:00+09:00&to=2026-11-24T01:30:00+09:00',
    );
    await page.fill('#field-from_day', '2026-11-16');
    expect(await page.inputValue('#range-day')).toBe('custom');
    await page.fill('#field-from_day', '2026-11-24');
    expect(await page.textContent('#hint-range-day')).toBe(
      'The start is after the end, so no rows can be found.',
    );
    await page.selectOption('#range-time', 'the endpoint’s default');
    expect(await query()).not.toContain('from=');
    await page.evaluate(`location.hash = '#events.berlin'`);
    await page.waitForSelector('#range-time');
    expect(await page.textContent('label[for=range-time]')).toBe('range days of Europe/Berlin');
    await page.selectOption('#range-time', 'Today');
    expect(await query()).toBe('from=2026-11-23&to=2026-11-23');
  });

  it.each(LOOKS)(
    'are accessible and fit %i px in %s with forced colours %s, and nothing moves',
    async (width, colorScheme, forcedColors) => {
      page = await browser.open(service.origin, { colorScheme, forcedColors, width });
      await browser.recordShifts();
      const given = 'n=1&sure=true&levels=info&at=2026-11-20T10:00:00Z';
      await open(`#events.typed?${given}`);
      await page.waitForSelector(ROW);
      expect(await browser.shifts()).toEqual([]);
      for (const hash of [
        `events.typed?${given}&ids=1&ids=x`,
        'events.ranges?from_day=x&to_day=x',
      ]) {
        await page.goto(`${service.origin}/#${hash}`);
        await page.waitForSelector('.field-error:not([hidden])');
        expect(await browser.width()).toBe(width);
        expect(await browser.seriousFindings()).toEqual([]);
      }
    },
  );
});

describeInBrowser('the links of a deployed console', () => {
  beforeAll(async () => {
    service = await serveConsole(tree());
    service.keyStore.add('sqk_one-shop', { parameters: { shop: ['b', 'c'] } });
    service.keyStore.add('sqk_one-kind', { parameters: { kind: ['paid', 'open'], shop: ['b'] } });
    service.keyStore.add('sqk_another-key', {});
    service.keyStore.add('sqk_no-endpoint', { endpoints: ['gone.away'] });
  });
  beforeEach(async () => {
    service.queryRunner.requests.length = 0;
    page = await browser.open(service.origin);
  });

  /** The values of each query. */
  const ran = (): string[] =>
    service.queryRunner.requests.map(({ parameters }) =>
      Object.values(parameters).join(' ').trim(),
    );

  it('without values fill in the example, and wait for Run, which has the focus', async () => {
    await open('#orders.by-kind');
    await page.waitForSelector('#run:focus');
    expect([await values('shop'), ran()]).toEqual([['a'], []]);
    expect(await page.isVisible('#result')).toBe(false);
    expect(await page.textContent('#key-name')).toBe('dashboard');
    await browser.press('Enter');
    await page.waitForSelector(ROW);
    expect(ran()).toEqual(['a all']);
  });

  it('offer a restricted key the values that it may use, and run the first of each', async () => {
    await open('#orders.by-kind', 'sqk_one-kind');
    await page.waitForSelector(ROW);
    expect(await page.locator('#field-kind option').allTextContents()).toEqual(['paid', 'open']);
    // The default is not allowed.
    expect(ran()).toEqual(['b paid']);
  });

  it('tell a wrong key from one that opens nothing', async () => {
    await browser.signIn(service.origin, 'sqk_wrong-key');
    await page.waitForSelector('#key-error:has-text("This service knows no such key.")');
    browser.takeFaults();
    await browser.signIn(service.origin, 'sqk_no-endpoint');
    await page.waitForSelector('#nothing:not([hidden])');
    expect(await page.textContent('#nothing')).toBe(
      'No endpointsThe key or token is valid, but opens no endpoint. Ask for access to one.',
    );
  });

  it('fill the form and wait for Run, until this tab has run them', async () => {
    await open('#orders.daily?shop=linked');
    await page.waitForSelector('#run:focus');
    expect(await page.textContent('#problem')).toBe(
      'Filled in from a linkCheck the values, then run.',
    );
    expect([await values('shop'), ran()]).toEqual([['linked'], []]);
    await browser.press('Enter');
    await page.waitForSelector(ROW);
    await page.fill('#field-shop', 'second');
    await page.click('#run');
    await page.waitForURL(/second/);
    await page.waitForSelector('#progress', { state: 'hidden' });
    await page.goBack();
    await page.waitForSelector(ROW);
    await eventually(async () => expect(await values('shop')).toEqual(['linked']));
    expect(await page.isVisible('#problem')).toBe(false);
    await page.evaluate("location.hash = '#orders.daily?shop=third'");
    await page.waitForSelector('#problem:not([hidden])');
    expect(ran()).toEqual(['linked', 'second']);
  });

  it.each([
    ['#orders.daily?shop=c', ['c']],
    ['#orders.daily?shop=c&day=2026-11-20', []],
    ['#orders.daily?shop=other', []],
  ])('run by themselves what the key allows, and no more: %s', async (hash, expected) => {
    await open(hash, 'sqk_one-shop');
    await page.waitForSelector(expected.length > 0 ? ROW : '#problem:not([hidden])');
    expect(ran()).toEqual(expected);
  });

  const WRONG: Record<string, [place: string, text: string]> = {
    [`#orders.daily?shop=${'x'.repeat(20_000)}`]: [
      '#nothing',
      'This link is too longIt was ignored. Choose one from the list.',
    ],
    [`#${'x'.repeat(99)}`]: [
      '#nothing',
      `No such endpointThere is no endpoint ${'x'.repeat(40)}… to which you have access. Choose one from the list.`,
    ],
    '#?%': [
      '#nothing',
      'No such endpointThere is no endpoint  to which you have access. Choose one from the list.',
    ],
    '#orders.daily?shop=b&%=1&town=%E0%A4%A': [
      '#problem',
      'Not all of this link fitsThe value of “%”, “town” cannot be read, so it is left out. Check the values, then run.',
    ],
    '#orders.daily?shop=b&town=b&__proto__=c&constructor=d&e=f': [
      '#problem',
      'Not all of this link fitsorders.daily has no parameter “town”, “__proto__”, “constructor” and 1 more, so it is left out. Check the values, then run.',
    ],
    '#orders.daily?shop=b&shop=c': [
      '#error-shop',
      'Comes 2 times in the link; this is the first value.',
    ],
  };

  it.each(Object.entries(WRONG))('get a message if wrong: %#', async (hash, [place, text]) => {
    await open(hash);
    await page.waitForSelector(`${place}:not([hidden])`);
    expect(await page.textContent(place)).toBe(text);
    expect(ran()).toEqual([]);
    // The page works on.
    await page.click('nav a:has-text("orders.daily")');
    await eventually(async () => expect(await values('shop')).toEqual(['a']));
    await page.fill('#field-shop', `of ${hash.slice(0, 40)}`);
    await page.click('#run');
    await page.waitForSelector(ROW);
    expect(ran()).toEqual([`of ${hash.slice(0, 40)}`]);
  });

  async function runWith(shop: string): Promise<void> {
    await open(`#orders.daily?shop=${shop}`);
    await page.click('#run');
    await page.waitForSelector(ROW);
    expect(ran()).toEqual([shop]);
  }
  async function signInWithAnotherKey(): Promise<void> {
    await page.fill('#key', 'sqk_another-key');
    await browser.press('Enter');
    await page.waitForSelector('#run:focus');
    await page.click('nav a:has-text("orders.daily")');
    await eventually(async () => expect(await values('shop')).toEqual(['a']));
    expect(await page.isVisible('#result')).toBe(false);
    expect(ran()).toHaveLength(1);
  }

  it('are run by the tab that ran them, and leave no value to another key', async () => {
    await runWith('secret');
    await page.goto('about:blank');
    await page.goto(`${service.origin}/#orders.daily`);
    await page.waitForSelector(ROW);
    expect(page.url()).toContain('shop=secret');
    await page.click('#change-key');
    expect(page.url()).toBe(`${service.origin}/`);
    await signInWithAnotherKey();
    await page.evaluate("location.hash = '#orders.daily?shop=secret'");
    await page.waitForSelector('#problem:not([hidden])');
    expect(ran()).toEqual(['secret']);
  });

  it('leave no value to another key after the list of endpoints failed', async () => {
    await runWith('hidden');
    await page.route('**/api/endpoints', (route) => route.abort());
    await page.goto('about:blank');
    await page.goto(service.origin);
    await page.waitForSelector('#key-error:not([hidden])');
    await page.unroute('**/api/endpoints');
    browser.takeFaults();
    await signInWithAnotherKey();
  });

  it('name what was asked for where there are no rows', async () => {
    service.queryRunner.answerWith(queryResult({ rows: [] }), queryResult());
    await open('#orders.by-kind?shop=empty');
    await page.click('#run');
    await page.waitForSelector('#empty:not([hidden])');
    expect(await page.textContent('#empty-text')).toBe(
      'The query returned no rows for shop “empty” and kind “all”. Change a value and run again.',
    );
    expect(await page.textContent('#freshness')).toContain('0 rows');
    expect(await page.isVisible('#chart-card')).toBe(false);
  });

  it.each([
    ['none', '#empty-text', 'for shop “none” and kind “all” among those that were read.'],
    ['one', '#freshness', '1 row'],
  ])('say that the local BigQuery read a part alone: %s', async (shop, place, text) => {
    const localRowsCut = 'logs.events; read=94000; of=200000, logs.users; read=1; of=2000';
    const rows = shop === 'one' ? queryResult().rows : [];
    service.queryRunner.answerWith(queryResult({ rows, localRowsCut }), queryResult());
    await open(`#orders.by-kind?shop=${shop}`);
    await page.click('#run');
    await page.waitForSelector('#rows-cut:not([hidden])');
    expect(await page.textContent('#rows-cut')).toBe(
      'The local BigQuery read the newest 94,000 of 200,000 rows of logs.events, and the newest 1 of 2,000 rows of logs.users: values may be wrong, and rows may be missing.',
    );
    expect(await page.textContent(place)).toContain(text);
    if (shop === 'none') expect(await page.textContent('#empty-title')).toBe('No rows found');
  });

  it('carry the view, of which unknown columns and tabs are left out', async () => {
    const columns = '.hide=total';
    await open(`#orders.daily?shop=a&.tab=code&${columns}`);
    expect(await page.getAttribute('#tab-code', 'aria-selected')).toBe('true');
    await page.click('#run');
    await page.waitForSelector(ROW, { state: 'attached' });
    // A run shows its result.
    expect(await page.getAttribute('#tab-result', 'aria-selected')).toBe('true');
    expect(page.url()).toBe(`${service.origin}/#orders.daily?shop=a&${columns}`);
    await page.evaluate("location.hash = '#orders.daily?shop=a&.tab=none&.hide=nothing'");
    await page.waitForURL(/#orders.daily\?shop=a$/);
  });

  it('are copied with the values of the form and the view', async () => {
    await open('#orders.daily?shop=a&.hide=total');
    await page.fill('#field-shop', 'b & c');
    await page.focus('#copy-link');
    await browser.press('Enter');
    await page.waitForSelector('#copy-link:text-is("Copied")');
    const link = await browser.copied();
    expect(link).toBe(`${service.origin}/#orders.daily?shop=b+%26+c&.hide=total`);
    await page.goto('about:blank');
    await page.goto(String(link));
    await page.waitForSelector('#field-shop');
    expect(await values('shop')).toEqual(['b & c']);
  });
});
