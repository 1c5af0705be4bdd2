// What Terraform refuses in the variables of infra/ before it plans anything: it evaluates their validations itself.
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { casesBeside } from '../support/cases.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { infra } from './read-infra.ts';
import { describeWithTerraform, terraform } from './terraform.ts';

const cases = casesBeside(import.meta.filename);

/**
 * Plans with these variables beside the required ones: variables.tf with the few values of other files that it looks at, and nothing
 * that needs a provider.
 */
function plan(variables: object): { status: number | null; output: string } {
  const folder = testDirectory('infra-variables-');
  cpSync('infra/variables.tf', join(folder, 'variables.tf'));
  for (const name of ['settings.json', 'defaults.json', 'key-rules.yaml']) {
    cpSync(`infra/${name}`, join(folder, name));
  }
  const values = {
    defaults: infra.local('defaults'),
    known_settings: infra.local('known_settings'),
    setting_defaults: infra.local('setting_defaults'),
    setting_ranges: infra.local('setting_ranges'),
    partition_days_max: infra.local('partition_days_max'),
    expiring_partitions: { edge_logs: 'HOUR', orders: 'DAY' },
    bigquery_location: 'EU',
    names: '${merge(local.defaults, var.names)}',
    sources: ['orders', 'edge_logs'],
  };
  writeFileSync(join(folder, 'locals.tf.json'), JSON.stringify({ locals: values }));
  cpSync('test/sql', join(folder, 'sql'), { recursive: true });
  const all = { project_id: 'my-project', sql_directory: 'sql', ...variables };
  writeFileSync(join(folder, 'terraform.tfvars.json'), JSON.stringify(all));
  const { status, output } = terraform(folder, ['plan', '-input=false', '-no-color']);
  // Terraform draws a frame and breaks lines.
  return { status, output: output.replaceAll(/[│╷╵\s]+/g, ' ') };
}

describeWithTerraform('Terraform', () => {
  // Terraform reports the faults of all variables at once.
  type Refused = [plan: number, message: string, variables: { settings?: object; names?: object }];
  it.each([...Map.groupBy(cases<Refused>('refused'), ([number]) => number)])(
    'refuses what the messages of plan %i name',
    (_, ofPlan) => {
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

  it('names the key and the attribute at fault, all of them at once', () => {
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

  it.each(cases<object>('accepted'))('accepts %j', (variables) => {
    expect(plan(variables)).toMatchObject({ status: 0 });
  });
});
