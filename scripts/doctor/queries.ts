// `npm run doctor`: whether BigQuery accepts each saved query, and what it would read, by dry runs, which are free.
import type { Config } from '../../functions/config.ts';
import { eachLimit } from '../../functions/core/each-limit.ts';
import { errorMessage } from '../../functions/core/describe-error.ts';
import type { BoundQuery } from '../../functions/core/query-runner.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { boundQueries, formatBytes } from '../check/dry-run.ts';
import { counted } from '../cli/table.ts';
import type { Source } from '../sources/read-sources.ts';
import { type AskBigQuery, grantCommand } from './bigquery.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, fault, faultOfCall, firstLine, isOut, right } from './finding.ts';
import { probeOf } from './tables.ts';

const AT_ONCE = 8;

interface Asked {
  /** What the query is called in a fault. */
  name: string;
  query: BoundQuery;
  /** The bytes that it may read, and what says so. */
  limit?: readonly [bytesMax: number, setting: string];
  remedy: string;
}

export async function checkQueries(
  of: Deployment,
  ask: AskBigQuery,
  { endpoints, sources }: { endpoints: readonly Endpoint[]; sources: readonly Source[] },
  config: Config,
): Promise<Finding[]> {
  const faults = new Map<string, Finding>();
  const report = (found: Finding): void => void faults.set(found.text, found);
  const all = [...sources.map(ofSource), ...endpoints.flatMap(ofEndpoint)];
  let done = 0;
  try {
    await eachLimit(all, AT_ONCE, async (asked) => {
      const bytes = await ask.estimate(asked.query).catch((error: unknown) => {
        // The others would wait as long.
        if (isOut(error)) throw error;
        report(faultOfQuery(error, asked));
        return 0;
      });
      const [bytesMax = Infinity, setting = ''] = asked.limit ?? [];
      if (bytes > bytesMax) {
        const what = `${asked.name} reads ${formatBytes(bytes)}, more than ${setting} (${formatBytes(bytesMax)})`;
        report(fault(what, `filter the partitions (docs/reference/pruning.md), or raise it`));
      }
      done += 1;
    });
  } catch (error) {
    const left = `BigQuery, after ${done} of ${all.length} dry runs,`;
    report(faultOfCall(error, subject(left)));
  } finally {
    ask.end();
  }
  const well = right(`Queries: BigQuery accepts ${counted(endpoints.length, 'endpoint')}`);
  return faults.size > 0 ? [...faults.values()] : [well];

  function ofSource(source: Source): Asked {
    const query = { sql: probeOf(source), parameters: {} };
    return { name: `The source ${source.name}`, query, remedy: 'npm run check -- --dry-run' };
  }

  function ofEndpoint(endpoint: Endpoint): Asked[] {
    const { name, maxBytesBilled: own = Infinity } = endpoint;
    const isOwn = own < config.maxBytesBilled;
    const limit = isOwn
      ? ([own, 'maxBytesBilled of endpoint.json'] as const)
      : ([config.maxBytesBilled, 'MAX_BYTES_BILLED'] as const);
    const remedy = `npm run check -- ${name}`;
    return boundQueries(endpoint).map((query) => {
      return { name: `${name}/${query.fileName}`, query, limit, remedy };
    });
  }

  function subject(name: string) {
    const { project, dataset, timeoutMs } = of;
    const grant = grantCommand({ project, dataset });
    const job = `gcloud projects add-iam-policy-binding ${project} --member=user:YOU --role=roles/bigquery.jobUser`;
    return {
      ...{ name, api: 'bigquery.googleapis.com', project, timeoutMs },
      missing: [name, grant],
      denied: [name, job],
    } as const;
  }

  function faultOfQuery(error: unknown, { name, remedy }: Asked): Finding {
    const message = firstLine(errorMessage(error));
    const said = `${name}: ${message}`;
    const ofCall = subject(said);
    const isOfJob = message.includes('bigquery.jobs.create');
    const [, project = '', dataset = '', table] =
      /(?:Table|Dataset) ([\w.-]+):(\w+)(?:\.([\w$*-]+))?/.exec(message) ?? [];
    const place = { project, dataset, ...(table && { table }) };
    const isElsewhere = message.includes('location');
    return faultOfCall(error, {
      ...ofCall,
      missing: [said, isElsewhere ? 'correct --dataset-location' : 'npm run deploy'],
      denied: isOfJob || project === '' ? ofCall.denied : [said, grantCommand(place)],
      other: [said, remedy],
    });
  }
}
