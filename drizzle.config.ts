/** Where migrations are generated from and to. */
import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: [
    './server/db/schema.ts',
    './server/db/schema-plans.ts',
    './server/db/schema-support.ts',
    './server/db/schema-wallet.ts',
    './server/db/schema-alerts.ts',
    './server/db/schema-live.ts',
  ],
  out: './server/db/migrations',
});
