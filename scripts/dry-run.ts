// What BigQuery would read for each query and parameter set: asked for by dry runs, which are free.
import type { BigQuery } from '@google-cloud/bigquery';
import type { Endpoint } from '../functions/core/endpoint.ts';

export interface DryRun {
  endpoint: string;
  file: 'query.sql' | 'warm.sql';
  parameters: Record<string, string>;
  bytesProcessed: number;
}

interface DryRunOptions {
  /** `dataset` or `project.dataset`. */
  dataset: string;
  location: string;
}

/** Below this a table has too little in it to tell whether its partitions are pruned. */
const PRUNING_BYTES_MIN = 100 * 1024 * 1024;

/** Dry-runs an endpoint with every combination of its listed values; other parameters by example. */
export async function dryRunEndpoint(
  bigquery: BigQuery,
  endpoint: Endpoint,
  options: DryRunOptions,
): Promise<DryRun[]> {
  const runs: DryRun[] = [];
  for (const parameters of parameterSets(endpoint)) {
    const run = async (file: DryRun['file'], sql: string, params: object, types: object) => {
      const [datasetId = '', projectId] = options.dataset.split('.').reverse();
      const [job] = await bigquery.createQueryJob({
        query: sql,
        params: params as Record<string, unknown>,
        types: types as Record<string, string>,
        defaultDataset: projectId === undefined ? { datasetId } : { datasetId, projectId },
        location: options.location,
        dryRun: true,
      });
      const { statistics } = job.metadata as { statistics: { totalBytesProcessed: string } };
      const bytesProcessed = Number(statistics.totalBytesProcessed);
      runs.push({ endpoint: endpoint.name, file, parameters, bytesProcessed });
    };
    const typesOf = (values: object): object =>
      Object.fromEntries(Object.keys(values).map((name) => [name, 'STRING']));
    await run('query.sql', endpoint.sql, parameters, typesOf(parameters));

    const { warming } = endpoint;
    if (warming === undefined) continue;
    const isBatched = (name: string): boolean => warming.batchOver.includes(name);
    const pick = (wanted: boolean): Record<string, string> =>
      Object.fromEntries(Object.entries(parameters).filter(([name]) => isBatched(name) === wanted));
    const key = { key: '0', ...pick(true) };
    await run(
      'warm.sql',
      warming.sql,
      { ...pick(false), keys: [key] },
      { ...typesOf(pick(false)), keys: [typesOf(key)] },
    );
  }
  return runs;
}

/**
 * What is wrong with the dry runs of one endpoint: too many bytes, or as many for every parameter
 * set where there is enough to read, which is how a partition filter looks that does not prune.
 */
export function dryRunFaults(runs: readonly DryRun[], bytesMax: number): string[] {
  const faults = runs
    .filter(({ bytesProcessed }) => bytesProcessed > bytesMax)
    .map(
      ({ endpoint, file, parameters, bytesProcessed }) =>
        `${endpoint}/${file} ${describe(parameters)}: would read ${formatBytes(bytesProcessed)}, ` +
        `more than ${formatBytes(bytesMax)}`,
    );
  for (const file of ['query.sql', 'warm.sql'] as const) {
    const bytes = runs.filter((run) => run.file === file).map((run) => run.bytesProcessed);
    const least = Math.min(...bytes);
    if (bytes.length > 1 && least === Math.max(...bytes) && least > PRUNING_BYTES_MIN) {
      faults.push(
        `${runs[0]?.endpoint}/${file}: reads ${formatBytes(least)} for every parameter set: ` +
          'its partition filter does not prune',
      );
    }
  }
  return faults;
}

/** One line of the table that people read. */
export function describeDryRun({ endpoint, file, parameters, bytesProcessed }: DryRun): string {
  return `${formatBytes(bytesProcessed).padStart(11)}  ${endpoint}/${file} ${describe(parameters)}`;
}

function describe(parameters: Record<string, string>): string {
  return new URLSearchParams(parameters).toString();
}

function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

function parameterSets(endpoint: Endpoint): Record<string, string>[] {
  let sets: Record<string, string>[] = [{}];
  for (const [name, parameter] of Object.entries(endpoint.parameters)) {
    const values = parameter.enum ?? [parameter.example];
    sets = sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value })));
  }
  return sets;
}
