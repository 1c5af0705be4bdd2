// A failed load of the code that verifies tokens: `query` as deployed, in a process.
import { createKeyRegister } from '../../scripts/keys/key-register.ts';
import { testFirestore } from '../support/service/firestore-emulators.ts';
import { runFunction } from '../support/service/running-function.ts';
import { createSigner } from '../support/service/sign-token.ts';

it('is tried again with the next token', async () => {
  const firestore = testFirestore();
  const signer = createSigner();
  await createKeyRegister(firestore).set(signer.id, signer.stored());
  const { port } = await runFunction({
    ...{ target: 'query', firestore, bigQueryUrl: 'http://127.0.0.1:1' },
    env: { NODE_OPTIONS: '--import=./test/support/processes/fail-first-import.ts' },
  });
  const iat = Math.floor(Date.now() / 1000);
  const token = signer.sign({ iat, exp: iat + 60 });
  const statuses: number[] = [];
  for (const _time of ['first', 'second']) {
    const url = `http://127.0.0.1:${port}/api/endpoints`;
    const { status } = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    statuses.push(status);
  }
  expect(statuses).toEqual([500, 200]);
});
