/** Where Firefox and WebKit are on this machine; they are installed where that is allowed. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  openFirefox,
  openWebKit,
  type Driver,
  type Engine,
  type WebKitBinaries,
} from './webdriver.ts';

function onPath(names: readonly string[]): string | null {
  for (const name of names) {
    try {
      return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    } catch {
      // Not this one.
    }
  }
  return null;
}

function install(packages: string): void {
  if (process.getuid?.() !== 0) return;
  try {
    const command = `apt-get update -q && apt-get install -y -q --no-install-recommends ${packages}`;
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('sh', ['-c', command], { stdio: 'ignore', timeout: 300_000, env });
  } catch {
    // Without it the tests of this engine are skipped, by name.
  }
}

/** Debian keeps it in a folder that is named after machine and version. */
function miniBrowser(): string | null {
  const root = '/usr/lib';
  for (const machine of readdirSync(root).filter((name) => name.includes('-linux-'))) {
    const versions = readdirSync(join(root, machine)).filter((name) =>
      name.startsWith('webkit2gtk-'),
    );
    for (const version of versions.sort().reverse()) {
      const path = join(root, machine, version, 'MiniBrowser');
      if (existsSync(path)) return path;
    }
  }
  return onPath(['MiniBrowser']);
}

function firefox(): string | null {
  return process.env.FIREFOX_PATH ?? onPath(['firefox-esr', 'firefox']);
}

function webkit(): WebKitBinaries | null {
  const [driver, browser, screen] = [onPath(['WebKitWebDriver']), miniBrowser(), onPath(['Xvfb'])];
  return driver === null || browser === null || screen === null
    ? null
    : { driver, browser, screen };
}

/** How to open an engine; null where it is not here and cannot be installed. */
export function engine(name: Engine): (() => Promise<Driver>) | null {
  if (name === 'firefox') {
    if (firefox() === null) install('firefox-esr');
    const found = firefox();
    return found === null ? null : () => openFirefox(found);
  }
  if (webkit() === null) install('webkit2gtk-driver xvfb');
  const found = webkit();
  return found === null ? null : () => openWebKit(found);
}
