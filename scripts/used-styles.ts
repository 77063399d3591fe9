/** Keeps of a stylesheet what a page can use, so that the page can carry its styles with it. */

interface Rule {
  /** Everything before the block, or a whole statement such as `@layer a, b`. */
  prelude: string;
  block: string | null;
}

/** Where the text after `at` ends that belongs together: a string, an escape, or one character. */
function after(css: string, at: number): number {
  const sign = css[at];
  if (sign === '\\') return at + 2;
  if (sign === '/' && css[at + 1] === '*') return css.indexOf('*/', at + 2) + 2;
  if (sign !== '"' && sign !== "'") return at + 1;
  let end = at + 1;
  while (end < css.length && css[end] !== sign) end += css[end] === '\\' ? 2 : 1;
  return end + 1;
}

/** The index of the brace that closes the block which begins at `open`. */
function blockEnd(css: string, open: number): number {
  let depth = 0;
  for (let at = open; at < css.length; at = after(css, at)) {
    if (css[at] === '{') depth += 1;
    if (css[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error('A block of the stylesheet has no end');
}

function rulesOf(css: string): Rule[] {
  const rules: Rule[] = [];
  let begin = 0;
  for (let at = 0; at < css.length; at = after(css, at)) {
    if (css[at] === ';') {
      rules.push({ prelude: css.slice(begin, at).trim(), block: null });
      begin = at + 1;
    } else if (css[at] === '{') {
      const end = blockEnd(css, at);
      rules.push({ prelude: css.slice(begin, at).trim(), block: css.slice(at + 1, end) });
      begin = end + 1;
      at = end;
    }
  }
  return rules;
}

/** Splits a list at its commas, but not inside brackets. */
function listed(list: string): string[] {
  const found: string[] = [];
  let [begin, depth] = [0, 0];
  for (let at = 0; at < list.length; at = after(list, at)) {
    if (list[at] === '(' || list[at] === '[') depth += 1;
    if (list[at] === ')' || list[at] === ']') depth -= 1;
    if (list[at] === ',' && depth === 0) {
      found.push(list.slice(begin, at));
      begin = at + 1;
    }
  }
  return [...found, list.slice(begin)];
}

/** What a selector needs whatever else is true: nothing inside `:is()`, `:not()` and the like. */
function withoutArguments(selector: string): string {
  let [kept, depth] = ['', 0];
  for (let at = 0; at < selector.length;) {
    const end = after(selector, at);
    const part = selector.slice(at, end);
    if (part === '(' || part === '[') depth += 1;
    if (depth === 0) kept += part;
    if (part === ')' || part === ']') depth -= 1;
    at = end;
  }
  return kept;
}

const CLASS = /\.((?:\\.|[\w-]|\P{ASCII})+)/gu;
const unescaped = (name: string): string =>
  name.replace(/\\([0-9a-f]{1,6})\s?|\\(.)/gi, (_all, code: string | undefined, sign: string) =>
    code === undefined ? sign : String.fromCodePoint(Number.parseInt(code, 16)),
  );

const isUsed = (selector: string, classes: ReadonlySet<string>): boolean =>
  [...withoutArguments(selector).matchAll(CLASS)].every(([, name = '']) =>
    classes.has(unescaped(name)),
  );

function kept(css: string, classes: ReadonlySet<string>): string {
  return rulesOf(css)
    .map(({ prelude, block }) => {
      if (block === null) return `${prelude};`;
      if (/^@(media|supports|layer|container)/.test(prelude)) {
        const inner = kept(block, classes);
        // An empty layer still says where it stands among the others.
        return inner === '' && !prelude.startsWith('@layer') ? '' : `${prelude}{${inner}}`;
      }
      if (prelude.startsWith('@')) return `${prelude}{${block}}`;
      const selectors = listed(prelude).filter((one) => isUsed(one, classes));
      return selectors.length === 0 ? '' : `${selectors.join(',')}{${block}}`;
    })
    .join('');
}

/** Animations and registered properties that nothing kept names. */
function withoutUnnamed(css: string): string {
  return rulesOf(css)
    .filter(({ prelude }) => {
      const name = /^@(?:keyframes|property)\s+(\S+)/.exec(prelude)?.[1];
      return name === undefined || css.split(name).length > 2;
    })
    .map(({ prelude, block }) => (block === null ? `${prelude};` : `${prelude}{${block}}`))
    .join('');
}

const CLASS_ATTRIBUTE = /\sclass="([^"]*)"/g;
const decoded = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&');

/** The rules whose classes all occur in `html`; rules without a class stay. */
export function usedStyles(css: string, html: string, also: readonly string[] = []): string {
  const classes = new Set(also);
  for (const [, value = ''] of html.matchAll(CLASS_ATTRIBUTE))
    for (const name of decoded(value).split(/\s+/)) classes.add(name);
  return withoutUnnamed(kept(css, classes));
}
