/**
 * The house rules, read off the source itself; refuses exceptions that are not written in the
 * import table.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { RULES, SOLE_IMPORTERS } from './import-table.ts';

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);
const product = files.filter((file) => /^(contract|engine|server|src|sw)\/.*\.tsx?$/.test(file));
const ours = files.filter(
  (file) => /\.(tsx?|md|css|html|json|webmanifest)$/.test(file) && file !== 'package-lock.json',
);
const read = (file: string): string => readFileSync(file, 'utf8');

interface Import {
  from: string;
  to: string;
  local: boolean;
  kind: 'value' | 'type' | 'lazy';
}

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
const folderOf = (file: string): string => file.split('/').slice(0, -1).join('/');

describe('house rules', () => {
  it('finds the source it is meant to check', () => {
    expect(product.length).toBeGreaterThan(50);
    expect(imports.length).toBeGreaterThan(100);
  });

  it('lets each folder import only what the table allows', () => {
    const broken = imports.filter(({ from, to, local }) => {
      const rule = RULES.find((candidate) => candidate.files.test(from));
      if (rule === undefined) return true;
      if (!local) {
        if (to.startsWith('node:')) return !from.startsWith('server/');
        if (to.startsWith('virtual:')) return false;
        return rule.packages !== undefined && !rule.packages.test(to);
      }
      const nounOf = (file: string): string => file.split('/').slice(0, 2).join('/');
      const sameNoun =
        folderOf(to) === folderOf(from) ||
        (from.split('/').length > 2 && nounOf(from) === nounOf(to));
      return (
        !sameNoun &&
        !(rule.files.test(to) && !from.startsWith('server/')) &&
        !rule.may.some((allowed) => allowed.test(to))
      );
    });
    expect(broken.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('keeps heavy or dangerous packages behind one door each', () => {
    const broken = imports.filter(
      ({ from, to, local }) =>
        !local && SOLE_IMPORTERS.some((sole) => sole.packages.test(to) && !sole.files.test(from)),
    );
    expect(broken.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('never lets the product import tests', () => {
    expect(imports.filter(({ to, local }) => local && to.startsWith('tests/'))).toEqual([]);
  });

  it('has no import cycles', () => {
    // A type-only import is no dependency at run time, and a lazy one is not at load time.
    const graph = new Map(
      product.map((file) => [
        file,
        imports
          .filter((found) => found.from === file && found.local && found.kind === 'value')
          .map((found) => found.to),
      ]),
    );
    const state = new Map<string, 'open' | 'done'>();
    const cycles: string[] = [];
    const visit = (file: string, path: string[]): void => {
      if (state.get(file) === 'done') return;
      if (state.get(file) === 'open') {
        cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
        return;
      }
      state.set(file, 'open');
      for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
      state.set(file, 'done');
    };
    for (const file of product) visit(file, []);
    expect(cycles).toEqual([]);
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
