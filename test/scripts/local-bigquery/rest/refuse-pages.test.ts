// Tests which requests the local service takes for those of pages of other sites.
import { refusalOf } from '../../../../scripts/cli/refuse-pages.ts';
import { casesBeside } from '../../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const refused = (host: string | undefined, origin?: string, allowed?: string[]) =>
  refusalOf({ ...(host === undefined ? {} : { host }), origin }, allowed)?.reason;

it.each(cases<string>('local hosts'))('accepts the host name %s', (host) => {
  expect(refused(host)).toBeUndefined();
});

it.each([undefined, ...cases<string>('other hosts')])(
  'rejects the host name %s, whatever the origin',
  (host) => {
    expect(refused(host)).toBe('HOST_NOT_LOCAL');
    expect(refused(host, 'http://localhost:8080', ['*'])).toBe('HOST_NOT_LOCAL');
  },
);

it.each(cases<string>('own origins'))('accepts its own page on %s', (origin) =>
  expect(refused('localhost:8080', origin)).toBeUndefined(),
);

it.each(cases<string>('other origins'))(
  'rejects a page of the origin %s, unless it is allowed',
  (origin) => {
    const friend = 'http://friend.example';
    expect(refused('localhost:8080', origin)).toBe('ORIGIN_NOT_ALLOWED');
    expect(refused('localhost:8080', origin, [friend])).toBe('ORIGIN_NOT_ALLOWED');
    expect(refused('localhost:8080', friend, [friend])).toBeUndefined();
    expect(refused('localhost:8080', origin, ['*'])).toBeUndefined();
  },
);

it.each(cases<[host: string, origin: string, message: string]>('messages'))(
  'explains what to do: %s %s',
  (host, origin, message) => {
    expect(refusalOf({ host, origin: origin || undefined })?.message).toBe(message);
  },
);
