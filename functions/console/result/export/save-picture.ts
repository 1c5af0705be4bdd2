// Saves the chart as a picture.
import { h } from '../../dom.ts';
import { saveFile } from '../../save-file.ts';

/** Of a pixel of the page. */
const SCALE = 2;

/** The policy of the page allows pictures as `data:` alone. */
export async function savePicture(name: string, svg: string, isPng: boolean): Promise<void> {
  if (!isPng) {
    saveFile(`${name}.svg`, new Blob([svg], { type: 'image/svg+xml' }));
    return;
  }
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
