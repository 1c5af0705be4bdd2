// Writes a chart as an SVG file: its title, its series, its panels and its notes, with colours and font of its own.
import type { Drawn } from '../plan/chart-plan.ts';
import { type Mark, type Measure, fitText, inkOf, text } from './drawing.ts';
import { layOut } from './lay-out.ts';
import { DASHES, DOT, FONT_PX, LINE_WIDTH, type Theme, colourOf } from './paint.ts';

const WIDTH = 960;
const PADDING = 20;
const LINE = 20;
const SVG = 'http://www.w3.org/2000/svg';

interface SvgOptions {
  title: string;
  theme: Theme;
  /** Names of series. */
  hidden: ReadonlySet<string>;
  measure: Measure;
}

export function toSvg(plan: Drawn, { title, theme, hidden, measure }: SvgOptions): string {
  const width = WIDTH - 2 * PADDING;
  const { panels } = layOut(plan, { width, hidden, isNamed: false, measure });
  let y = PADDING + LINE;
  const marks = namesOf(plan, hidden, width, measure).map((row) => {
    y += LINE;
    return moved(row, y - LINE, theme);
  });
  plan.panels.forEach((panel, index) => {
    const { height = 0, marks: own = [] } = panels[index] ?? {};
    const heading = [
      text(0, LINE / 2, panel.title, { ink: 'text', isStrong: true }),
      text(measure(panel.title) + 8, LINE / 2, panel.unit),
    ];
    marks.push(moved(heading, y, theme), moved(own, y + LINE, theme));
    y += LINE + height + 8;
  });
  const off = [...new Set(plan.panels.flatMap(({ series }) => series.map(({ name }) => name)))];
  const left = off.filter((name) => hidden.has(name));
  const notes = [...plan.notes, ...(left.length === 0 ? [] : [`Hidden: ${left.join(', ')}.`])];
  for (const line of notes.flatMap((note) => wrapped(note, width, measure))) {
    marks.push(moved([text(0, LINE / 2, fitText(line, width, measure))], y, theme));
    y += LINE;
  }
  const height = y + PADDING / 2;
  const all = [
    tag('title', {}, escaped(title)),
    tag('desc', {}, escaped(left.length === 0 ? plan.text : '')),
    tag('rect', { width: WIDTH, height, fill: theme.surface }),
    tag(
      'text',
      { x: PADDING, y: PADDING + 8, 'font-size': 16, 'font-weight': 600, fill: theme.text },
      escaped(title),
    ),
    ...marks,
  ];
  const font = { 'font-family': theme.fontFamily, 'font-size': FONT_PX };
  return tag('svg', { xmlns: SVG, width: WIDTH, height, ...font }, all.join('\n'));
}

/** In lines that fit, as far as words do. */
function wrapped(note: string, width: number, measure: Measure): string[] {
  const lines = [''];
  for (const word of note.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (measure(longer) <= width || lines.at(-1) === '') lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Rows of names, if there is more than one. */
function namesOf(
  { panels }: Drawn,
  hidden: ReadonlySet<string>,
  width: number,
  measure: Measure,
): Mark[][] {
  const series = new Map(panels.flatMap((panel) => panel.series.map((one) => [one.name, one])));
  const shown = [...series.values()].filter(({ name }) => !hidden.has(name));
  if (series.size < 2) return [];
  const rows: Mark[][] = [[]];
  let x = 0;
  for (const one of shown) {
    const label = fitText(one.label, width / 2, measure);
    const end = x + 16 + measure(label);
    if (end > width) {
      rows.push([]);
      x = 0;
    }
    rows
      .at(-1)
      ?.push(
        { kind: 'dot', x: x + 5, y: LINE / 2, ink: inkOf(one) },
        text(x + 14, LINE / 2, label, { ink: 'text' }),
      );
    x += 32 + measure(label);
  }
  return rows;
}

function moved(marks: readonly Mark[], y: number, theme: Theme): string {
  const written = marks.map((mark) => elementOf(mark, theme)).join('');
  return tag('g', { transform: `translate(${PADDING} ${y})` }, written);
}

function elementOf(mark: Mark, theme: Theme): string {
  const { kind } = mark;
  const colour = colourOf(mark.ink, theme);
  const isDashed = 'isDashed' in mark && mark.isDashed;
  const stroke = {
    ...{ fill: 'none', stroke: colour, 'stroke-width': kind === 'path' ? LINE_WIDTH : 1 },
    ...(isDashed && { 'stroke-dasharray': DASHES.join() }),
  };
  if (kind === 'rule')
    return tag('path', { d: `M${mark.x1},${mark.y1},${mark.x2},${mark.y2}`, ...stroke });
  if (kind === 'path')
    return tag('path', { d: `M${mark.points.flat().map(rounded).join()}`, ...stroke });
  const { x, y } = mark;
  if (kind === 'dot') return tag('circle', { cx: x, cy: y, r: DOT, fill: colour });
  if (kind === 'text') {
    const anchor = { left: 'start', center: 'middle', right: 'end' }[mark.align];
    const weight = mark.isStrong ? 600 : 400;
    // Not every program knows the middle of a line.
    const place = { x, y: y + FONT_PX * 0.35, 'text-anchor': anchor };
    return tag('text', { ...place, 'font-weight': weight, fill: colour }, escaped(mark.text));
  }
  const { width, height } = mark;
  return tag('rect', { x, y, width, height, ...(isDashed ? stroke : { fill: colour }) });
}

function tag(name: string, attributes: Record<string, string | number>, content = ''): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${typeof value === 'number' ? rounded(value) : escaped(value)}"`,
  );
  return `<${name}${written.join('')}>${content}</${name}>`;
}

function rounded(place: number): number {
  return Math.round(place * 100) / 100;
}

/** Also without the characters that no XML may contain. */
function escaped(content: string): string {
  return content
    .replaceAll(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '?')
    .replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
