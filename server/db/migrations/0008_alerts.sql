CREATE TABLE "alert_firings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"alert_id" uuid NOT NULL,
	"arming" integer NOT NULL,
	"uid" text NOT NULL,
	"source" text NOT NULL,
	"symbol" text NOT NULL,
	"condition" jsonb NOT NULL,
	"note" text NOT NULL,
	"price" numeric(36, 12) NOT NULL,
	"moved_bps" integer,
	"at_market_ms" bigint NOT NULL,
	"late" boolean NOT NULL,
	"simulated" boolean NOT NULL,
	"recorded_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alert_watches" (
	"source" text PRIMARY KEY NOT NULL,
	"watched_market_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alerts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"source" text NOT NULL,
	"symbol" text NOT NULL,
	"condition" jsonb NOT NULL,
	"repeat_minutes" integer,
	"note" text NOT NULL,
	"active" boolean NOT NULL,
	"phase" text NOT NULL,
	"arming" integer NOT NULL,
	"since_market_ms" bigint NOT NULL,
	"rests_until_market_ms" bigint,
	"last_fired_market_ms" bigint,
	"version" integer NOT NULL,
	"created_at" bigint NOT NULL,
	"changed_at" bigint NOT NULL,
	"deleted_at" bigint
);
--> statement-breakpoint
CREATE UNIQUE INDEX "alert_firings_once" ON "alert_firings" USING btree ("alert_id","arming");--> statement-breakpoint
CREATE INDEX "alert_firings_uid" ON "alert_firings" USING btree ("uid","source","recorded_at");--> statement-breakpoint
CREATE INDEX "alert_firings_recorded" ON "alert_firings" USING btree ("recorded_at");--> statement-breakpoint
CREATE INDEX "alerts_uid" ON "alerts" USING btree ("uid","source");--> statement-breakpoint
CREATE INDEX "alerts_changed" ON "alerts" USING btree ("source","changed_at");