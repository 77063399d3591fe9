CREATE TABLE "passkey_challenges" (
	"challenge" text PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"credential_id" text NOT NULL,
	"public_key" text NOT NULL,
	"counter" bigint NOT NULL,
	"transports" text[] NOT NULL,
	"label" text NOT NULL,
	"created_at" bigint NOT NULL,
	"last_used_at" bigint
);
--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "shadow_of" uuid;--> statement-breakpoint
ALTER TABLE "live_connections" ADD COLUMN "first_week_until" bigint;--> statement-breakpoint
ALTER TABLE "live_connections" ADD COLUMN "step_up_keys" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "live_orders" ADD COLUMN "holding" jsonb;--> statement-breakpoint
CREATE INDEX "passkey_challenges_uid" ON "passkey_challenges" USING btree ("uid");--> statement-breakpoint
CREATE INDEX "passkeys_uid" ON "passkeys" USING btree ("uid");--> statement-breakpoint
CREATE UNIQUE INDEX "passkeys_credential" ON "passkeys" USING btree ("credential_id");--> statement-breakpoint
CREATE INDEX "agents_connection" ON "agents" USING btree ("connection_id") WHERE connection_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "agents_shadow" ON "agents" USING btree ("shadow_of") WHERE shadow_of is not null and deleted_at is null;