-- IF NOT EXISTS: on PostgreSQL it is built before this runs, beside those who write (build-indexes.ts).
CREATE INDEX IF NOT EXISTS "orders_account" ON "orders" USING btree ("account_id");
