CREATE TABLE "external_movements" (
	"id" uuid PRIMARY KEY NOT NULL,
	"connection_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"asset" text,
	"amount" numeric(36, 12),
	"trade" jsonb,
	"at_ms" bigint NOT NULL,
	"booked_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "live_alarms" (
	"id" uuid PRIMARY KEY NOT NULL,
	"connection_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"about" text NOT NULL,
	"detail" jsonb NOT NULL,
	"raised_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "live_connections" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"exchange" text NOT NULL,
	"label" text NOT NULL,
	"state" text NOT NULL,
	"account_id" uuid NOT NULL,
	"abilities" jsonb NOT NULL,
	"permissions" jsonb,
	"permissions_read_at" bigint NOT NULL,
	"max_order" numeric(36, 12) NOT NULL,
	"max_exposure" numeric(36, 12) NOT NULL,
	"max_daily_loss" numeric(36, 12) NOT NULL,
	"max_orders_per_hour" integer NOT NULL,
	"entries_off_since" bigint,
	"created_at" bigint NOT NULL,
	"ended_at" bigint
);
--> statement-breakpoint
CREATE TABLE "live_exits" (
	"agent_id" uuid NOT NULL,
	"symbol" text NOT NULL,
	"connection_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"reason" text NOT NULL,
	"quantity" numeric(36, 12),
	"tick_id" text NOT NULL,
	"asked_at" bigint NOT NULL,
	"asked_market_ms" bigint NOT NULL,
	CONSTRAINT "live_exits_agent_id_symbol_pk" PRIMARY KEY("agent_id","symbol")
);
--> statement-breakpoint
CREATE TABLE "live_failed_stops" (
	"agent_id" uuid NOT NULL,
	"symbol" text NOT NULL,
	"quantity" numeric(36, 12) NOT NULL,
	"stop_price" numeric(36, 12) NOT NULL,
	"why" text NOT NULL,
	"told" boolean NOT NULL,
	CONSTRAINT "live_failed_stops_agent_id_symbol_pk" PRIMARY KEY("agent_id","symbol")
);
--> statement-breakpoint
CREATE TABLE "live_marks" (
	"connection_id" uuid PRIMARY KEY NOT NULL,
	"reconciled_to_ms" bigint,
	"pending" jsonb NOT NULL,
	"missing" jsonb NOT NULL,
	"orphans" text[] NOT NULL,
	"foreign_orders" jsonb NOT NULL,
	"gate_reasons" text[] NOT NULL,
	"read_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "live_order_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "live_order_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"client_order_id" text NOT NULL,
	"at_ms" bigint NOT NULL,
	"kind" text NOT NULL,
	"event" jsonb NOT NULL,
	"effects" jsonb NOT NULL,
	"state" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "live_orders" (
	"client_order_id" text PRIMARY KEY NOT NULL,
	"id" uuid NOT NULL,
	"connection_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"symbol" text NOT NULL,
	"side" text NOT NULL,
	"type" text NOT NULL,
	"quantity" numeric(36, 12) NOT NULL,
	"limit_price" numeric(36, 12),
	"stop_price" numeric(36, 12),
	"deadline_ms" bigint NOT NULL,
	"cause" text NOT NULL,
	"reservation_asset" text NOT NULL,
	"reservation_amount" numeric(36, 12) NOT NULL,
	"protect_at" numeric(36, 12),
	"tick_id" text NOT NULL,
	"decided_market_ms" bigint NOT NULL,
	"planned_at" bigint NOT NULL,
	"state" text NOT NULL,
	"attempts" integer NOT NULL,
	"sent_at_ms" bigint,
	"exchange_order_id" text,
	"booked" numeric(36, 12) NOT NULL,
	"reserved" numeric(36, 12) NOT NULL,
	"seen" jsonb,
	"last_seen_ms" bigint,
	"end_seen_ms" bigint,
	"doubt" jsonb,
	"cancel" text,
	"cancel_at_ms" bigint,
	"ending" text,
	"code" text,
	"alarms" text[] NOT NULL,
	"changed_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "venue_fills" (
	"connection_id" uuid NOT NULL,
	"trade_id" text NOT NULL,
	"number" bigint GENERATED ALWAYS AS IDENTITY (sequence name "venue_fills_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" uuid NOT NULL,
	"client_order_id" text,
	"agent_id" uuid,
	"fill_id" uuid,
	"symbol" text NOT NULL,
	"side" text NOT NULL,
	"quantity" numeric(36, 12) NOT NULL,
	"price" numeric(36, 12) NOT NULL,
	"quote_amount" numeric(36, 12) NOT NULL,
	"fees" jsonb NOT NULL,
	"exchange_order_id" text NOT NULL,
	"venue_client_order_id" text,
	"at_ms" bigint NOT NULL,
	"booked_at" bigint NOT NULL,
	CONSTRAINT "venue_fills_connection_id_trade_id_pk" PRIMARY KEY("connection_id","trade_id")
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "connection_id" uuid;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "connection_id" uuid;--> statement-breakpoint
CREATE INDEX "external_movements_connection" ON "external_movements" USING btree ("connection_id","booked_at");--> statement-breakpoint
CREATE UNIQUE INDEX "live_alarms_once" ON "live_alarms" USING btree ("connection_id","kind","about");--> statement-breakpoint
CREATE INDEX "live_connections_uid" ON "live_connections" USING btree ("uid");--> statement-breakpoint
CREATE INDEX "live_connections_open" ON "live_connections" USING btree ("id") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "live_exits_connection" ON "live_exits" USING btree ("connection_id");--> statement-breakpoint
CREATE INDEX "live_order_events_order" ON "live_order_events" USING btree ("client_order_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "live_orders_id" ON "live_orders" USING btree ("id");--> statement-breakpoint
CREATE INDEX "live_orders_live" ON "live_orders" USING btree ("connection_id") WHERE state in ('planned', 'sending', 'unknown', 'open');--> statement-breakpoint
CREATE INDEX "live_orders_account" ON "live_orders" USING btree ("account_id","planned_at");--> statement-breakpoint
CREATE INDEX "live_orders_exchange_id" ON "live_orders" USING btree ("connection_id","exchange_order_id");--> statement-breakpoint
CREATE INDEX "venue_fills_account" ON "venue_fills" USING btree ("account_id","number");--> statement-breakpoint
CREATE INDEX "venue_fills_at" ON "venue_fills" USING btree ("connection_id","at_ms");--> statement-breakpoint
CREATE INDEX "venue_fills_order" ON "venue_fills" USING btree ("client_order_id");--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_live" ON "accounts" USING btree ("connection_id") WHERE closed_at is null;