// Finds elements of the page by id, creates new ones, and reads what the service says about itself in it.

/** The element with this id; throws if the page has none. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no #${id}.`);
  return element as T;
}

/** Whether the service runs queries on the local BigQuery, which costs nothing. */
export function isLocal(): boolean {
  return document.documentElement.dataset.bigquery === 'local';
}

/** An element with attributes (false and undefined leave one out) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string | boolean | undefined> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === false || value === undefined) continue;
    element.setAttribute(attribute, value === true ? '' : value);
  }
  element.append(...children);
  return element;
}
