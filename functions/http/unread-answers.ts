// Bounds the bytes that an instance holds for answers that their clients have not read yet.
import type { ServerResponse } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import { hasShare } from '../core/fair-share.ts';
import type { AnswerBody } from './answer-body.ts';

interface UnreadAnswers {
  /** Throws INSTANCE_BUSY if the key's clients leave too much unread for this answer. */
  admit(keyName: string, body: AnswerBody): void;
  /** Counts the answer, which is written, until its client has read it or is gone. */
  count(keyName: string, body: AnswerBody, res: ServerResponse): void;
}

/** Bytes that several answers share are counted once, for the key of the first. */
interface Held {
  keyName: string;
  answers: number;
}

/** A client that takes nothing for so long is given up. */
const STALLED_MS = 30_000;

export function createUnreadAnswers(bytesMax: number): UnreadAnswers {
  const held = new Map<Buffer, Held>();

  return {
    admit(keyName, { content, holds }) {
      if (held.size === 0 || held.has(holds)) return;
      let own = 0;
      let all = 0;
      for (const [buffer, of] of held) {
        all += buffer.length;
        if (of.keyName === keyName) own += buffer.length;
      }
      if (hasShare(holds.length, { own, all, max: bytesMax })) return;
      if (!Buffer.isBuffer(content)) content.destroy();
      throw new ServiceError(
        'INSTANCE_BUSY',
        'As many answers are not read yet as this instance can hold. Read them, and try again shortly.',
      );
    },
    count(keyName, { content, holds }, res) {
      // The operating system has taken a short answer by now.
      if (Buffer.isBuffer(content) && res.writableLength === 0) return;
      const of = held.get(holds) ?? { keyName, answers: 0 };
      held.set(holds, of);
      of.answers += 1;
      res.setTimeout(STALLED_MS, () => res.destroy());
      res.once('close', () => {
        of.answers -= 1;
        if (of.answers === 0) held.delete(holds);
      });
    },
  };
}
