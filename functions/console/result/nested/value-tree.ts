// Shows a list, a record or JSON as a tree that opens and closes, by pointer and by keyboard.
import { h } from '../../dom.ts';
import { countText, isContainer, scalarText } from './parts-of.ts';

type Container = Record<string, unknown> | unknown[];

/** A longer value starts with its first level alone. */
const OPEN_CHARACTERS_MAX = 4000;
/** Of one level: more takes a browser long to lay out. */
const ITEMS_MAX = 500;

export function valueTree(value: Container): HTMLElement {
  const isOpen = JSON.stringify(value).length <= OPEN_CHARACTERS_MAX;
  const tree = h('div', { class: 'tree' }, level(value, isOpen));
  tree.addEventListener('keydown', onKey);
  return tree;
}

function level(value: Container, isOpen: boolean): HTMLElement {
  const isList = Array.isArray(value);
  const items = Object.entries(value);
  const lines = items.slice(0, ITEMS_MAX).map(([key, item]) => {
    const name = isList ? `[${Number(key) + 1}]` : key;
    const label = h('span', { class: isList ? 'muted' : 'key' }, name);
    return h(
      'li',
      {},
      isContainer(item) ? branch(label, item, isOpen) : h('div', {}, label, ' ', leaf(item)),
    );
  });
  const others = items.length - lines.length;
  if (others > 0) lines.push(h('li', { class: 'muted' }, `${others} more, which Copy takes too`));
  return h('ul', {}, ...lines);
}

function branch(label: HTMLElement, value: Container, isOpen: boolean): HTMLElement {
  const count = h('span', { class: 'muted' }, countText(value));
  const details = h('details', { open: isOpen }, h('summary', {}, label, ' ', count));
  const fill = (): void => {
    if (details.open && details.children.length === 1) details.append(level(value, isOpen));
  };
  details.addEventListener('toggle', fill);
  fill();
  return details;
}

function leaf(value: unknown): HTMLElement {
  const isNothing = value === null || value === '';
  return h(
    'span',
    { class: isNothing ? 'null' : undefined },
    value === '' ? '""' : scalarText(value),
  );
}

/** As in a tree of the ARIA Authoring Practices Guide. */
function onKey(event: KeyboardEvent): void {
  const summary = event.target;
  const tree = event.currentTarget as HTMLElement;
  if (!(summary instanceof HTMLElement) || summary.tagName !== 'SUMMARY') return;
  const details = summary.parentElement as HTMLDetailsElement;
  const all = [...tree.querySelectorAll('summary')].filter((one) => one.checkVisibility());
  const index = all.indexOf(summary);
  const parent = details.parentElement?.closest('details')?.querySelector('summary');
  const next = {
    ArrowUp: all[index - 1],
    ArrowDown: all[index + 1],
    Home: all[0],
    End: all.at(-1),
    ArrowLeft: details.open ? summary : parent,
    ArrowRight: details.open ? all[index + 1] : summary,
  }[event.key];
  if (event.key === 'ArrowLeft') details.open = false;
  if (event.key === 'ArrowRight') details.open = true;
  if (next == null) return;
  event.preventDefault();
  next.focus();
}
