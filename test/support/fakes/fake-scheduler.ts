// A fake Cloud Scheduler for the real client; it ends with the test, or the file, that starts it.
import { promisify } from 'node:util';
import { Server, ServerCredentials, loadPackageDefinition } from '@grpc/grpc-js';
import type { GrpcObject, sendUnaryData, ServerUnaryCall, ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { undo } from '../undo.ts';

const PROTOS = 'node_modules/@google-cloud/scheduler/build/protos';

/** A job of Cloud Scheduler as a deployment creates it. */
export const JOB = {
  name: 'projects/p/locations/l/jobs/warm',
  state: 'ENABLED',
  schedule: '*/5 * * * *',
  timeZone: 'Etc/UTC',
  lastAttemptTime: { seconds: 1_795_168_800 },
  scheduleTime: { seconds: 1_795_169_100 },
  status: { code: 0 },
};

export async function startFakeScheduler() {
  const fake = {
    /** The value of CLOUD_SCHEDULER_EMULATOR_HOST. */
    host: '',
    /** The port of the `warm` that `runJob` calls. */
    warmPort: undefined as number | undefined,
    calls: [] as { method: string; name: string }[],
    job: JOB as Record<string, unknown>,
    /** What each call fails with, or that it is never answered. */
    failWith: undefined as { code: number; details?: string } | 'stall' | undefined,
  };
  const definition = loadSync('google/cloud/scheduler/v1/cloudscheduler.proto', {
    includeDirs: [PROTOS, 'node_modules/google-gax/build/protos'],
    enums: String,
  });
  const { google } = loadPackageDefinition(definition) as { google: GrpcObject };
  const { v1 } = (google.cloud as { scheduler: { v1: GrpcObject } }).scheduler;
  const { service } = v1.CloudScheduler as unknown as { service: ServiceDefinition };
  const answer =
    (method: string) =>
    (call: ServerUnaryCall<{ name: string }, unknown>, done: sendUnaryData<unknown>): void => {
      fake.calls.push({ method, name: call.request.name });
      if (fake.failWith === 'stall') return;
      if (method === 'runJob' && fake.warmPort !== undefined) {
        const headers = { 'Content-Type': 'application/json' };
        const run = { method: 'POST', headers, body: '{}' };
        void fetch(`http://localhost:${fake.warmPort}`, run).catch(() => undefined);
      }
      if (fake.failWith === undefined) done(null, fake.job);
      else done({ details: 'refused', ...fake.failWith });
    };
  const server = new Server();
  undo(() => server.forceShutdown());
  const methods = ['getJob', 'runJob', 'pauseJob', 'resumeJob'];
  server.addService(service, Object.fromEntries(methods.map((method) => [method, answer(method)])));
  const bind = promisify(server.bindAsync.bind(server));
  fake.host = `127.0.0.1:${await bind('127.0.0.1:0', ServerCredentials.createInsecure())}`;
  return fake;
}
