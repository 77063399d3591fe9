CREATE TABLE "live_write_offs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"connection_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"position_id" uuid NOT NULL,
	"symbol" text NOT NULL,
	"quantity" numeric(36, 12) NOT NULL,
	"cost" numeric(36, 12) NOT NULL,
	"worth" numeric(36, 12) NOT NULL,
	"after_trade" bigint NOT NULL,
	"at_market_ms" bigint NOT NULL,
	"booked_at" bigint NOT NULL,
	"signer_told_at" bigint
);
--> statement-breakpoint
CREATE INDEX "live_write_offs_account" ON "live_write_offs" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "live_write_offs_connection" ON "live_write_offs" USING btree ("connection_id","booked_at");--> statement-breakpoint
CREATE INDEX "live_write_offs_untold" ON "live_write_offs" USING btree ("connection_id") WHERE signer_told_at is null;