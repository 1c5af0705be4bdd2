// Prints what each endpoint costs, by the size of a day of each table.
import { SETTINGS, readSetting } from '../../../functions/config.ts';
import { errorMessage } from '../../../functions/core/errors.ts';
import { UsageError } from '../../cli/command.ts';
import { formatTable } from '../../cli/table.ts';
import type { Cost, EndpointCost, Prices } from './endpoint-cost.ts';

/** Throws an Error that names the faulty value. An empty `price` counts as absent. */
export function readPrices(gbPerDay: string, price: string | undefined): Prices {
  if (!/^\d{1,9}(?:\.\d{1,9})?$/.test(gbPerDay) || Number(gbPerDay) === 0) {
    throw new UsageError(`--gb-per-day must be a positive number, such as 0.5, not "${gbPerDay}".`);
  }
  try {
    return { gbPerDay: Number(gbPerDay), pricePerTib: Number(readSetting('pricePerTib', price)) };
  } catch (error) {
    const { name } = SETTINGS.pricePerTib;
    throw new Error(`${name} ${errorMessage(error)}.`, { cause: error });
  }
}

/** A text table. */
export function formatCosts(
  costs: readonly EndpointCost[],
  prices: Prices & { maxBytes: number },
): string {
  const rows = costs.map(({ name, call, warming }) => [
    name,
    ...textsOf(call),
    ...textsOf(warming),
  ]);
  const sum = { bytes: 0, usd: 0 };
  for (const { warming } of costs) {
    sum.bytes += warming.bytes;
    sum.usd += warming.usd;
  }
  const total = rows.length > 1 ? [['all', '', '', ...textsOf(sum)]] : [];
  const header = ['ENDPOINT', 'A CALL READS UP TO', 'US$', 'A DAY OF WARMING', 'US$'];
  return `${formatTable([header, ...rows, ...total], [1, 2, 3, 4])}
If a day adds ${prices.gbPerDay} GB to each table (--gb-per-day, or gbPerDay in its table.json), at US$${prices.pricePerTib} per TiB (PRICE_PER_TIB). Warming: one result for each choice of listed values, of tables that change all the time.${refusals(costs, prices.maxBytes)}`;
}

/** A line for each endpoint whose calls or jobs of warming BigQuery would refuse for their bytes; `most` is the bound of the deployment. */
function refusals(costs: readonly EndpointCost[], most: number): string {
  const lines = costs.flatMap(({ name, call, warming, maxBytes: own = Infinity }) => {
    const max = Math.min(own, most);
    const ofJob = warming.jobs > 0 ? warming.bytes / warming.jobs : 0;
    const reads = [
      ...(call.bytes > max ? [`a call that reads ${gbText(call.bytes)}`] : []),
      ...(ofJob > max ? [`a job of warming that reads ${gbText(ofJob)}`] : []),
    ];
    if (reads.length === 0) return [];
    const bound = own < most ? 'maxBytesBilled in endpoint.json' : SETTINGS.maxBytesBilled.name;
    return [
      `\n${name}: BigQuery would refuse ${reads.join(', and ')}: more than ${bound} (${gbText(max)}).`,
    ];
  });
  return lines.join('');
}

function textsOf({ bytes, usd }: Cost): string[] {
  return [gbText(bytes), usdText(usd)];
}

/** `42.5 MB`: in GB or TB if that leaves at least one. */
function gbText(bytes: number): string {
  const [unit, size] = bytes >= 1e12 ? ['TB', 1e12] : bytes >= 1e9 ? ['GB', 1e9] : ['MB', 1e6];
  const number = bytes / size;
  return `${Number(number < 1 ? number.toFixed(1) : number.toPrecision(3))} ${unit}`;
}

function usdText(usd: number): string {
  return usd >= 1 ? usd.toFixed(2) : String(Number(usd.toPrecision(3)));
}
