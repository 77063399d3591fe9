DROP INDEX "agents_due";--> statement-breakpoint
ALTER TABLE "ticks" ADD COLUMN "book" jsonb;--> statement-breakpoint
CREATE INDEX "agents_due" ON "agents" USING btree ("source","next_due_market_ms","uid","id") WHERE deleted_at is null;