// What Terraform refuses in the variables of infra/ before it plans anything: it evaluates their validations itself.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@cdktn/hcl2json';
import { casesBeside } from '../support/cases.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { WITHOUT_TERRAFORM, terraform, withTerraform } from './terraform.ts';

const cases = casesBeside(import.meta.filename);

type Variables = Record<'settings' | 'names', object | undefined>;

let folder: string;

/** variables.tf with the few values of other files that it looks at, and nothing that needs a provider. */
beforeAll(async () => {
  folder = testDirectory('infra-variables-');
  cpSync('infra/variables.tf', join(folder, 'variables.tf'));
  for (const name of ['settings.json', 'defaults.json', 'key-rules.yaml']) {
    cpSync(`infra/${name}`, join(folder, name));
  }
  const localsOf = async (file: string): Promise<Record<string, unknown>> => {
    const read = (await parse(file, readFileSync(`infra/${file}`, 'utf8'))) as { locals: [object] };
    return { ...read.locals[0] };
  };
  const { defaults, known_settings, setting_defaults, setting_ranges } = await localsOf('main.tf');
  const values = {
    ...{ defaults, known_settings, setting_defaults, setting_ranges },
    partition_days_max: (await localsOf('tables.tf')).partition_days_max,
    expiring_partitions: { edge_logs: 'HOUR', orders: 'DAY' },
    bigquery_location: 'EU',
    names: '${merge(local.defaults, var.names)}',
    sources: ['orders', 'edge_logs'],
  };
  writeFileSync(join(folder, 'locals.tf.json'), JSON.stringify({ locals: values }));
  cpSync('test/sql', join(folder, 'sql'), { recursive: true });
});

/** Plans with these variables beside the required ones. */
function plan(variables: object): { status: number | null; output: string } {
  const all = {
    project_id: 'my-project',
    sql_directory: 'sql',
    ...variables,
  };
  writeFileSync(join(folder, 'terraform.tfvars.json'), JSON.stringify(all));
  const { status, output } = terraform(folder, ['plan', '-input=false', '-no-color']);
  // Terraform draws a frame and breaks lines.
  return { status, output: output.replaceAll(/[│╷╵\s]+/g, ' ') };
}

describe(`Terraform${WITHOUT_TERRAFORM}`, () => {
  // Terraform reports the faults of all variables at once.
  const refused = cases<[plan: number, message: string, variables: Variables]>('refused');
  withTerraform().each([...new Set(refused.map(([number]) => number))])(
    'refuses what the messages of plan %i name',
    (number) => {
      const ofPlan = refused.filter(([one]) => one === number);
      const parts = ofPlan.map(([, , variables]) => variables);
      const merged = (name: 'settings' | 'names') =>
        Object.assign({}, ...parts.map((one) => one[name])) as object;
      const [settings, names] = [merged('settings'), merged('names')];
      const { status, output } = plan({
        ...(Object.assign({}, ...parts) as object),
        settings,
        names,
      });
      const messages = ofPlan.map(([, message]) => message);
      expect(messages.filter((message) => !output.includes(message))).toEqual([]);
      expect(status).toBe(1);
    },
  );

  withTerraform()('names the key and the attribute at fault, all of them at once', () => {
    const KEY_FAULTS = cases<[fault: string, key: object]>('faulty keys');
    const valid = { valid: { endpoints: ['*'] } };
    const named = KEY_FAULTS.map(([, key], index) => [`k${index}`, { endpoints: ['*'], ...key }]);
    const faulty = Object.fromEntries(named) as object;
    const { status, output } = plan({ api_keys: { ...valid, ...faulty } });
    expect(status).toBe(1);
    const missing = KEY_FAULTS.map(([fault], index) => fault.replace('partner', `k${index}`));
    expect(missing.filter((fault) => !output.includes(fault))).toEqual([]);
    expect(output).not.toMatch(/key valid/);
    const together = Object.fromEntries(cases<[name: string, key: object]>('keys together'));
    const { output: others } = plan({ api_keys: together });
    expect(cases<string>('their faults').filter((fault) => !others.includes(fault))).toEqual([]);
    for (const api_keys of [['a'], 'a', { a: 'b' }, [{ endpoints: ['*'] }]])
      expect(plan({ api_keys }).output).toMatch(
        /api_keys maps a name to an object|the name "0" must/,
      );
  });

  withTerraform().each(cases<object>('accepted'))('accepts %j', (variables) => {
    expect(plan(variables)).toMatchObject({ status: 0 });
  });
});
