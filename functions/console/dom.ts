// Elements of the page: those that are there, found by id, and those that are made.

/** The element of the page with this id; throws where page and script do not fit together. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no #${id}.`);
  return element as T;
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
