// Tests of what is read from headers: the client address by which look-ups are counted, `Prefer`, and the trace for log lines.
import fc from 'fast-check';
import { clientAddress, traceOf, waitingOf } from '../../functions/http/request-headers.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const SOCKET = '192.0.2.99';

describe('the address of a client', () => {
  it.each(cases<[string, string | null, number, string]>('addresses'))(
    'is %s: %j at %i',
    (_name, forwardedFor, position, expected) => {
      expect(clientAddress(forwardedFor ?? undefined, SOCKET, position)).toBe(expected);
    },
  );

  it.each([
    ['with a zone', 'fe80::1%eth0', 'unknown'],
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
        const other = clientAddress(hostname.slice(1, -1), SOCKET, 1);
        expect(clientAddress(address, SOCKET, 1)).toBe(other);
      }),
    );
  });

  it('is that of the socket for exactly the texts that URL rejects as IPv6', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'0123abcf:::.'), maxLength: 24 }),
        (text) => {
          if (!text.includes(':')) return;
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

  it.each([
    ...cases<[string, number, string]>('prefer'),
    [`wait=${'9'.repeat(400)}`, 25, 'wait=25'],
  ])('%s applies', (prefer, seconds, applied) => {
    expect(asks(prefer)).toEqual([seconds, applied]);
  });

  it.each([
    ...['', 'wait', 'wait=', 'wait=-1', 'wait=1.5', 'wait=1e3', 'wait=x, wait=5', 'wait 5'],
    ...['respond-async=1', 'respond-async x', 'respond-asynchronously', 'x=respond-async'],
    ...['x="wait=5,respond-async"', 'wait="5"'],
  ])('%j is ignored', (prefer) => {
    expect(asks(prefer)).toEqual([undefined, undefined]);
  });

  it('of any text is read in a time that grows with its length', () => {
    for (const part of ['a=', '"', '\\', ';', ', ', 'a ', 'a;"', '"\\', '="']) {
      expect(asks(part.repeat(100_000))[0]).toBeUndefined();
    }
  });
});

it.each(cases<[string, string | null, string | null, string | null]>('traces'))(
  'reads the trace id: %s',
  (_, traceparent, cloudTraceContext, expected) => {
    const headers = {
      traceparent: traceparent ?? undefined,
      'x-cloud-trace-context': cloudTraceContext ?? undefined,
    };
    expect(traceOf('p', headers)).toBe(expected ?? undefined);
  },
);
