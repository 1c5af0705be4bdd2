// The options of Terraform that the deployment passes on; every other one is refused before anything runs.

/** Those of `terraform plan` that end in the plan that is applied, and `-auto-approve`. */
const OF_PLAN = [
  ...['auto-approve', 'compact-warnings', 'input', 'lock', 'lock-timeout', 'no-color'],
  ...['parallelism', 'refresh', 'replace', 'target', 'var', 'var-file'],
];
/** Those that `terraform apply` takes beside a saved plan. */
export const OF_APPLY = /^--?(?:compact-warnings|lock|lock-timeout|no-color|parallelism)\b/;

/** Throws a `Fault` for another option, or an argument that is none. `more`: allowed too. */
export function refuseOptions(
  given: readonly string[],
  Fault: new (message: string) => Error,
  more: readonly string[] = [],
): void {
  const allowed = [...OF_PLAN, ...more];
  const other = given.find((one) => !allowed.includes(/^--?([\w-]+)/.exec(one)?.[1] ?? ''));
  if (other === undefined) return;
  throw new Fault(
    `${other} cannot be passed on. Options of Terraform, as -name=value: ${allowed.join(', ')}.`,
  );
}
