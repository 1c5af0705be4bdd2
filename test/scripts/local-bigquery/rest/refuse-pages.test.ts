// Tests which requests the local service takes for those of pages of other sites.
import { refusalOf } from '../../../../scripts/cli/refuse-pages.ts';

const refused = (host: string | undefined, origin?: string, allowed?: string[]) =>
  refusalOf({ ...(host === undefined ? {} : { host }), origin }, allowed)?.reason;

it.each([
  ...['localhost', 'localhost:8080', 'LocalHost:8080', 'localhost.:8080', 'any.localhost:8080'],
  ...['127.0.0.1', '127.0.0.1:8080', '[::1]', '[::1]:8080'],
])('accepts the host name %s', (host) => {
  expect(refused(host)).toBeUndefined();
});

it.each([
  ...[undefined, '', 'evil.example', 'evil.example:8080', 'localhost.evil.example', 'notlocalhost'],
  ...['127.0.0.1.evil.example', '0.0.0.0:8080', '192.168.1.2:8080', '[::]:8080'],
  ...['[::ffff:192.0.2.1]:8080', 'evil.example@localhost', 'localhost@evil.example'],
  ...['localhost/evil.example', 'localhost, evil.example', 'localhost:x'],
])('rejects the host name %s, whatever the origin', (host) => {
  expect(refused(host)).toBe('HOST_NOT_LOCAL');
  expect(refused(host, 'http://localhost:8080', ['*'])).toBe('HOST_NOT_LOCAL');
});

it.each(['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'])(
  'accepts its own page on %s',
  (origin) => expect(refused('localhost:8080', origin)).toBeUndefined(),
);

it.each([
  ...['http://evil.example', 'http://evil.example:8080', 'http://localhost', 'null', '', 'file://'],
  ...['http://localhost:3000', 'https://localhost:8080', 'chrome-extension://abc'],
  'http://localhost:8080.evil.example',
])('rejects a page of the origin %s, unless it is allowed', (origin) => {
  const friend = 'http://friend.example';
  expect(refused('localhost:8080', origin)).toBe('ORIGIN_NOT_ALLOWED');
  expect(refused('localhost:8080', origin, [friend])).toBe('ORIGIN_NOT_ALLOWED');
  expect(refused('localhost:8080', friend, [friend])).toBeUndefined();
  expect(refused('localhost:8080', origin, ['*'])).toBeUndefined();
});

it('explains what to do', () => {
  const message = (host: string, origin?: string) => refusalOf({ host, origin })?.message;
  expect(message('Evil.example:80')).toBe(
    'Call the local service as localhost, 127.0.0.1 or [::1], not as evil.example.',
  );
  expect(message('\u009b31m')).toBe(
    'Call the local service as localhost, 127.0.0.1 or [::1], not as the name in this request.',
  );
  expect(message('localhost', 'http://localhost:3000')).toBe(
    'The local service refuses requests from pages of the origin http://localhost:3000. To allow them, set CORS_ORIGINS=http://localhost:3000 and restart it.',
  );
  expect(message('localhost', 'null')).toBe(
    'The local service refuses requests from pages of the origin null. To allow them, set CORS_ORIGINS=* and restart it.',
  );
});
