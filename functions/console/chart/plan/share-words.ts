// Finds the words that the names of several columns share: the title of their panel, and what is left for each.

/** `min_execution_time`, `p95_execution_time`: "Execution time" with "min" and "p95". */
export function shareWords(names: readonly string[]): { title: string; labels: readonly string[] } {
  const words = names.map((name) => name.split('_').filter((word) => word !== ''));
  const [first = []] = words;
  const least = Math.min(...words.map(({ length }) => length));
  const countShared = (at: (list: string[], index: number) => string | undefined): number => {
    let count = 0;
    while (count < least && words.every((list) => at(list, count) === at(first, count))) count += 1;
    return count;
  };
  const before = countShared((list, index) => list[index]);
  const after = countShared((list, index) => list.at(-1 - index));
  if (names.length === 1) return { title: capital(first.join(' ')), labels: [...names] };
  // A column whose name is nothing but what they share would have no label.
  if (before + after === 0 || before + after >= least) {
    const more = names.length - 3;
    return {
      title: names.slice(0, 3).join(', ') + (more > 0 ? ` and ${more} more` : ''),
      labels: [...names],
    };
  }
  return {
    title: capital([...first.slice(0, before), ...first.slice(first.length - after)].join(' ')),
    labels: words.map((list) => list.slice(before, list.length - after).join(' ')),
  };
}

function capital(text: string): string {
  return text.length === 1 ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
