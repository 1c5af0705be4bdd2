// The menu that saves a chart as a picture: https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/
import { h } from '../dom.ts';
import { saveFile } from '../save-file.ts';

/** Of a pixel of the page. */
const SCALE = 2;

/** `name` is that of the file, without its ending. */
export function createSaveMenu(name: string, svgOf: () => string): HTMLElement {
  const button = h(
    'button',
    { class: 'quiet', type: 'button', 'aria-haspopup': 'menu', 'aria-expanded': 'false' },
    'Save',
  );
  const items = ['PNG', 'SVG'].map((label) => {
    const item = h('button', { class: 'quiet', type: 'button', role: 'menuitem', tabindex: '-1' });
    item.append(label);
    item.addEventListener('click', () => {
      open(false);
      button.focus();
      if (label === 'PNG') void savePng(name, svgOf());
      else saveFile(`${name}.svg`, new Blob([svgOf()], { type: 'image/svg+xml' }));
    });
    return item;
  });
  const menu = h('div', { role: 'menu', 'aria-label': 'Save the chart as', hidden: true });
  menu.append(...items);
  const element = h('div', { class: 'save-menu' }, button, menu);
  button.addEventListener('click', () => open(menu.hidden));
  element.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && element.contains(relatedTarget))) open(false);
  });
  element.addEventListener('keydown', (event) => {
    const focused = items.findIndex((item) => item === document.activeElement);
    if (menu.hidden && event.key !== 'ArrowDown') return;
    if (!['ArrowDown', 'ArrowUp', 'Home', 'End', 'Escape'].includes(event.key)) return;
    // Neither the series beside it nor the page has a use for the key.
    event.stopPropagation();
    event.preventDefault();
    if (event.key === 'Escape') {
      open(false);
      button.focus();
    } else if (menu.hidden) open(true);
    else {
      const next = { ArrowUp: focused - 1, Home: 0, End: -1 }[event.key] ?? focused + 1;
      items.at(next % items.length)?.focus();
    }
  });
  return element;

  function open(isOpen: boolean): void {
    menu.hidden = !isOpen;
    button.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) items[0]?.focus();
  }
}

/** The policy of the page allows pictures as `data:` alone. */
async function savePng(name: string, svg: string): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = h('canvas');
  canvas.width = image.width * SCALE;
  canvas.height = image.height * SCALE;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => {
    if (blob !== null) saveFile(`${name}.png`, blob);
  });
}
