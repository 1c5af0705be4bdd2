// Analyses long queries in a thread of their own, with an engine of its own, within bounds of time and memory.
import { Worker } from 'node:worker_threads';
import type { AnalyzeRequest } from '../analysis/google-sql.ts';
import type { EngineProcessOptions } from '../engine/engine-process.ts';
import { type GoogleSqlErrorKind, GoogleSqlError } from '../engine/error.ts';
import type { Analysis } from '../analysis/sql-script.ts';

/** What the thread is given, and what it answers. */
export interface LongAnalysisTask {
  request: AnalyzeRequest;
  engine: EngineProcessOptions;
}
export type LongAnalysisOutcome =
  { analysis: Analysis } | { kind: GoogleSqlErrorKind; message: string };

/** Of the engine of the thread: its answer has about a twentieth of that. */
const ENGINE_MIB = 512;
/** Of what the thread makes of the answer. */
const HEAP_MIB = 256;
/** For expressions that are nested thousands of times. */
const STACK_MIB = 32;
const TIME_MS = 30_000;

/** One runs at a time, so that the bounds hold for all together. */
export function analysesApart(engine: EngineProcessOptions) {
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();
  let running: Worker | undefined;

  async function run(request: AnalyzeRequest): Promise<Analysis> {
    requireOpen();
    const task: LongAnalysisTask = { request, engine: { ...engine, memoryMaxMib: ENGINE_MIB } };
    const worker = new Worker(new URL('./long-analysis-thread.ts', import.meta.url), {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB, stackSizeMb: STACK_MIB },
    });
    running = worker;
    const timer = setTimeout(() => void worker.terminate(), TIME_MS);
    try {
      const outcome = await outcomeOf(worker);
      requireOpen();
      if ('analysis' in outcome) return outcome.analysis;
      if (outcome.kind !== 'too-large') throw new GoogleSqlError(outcome.kind, outcome.message);
      const message = `Resources exceeded during query planning: ${outcome.message}, which is a bound of the local BigQuery alone`;
      throw new GoogleSqlError('unsupported', message);
    } finally {
      clearTimeout(timer);
      running = undefined;
      await worker.terminate();
    }
  }

  function requireOpen(): void {
    if (isClosed) throw new GoogleSqlError('engine', 'the GoogleSQL engine is closed');
  }

  return {
    /** Throws `GoogleSqlError`: of the kind `unsupported` over a bound. */
    analyze(request: AnalyzeRequest): Promise<Analysis> {
      const analysis = last.then(() => run(request));
      last = analysis.catch(() => undefined);
      return analysis;
    },
    /** Ends the one that is under way, and all that wait. */
    async close(): Promise<void> {
      isClosed = true;
      await running?.terminate();
      await last;
    },
  };
}

/** A thread without an answer was ended: by its bounds, or because the engine is closed. */
async function outcomeOf(worker: Worker): Promise<LongAnalysisOutcome> {
  return await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', (err: NodeJS.ErrnoException) => {
      const isOfBound = err.code === 'ERR_WORKER_OUT_OF_MEMORY' || err instanceof RangeError;
      if (!isOfBound) return reject(GoogleSqlError.from(err));
      resolve({ kind: 'too-large', message: `the analysis takes more than ${HEAP_MIB} MiB` });
    });
    worker.once('exit', () => {
      resolve({
        kind: 'too-large',
        message: `the analysis takes more than ${TIME_MS / 1000} seconds`,
      });
    });
  });
}
