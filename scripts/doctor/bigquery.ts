// `npm run doctor`: BigQuery as the checks of tables and of queries ask it, without a job that reads or writes rows.
import { systemClock } from '../../functions/clock.ts';
import type { Config } from '../../functions/config.ts';
import { errorCode } from '../../functions/core/describe-error.ts';
import { isObject, isText } from '../../functions/core/json.ts';
import type { BoundQuery } from '../../functions/core/query-runner.ts';
import {
  createBigQuery,
  createBigQueryRest,
  smallCall,
} from '../../functions/google/bigquery-rest.ts';
import { createEstimate } from '../check/check-scans.ts';
import { commandLine } from '../deploy/command-steps.ts';
import { grantArgs } from '../deploy/table-steps.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, fault, faultOfCall, inTime, isOut, right } from './finding.ts';

/** A table with ten thousand columns. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

export interface TablePlace {
  project: string;
  dataset: string;
  table?: string | undefined;
}

export type AskBigQuery = ReturnType<typeof createAskBigQuery>;

export function createAskBigQuery(of: Deployment, config: Config) {
  const { project, bigQueryEmulatorHost: emulatorHost, bigQueryApiEndpoint: apiEndpoint } = config;
  const call = createBigQueryRest(createBigQuery({ project, emulatorHost, apiEndpoint }));
  const over = new AbortController();
  const estimate = createEstimate(config, over.signal);
  const limits = { clock: systemClock, withinMs: of.timeoutMs, bytesMax: ANSWER_BYTES_MAX };
  return {
    /** The metadata of a table or dataset. */
    async describe({ project, dataset, table }: TablePlace, fields: string) {
      const path = `/datasets/${dataset}${table ? `/tables/${encodeURIComponent(table)}` : ''}`;
      const asked = ['GET', path, { fields }, undefined] as const;
      const answer = await smallCall(call, [...asked], { ...limits, project });
      return isObject(answer) ? answer : {};
    },
    /** The bytes that a query would read, from a dry run. */
    estimate: (query: BoundQuery) => inTime(of.timeoutMs, estimate(query)),
    /** Ends the dry runs that still go on. */
    end: () => over.abort(),
  };
}

/** The dataset; `isOut` if BigQuery gives no answer that another call could improve. */
export async function checkDataset(of: Deployment, ask: AskBigQuery) {
  const { project, dataset, datasetLocation } = of;
  const place = `${project}.${dataset}`;
  try {
    const { location } = await ask.describe({ project, dataset }, 'location');
    const isThere = isText(location) && location.toUpperCase() === datasetLocation.toUpperCase();
    const what = `The dataset ${place} is in ${String(location)}, but queries run in ${datasetLocation}`;
    const remedy = `set bigquery_location to ${String(location)} and npm run deploy, or --dataset-location ${String(location)}`;
    const found = isThere
      ? right(`BigQuery: the dataset ${place} is in ${location}`)
      : fault(what, remedy);
    return { findings: [found], isOut: false };
  } catch (error) {
    const findings = [faultOfTableCall(error, of, { project, dataset }, 'npm run deploy')];
    return { findings, isOut: isOut(error) };
  }
}

/** `missing` says how to get it where it does not exist. */
export function faultOfTableCall(
  error: unknown,
  { project, timeoutMs }: Deployment,
  place: TablePlace,
  missing: string,
): Finding {
  const name = [place.project, place.dataset, place.table ?? []].flat().join('.');
  const what = place.table === undefined ? 'dataset' : 'table';
  const isOfProject = errorCode(error) === 404 && String(error).includes('Not found: Project');
  return faultOfCall(error, {
    ...{ name: 'BigQuery', api: 'bigquery.googleapis.com', project, timeoutMs },
    missing: isOfProject
      ? [`The project ${place.project} does not exist`, 'gcloud projects list']
      : [`The ${what} ${name} does not exist`, missing],
    denied: [`You may not read the ${what} ${name}`, grantCommand(place)],
  });
}

/** For an owner of the project. */
export function grantCommand(place: TablePlace): string {
  return commandLine(['bq', `--project_id=${place.project}`, ...grantArgs(place, 'user:YOU')]);
}
