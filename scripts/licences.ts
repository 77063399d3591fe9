/** `npm run licences`: the licence of every installed package, as a Markdown table by licence. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  name?: string;
  version?: string;
  license?: string | { type?: string };
  licenses?: readonly { type?: string }[];
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, { link?: boolean }>;
};

/** The folders that the lock file names and this machine has: packages for others are left out. */
const folders = Object.keys(lock.packages).filter(
  (folder) => folder !== '' && existsSync(join(folder, 'package.json')),
);

function licenceOf({ license, licenses }: Manifest): string {
  if (typeof license === 'string') return license;
  return license?.type ?? licenses?.map(({ type }) => type ?? '').join(' or ') ?? 'not stated';
}

const byLicence = new Map<string, Set<string>>();
for (const folder of folders) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const licence = licenceOf(manifest);
  const packages = byLicence.get(licence) ?? new Set();
  packages.add(manifest.name ?? folder);
  byLicence.set(licence, packages);
}
const rows = [...byLicence].sort(([, a], [, b]) => b.size - a.size);
console.log('| licence | packages | which |\n| --- | --- | --- |');
for (const [licence, packages] of rows) {
  const names = [...packages].sort();
  const shown = names.length > 30 ? `${names.slice(0, 3).join(', ')} …` : names.join(', ');
  console.log(`| ${licence} | ${packages.size} | ${shown} |`);
}
