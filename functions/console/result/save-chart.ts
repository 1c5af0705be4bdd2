// The menu that saves a chart as a picture.
import { h } from '../dom.ts';
import { saveFile } from '../save-file.ts';

/** Of a pixel of the page. */
const SCALE = 2;

interface Picture {
  /** Of the file, without its ending. */
  name: string;
  svg: string;
}

export function createSaveMenu(draw: () => Picture): HTMLElement {
  const summary = h('summary', { class: 'quiet' }, 'Save');
  const [png, svg] = ['PNG', 'SVG'].map((label) =>
    h('button', { class: 'quiet', type: 'button' }, label),
  );
  png?.addEventListener('click', () => void savePng(draw()));
  svg?.addEventListener('click', () => {
    const picture = draw();
    saveFile(`${picture.name}.svg`, new Blob([picture.svg], { type: 'image/svg+xml' }));
  });
  const menu = h('details', { class: 'save-menu' }, summary, h('div', {}, png ?? '', svg ?? ''));
  menu.addEventListener('click', ({ target }) => {
    if (target !== summary) close();
  });
  menu.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && menu.open) close();
  });
  menu.addEventListener('focusout', ({ relatedTarget }) => {
    if (!menu.contains(relatedTarget as Node | null)) menu.open = false;
  });
  return menu;

  function close(): void {
    menu.open = false;
    summary.focus();
  }
}

/** The policy of the page allows pictures as `data:` alone. */
async function savePng({ name, svg }: Picture): Promise<void> {
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
