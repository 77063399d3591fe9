/** Who may import whom, as data; refuses to be read by the product itself. */

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
  /^server\/(clock|log|config|rounds|engine-hash)\.ts$/,
  /^server\/db\/(database|schema|schema-plans|schema-support|schema-wallet|schema-alerts|faults|bulk|columns|ordered-id|open|open-database)\.ts$/,
  /^server\/events\/events\.ts$/,
  /^server\/http\/(handlers|app|callables|stream|allowance)\.ts$/,
  /^server\/market\/(market|feed|open-market|handlers|pool-universe|series)\.ts$/,
  /^server\/agents\/(deps|handlers|scheduler|read-agents|transitions|retention|tests-kept)\.ts$/,
  /^server\/portfolio\/(handlers|open-account|read-portfolio|check-ledger|books-check|alarms|book|marks|exits|fills-view|trade-results|sql-rows)\.ts$/,
  /^server\/billing\/(entitlement|handlers|payments|routes|standing|stripe-payments|subscription-record|test-payments)\.ts$/,
  /^server\/user\/(settings|ensure-user|handlers)\.ts$/,
  /^server\/identity\/(verifier|emulator|administration|ended-sessions)\.ts$/,
  /^server\/halts\/halts\.ts$/,
  /^server\/wallet\/handlers\.ts$/,
  /^server\/venues\/(venue|paper)\.ts$/,
];

export const RULES: Rule[] = [
  { files: /^contract\//, may: [], packages: /^zod(\/|$)/ },
  { files: /^engine\//, may: [/^contract\//], packages: /^$/ },
  {
    files: /^server\/(main|worker|compose|process|market-clock|retention)\.ts$/,
    may: [/^(contract|engine|server)\//],
  },
  { files: /^server\//, may: [/^contract\//, /^engine\//, ...PUBLIC_SERVER_FILES] },
  { files: /^src\/offline\//, may: [/^contract\//], packages: /^(idb-keyval|zod\/mini)$/ },
  { files: /^src\/identity\/worker\.ts$/, may: [/^contract\//], packages: /^firebase\// },
  {
    files: /^src\/(identity|api)\//,
    may: [/^contract\//, /^src\/(?!offline\/|screens\/|shell\/|wallet\/)/],
  },
  {
    files: /^src\/wallet\//,
    may: [/^contract\//, /^src\/(?!offline\/)/],
    packages:
      /^(react|wagmi|viem|@coinbase\/onchainkit|@tanstack\/react-query|valtio|wouter|lucide-react|zod\/mini)(\/|$)/,
  },
  { files: /^src\/(commands|main)\.tsx?$/, may: [/^contract\//, /^src\//] },
  { files: /^src\/stores\//, may: [/^contract\//, /^src\/(?!screens\/|shell\/|wallet\/)/] },
  { files: /^src\/backtest\/worker\.ts$/, may: [/^contract\//, /^engine\//, /^src\//] },
  { files: /^src\//, may: [/^contract\//, /^src\/(?!offline\/)/] },
  {
    files: /^sw\//,
    may: [
      /^contract\//,
      /^src\/offline\//,
      /^src\/identity\/worker\.ts$/,
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
  { packages: /^ccxt/, files: /^server\/market\// },
  { packages: /^stripe$/, files: /^server\/billing\// },
  { packages: /^idb-keyval$/, files: /^src\/offline\// },
];
