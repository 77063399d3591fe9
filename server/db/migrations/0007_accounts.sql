CREATE TABLE "account_alarms" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"found_at" bigint NOT NULL,
	"checked_at" bigint NOT NULL,
	"count" integer NOT NULL,
	"differences" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_tests" (
	"agent_id" uuid PRIMARY KEY NOT NULL,
	"tested" jsonb NOT NULL,
	"kept_at" bigint NOT NULL,
	"kept_market_ms" bigint NOT NULL,
	"equity" numeric(36, 12) NOT NULL,
	"result" numeric(36, 12) NOT NULL
);
