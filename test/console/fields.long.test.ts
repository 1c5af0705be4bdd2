// Tests of the console's fields and links in a real browser.
import type { Page } from 'playwright-core';
import { RESULT, describeInBrowser, useBrowser } from '../support/browser/browser.ts';
import { type ConsoleServer, serveConsole } from '../support/browser/console-server.ts';
import { casesBeside } from '../support/cases.ts';
import { API_KEY } from '../support/world.ts';
import { queryResult } from '../support/fakes/fake-query-runner.ts';
import { eventually } from '../support/until.ts';

const cases = casesBeside(import.meta.filename);
const browser = useBrowser();
let page: Page;
let service: ConsoleServer;

async function open(hash: string, key = API_KEY, options = {}): Promise<void> {
  page = await browser.open(service.origin, options);
  await browser.signIn(`${service.origin}/${hash}`, key);
  await page.waitForSelector('#workspace');
}
/** What a run would send. */
async function query(): Promise<string> {
  return decodeURIComponent(
    (/\?(.*)'/.exec(await browser.snippet())?.[1] ?? '').replaceAll('+', ' '),
  );
}
const values = (name: string): Promise<unknown> =>
  page.evaluate(
    `[...document.querySelectorAll('#fields [name=${name}]')]
       .filter(({ type, checked }) => type !== 'checkbox' || checked)
       .map(({ value }) => value)`,
  );

describeInBrowser('the fields of typed parameters', () => {
  beforeAll(async () => {
    service = await serveConsole({ runsExamples: true, isLocal: true });
    await open('#events.typed');
  });

  it('are of the kind of their type, with bounds and choices before an error', async () => {
    const kinds = await page.evaluate(
      `[...new Map([...document.querySelectorAll('#fields [name]')].map((control) =>
         [control.name, control.inputMode || control.type]))].join(' ')`,
    );
    expect(kinds).toBe(
      'n,numeric share,decimal price,decimal flag,select-one sure,select-one day,date ' +
        'local,datetime-local at,datetime-local span,select-one ids,textarea levels,checkbox tags,textarea',
    );
    const labels = page.locator('#fields .field > :is(label, legend)');
    const texts = await labels.allTextContents();
    expect(texts.map((text) => text.trim()).join(', ')).toBe(
      'n required, share, price, flag, sure required, day, local, at Tokyo, span, ids, levels, tags',
    );
    for (const [name, shown] of [
      ['flag', 'not set,true,false'],
      ['sure', 'true,false'],
      ['span', 'not set,1,60'],
    ] as const) {
      const options = await page.locator(`#field-${name} option`).allTextContents();
      expect([name, options.join()]).toEqual([name, shown]);
    }
    expect(await page.textContent('#cost')).toBe(
      'No cost on this machine · deployed, a run reads at most 11 GB, US$0.061',
    );
    expect(await query()).toBe('n=1&sure=false&tags=a&tags=b');
    expect(await page.getAttribute('#field-share', 'placeholder')).toBe('such as 0.5');
    expect(await page.isVisible('#hint-ids')).toBe(false);
    for (const [name, hint] of [
      ['ids', 'A parameter. One value a line. ARRAY<INT64>, up to 3 values.'],
      ['n', 'A parameter. INT64, 1 to 100.'],
      ['price', 'A parameter. NUMERIC, at least 0.'],
      ['flag', 'A parameter.'],
    ] as const) {
      await page.focus(`#field-${name}`);
      expect(await page.innerText(`#hint-${name}`)).toBe(hint);
    }
  });

  it('are filled in with the keyboard, run, and are kept by the link', async () => {
    await browser.follow('#events.typed');
    for (const [field, ...keys] of [
      ['#field-n', 'Control+A', ...'42'],
      ['#field-share', ...'1e3'],
      ['#field-price', ...'12.50'],
      ['#field-flag', 'ArrowDown', 'ArrowDown'],
      ['#field-day', ...'11202026'],
      ['#field-local', ...'11202026100005AM'],
      ['#field-at', ...'11202026110000AM'],
      ['#field-span', ...'60'],
      ['#field-ids', '7', 'Enter', '9'],
      ['input[value=info]', 'Space', 'Tab', 'Space', 'Enter'],
    ] as const) {
      await page.focus(field);
      await browser.press(...keys);
    }
    await page.waitForURL(/n=42/);
    await page.waitForSelector('#progress', { state: 'hidden' });
    expect(service.queryRunner.requests.at(-1)?.parameters).toMatchObject({
      ...{ n: '42', share: '1000', flag: 'false', local: '2026-11-20T10:00:05', span: '60' },
      ...{ at: '2026-11-20T02:00:00Z', ids: ['7', '9'], levels: ['info', 'error'] },
    });
    const sent =
      'n=42&share=1e3&price=12.50&flag=false&sure=false&day=2026-11-20&local=2026-11-20T10:00:05' +
      '&at=2026-11-20T02:00:00Z&span=60&ids=7&ids=9&levels=info&levels=error&tags=a&tags=b';
    expect(decodeURIComponent(page.url())).toBe(`${service.origin}/#events.typed?${sent}`);
    await page.reload();
    await page.waitForSelector(RESULT);
    expect(await query()).toBe(sent);
  });

  it.each(cases<[string, string, string[]]>('values of a link'))(
    'show the values of a link: %s',
    async (given, name, expected) => {
      await browser.follow(`#events.typed?n=1&sure=true&${given}`);
      await eventually(async () => expect(await values(name)).toEqual(expected));
    },
  );

  it('take pasted lists, in order and with what repeats, and lose nothing of one that is too long', async () => {
    await browser.follow('#events.typed?n=1&sure=true');
    const paste = async (name: string, text: string): Promise<void> => {
      await page.fill(`#field-${name}`, '');
      await page.focus(`#field-${name}`);
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
      await browser.press('Control+V');
    };
    await paste('ids', '3;1\t3\r\n');
    expect(await query()).toBe('n=1&sure=true&ids=3&ids=1&ids=3&tags=a&tags=b');
    await browser.press('Control+Z');
    expect(await page.inputValue('#field-ids')).toBe('');
    await paste('tags', 'Smith, John\nDoe, Jane\n');
    expect(await query()).toBe('n=1&sure=true&tags=Smith, John&tags=Doe, Jane');
    // An empty list is sent where no value would be the default.
    await page.fill('#field-tags', '');
    expect(await query()).toBe('n=1&sure=true&tags=');
    await paste('ids', '1,2,3,4,5');
    await page.click('#run');
    await page.waitForSelector('#error-ids:has-text("Must have at most 3 values")');
    expect(await browser.focused()).toBe('field-ids');
    expect(await page.inputValue('#field-ids')).toBe('1,2,3,4,5');
  });

  it('show what is wrong next to them, and focus the first', async () => {
    const type = (keys: string): Promise<void> => page.keyboard.type(keys);
    const errors = (): Promise<string[]> => page.locator('.field-error:visible').allTextContents();
    await browser.follow('#events.typed?n=500&sure=true&ids=1&ids=x&day=soon');
    await page.waitForSelector('#error-ids:not([hidden])');
    expect(await errors()).toEqual([
      'Must be at most 100.',
      'Must be a day of the calendar (DATE), such as 2026-11-20.',
      'Value 2 must be a whole number (INT64), such as 42.',
    ]);
    expect(await browser.focused()).toBe('field-n');
    expect(await page.isVisible('#problem')).toBe(false);
    for (const name of ['n', 'day', 'ids']) {
      const field = page.locator(`#field-${name}`);
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await field.getAttribute('aria-describedby')).toBe(`error-${name} hint-${name}`);
    }
    await page.fill('#field-ids', '1\n2');
    expect(await page.isVisible('#error-ids')).toBe(false);
    expect(await page.getAttribute('#field-ids', 'aria-invalid')).toBeNull();
    // A browser would leave out a date of which only a part is entered.
    await browser.follow('#events.typed?n=1&sure=true');
    for (const name of ['day', 'at']) {
      await page.focus(`#field-${name}`);
      await type('11');
    }
    await page.click('#run');
    expect(await errors()).toEqual(['Must be complete or empty.', 'Must be complete or empty.']);
    expect(await browser.focused()).toBe('field-day');
  });

  it('make two ends one range, whose presets are days of the query and fill in both', async () => {
    await browser.follow('#orders.daily');
    // Half past one on the 24th in Tokyo, and still the 23rd in UTC.
    await page.clock.setFixedTime('2026-11-23T16:30:40Z');
    await browser.follow('#events.ranges');
    for (const label of ['from_day to to_day', 'from_local to to_local', 'from to to'])
      expect(await page.locator(`.range[aria-label="${label}"]`).count()).toBe(1);
    expect(await page.inputValue('#range-local')).toBe('default range');
    expect(await page.textContent('label[for=range-day]')).toBe('range days of UTC');
    await page.selectOption('#range-day', 'Last 7 days');
    expect(await query()).toBe('to_day=2026-11-23&from_day=2026-11-17');
    await page.selectOption('#range-local', 'Yesterday');
    await page.selectOption('#range-time', 'Last hour');
    expect(await query()).toBe(
      'to_day=2026-11-23&from_day=2026-11-17&from_local=2026-11-22T00:00&to_local=2026-11-23T00:00' +
        '&from=2026-11-23T15:30:00Z&to=2026-11-23T16:30:00Z',
    );
    await page.fill('#field-from_day', '2026-11-16');
    expect(await page.inputValue('#range-day')).toBe('custom');
    await page.fill('#field-from_day', '2026-11-24');
    expect(await page.textContent('#hint-range-day')).toBe(
      'The start is after the end, so no rows can be found.',
    );
    await page.selectOption('#range-time', 'default range');
    expect(await query()).not.toContain('from=');
    await browser.follow('#events.berlin');
    expect(await page.textContent('label[for=range-time]')).toBe('range days of Europe/Berlin');
    await page.selectOption('#range-time', 'Today');
    expect(await query()).toBe('from=2026-11-23&to=2026-11-23');
  });

  it('show a TIMESTAMP in the zone of the page, and send what is entered in UTC', async () => {
    await open('#events.typed', API_KEY, { timezoneId: 'America/New_York' });
    for (const [text, wall, changed] of cases<[string, string, string]>('a TIMESTAMP')) {
      await browser.follow(
        `#events.typed?n=1&sure=true&day=2026-11-20&at=${encodeURIComponent(text)}`,
      );
      await eventually(async () => expect(await page.inputValue('#field-at')).toBe(wall));
      expect(await page.textContent('label[for=field-at]')).toContain('New York');
      expect(await query()).toContain(`day=2026-11-20&at=${text}`);
      await page.fill('#field-at', `${wall.slice(0, 11)}05:30`);
      expect(await query()).toContain(`at=${changed}`);
      // Digit by digit, of which the first make years of long ago.
      await page.focus('#field-n');
      await page.focus('#field-at');
      await browser.press('ArrowRight', 'ArrowRight', ...'2025');
      expect(await page.inputValue('#field-at')).toBe(`2025${wall.slice(4, 11)}05:30`);
    }
  });
});

