/** Exports that nothing uses, and packages that nothing names. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) =>
    /^(contract|engine|server|signer|src|sw|scripts|tests)\/.*\.tsx?$|^[\w.]+\.ts$/.test(file),
  );
const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

/** The wallet kit's own modules are replaced by these, export by export. */
const STAND_INS = /^src\/wallet\/(nft\/nft-parties|identity\/attestations|kit\/kit-connect)\.tsx?$/;
const EXPORT =
  /^export (?:async )?(?:function\*?|const|let|class|enum) (?<name>[A-Za-z_$][\w$]*)/gm;

const FOR_TESTS = new Set([
  // Module state that only a test starts anew.
  'src/identity/session.ts resetSession',
  // The server's half of the signer's socket, which its calls will use.
  'server/live/seal-key.ts sealKey',
  'server/live/signer-client.ts SignerClient',
]);

/** What live trading will call; the part of the server that does is not in this build. */
const AWAITED = new Set([
  'engine/orders/live-order.ts orderPolicy',
  'engine/orders/live-order.ts planOrder',
  'engine/orders/may-send.ts CLOSED_AT_START',
  'engine/orders/order-lifecycle.ts applyOrderEvents',
  'engine/orders/order-size.ts limitOnTick',
  'engine/orders/reconcile.ts reconcile',
  'engine/orders/reservation.ts freeOf',
  'engine/orders/reservation.ts reservationFor',
  'engine/orders/stop-plan.ts planStops',
  'engine/orders/stop-plan.ts sellableNow',
  'engine/orders/venue-ledger.ts handTradeEntries',
  'engine/orders/venue-ledger.ts ownedByAsset',
  'engine/orders/venue-ledger.ts positionAfter',
  'engine/orders/venue-ledger.ts venueFillEntries',
]);

/** Values that a file exports and that only tests name, or nobody, itself included. */
function unusedExports(): string[] {
  const users = new Map<string, Set<string>>();
  for (const [file, text] of texts)
    for (const word of text.match(/[A-Za-z_$][\w$]*/g) ?? [])
      users.set(word, (users.get(word) ?? new Set()).add(file));
  return [...texts].flatMap(([file, text]) => {
    if (!/^(contract|engine|server|signer|src|sw)\//.test(file) || STAND_INS.test(file)) return [];
    return [...text.matchAll(EXPORT)].flatMap(({ groups }) => {
      const name = groups?.name ?? '';
      const others = [...(users.get(name) ?? [])].filter((one) => one !== file);
      const isUsedInside = [...text.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length > 1;
      const isUsed = others.some((one) => !one.startsWith('tests/')) || isUsedInside;
      return isUsed ? [] : [`${file} ${name}`];
    });
  });
}

it('the product exports no value that only tests use, or nobody', () => {
  expect(texts.size).toBeGreaterThan(500);
  expect(unusedExports().filter((one) => !FOR_TESTS.has(one) && !AWAITED.has(one))).toEqual([]);
});

it('every package is named by a source, a configuration or a script', () => {
  const { dependencies, devDependencies, scripts } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  ) as Record<'dependencies' | 'devDependencies' | 'scripts', Record<string, string>>;
  const named = [...texts.values(), ...Object.values(scripts)].join('\n');
  const styles = readFileSync('src/styles/app.css', 'utf8');
  const unused = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => {
    // Types are read by the compiler, and oxlint loads its type-aware part by itself.
    if (name.startsWith('@types/') || name === 'oxlint-tsgolint') return false;
    return !`${named}\n${styles}`.includes(name);
  });
  expect(unused).toEqual([]);
});
