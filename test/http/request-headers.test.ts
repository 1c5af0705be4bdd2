// Tests of what is read from headers: the client address by which look-ups are counted, `Prefer`, and the trace for log lines.
import fc from 'fast-check';
import { clientAddress, traceOf, waitingOf } from '../../functions/http/request-headers.ts';

const SOCKET = '192.0.2.99';

describe('the address of a client', () => {
  it.each<[string, string | undefined, number, string]>([
    ['the socket without the header', undefined, 1, SOCKET],
    ['the last address', '198.51.100.1, 203.0.113.7', 1, '203.0.113.7'],
    ['the last one, whatever was sent before', '::1, "x", 127.0.0.1,203.0.113.7', 1, '203.0.113.7'],
    ['the one before the last', '198.51.100.1, 203.0.113.7, 10.0.0.1', 2, '203.0.113.7'],
    ['the socket where there are fewer', '203.0.113.7', 2, SOCKET],
    ['the socket where the last part is empty', '203.0.113.7,', 1, SOCKET],
    ['an address with a port', '203.0.113.7:51234', 1, '203.0.113.7'],
    ['the socket for a byte too large', '203.0.113.256', 1, SOCKET],
    ['the socket for a name', 'unknown', 1, SOCKET],
    ['the /64 of IPv6', '2001:db8:1:2:3:4:5:6', 1, '2001:db8:1:2::/64'],
    ['the /64 where zeros are left out', '2001:db8::1', 1, '2001:db8:0:0::/64'],
    ['IPv6 with a zone in brackets', '[fe80::1%25en0]:80', 1, 'fe80:0:0:0::/64'],
    ['IPv6 in brackets with a port', '[2001:db8::1]:443', 1, '2001:db8:0:0::/64'],
    ['IPv6 that ends as IPv4', '64:ff9b::203.0.113.7', 1, '64:ff9b:0:0::/64'],
    ['IPv4 that is mapped in hexadecimal', '::ffff:cb00:7107', 1, '203.0.113.7'],
    ['the socket for text after brackets', '[2001:db8::1]x', 1, SOCKET],
  ])('is %s: %j at %i', (_name, forwardedFor, position, expected) => {
    expect(clientAddress(forwardedFor, SOCKET, position)).toBe(expected);
  });

  it.each([
    ['of mapped IPv4', '::ffff:192.0.2.1', '192.0.2.1'],
    ['that is closed', undefined, 'unknown'],
    ['that has no address', '', 'unknown'],
  ])('is derived from a socket %s', (_name, socketAddress, expected) => {
    expect(clientAddress(undefined, socketAddress, 1)).toBe(expected);
  });

  it('does not depend on what a client puts in front of the header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (spoofed) => {
        expect(clientAddress(`${spoofed}, 203.0.113.7`, SOCKET, 1)).toBe('203.0.113.7');
      }),
    );
  });

  it('is the same for every spelling of an IPv6 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const { hostname } = new URL(`http://[${address}]/`);
        expect(clientAddress(address, SOCKET, 1)).toBe(clientAddress(hostname, SOCKET, 1));
      }),
    );
  });

  it('is that of the socket for exactly the texts that URL rejects as IPv6', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'0123abcf:::.'), maxLength: 24 }),
        (text) => {
          if (!text.includes(':') || /^[^:]*:\d+$/.test(text)) return;
          const isIpv6 = URL.canParse(`http://[${text}]/`);
          expect([text, clientAddress(text, SOCKET, 1) === SOCKET]).toEqual([text, !isIpv6]);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('Prefer', () => {
  const asks = (prefer: string) => {
    const { seconds, applied } = waitingOf({ prefer }, 25) ?? {};
    return [seconds, applied];
  };

  it.each<[string, number, string]>([
    ['Respond-Async', 5, 'respond-async'],
    ['respond-async; x="a, wait=9"', 5, 'respond-async'],
    ['respond-async=', 5, 'respond-async'],
    ['handling=lenient,\twait = 7 ; x', 7, 'wait=7'],
    ['WAIT="1\\0"', 10, 'wait=10'],
    [', ,wait=010', 10, 'wait=10'],
    ['wait=3, wait=9', 3, 'wait=3'],
    ['x="\\", respond-async", wait=8', 8, 'wait=8'],
    ['a b, foo="bar" baz, wait=8', 8, 'wait=8'],
    ['wait=20, respond-async', 20, 'respond-async, wait=20'],
    [`wait=${'9'.repeat(400)}`, 25, 'wait=25'],
  ])('%s applies', (prefer, seconds, applied) => {
    expect(asks(prefer)).toEqual([seconds, applied]);
  });

  it.each([
    ...['', 'wait', 'wait=', 'wait=-1', 'wait=1.5', 'wait=1e3', 'wait=x, wait=5', 'wait 5'],
    ...['respond-async=1', 'respond-async x', 'respond-asynchronously', 'x=respond-async'],
    ...['x="respond-async, wait=5', 'x="a\\", respond-async', 'x="wait=5,respond-async"'],
  ])('%j is ignored', (prefer) => {
    expect(asks(prefer)).toEqual([undefined, undefined]);
  });

  it('of any text is read in a time that grows with its length', () => {
    for (const part of ['a=', '"', '\\', ';', ', ', 'a ', 'a;"', '"\\', '="']) {
      expect(asks(part.repeat(100_000))[0]).toBeUndefined();
    }
  });
});

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';

it.each<[string, string | undefined, string | undefined, string | undefined]>([
  ['a traceparent', `00-${ID}-00f067aa0ba902b7-01`, undefined, `projects/p/traces/${ID}`],
  ['the older header of Google', undefined, `${ID}/123;o=1`, `projects/p/traces/${ID}`],
  ['the older header in capitals', undefined, ID.toUpperCase(), `projects/p/traces/${ID}`],
  ['traceparent first', `00-${ID}-00f067aa0ba902b7-01`, 'f'.repeat(32), `projects/p/traces/${ID}`],
  ['nothing without either', undefined, undefined, undefined],
  ['nothing of a malformed one', '00-xyz-1-01', '"}{', undefined],
])('reads the trace id: %s', (_, traceparent, cloudTraceContext, expected) => {
  const headers = { traceparent, 'x-cloud-trace-context': cloudTraceContext };
  expect(traceOf('p', headers)).toBe(expected);
});