describeInBrowser('the links of a deployed console', () => {
  beforeAll(async () => {
    service = await serveConsole();
    service.keyStore.add('sqk_one-shop', { parameters: { shop: ['b', 'c'] } });
    service.keyStore.add('sqk_one-kind', { parameters: { kind: ['paid', 'open'], shop: ['b'] } });
    await open('#orders.by-kind');
  });
  beforeEach(() => void (service.queryRunner.requests.length = 0));

  /** The values of each query. */
  const ran = (): string[] =>
    service.queryRunner.requests.map(({ parameters: of }) => Object.values(of).join(' ').trim());

  it('fill the form, without values from the example, and wait for Run, until this tab has run them', async () => {
    await page.waitForSelector('#run:focus');
    expect([await values('shop'), ran(), await page.isVisible('#result')]).toEqual([
      ...[['a'], [], false],
    ]);
    await browser.follow('#orders.daily?shop=linked');
    await page.waitForSelector('#run:focus');
    expect(await page.textContent('#problem')).toBe(
      'Filled in from a linkCheck the values, then run.',
    );
    expect([await values('shop'), ran()]).toEqual([['linked'], []]);
    await browser.press('Enter');
    await page.waitForSelector(RESULT);
    await page.fill('#field-shop', 'second');
    await page.click('#run');
    await page.waitForURL(/second/);
    await page.waitForSelector('#progress', { state: 'hidden' });
    await page.goBack();
    await page.waitForSelector(RESULT);
    await eventually(async () => expect(await values('shop')).toEqual(['linked']));
    expect(await page.isVisible('#problem')).toBe(false);
    await browser.follow('#orders.daily?shop=third');
    await page.waitForSelector('#problem:not([hidden])');
    expect(ran()).toEqual(['linked', 'second']);
  });

  it.each(cases<[string, string, string]>('wrong links'))(
    'get a message if wrong, and the page works on: %#',
    async (hash, place, text) => {
      // A long part is written as `xN`.
      const full = (part: string): string =>
        part.replace(/x(\d+)/, (_, count: string) => 'x'.repeat(Number(count)));
      await browser.follow(full(hash));
      await page.waitForSelector(`${place}:not([hidden])`);
      await eventually(async () => expect(await page.textContent(place)).toBe(full(text)));
      expect(ran()).toEqual([]);
      await page.click('nav a[aria-label="orders.daily"]');
      await page.waitForSelector(place, { state: 'hidden' });
      await page.fill('#field-shop', `of ${hash.slice(0, 40)}`);
      await page.click('#run');
      await eventually(() => expect(ran().at(-1)).toBe(`of ${hash.slice(0, 40)}`));
    },
  );

  it('say where there are no rows for what was asked, and that the local BigQuery read a part alone', async () => {
    const localRowsCut = 'logs.events; read=94000; of=200000, logs.users; read=1; of=2000';
    const cut =
      'The local BigQuery read only the newest rows of logs.events (94000 of 200000), logs.users (1 of 2000): values may be wrong, and rows may be missing.';
    const none = 'The query returned no rows for these values';
    await browser.follow('#orders.by-kind?shop=none&kind=paid');
    for (const [rows, isCut, place, text] of [
      [[], false, '#empty-text', `${none}.`],
      [[], true, '#empty-text', `${none}, among those that were read.`],
      [queryResult().rows, true, '.freshness', '1 row in'],
    ] as const) {
      const result = queryResult({ rows: [...rows], ...(isCut && { localRowsCut }) });
      service.queryRunner.answerWith(result);
      service.clock.advance(10_000_000);
      await page.click('#run');
      await page.waitForSelector(`${place}:has-text("${text}")`);
      expect(await page.locator('#rows-cut').allTextContents()).toEqual(isCut ? [cut] : []);
    }
    service.queryRunner.answerWith(queryResult());
  });

  it('run by themselves what the key allows, and no more', async () => {
    await open('#orders.daily?shop=c', 'sqk_one-shop');
    await page.waitForSelector(RESULT);
    for (const [hash, title] of [
      ['#orders.daily?shop=c&day=2026-11-20', 'Filled in from a link'],
      ['#orders.daily?shop=c&town=x', 'Not all of this link fits'],
      ['#orders.daily?shop=other', 'Filled in from a link'],
    ] as const) {
      await browser.follow(hash);
      await page.waitForSelector(`#problem:has-text("${title}")`);
    }
    expect(ran()).toEqual(['c']);
  });

  it('offer a restricted key the values that it may use, and run the first of each', async () => {
    await open('#orders.by-kind', 'sqk_one-kind');
    await page.waitForSelector(RESULT);
    expect(await page.locator('#field-kind option').allTextContents()).toEqual(['paid', 'open']);
    // The default is not allowed.
    expect(ran()).toEqual(['b paid']);
  });
});
