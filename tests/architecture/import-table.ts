/** Who may import whom, as data. The first rule that matches a file decides; its own folder is always allowed. */

export interface Rule {
  /** Files this rule is for. The first rule that matches a file decides. */
  files: RegExp;
  /** Product files it may import, besides its own folder's. */
  may: RegExp[];
  /** Packages it may import; absent means any. */
  packages?: RegExp;
}

/**
 * A noun's folder on the server reaches another noun only through these files.
 */
export const PUBLIC_SERVER_FILES = [
  /^server\/(clock|log|config|periodic-task|engine-hash|source-hash|trading-deps|retention|secret-bytes)\.ts$/,
  /^server\/db\/(database|schema|schema-plans|schema-support|schema-wallet|schema-alerts|schema-live|faults|bulk|columns|ordered-id|sql-rows|user-events|person-versions|lanes)\.ts$/,
  /^server\/http\/(handlers|app|callables|event-stream|allowance|done-before)\.ts$/,
  /^server\/market\/(market-source|feed|open-market|market-handlers|kept-series|candles-in-time|candles-since|offered-pairs)\.ts$/,
  /^server\/agents\/(agent-handlers|agent-lifecycle|run-commands|scheduler|read-agents|transitions|twins|backtest-records|trading-halts)\.ts$/,
  /^server\/reads\/(known-facts|reading|reply-cache|read-queue|open-reads)\.ts$/,
  /^server\/portfolio\/(portfolio-handlers|portfolio-readings|open-account|read-portfolio|check-ledgers|ledger-check|alarms|record-trades|marks|exits|fills-view|trade-results|tax-lots|drawdown)\.ts$/,
  /^server\/billing\/(entitlement|billing-handlers|payments|routes|subscription-state|stripe-payments|subscription-record)\.ts$/,
  /^server\/users\/(user-settings|ensure-user|user-handlers|mailbox|used-offers)\.ts$/,
  /^server\/identity\/(verifier|emulator|administration|ended-sessions)\.ts$/,
  /^server\/push\/push-devices\.ts$/,
  /^server\/wallet\/wallet-handlers\.ts$/,
  /^server\/venues\/(venue|paper|read-depths)\.ts$/,
  /^server\/live\/(live-handlers|live-desk|live-batch|live-deps|live-accounts|live-equity|guarded-account|guard-positions|stop-live|order-rows|other-fees|external-movements)\.ts$/,
];

const CONTRACT = /^contract\//;
/** Everything of the page but the layers above, and the queue. */
const PAGE = /^src\/(?!offline\/)/;
const PAGE_BELOW_SCREENS = /^src\/(?!offline\/|screens\/|shell\/|wallet\/)/;
const OFFLINE = /^src\/offline\//;

export const RULES: Rule[] = [
  { files: /^contract\//, may: [], packages: /^zod(\/|$)/ },
  { files: /^engine\//, may: [CONTRACT, /^engine\//], packages: /^$/ },
  {
    files: /^server\/(main|worker|compose|process|market-clock|operator-gauges)\.ts$/,
    may: [/^(contract|engine|server)\//],
  },
  { files: /^server\//, may: [CONTRACT, /^engine\//, ...PUBLIC_SERVER_FILES] },
  // Holds the keys to people's accounts: nothing of the server's runs in it, and nobody imports it.
  {
    files: /^signer\//,
    may: [CONTRACT, /^signer\//],
    packages: /^(ccxt|hpke|zod\/mini|@simplewebauthn\/server)$/,
  },
  { files: OFFLINE, may: [CONTRACT], packages: /^(idb-keyval|zod\/mini)$/ },
  { files: /^src\/identity\/worker-token\.ts$/, may: [CONTRACT], packages: /^firebase\// },
  { files: /^src\/(identity|api)\//, may: [CONTRACT, PAGE_BELOW_SCREENS] },
  {
    files: /^src\/wallet\//,
    may: [CONTRACT, PAGE],
    packages:
      /^(react|wagmi|viem|@coinbase\/onchainkit|@tanstack\/react-query|valtio|wouter|lucide-react|zod\/mini)(\/|$)/,
  },
  // What starts the page, and what tells the person of the queue outside it.
  {
    files: /^src\/((commands|open-app|start)\.tsx?|platform\/icon-badge\.ts)$/,
    may: [CONTRACT, /^src\//],
  },
  // The entry's own files are few and small: nothing may stand before the first frame.
  {
    files: /^src\/(main|first-frame\/(first-frame|read-device|show-frame|catch-stops))\.ts$/,
    may: [
      /^src\/(identity\/device-record\.ts|platform\/left-page\.ts|format\/ages\.ts|shell\/appearance-marks\.ts|open-app\.ts|styles\/\w+\.css)$/,
      /^src\/offline\/(frame-record|snapshots)\.ts$/,
      /^src\/first-frame\//,
    ],
    packages: /^$/,
  },
  { files: /^src\/first-frame\//, may: [CONTRACT, PAGE, OFFLINE] },
  { files: /^src\/push\//, may: [CONTRACT, PAGE, OFFLINE] },
  { files: /^src\/stores\//, may: [CONTRACT, PAGE_BELOW_SCREENS, OFFLINE] },
  { files: /^src\/backtest\/backtest-worker\.ts$/, may: [CONTRACT, /^engine\//, PAGE] },
  { files: /^src\//, may: [CONTRACT, PAGE] },
  {
    files: /^sw\//,
    may: [
      CONTRACT,
      OFFLINE,
      /^src\/identity\/worker-token\.ts$/,
      /^src\/format\/number-marks\.ts$/,
    ],
    packages: /^(workbox-|zod\/mini$)/,
  },
];

/** Only these may import the named packages, wherever the rule above would allow it. */
export const SOLE_IMPORTERS: { packages: RegExp; files: RegExp }[] = [
  { packages: /^(wagmi|@coinbase\/onchainkit)(\/|$)/, files: /^src\/wallet\// },
  { packages: /^viem(\/|$)/, files: /^(src|server)\/wallet\// },
  { packages: /^firebase\//, files: /^src\/(identity|callables)\// },
  { packages: /^ccxt/, files: /^(server\/market\/|signer\/exchanges\/door\.ts$)/ },
  { packages: /^hpke$/, files: /^(signer\/box|server\/live\/seal-key)\.ts$/ },
  {
    packages: /^@simplewebauthn\/server/,
    files: /^(signer\/step-up|server\/live\/passkeys)\.ts$/,
  },
  { packages: /^stripe$/, files: /^server\/billing\// },
  { packages: /^idb-keyval$/, files: /^src\/offline\// },
];
