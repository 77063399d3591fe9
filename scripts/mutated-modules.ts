/** The modules whose tests must notice any small change, with the tests that answer for each. */
export const MUTATED_MODULES = {
  ledger: {
    files: ['engine/accounting/ledger.ts', 'engine/accounting/fifo-lots.ts', 'contract/money.ts'],
    tests: ['tests/engine/accounting/**/*.test.ts', 'tests/contract/money.test.ts'],
  },
  guards: {
    files: ['engine/guards/*.ts'],
    tests: ['tests/engine/guards/**/*.test.ts'],
  },
  orders: {
    files: ['engine/orders/*.ts'],
    tests: ['tests/engine/orders/**/*.test.ts'],
  },
  queue: {
    files: [
      'src/offline/queue-rules.ts',
      'src/offline/send-order.ts',
      'src/offline/after-delivery.ts',
      'src/offline/delivery-changes.ts',
      'src/offline/review.ts',
      'src/offline/replies.ts',
      'src/offline/outbox.ts',
      'src/offline/drain.ts',
      'src/offline/outbox-entry.ts',
      'src/offline/entry-parts.ts',
      'contract/readers.ts',
    ],
    tests: [
      'tests/src/offline/{model,outbox-entry,queue-rules,queue-lifecycle,send}.test.ts',
      'tests/contract/readers.test.ts',
    ],
  },
  tokens: {
    files: ['server/identity/token-verifier.ts', 'server/identity/claims.ts', 'contract/jwt.ts'],
    tests: ['tests/server/identity/**/*.test.ts', 'tests/contract/jwt.test.ts'],
  },
  entitlement: {
    files: ['contract/tiers.ts', 'src/billing/entitlement-view.ts'],
    tests: ['tests/contract/tiers.test.ts', 'tests/src/billing/**/*.test.ts'],
  },
} as const satisfies Record<string, { files: readonly string[]; tests: readonly string[] }>;
