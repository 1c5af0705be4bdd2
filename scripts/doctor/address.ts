// `npm run doctor`: whether callers reach query, and whether it asks them for a key.
import { errorMessage } from '../../functions/core/describe-error.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, fault, right } from './finding.ts';

export async function checkAddress(of: Deployment) {
  const { project, location, names, queryService, url = '', timeoutMs } = of;
  const [health, list] = await Promise.all([statusOf('/health'), statusOf('/api/endpoints')]);
  const findings = [
    faultOfHealth(health),
    health === list && health !== 200 ? undefined : faultOfList(list),
  ];
  const faults = findings.flatMap((finding) => finding ?? []);
  const well = right(`Address: ${url} answers, and asks for a key`);
  return faults.length > 0 ? faults : [well];

  /** The status, or why there is none. */
  async function statusOf(path: string): Promise<number | string> {
    const signal = AbortSignal.timeout(timeoutMs);
    // Without a key: no query runs.
    const asked = fetch(`${url.replace(/\/+$/, '')}${path}`, { signal, redirect: 'manual' });
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

  function faultOfHealth(status: number | string): Finding | undefined {
    if (status === 200) return undefined;
    const service = `${queryService ?? names.query_function} --region=${location} --project=${project}`;
    if (status === 403 && queryService?.endsWith('-public')) {
      const remedy = `gcloud run services update ${service} --no-invoker-iam-check; an organisation policy (run.managed.requireInvokerIam) may refuse that`;
      return fault(`${url} answers 403 before query is asked: the invoker check refuses`, remedy);
    }
    if (status === 403) {
      const grant = `gcloud run services add-iam-policy-binding ${service} --member=allUsers --role=roles/run.invoker; if an organisation policy (iam.allowedPolicyMemberDomains) refuses allUsers, set public_access (docs/recipes.md)`;
      return fault(`${url} answers 403 before query is asked: the invoker check refuses`, grant);
    }
    const what = typeof status === 'number' ? `answers ${status} to GET /health` : status;
    const hint = status === 404 ? 'correct --url, or the ingress: ' : '';
    return fault(`${url} ${what}`, `${hint}gcloud run services describe ${service}`);
  }

  function faultOfList(status: number | string): Finding | undefined {
    if (status === 401) return undefined;
    const what = typeof status === 'number' ? `answers ${status}, not 401,` : status;
    return fault(
      `${url} ${what} to GET /api/endpoints without a key`,
      'check that --url is that of query, and nothing in front of it adds a key',
    );
  }
}
