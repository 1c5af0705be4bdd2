// Asks a question in the terminal.
import { createInterface } from 'node:readline/promises';

/** Resolves to the answer without blanks around it. Rejects when the signal, Ctrl-C or Ctrl-D ends the question. */
export async function askInTerminal(question: string, signal?: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new AbortController();
  const end = (): void => ended.abort(new Error('No answer; nothing was made.'));
  // Without a listener Ctrl-C would only close the interface.
  terminal.once('SIGINT', end).once('close', end);
  signal?.addEventListener('abort', end);
  try {
    const answer = await terminal.question(`${question} `, { signal: ended.signal });
    return answer.trim();
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', end);
    terminal.off('close', end).close();
  }
}
