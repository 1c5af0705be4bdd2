// The head of the open endpoint: its name, what it is, what it costs, and a link to what is on the page.
import { linkTo } from './call/link.ts';
import { CopyButton } from './copy-button.tsx';
import { valuesToSend } from './form/form-values.ts';
import { formatBytes, formatMs, formatSpan } from './format.ts';
import type { Endpoint } from './service.ts';
import { get, isLocal } from './state.ts';

/** At least two digits: `US$0.061`. */
const USD = new Intl.NumberFormat('en-GB', {
  ...{ style: 'currency', currency: 'USD', roundingPriority: 'morePrecision' },
  ...{ maximumFractionDigits: 2, maximumSignificantDigits: 2 },
});

export function EndpointHead({ endpoint }: { endpoint: Endpoint }) {
  const { name, description, cachingSeconds, cacheWarmingSeconds, maxRows } = endpoint;
  const facts = [
    cacheWarmingSeconds > 0 && `refreshed every ${formatSpan(cacheWarmingSeconds)}`,
    `never older than ${formatSpan(cachingSeconds)}`,
    `at most ${maxRows.toLocaleString('en')} rows`,
  ];
  return (
    <header class="endpoint-head row">
      <h1 id="name">{name}</h1>
      <p class="muted small" id="facts">
        {facts.filter(Boolean).join(' · ')}
      </p>
      <CopyButton
        id="copy-link"
        class="quiet end"
        label="Copy link"
        title="With the values of the form and the view, but neither the key nor the rows"
        text={() => {
          const { draft, view } = get();
          const parameters = valuesToSend(endpoint, draft);
          return location.origin + location.pathname + linkTo({ name, parameters, view });
        }}
      />
      <p class="muted" id="description">
        {description}
      </p>
      <p class="muted small" id="cost">
        {costFacts(endpoint).join(' · ')}
      </p>
    </header>
  );
}

/** What the last run took, and what one may cost. */
function costFacts({ cost }: Endpoint): string[] {
  if (cost === undefined) return [];
  const { lastRun, maxBytesBilled, maxUsd } = cost;
  const most = `a run reads at most ${formatBytes(maxBytesBilled)}, ${USD.format(maxUsd)}`;
  if (isLocal()) return ['No cost on this machine', `deployed, ${most}`];
  if (lastRun === undefined) return [most];
  const { bytesProcessed, seconds, usd } = lastRun;
  const took = `${formatBytes(bytesProcessed)} in ${formatMs(1000 * seconds)}`;
  return [`last run: ${took}, ${USD.format(usd)}`, most];
}
