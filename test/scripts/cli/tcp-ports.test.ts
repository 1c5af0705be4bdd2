// Tests of free ports.
import { freePort } from '../../../scripts/cli/tcp-ports.ts';

it('gives no port twice, even before a program listens on it', async () => {
  const ports: number[] = [];
  while (ports.length < 300) ports.push(await freePort());
  expect(new Set(ports).size).toBe(300);
});
