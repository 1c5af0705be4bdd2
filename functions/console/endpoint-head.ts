// The head of the open endpoint: its name and what it is.
import { byId, h, isLocal } from './dom.ts';
import { formatBytes } from './format-bytes.ts';
import { shorten } from './call/inspect-link.ts';
import { formatSpan } from './format-span.ts';
import type { Link } from './call/link.ts';
import type { Endpoint } from './service.ts';

/** Shows the name and what it is, or why no endpoint is open. */
export function showHead(
  endpoint: Endpoint | undefined,
  link: Pick<Link, 'name'> | 'too long' | undefined,
): void {
  byId('endpoint').hidden = endpoint === undefined;
  byId('nothing').hidden = endpoint !== undefined;
  document.title = endpoint === undefined ? 'Saved queries' : `${endpoint.name} · Saved queries`;
  if (endpoint === undefined) {
    const [title, text] = whyNone(link);
    byId('nothing').replaceChildren(
      h('h1', { class: 'empty-title' }, title),
      h('p', { class: 'muted' }, text),
    );
    return;
  }
  byId('name').textContent = endpoint.name;
  byId('description').textContent = endpoint.description;
  byId('facts').textContent = [
    endpoint.cacheWarmingSeconds === 0
      ? ''
      : `refreshed every ${formatSpan(endpoint.cacheWarmingSeconds)}`,
    `never older than ${formatSpan(endpoint.cachingSeconds)}`,
    `at most ${endpoint.maxRows.toLocaleString('en')} rows`,
  ]
    .filter((fact) => fact !== '')
    .join(' · ');
  byId('cost').textContent = costFacts(endpoint).join(' · ');
}

/** What the last run took, and what one may cost. */
function costFacts({ cost }: Endpoint): string[] {
  if (cost === undefined) return [];
  const { lastRun, maxBytesBilled, maxUsd } = cost;
  const most = `a run reads at most ${formatBytes(maxBytesBilled)}, ${formatUsd(maxUsd)}`;
  if (isLocal()) return ['No cost on this machine', `Deployed, ${most}`];
  const last =
    lastRun &&
    `Last run: ${formatBytes(lastRun.bytesProcessed)} in ${formatDuration(lastRun.seconds)}, ${formatUsd(lastRun.usd)}`;
  return [...(last ? [last] : []), `A${most.slice(1)}`];
}

function formatDuration(seconds: number): string {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;
}

/** Two digits of what is less than a dollar: `US$0.061`. */
function formatUsd(usd: number): string {
  if (usd === 0) return 'free of charge';
  const digits = usd < 1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 };
  return `US$${usd.toLocaleString('en', digits)}`;
}

function whyNone(link: Pick<Link, 'name'> | 'too long' | undefined): [title: string, text: string] {
  if (link === undefined)
    return [
      'No endpoints',
      'The key or token is valid, but opens no endpoint. Ask for access to one.',
    ];
  const choose = 'Choose one from the list.';
  if (link === 'too long') return ['This link is too long', `It was ignored. ${choose}`];
  const text = `There is no endpoint ${shorten(link.name)} to which you have access. ${choose}`;
  return ['No such endpoint', text];
}
