// Tests of attacks with tokens on those who share a key, an instance or an address with the attacker.
import request from 'supertest';
import { FakeClock } from '../support/fakes/fake-clock.ts';
import { describeOnFirestores } from '../support/service/firestore-emulators.ts';
import { createTestService } from '../support/service/service.ts';
import { createSigner } from '../support/service/sign-token.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z') / 1000;
const CLAIMS = { iat: NOW, exp: NOW + 3600 };

describeOnFirestores(({ firestore }) => {
  it('counts a kid that Firestore reserves as that of an unknown key', async () => {
    const clock = new FakeClock('2026-11-20T10:00:00Z');
    const { server } = createTestService({ firestore: firestore(), clock, bigQueryUrl: '' });
    const codes: number[] = [];
    for (let index = 0; index < 60; index += 1) {
      const kid = `__${String(index).padStart(39, 'a')}__`;
      const token = createSigner().sign(CLAIMS, { kid });
      const { status } = await request(server)
        .get('/api/endpoints')
        .set('Authorization', `Bearer ${token}`);
      codes.push(status);
    }
    expect(codes).toEqual([...Array<number>(40).fill(401), ...Array<number>(20).fill(429)]);
  });
});
