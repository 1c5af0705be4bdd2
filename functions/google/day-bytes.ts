// Counts in Firestore what BigQuery bills to each account in a day: collection `dayBytes`, with a document for each open debt.
import { FieldValue, type Firestore, Timestamp } from '@google-cloud/firestore';
import { DAY_MS } from '../core/clock.ts';
import { fieldsOf, isCount } from '../core/json.ts';
import { DEBT, type DayBytesStore, type Debt, isAdmitted } from '../core/leases.ts';
import { unlessRaceLost } from './firestore-client.ts';

const KEPT_DAYS = 8;

export function createFirestoreDayBytes(firestore: Firestore): DayBytesStore {
  const days = firestore.collection('dayBytes');
  const debtsOf = async (account: string) =>
    (await days.where('account', '==', account).get()).docs;
  return {
    bytesOf,
    async reserve(debt, limitBytes) {
      const ref = days.doc(debt.jobId);
      const { writeTime } = await ref.set({ ...debt, deleteAt: deleteAt(debt) });
      // Each counts those that were written before, so that of many at once exactly those that fit are admitted.
      const earlier = (await debtsOf(debt.account)).filter(
        ({ id, createTime }) =>
          id !== ref.id &&
          (createTime.valueOf() < writeTime.valueOf() ||
            (createTime.isEqual(writeTime) && id < ref.id)),
      );
      const openBytes = earlier.reduce(
        (sum, one) => sum + (fieldsOf(one.data(), DEBT)?.bytes ?? 0),
        0,
      );
      // Read last: a debt that is settled meanwhile counts twice, not never.
      const before = { bytes: await bytesOf(debt.account, debt.day), openBytes };
      const admitted = isAdmitted(before, debt.bytes, limitBytes);
      if (!admitted) await ref.delete();
      return { ...before, openBytes: openBytes + debt.bytes, isAdmitted: admitted };
    },
    async settle(debt, bytes) {
      const batch = firestore.batch();
      const fields = { bytes: FieldValue.increment(bytes), deleteAt: deleteAt(debt) };
      batch.set(days.doc(`${debt.account}.${debt.day}`), fields, { merge: true });
      batch.delete(days.doc(debt.jobId), { exists: true });
      await unlessRaceLost(batch.commit());
    },
    async debts() {
      const { docs } = await days.where('account', '>', '').get();
      return docs.flatMap((document) => fieldsOf(document.data(), DEBT) ?? []);
    },
  };

  async function bytesOf(account: string, day: string): Promise<number> {
    const stored: unknown = (await days.doc(`${account}.${day}`).get()).get('bytes');
    return isCount(stored) ? stored : 0;
  }
}

function deleteAt({ day }: Debt): Timestamp {
  return Timestamp.fromMillis(Date.parse(day) + KEPT_DAYS * DAY_MS);
}
