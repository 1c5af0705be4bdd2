// Copies a link to what is on the page, and describes what it contains.
import { linkTo } from './link.ts';
import { copyText } from '../copy-text.ts';
import { byId } from '../dom.ts';
import { readFields } from '../form/form.ts';
import type { Endpoint, Parameters } from '../service.ts';
import type { Store, View } from '../store.ts';

const LABEL = 'Copy link';

/** Mentions the view only if it is not the one that every endpoint starts with. */
function describeLink(endpoint: Endpoint, parameters: Parameters, view: View): string {
  const names = Object.keys(parameters);
  const { length } = view.hiddenColumns;
  const views = [
    ...(view.tab === 'result' ? [] : [`the tab ${view.tab}`]),
    ...(length === 0 ? [] : [length === 1 ? '1 hidden column' : `${length} hidden columns`]),
    ...(view.columnOrder.length === 0 ? [] : ['the order of columns']),
    ...(view.drawnSeries.length === 0 ? [] : ['the series of the chart']),
  ];
  const filled = names.length === 0 ? 'no values' : `the values of ${names.join(', ')}`;
  const viewed = views.length === 0 ? '' : `, with ${views.join(', ')}`;
  return `A link to ${endpoint.name} with ${filled}${viewed}. It contains neither the key nor the rows.`;
}

export function createCopyLink(store: Store): void {
  const [button, note, address] = [byId('copy-link'), byId('link-note'), byId('link-address')];
  for (const event of ['pointerenter', 'focus']) button.addEventListener(event, describe);
  button.addEventListener('click', () => void copy());

  function describe(): void {
    const { current, view } = store.get();
    if (current === undefined) return;
    const parameters = readFields(current);
    const { origin, pathname } = location;
    address.textContent = origin + pathname + linkTo({ name: current.name, parameters, view });
    note.textContent = describeLink(current, parameters, view);
  }

  async function copy(): Promise<void> {
    describe();
    address.hidden = false;
    const isCopied = await copyText(address);
    address.hidden = isCopied;
    button.textContent = isCopied ? 'Link copied' : 'Selected, now copy';
    byId('status').textContent = isCopied ? `The link is copied. ${note.textContent}` : '';
    setTimeout(() => (button.textContent = LABEL), 2000);
  }
}
