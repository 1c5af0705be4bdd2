// What Terraform refuses in the variables of infra/ before it plans anything: it evaluates their validations itself.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from '@cdktf/hcl2json';
import { WITHOUT_TERRAFORM, terraform, withTerraform } from './support/terraform.ts';

let folder: string;

/** variables.tf with the few values of other files that it looks at, and nothing that needs a provider. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'infra-variables-'));
  cpSync('infra/variables.tf', join(folder, 'variables.tf'));
  const { locals } = (await parse('main.tf', readFileSync('infra/main.tf', 'utf8'))) as {
    locals: [{ setting_defaults: Record<string, string> }];
  };
  const { setting_defaults } = locals[0];
  const values = {
    setting_defaults,
    bigquery_dataset: 'saved_query_logs',
    keys_database: 'saved-queries',
    sources: ['orders', 'edge_logs'],
  };
  writeFileSync(join(folder, 'locals.tf.json'), JSON.stringify({ locals: values }));
  writeFileSync(join(folder, 'function.zip'), '');
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Plans with these variables beside the required ones. */
function plan(variables: object): { status: number | null; output: string } {
  const all = { project_id: 'my-project', source_zip: 'function.zip', ...variables };
  writeFileSync(join(folder, 'terraform.tfvars.json'), JSON.stringify(all));
  const { status, output } = terraform(folder, ['plan', '-input=false', '-no-color']);
  // Terraform draws a frame and breaks lines.
  return { status, output: output.replaceAll(/[│╷╵\s]+/g, ' ') };
}

const POSITION =
  'FORWARDED_FOR_POSITION above 1 needs query_ingress = "ALLOW_INTERNAL_AND_GCLB": a caller who reaches `query` without the load balancer could state any address.';

describe(`Terraform${WITHOUT_TERRAFORM}`, () => {
  withTerraform.each<[string, object, string]>([
    [
      'an ingress that Cloud Run does not know',
      { query_ingress: 'all' },
      'query_ingress must be ALLOW_ALL, ALLOW_INTERNAL_AND_GCLB or ALLOW_INTERNAL_ONLY.',
    ],
    [
      'addresses stated by a load balancer that anyone can pass by',
      { settings: { FORWARDED_FOR_POSITION: '2' } },
      POSITION,
    ],
    [
      'addresses stated by a load balancer that nobody uses',
      { settings: { FORWARDED_FOR_POSITION: '2' }, query_ingress: 'ALLOW_INTERNAL_ONLY' },
      POSITION,
    ],
    [
      'a view for a source that does not exist',
      { log_tables: { page_views: 'other-project.logs.views' } },
      'log_tables names a source that cannot be a view here. Known are orders, edge_logs.',
    ],
  ])('refuses %s', (_, variables, message) => {
    const { status, output } = plan(variables);
    expect(output).toContain(message);
    expect(status).toBe(1);
  });

  withTerraform.each<[string, object]>([
    ['the defaults', {}],
    [
      'a load balancer that nobody passes by',
      {
        settings: { FORWARDED_FOR_POSITION: '2' },
        query_ingress: 'ALLOW_INTERNAL_AND_GCLB',
      },
    ],
    ['a view for any source', { log_tables: { orders: 'other-project.crm.orders' } }],
  ])('accepts %s', (_, variables) => {
    expect(plan(variables)).toMatchObject({ status: 0 });
  });
});
