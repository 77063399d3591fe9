/** An operator's command works on the data of the server that `npm start` runs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataSettings } from '../../scripts/data-place.ts';

let folder = '';
const before = { DATA_DIR: process.env.DATA_DIR, DATABASE_URL: process.env.DATABASE_URL };
const NAMES = ['DATA_DIR', 'DATABASE_URL'] as const;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-settings-'));
  for (const name of NAMES) Reflect.deleteProperty(process.env, name);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  for (const name of NAMES) {
    const value = before[name];
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  }
});

describe('the data of an operator’s command', () => {
  it('is the server’s, as its settings files say', () => {
    writeFileSync(join(folder, '.env.local'), 'DATABASE_URL=postgres://one/a\n');
    writeFileSync(join(folder, '.env'), 'DATABASE_URL=postgres://two/b\nDATA_DIR=/elsewhere\n');
    expect(dataSettings(folder)).toEqual({
      dataDir: '/elsewhere',
      databaseUrl: 'postgres://one/a',
    });
  });

  it('is what the environment says before any file', () => {
    writeFileSync(join(folder, '.env.local'), 'DATA_DIR=/elsewhere\n');
    process.env.DATA_DIR = '/here';
    process.env.DATABASE_URL = '';
    expect(dataSettings(folder)).toEqual({ dataDir: '/here', databaseUrl: null });
  });
});
