// Tests of the client address by which look-ups are counted, whatever the client and proxies send.
import fc from 'fast-check';
import { clientAddress } from '../../functions/http/request-headers.ts';

const SOCKET = '192.0.2.99';

describe('the address of a client', () => {
  it.each<[string, string | undefined, number, string]>([
    ['the socket without the header', undefined, 1, SOCKET],
    ['the socket with an empty header', '', 1, SOCKET],
    ['the only address', '203.0.113.7', 1, '203.0.113.7'],
    ['the last address', '198.51.100.1, 203.0.113.7', 1, '203.0.113.7'],
    ['the last one, whatever was sent before', '::1, "x", 127.0.0.1,203.0.113.7', 1, '203.0.113.7'],
    ['the last one of headers that were joined', '198.51.100.1,, 203.0.113.7', 1, '203.0.113.7'],
    ['the one before the last', '198.51.100.1, 203.0.113.7, 10.0.0.1', 2, '203.0.113.7'],
    ['the first one', '203.0.113.7, 198.51.100.1, 10.0.0.1', 3, '203.0.113.7'],
    ['the socket where there are fewer', '203.0.113.7', 2, SOCKET],
    ['the socket where the last part is empty', '203.0.113.7,', 1, SOCKET],
    ['an address with a port', '203.0.113.7:51234', 1, '203.0.113.7'],
    ['an address in blanks', ' \t203.0.113.7\t ', 1, '203.0.113.7'],
    ['the lowest and highest bytes', '0.0.0.255', 1, '0.0.0.255'],
    ['the socket for a byte too large', '203.0.113.256', 1, SOCKET],
    ['the socket for a leading zero', '203.0.113.07', 1, SOCKET],
    ['the socket for three bytes', '203.0.113', 1, SOCKET],
    ['the socket for a number', '3405803783', 1, SOCKET],
    ['the socket for a name', 'unknown', 1, SOCKET],
    ['the socket for an obfuscated one', '_hidden', 1, SOCKET],
    ['the socket for quotes', '"203.0.113.7"', 1, SOCKET],
    ['the socket for two addresses in one', '203.0.113.7 203.0.113.8', 1, SOCKET],
    ['the socket for two ports', '203.0.113.7:1:2', 1, SOCKET],
    ['the /64 of IPv6', '2001:db8:1:2:3:4:5:6', 1, '2001:db8:1:2::/64'],
    ['the same /64', '2001:0DB8:0001:0002:ffff::', 1, '2001:db8:1:2::/64'],
    ['the /64 where zeros are left out', '2001:db8::1', 1, '2001:db8:0:0::/64'],
    ['the /64 of zeros', '::', 1, '0:0:0:0::/64'],
    ['the /64 of loopback', '::1', 1, '0:0:0:0::/64'],
    ['IPv6 in brackets', '[2001:db8::1]', 1, '2001:db8:0:0::/64'],
    ['IPv6 in brackets with a port', '[2001:db8::1]:443', 1, '2001:db8:0:0::/64'],
    ['IPv6 with a zone', 'fe80::1%eth0', 1, 'fe80:0:0:0::/64'],
    ['IPv6 with a zone in brackets', '[fe80::1%25en0]:80', 1, 'fe80:0:0:0::/64'],
    ['IPv6 that ends as IPv4', '64:ff9b::203.0.113.7', 1, '64:ff9b:0:0::/64'],
    ['IPv4 that is mapped', '::ffff:203.0.113.7', 1, '203.0.113.7'],
    ['mapped IPv4 in upper case and brackets', '[::FFFF:203.0.113.7]:80', 1, '203.0.113.7'],
    ['IPv4 that is mapped in hexadecimal', '::ffff:cb00:7107', 1, '203.0.113.7'],
    ['IPv4 that is mapped in full', '0:0:0:0:0:ffff:cb00:7107', 1, '203.0.113.7'],
    ['the socket for nine groups', '1:2:3:4:5:6:7:8:9', 1, SOCKET],
    ['the socket for seven groups', '1:2:3:4:5:6:7', 1, SOCKET],
    ['the socket for eight groups and zeros', '1:2:3:4:5:6:7:8::', 1, SOCKET],
    ['the socket for zeros twice', '1::2::3', 1, SOCKET],
    ['the socket for three colons', ':::', 1, SOCKET],
    ['the socket for five digits', '2001:db8::12345', 1, SOCKET],
    ['the socket for IPv4 in front of IPv6', '203.0.113.7::', 1, SOCKET],
    ['the socket for a bracket that is open', '[2001:db8::1', 1, SOCKET],
    ['the socket for text after brackets', '[2001:db8::1]x', 1, SOCKET],
  ])('is %s: %j at %i', (_name, forwardedFor, position, expected) => {
    expect(clientAddress(forwardedFor, SOCKET, position)).toBe(expected);
  });

  it.each([
    ['of IPv6', '2001:db8::1', '2001:db8:0:0::/64'],
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
