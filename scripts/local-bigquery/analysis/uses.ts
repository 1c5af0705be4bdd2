// Finds what the value of a statement depends on, other than literals, parameters and rows, in its resolved tree.
import pureNodes from './pure-nodes.json' with { type: 'json' };
import * as tree from './resolved-tree.ts';
import type { ResolvedNode } from './resolved-tree.ts';

export interface Use {
  /** `function` for one of GoogleSQL, `own` for one with a body in SQL; `other` for all that is not known to be pure. */
  kind: 'function' | 'own' | 'other';
  /** Of a function in lower case, `net.host`; else as an author would write it. */
  name: string;
  /** In characters of the text that was analysed; undefined if it is not written there. */
  offset?: number | undefined;
}

/** Nodes that add nothing to their parts. A kind that is not listed here counts as one whose value is not known. */
const PLAIN = new Set(pureNodes.plain);
/** As authors write them; others by their kind. */
const WRITTEN: Readonly<Record<string, string>> = { SampleScan: 'TABLESAMPLE' };

/** Types whose values a CAST without FORMAT gives by the value alone; all jobs run in UTC. */
const CAST_TYPES = new Set(pureNodes.castTypes);

export const SYSTEM_TIME = 'FOR SYSTEM_TIME';

/** `nodes` are all of a statement; `text` is what was analysed. */
export function usesOf(nodes: readonly ResolvedNode[], text: Buffer): Use[] {
  const offsetOf = (node: ResolvedNode) => tree.textPlaceOf(node, text)?.start;
  return nodes.flatMap((node): Use[] => {
    const { kind, message } = node;
    const offset = offsetOf(node);
    if (kind === 'FunctionCall' || /^(?:Aggregate|Analytic)FunctionCall$/.test(kind)) {
      return [{ ...functionIn(node), offset }];
    }
    if (kind === 'Cast') return castUse(node).map((name) => ({ kind: 'other', name, offset }));
    const isOfTime = kind === 'TableScan' && tree.childOf(message, 'forSystemTimeExpr');
    if (isOfTime) return [{ kind: 'other', name: SYSTEM_TIME, offset }];
    const language = kind === 'CreateFunctionStmt' ? tree.fieldOf(message, 'language') : 'SQL';
    if (String(language).toUpperCase() !== 'SQL' || tree.fieldOf(message, 'isRemote') === true) {
      return [{ kind: 'other', name: `LANGUAGE ${String(language)}`, offset }];
    }
    if (PLAIN.has(kind)) return [];
    const path = tree.listOf(message, 'namePath').join('.');
    const name = kind === 'SystemVariable' ? `@@${path}` : (WRITTEN[kind] ?? kind);
    return [{ kind: 'other', name, offset }];
  });
}

function functionIn(node: ResolvedNode): Pick<Use, 'kind' | 'name'> {
  const { name } = tree.messageOf(tree.fieldOf(node.message, 'function')) ?? {};
  const [, group = '', own = ''] = /^(\w+):(.+)$/.exec(String(name)) ?? [];
  if (group === 'ZetaSQL') return { kind: 'function', name: own.toLowerCase() };
  const isBody = group === 'Routine' || group === 'Templated_SQL_Function';
  return { kind: isBody ? 'own' : 'other', name: isBody ? own.toLowerCase() : String(name) };
}

/** `CAST('12-25' AS DATE FORMAT 'MM-DD')` takes the year from the current date. */
function castUse(node: ResolvedNode): string[] {
  const { message } = node;
  const from = tree.typeOf(tree.childOf(message, 'expr'))?.typeKind ?? '';
  const to = tree.typeOf(node)?.typeKind ?? '';
  if (!CAST_TYPES.has(from) || !CAST_TYPES.has(to)) return ['CAST'];
  const format = tree.childOf(message, 'format');
  if (format === undefined || !/^TYPE_(?:DATE|DATETIME|TIMESTAMP)$/.test(to)) return [];
  return isWholeDate(format) ? [] : ['CAST with a FORMAT without YYYY and MM'];
}

/** Whether a format is written out and states the year and the month. */
function isWholeDate(node: ResolvedNode): boolean {
  const format = tree.literalOf(node, 'stringValue');
  if (typeof format !== 'string') return false;
  // TZMMI is TZM and MI, AMMI is AM and MI, and both have no MM. Text in double quotes is no part of a date.
  const parts = format.toUpperCase().replaceAll(/TZ[HM]|[AP]\.?M\.?|"(?:\\.|[^"\\])*"/g, '');
  return parts.includes('YYYY') && /MM|MON/.test(parts);
}
