// `npm run doctor`: whether callers reach query, and whether it asks them for a key.
import { errorMessage } from '../../functions/core/errors.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, fault, orRight, unchecked } from './finding.ts';

export async function checkAddress({ url, timeoutMs }: Deployment): Promise<Finding[]> {
  if (url === undefined) {
    const what = 'not checked: whether callers reach query';
    return [unchecked(what, 'name its address: --url, or --terraform')];
  }
  const [health, list] = await Promise.all([statusOf('/health'), statusOf('/api/endpoints')]);
  const faults: Finding[] = [];
  if (health === 403) {
    faults.push(
      fault(
        `${url} answers 403 before query is asked: the invoker check refuses`,
        'docs/troubleshooting-operations.md#the-plan-or-the-apply-is-refused',
      ),
    );
  } else if (health !== 200) {
    const what = typeof health === 'number' ? `answers ${health} to GET /health` : health;
    faults.push(fault(`${url} ${what}`, 'check the address, the ingress and the log of query'));
  }
  // What stands in front of query answers both in the same way.
  if (list !== 401 && (health === 200 || list !== health)) {
    const what = `${url} answers ${list}, not 401, to GET /api/endpoints without a key`;
    faults.push(fault(what, 'check that it is the address of query, and nothing adds a key'));
  }
  return orRight(`Address: ${url} answers, and asks for a key`, faults);

  /** The status, or why there is none. Without a key: no query runs. */
  async function statusOf(path: string): Promise<number | string> {
    const signal = AbortSignal.timeout(timeoutMs);
    const asked = fetch(`${String(url).replace(/\/+$/, '')}${path}`, {
      signal,
      redirect: 'manual',
    });
    return asked.then(
      async (answer) => {
        await answer.body?.cancel();
        return answer.status;
      },
      (error: unknown) =>
        signal.aborted
          ? `does not answer within ${timeoutMs / 1000} s`
          : `cannot be reached (${errorMessage(error instanceof Error ? (error.cause ?? error) : error)})`,
    );
  }
}
