// Bounds the bytes of answers that an instance keeps for clients that have not read them yet.
import type { ServerResponse } from 'node:http';
import { usualError } from '../core/errors.ts';
import { hasShare } from '../core/memory-budget.ts';
import type { AnswerBody } from './answer-body.ts';

/** A client that takes nothing for so long is given up. */
const STALLED_MS = 30_000;

export function createUnreadAnswers(bytesMax: number) {
  /** The key of each answer that shares the bytes. They count once in total, but in full for each of the keys. */
  const held = new Map<Buffer, string[]>();

  return {
    /** Throws INSTANCE_BUSY if the key's clients leave too much unread for this answer. */
    admit(keyName: string, { content, holds }: AnswerBody): void {
      if (held.size === 0 || held.has(holds)) return;
      let ofKey = 0;
      let all = 0;
      for (const [buffer, holders] of held) {
        all += buffer.length;
        if (holders.includes(keyName)) ofKey += buffer.length;
      }
      if (hasShare(holds.length, { own: ofKey, all, max: bytesMax })) return;
      if (!Buffer.isBuffer(content)) content.destroy();
      throw usualError('INSTANCE_BUSY');
    },
    /** Counts the written answer until its client has read it or has disconnected. */
    count(keyName: string, { content, holds }: AnswerBody, res: ServerResponse): void {
      // The operating system has taken a short answer by now.
      if (Buffer.isBuffer(content) && res.writableLength === 0) return;
      // The client left before its answer was written: no 'close' follows.
      if (res.destroyed) return;
      const holders = held.get(holds) ?? [];
      held.set(holds, holders);
      holders.push(keyName);
      res.setTimeout(STALLED_MS, () => res.destroy());
      res.once('close', () => {
        holders.splice(holders.indexOf(keyName), 1);
        if (holders.length === 0) held.delete(holds);
      });
    },
  };
}
