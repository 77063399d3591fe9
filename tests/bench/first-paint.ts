/**
 * First paint as Lighthouse's mobile preset sees it, on a real server and a real Chromium: the
 * landing page of a visitor, and the dashboard of a person who has been here before.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHROMIUM_FLAGS, chromiumPath, controlled, openBrowser } from '../support/browser.ts';
import { createUser, freePort, startServer } from '../support/server.ts';
import { logIn } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import { median, type Measurement } from './measurement.ts';
import { serveTrivialPage } from './trivial-page.ts';

const RUNS = Number(process.env.BENCH_RUNS ?? 5);
/** No dependency of ours: it brings two hundred packages, and only this section runs it. */
const LIGHTHOUSE = '12.8.2';
const FOLDER = join(tmpdir(), `tradewind-lighthouse-${LIGHTHOUSE}`);
const COMMAND = join(FOLDER, 'node_modules', 'lighthouse', 'cli', 'index.js');
const RUN_TIMEOUT_MS = 180_000;
/** For what the device keeps after the first picture, ms. */
const SETTLES_MS = 3_000;
const KIB = 1_024;
const execute = promisify(execFile);

interface Report {
  categories: Record<'performance' | 'accessibility' | 'best-practices' | 'seo', { score: number }>;
  audits: Record<
    string,
    | {
        score: number | null;
        numericValue?: number;
        details?: { items?: { resourceType?: string; transferSize?: number }[] };
      }
    | undefined
  >;
}

function fetchLighthouse(): void {
  if (existsSync(COMMAND)) return;
  try {
    execFileSync(
      'npm',
      [
        ...['install', '--prefix', FOLDER, '--no-audit', '--no-fund', '--ignore-scripts'],
        `lighthouse@${LIGHTHOUSE}`,
      ],
      { stdio: 'ignore' },
    );
  } catch {
    throw new Error(
      `Lighthouse ${LIGHTHOUSE} could not be fetched from the package registry: nothing was measured`,
    );
  }
}

/** One audit in a browser that is already open, with what it has kept. */
async function audit(url: string, port: number): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-lighthouse-report-'));
  const file = join(folder, 'report.json');
  try {
    await execute(
      process.execPath,
      [
        COMMAND,
        url,
        `--port=${port}`,
        '--output=json',
        `--output-path=${file}`,
        '--disable-storage-reset',
        '--quiet',
        '--no-enable-error-reporting',
      ],
      { timeout: RUN_TIMEOUT_MS },
    );
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Processes of a browser outlive it for a moment, and would write to a profile that is removed. */
function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // None is left.
  }
}

/** Chromium without a driver of ours, whose own work would be in the figures. */
async function inBrowser<T>(profile: string, work: (port: number) => Promise<T>): Promise<T> {
  const port = await freePort();
  const chromium = spawn(
    chromiumPath(),
    [
      '--headless=new',
      `--remote-debugging-port=${port}`,
      `--user-data-dir=${profile}`,
      ...CHROMIUM_FLAGS,
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      'about:blank',
    ],
    { stdio: 'ignore', detached: true },
  );
  const ended = once(chromium, 'exit');
  try {
    await until(
      () => fetch(`http://127.0.0.1:${port}/json/version`),
      (answer) => answer.ok,
    );
    return await work(port);
  } finally {
    chromium.kill('SIGTERM');
    await ended;
    endGroup(chromium.pid);
  }
}

const freshProfile = (): string => mkdtempSync(join(tmpdir(), 'tradewind-lighthouse-profile-'));
const remove = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
};

/** A visitor has nothing of ours: a profile for each visit. */
async function auditVisitor(url: string): Promise<Report[]> {
  const reports: Report[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const profile = freshProfile();
    try {
      reports.push(await inBrowser(profile, (port) => audit(url, port)));
    } finally {
      remove(profile);
    }
  }
  return reports;
}

