// The head of the open endpoint: its name, what it is, what it costs, and a link to what is on the page.
import { linkTo } from './call/link.ts';
import { CopyButton } from './copy-button.tsx';
import { valuesToSend } from './form/form-values.ts';
import { formatBytes, formatMs, formatSpan } from './format.ts';
import type { Endpoint } from './service.ts';
import { get, isLocal } from './state.ts';

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
  const most = `a run reads at most ${formatBytes(maxBytesBilled)}, ${formatUsd(maxUsd)}`;
  if (isLocal()) return ['No cost on this machine', `Deployed, ${most}`];
  const all = [`A${most.slice(1)}`];
  if (lastRun === undefined) return all;
  const { bytesProcessed, seconds, usd } = lastRun;
  const took = `${formatBytes(bytesProcessed)} in ${formatMs(1000 * seconds)}`;
  return [`Last run: ${took}, ${formatUsd(usd)}`, ...all];
}

/** Two digits of what is less than a dollar: `US$0.061`. */
function formatUsd(usd: number): string {
  if (usd === 0) return 'free of charge';
  const digits = usd < 1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 };
  return `US$${usd.toLocaleString('en', digits)}`;
}
