// Calls of the endpoints with parameters of every type, with the real client, engine and stores.
import { tablesBeside } from '../cases.ts';
import { SAMPLES_FIELDS, loadTypedEndpoints } from '../sql/typed-endpoints.ts';
import { startService } from '../world.ts';

interface Answer {
  result?: Record<string, unknown>[];
  error?: { message: string; details: Detail[] };
}
interface Detail {
  reason?: string;
  fieldViolations?: { field: string; description: string }[];
}

/** The first row, and what a test asks of an answer. */
type Told = Record<string, unknown>;

/** By name: the calls of a test, with what is expected of each. Its status is 200, unless there are faults. */
export const callsBeside = (testFile: string) => tablesBeside<[call: string, told: Told]>(testFile);

export async function startTypedService() {
  const rows = [1, 2, 3, 4].map((id) => ({ id, date: `2026-11-0${id}` }));
  const tables = [{ name: 'samples', fields: SAMPLES_FIELDS, rows }];
  const service = await startService({ tables, catalogue: loadTypedEndpoints() });

  async function ask(call: string): Promise<Told> {
    const answer = await service.ask(call);
    const { result = [], error } = answer.body as Answer;
    const { details = [], message } = error ?? {};
    const violations = details.flatMap(({ fieldViolations = [] }) => fieldViolations);
    for (const { field, description } of violations) {
      expect(message).toContain(`${field} ${description}`);
    }
    return {
      status: answer.status,
      /** `hit` or `fwd=uri-miss`. */
      cache: String(answer.headers['cache-status']).split('; ')[1],
      faults: violations.map(({ field, description }) => [field, description]),
      reason: details.find(({ reason }) => reason !== undefined)?.reason,
      ids: result.map(({ id }) => id),
      ...result[0],
    };
  }

  async function expectCalls(calls: readonly [call: string, told: Told][]): Promise<void> {
    for (const [call, told] of calls) {
      const status = 'faults' in told ? 400 : 200;
      expect([call, await ask(call)]).toMatchObject([call, { status, ...told }]);
    }
  }

  return { ask, expectCalls };
}
