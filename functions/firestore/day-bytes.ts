// Counts in Firestore what BigQuery bills to each account in a day: collection `dayBytes`, with a document for each open debt.
import { FieldValue, type Firestore, Timestamp } from '@google-cloud/firestore';
import { DAY_MS } from '../core/clock.ts';
import { DEBT, type DayBytesStore, type Debt, reservation } from '../core/day-bytes.ts';
import { fieldsOf, isCount } from '../core/json.ts';
import { orderOf, unlessRaceLost } from './client.ts';

const KEPT_DAYS = 8;

export function createFirestoreDayBytes(firestore: Firestore): DayBytesStore {
  const days = firestore.collection('dayBytes');
  return {
    bytesOf,
    async reserve(debt, limitBytes) {
      const ref = days.doc(debt.jobId);
      const { writeTime } = await ref.set({ ...debt, deleteAt: deleteAt(debt) });
      // Each counts those that were written before, so that of many at once exactly those that fit are admitted.
      const { docs } = await days.where('account', '==', debt.account).get();
      const before = docs.filter(
        (one) => one.id !== ref.id && orderOf(one, one.createTime) < orderOf(ref, writeTime),
      );
      const debts = before.flatMap((one) => fieldsOf(one.data(), DEBT) ?? []);
      // Read last: a debt that is settled meanwhile counts twice, not never.
      const billed = await bytesOf(debt.account, debt.day);
      const reserved = reservation(debt, billed, debts, limitBytes);
      if (!reserved.isAdmitted) await ref.delete();
      return reserved;
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
