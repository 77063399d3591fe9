/** The rules that every source file keeps, read off the source itself. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { cyclesIn, problemOf, type Import } from './import-rules.ts';
import { PUBLIC_SERVER_FILES, RULES, SOLE_IMPORTERS } from './import-table.ts';

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);
const product = files.filter((file) =>
  /^(contract|engine|server|signer|src|sw)\/.*\.tsx?$/.test(file),
);
const ours = files.filter(
  (file) => /\.(tsx?|md|css|html|json|webmanifest)$/.test(file) && file !== 'package-lock.json',
);
const read = (file: string): string => readFileSync(file, 'utf8');

function importsOf(file: string): Import[] {
  const found: Import[] = [];
  const note = (specifier: string, kind: Import['kind']): void => {
    const local = specifier.startsWith('.');
    const to = local
      ? normalize(join(dirname(file), specifier))
          .replace(/\\/g, '/')
          .replace(/\?.*$/, '')
      : specifier;
    found.push({ from: file, to, local, kind });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      note(node.moduleSpecifier.text, node.importClause?.isTypeOnly === true ? 'type' : 'value');
    } else if (
      ts.isExportDeclaration(node) &&
      node.moduleSpecifier !== undefined &&
      ts.isStringLiteral(node.moduleSpecifier)
    ) {
      note(node.moduleSpecifier.text, node.isTypeOnly ? 'type' : 'value');
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      if (specifier !== undefined && ts.isStringLiteral(specifier)) note(specifier.text, 'lazy');
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest));
  return found;
}

const imports = product.flatMap(importsOf);
/** A pattern of several file names, taken apart: one that names nobody is seen. */
function filesNamedBy(pattern: RegExp): RegExp[] {
  const parts = /^(.*)\(([^()]*)\)(.*)$/.exec(pattern.source);
  if (parts === null) return [pattern];
  const [, before = '', names = '', after = ''] = parts;
  return names.split('|').map((name) => new RegExp(`${before}${name}${after}`));
}

describe('the architecture', () => {
  it('finds the source it is meant to check', () => {
    expect(product.length).toBeGreaterThan(50);
    expect(imports.length).toBeGreaterThan(100);
  });

  it('lets each folder import only what the table allows, and no cycle stand', () => {
    const broken = imports.flatMap((found) => {
      const problem = problemOf(found);
      return problem === null ? [] : [`${found.from} → ${found.to}: ${problem}`];
    });
    expect(broken).toEqual([]);
    expect(cyclesIn(imports)).toEqual([]);
  });

  it('begins without the library that parses: it comes after the first picture', () => {
    const found = new Set([
      'src/main.ts',
      'src/start.tsx',
      'src/stores/sync.ts',
      'src/screens/dashboard/DashboardScreen.tsx',
      'src/screens/dashboard/StandardDashboard.tsx',
      // A start may lead to these as well.
      'src/screens/dashboard/ProDashboard.tsx',
      'src/screens/portfolio/PortfolioScreen.tsx',
      'src/screens/agents/list/AgentsScreen.tsx',
      'src/screens/market/MarketScreen.tsx',
      'src/screens/stop-all/StopAllScreen.tsx',
    ]);
    const values = imports.filter(({ kind }) => kind === 'value');
    // A set hands out what is put in while it is gone through.
    for (const file of found)
      for (const { from, local, to } of values) if (from === file && local) found.add(to);
    expect(found.size).toBeGreaterThan(100);
    const parsing = values.filter(({ from, to }) => found.has(from) && /^zod(\/|$)/.test(to));
    expect(parsing.map(({ from }) => from)).toEqual([]);
  });

  it('begins with what gives databases back: the first frame opens one before the app is loaded (F103)', () => {
    const first = imports.find(({ from, kind }) => from === 'src/main.ts' && kind === 'value');
    expect(first?.to).toBe('src/platform/left-page.ts');
  });

  it('has no rule for files that are not there', () => {
    const idle = [
      ...RULES.map(({ files: of }) => of),
      ...RULES.flatMap(({ may }) => may).filter((may) => !PUBLIC_SERVER_FILES.includes(may)),
      ...SOLE_IMPORTERS.map(({ files: of }) => of),
      ...PUBLIC_SERVER_FILES.flatMap(filesNamedBy),
    ].filter((pattern) => !product.some((file) => pattern.test(file)));
    expect(idle.map(String)).toEqual([]);
  });

  it('has no barrels, no drawers and no unfinished marks', () => {
    expect(
      product.filter((file) =>
        /(^|\/)(utils?|helpers?|common|misc|manager|service)s?(\/|\.tsx?$)/i.test(file),
      ),
    ).toEqual([]);
    expect(product.filter((file) => /^export \* from/m.test(read(file)))).toEqual([]);
    const marks = /\b(TODO|FIXME|XXX|HACK)\b|@ts-ignore|@ts-nocheck|\bas any\b|: any\b/;
    expect(product.filter((file) => marks.test(read(file)))).toEqual([]);
  });

  it('opens every file with a sentence that says what it is', () => {
    const bare = [
      ...product,
      ...files.filter((file) => /^(tests|scripts)\/.*\.tsx?$/.test(file)),
    ].filter(
      (file) =>
        !/^(#!.*\n)?(\/\/ @vitest-environment.*\n|\/\/\/ <reference.*\n|\/\* oxlint-.*\n)*\/\*\*/.test(
          read(file),
        ),
    );
    expect(bare).toEqual([]);
  });

  it('speaks of the product alone: no machine paths', () => {
    const path = new RegExp(['/work', '/(main|shared|plan)|/home', '/[a-z]+/|/root', '/'].join(''));
    expect(ours.filter((file) => path.test(read(file)))).toEqual([]);
  });

  it('keeps secrets out of the source', () => {
    const secret =
      /sk_live_[0-9a-zA-Z]{8}|AIza[0-9A-Za-z_-]{30}|-----BEGIN (RSA |EC )?PRIVATE KEY-----/;
    expect(
      files
        .filter((file) => /\.(tsx?|json|md|html|env)$|^\.env/.test(file))
        .filter((file) => secret.test(read(file))),
    ).toEqual([]);
  });
});
