// The thread of a long analysis: starts an engine, analyses one query, and answers.
import { parentPort, workerData } from 'node:worker_threads';
import { startGoogleSql } from './google-sql.ts';
import { GoogleSqlError } from '../engine/error.ts';
import type { LongAnalysisOutcome, LongAnalysisTask } from './long-analyses.ts';

const { request, engine } = workerData as LongAnalysisTask;
parentPort?.postMessage(await outcome());

async function outcome(): Promise<LongAnalysisOutcome> {
  try {
    const googleSql = await startGoogleSql({ ...engine, analysesAll: true });
    try {
      return { analysis: await googleSql.analyze(request) };
    } finally {
      await googleSql.close();
    }
  } catch (err) {
    const { kind, message } = GoogleSqlError.from(err);
    return { kind, message };
  }
}
