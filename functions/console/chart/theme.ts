// The colours of a chart: CSS on the page, and what they are at the moment for a canvas, which does not read CSS.
import { useEffect, useState } from 'preact/hooks';

const SERIES = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => `var(--series-${index})`);
/** Of more series: their colours mixed with a part of a colour of the page. */
const MIXED = ['var(--text) 45%', 'var(--surface) 40%'].flatMap((part) =>
  SERIES.map((one) => `color-mix(in srgb, ${one}, ${part})`),
);
const COLOURS = [...SERIES, ...MIXED];

/** As CSS, of a series by the index of its colour; undefined for the series of all others. */
export function colourOf(index: number | undefined): string {
  return COLOURS[(index ?? NaN) % COLOURS.length] ?? 'var(--series-others)';
}

export interface Theme {
  fontFamily: string;
  /** A colour for a canvas. */
  inkOf: (css: string) => string;
}

/** Another one when the system changes between light and dark. */
export function useTheme(): Theme {
  const [theme, change] = useState(readTheme);
  useEffect(() => {
    const colours = matchMedia('(prefers-color-scheme: dark)');
    const onChange = (): void => change(readTheme());
    colours.addEventListener('change', onChange);
    return () => colours.removeEventListener('change', onChange);
  }, []);
  return theme;
}

function readTheme(): Theme {
  const known = new Map<string, string>();
  const compute = (css: string): string => {
    const probe = document.createElement('i');
    // Its colours tell series apart, also where colours are forced.
    probe.style.cssText = `color: ${css}; forced-color-adjust: none`;
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  return {
    fontFamily: getComputedStyle(document.body).fontFamily,
    inkOf(css) {
      const ink = known.get(css) ?? compute(css);
      known.set(css, ink);
      return ink;
    },
  };
}