/** A person who has logged in before, and whose device has kept what it keeps. */
async function auditUser(origin: string): Promise<Report[]> {
  const profile = freshProfile();
  try {
    const browser = await openBrowser({ profile });
    const page = await browser.page();
    await logIn(page, origin, await createUser(origin));
    await page.locator('button[title="Explain the equity"]').first().waitFor();
    await controlled(page);
    // The first visit keeps the frame, the second how numbers are written.
    await page.reload();
    await page.locator('button[title="Explain the equity"]').first().waitFor();
    await page.waitForTimeout(SETTLES_MS);
    await browser.close();
    return await inBrowser(profile, async (port) => {
      const reports: Report[] = [];
      for (let run = 0; run < RUNS; run += 1)
        reports.push(await audit(`${origin}/dashboard`, port));
      return reports;
    });
  } finally {
    remove(profile);
  }
}

const numberOf = (report: Report, name: string): number =>
  report.audits[name]?.numericValue ?? Number.NaN;
const scriptBytes = (report: Report): number =>
  (report.audits['network-requests']?.details?.items ?? [])
    .filter(({ resourceType }) => resourceType === 'Script')
    .reduce((sum, { transferSize = 0 }) => sum + transferSize, 0);

/** What is read off each report, with its unit. */
const FIGURES: readonly (readonly [what: string, unit: string, of: (report: Report) => number])[] =
  [
    ['performance', 'of 100', ({ categories }) => categories.performance.score * 100],
    ['accessibility', 'of 100', ({ categories }) => categories.accessibility.score * 100],
    ['best practices', 'of 100', ({ categories }) => categories['best-practices'].score * 100],
    ['SEO', 'of 100', ({ categories }) => categories.seo.score * 100],
    ['first contentful paint', 'ms', (report) => numberOf(report, 'first-contentful-paint')],
    ['largest contentful paint', 'ms', (report) => numberOf(report, 'largest-contentful-paint')],
    ['total blocking time', 'ms', (report) => numberOf(report, 'total-blocking-time')],
    ['layout shift', '', (report) => numberOf(report, 'cumulative-layout-shift')],
    ['script', 'KiB', (report) => scriptBytes(report) / KIB],
  ];

/** What does not pass, so that a score below 100 explains itself. */
function faults(page: string, reports: readonly Report[]): Measurement[] {
  const names = new Set(
    reports.flatMap(({ audits }) =>
      Object.entries(audits).flatMap(([name, audited]) => (audited?.score === 0 ? [name] : [])),
    ),
  );
  return [
    {
      section: 'first-paint',
      what: `${page}, audits that fail: ${[...names].join(', ')}`,
      value: names.size,
      unit: '',
    },
  ];
}

function figures(page: string, reports: readonly Report[]): Measurement[] {
  return [
    ...FIGURES.map(([what, unit, of]): Measurement => ({
      section: 'first-paint',
      what: `${page}, ${what}, median of ${reports.length}`,
      value: median(reports.map(of)),
      unit,
    })),
    ...faults(page, reports),
  ];
}

/**
 * A page of one number, audited as the others are: Lighthouse counts the time that passed and not
 * the work that was done, so what this page is charged with is the machine's.
 */
async function floorFigures(): Promise<Measurement[]> {
  const floor = await serveTrivialPage();
  try {
    return figures('trivial page', await auditVisitor(floor.url)).filter(({ what }) =>
      /performance|paint|blocking/.test(what),
    );
  } finally {
    await floor.close();
  }
}

export async function measure(): Promise<Measurement[]> {
  fetchLighthouse();
  const server = await startServer(
    process.env.DIST_DIR === undefined ? {} : { env: { DIST_DIR: process.env.DIST_DIR } },
  );
  try {
    return [
      ...(await floorFigures()),
      ...figures('landing', await auditVisitor(`${server.url}/`)),
      ...figures('dashboard', await auditUser(server.url)),
    ];
  } finally {
    await server.stop();
  }
}
