// The local scheduler: posts to `warm` at a fixed interval and prints each report.
import { errorMessage } from '../../functions/core/errors.ts';
import type { Terminal } from '../cli/command.ts';

/** Starts the timer; returns a function that stops it. Each post waits for the previous one. */
export function startScheduler(
  warmUrl: string,
  intervalSeconds: number,
  { print, note }: Terminal,
): () => Promise<void> {
  const stopped = new AbortController();
  let underWay: Promise<void> | undefined;
  const timer = setInterval(() => {
    underWay ??= postOnce().finally(() => (underWay = undefined));
  }, intervalSeconds * 1000);
  return async () => {
    clearInterval(timer);
    stopped.abort();
    await underWay;
  };

  async function postOnce(): Promise<void> {
    try {
      const headers = { 'Content-Type': 'application/json' };
      const request = { method: 'POST', headers, body: '{}', signal: stopped.signal };
      const answer = await fetch(warmUrl, request);
      print(`warm ${answer.status} ${await answer.text()}`);
    } catch (error) {
      if (!stopped.signal.aborted) note(`warm failed: ${errorMessage(error)}`);
    }
  }
}
