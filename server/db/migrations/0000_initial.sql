CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"source" text NOT NULL,
	"quote" text NOT NULL,
	"book" integer NOT NULL,
	"opened_at" bigint NOT NULL,
	"opened_market_ms" bigint NOT NULL,
	"closed_at" bigint
);
--> statement-breakpoint
CREATE TABLE "agents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"source" text NOT NULL,
	"quote" text NOT NULL,
	"name" text NOT NULL,
	"trading_pairs" text[] NOT NULL,
	"pool" text NOT NULL,
	"risk_profile" text NOT NULL,
	"max_position_size" numeric(36, 12) NOT NULL,
	"execution_interval" text NOT NULL,
	"trading_frequency" text NOT NULL,
	"enabled" boolean NOT NULL,
	"status" text NOT NULL,
	"hold" jsonb,
	"generation" integer DEFAULT 1 NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" bigint NOT NULL,
	"started_at" bigint,
	"stopped_at" bigint,
	"deleted_at" bigint,
	"last_run_market_ms" bigint,
	"next_due_market_ms" bigint,
	"memory" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "balances" (
	"account_id" uuid NOT NULL,
	"bucket" text NOT NULL,
	"asset" text NOT NULL,
	"amount" numeric(36, 12) NOT NULL,
	CONSTRAINT "balances_account_id_bucket_asset_pk" PRIMARY KEY("account_id","bucket","asset")
);
--> statement-breakpoint
CREATE TABLE "checkouts" (
	"id" text PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"price_id" text NOT NULL,
	"state" text NOT NULL,
	"success_url" text NOT NULL,
	"cancel_url" text NOT NULL,
	"url" text,
	"client_secret" text,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "decision_counts" (
	"agent_id" uuid NOT NULL,
	"day" text NOT NULL,
	"reason" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "decision_counts_agent_id_day_reason_pk" PRIMARY KEY("agent_id","day","reason")
);
--> statement-breakpoint
CREATE TABLE "decisions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"pair" text NOT NULL,
	"tick_id" text NOT NULL,
	"at_market_ms" bigint NOT NULL,
	"recorded_at" bigint NOT NULL,
	"action" text NOT NULL,
	"reason" text NOT NULL,
	"strength" numeric(18, 9),
	"threshold" numeric(18, 9),
	"text" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "equity_points" (
	"account_id" uuid NOT NULL,
	"at_market_ms" bigint NOT NULL,
	"equity" numeric(36, 12) NOT NULL,
	CONSTRAINT "equity_points_account_id_at_market_ms_pk" PRIMARY KEY("account_id","at_market_ms")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"uid" text NOT NULL,
	"sequence" bigint NOT NULL,
	"payload" jsonb NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "events_uid_sequence_pk" PRIMARY KEY("uid","sequence")
);
--> statement-breakpoint
CREATE TABLE "fills" (
	"id" uuid PRIMARY KEY NOT NULL,
	"order_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"pair" text NOT NULL,
	"tick_id" text NOT NULL,
	"side" text NOT NULL,
	"quantity" numeric(36, 12) NOT NULL,
	"price" numeric(36, 12) NOT NULL,
	"notional" numeric(36, 12) NOT NULL,
	"fee" numeric(36, 12) NOT NULL,
	"fee_bps" numeric(36, 12) NOT NULL,
	"slippage_bps" numeric(36, 12) NOT NULL,
	"quote_bid" numeric(36, 12) NOT NULL,
	"quote_ask" numeric(36, 12) NOT NULL,
	"rule_version" integer NOT NULL,
	"realized" numeric(36, 12),
	"cost_basis" numeric(36, 12),
	"reason" text NOT NULL,
	"decided_market_ms" bigint NOT NULL,
	"filled_market_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ledger" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ledger_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"transaction_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"bucket" text NOT NULL,
	"asset" text NOT NULL,
	"amount" numeric(36, 12) NOT NULL,
	"cause" text NOT NULL,
	"fill_id" uuid,
	"at_market_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "market_clocks" (
	"source" text PRIMARY KEY NOT NULL,
	"now_market_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "meta" (
	"key" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_order_id" text NOT NULL,
	"account_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"pair" text NOT NULL,
	"tick_id" text NOT NULL,
	"side" text NOT NULL,
	"quantity" numeric(36, 12) NOT NULL,
	"reserved" numeric(36, 12) NOT NULL,
	"reason" text NOT NULL,
	"state" text NOT NULL,
	"decided_market_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "positions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"pair" text NOT NULL,
	"quantity" numeric(36, 12) NOT NULL,
	"cost" numeric(36, 12) NOT NULL,
	"stop_price" numeric(36, 12),
	"opened_market_ms" bigint NOT NULL,
	"closed_market_ms" bigint
);
--> statement-breakpoint
CREATE TABLE "receipts" (
	"uid" text NOT NULL,
	"command_id" uuid NOT NULL,
	"body_hash" text NOT NULL,
	"status" integer NOT NULL,
	"reply" jsonb NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "receipts_uid_command_id_pk" PRIMARY KEY("uid","command_id")
);
--> statement-breakpoint
CREATE TABLE "risk_profiles" (
	"uid" text NOT NULL,
	"profile" text NOT NULL,
	"max_position_percentage" numeric(36, 12) NOT NULL,
	"confidence_threshold" numeric(36, 12) NOT NULL,
	"stop_loss_percentage" numeric(36, 12) NOT NULL,
	CONSTRAINT "risk_profiles_uid_profile_pk" PRIMARY KEY("uid","profile")
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"uid" text PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"status" text NOT NULL,
	"tier" text NOT NULL,
	"plan_id" text,
	"price_id" text,
	"customer_id" text,
	"provider_subscription_id" text,
	"current_period_end" bigint,
	"cancel_at_period_end" boolean DEFAULT false NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ticks" (
	"source" text NOT NULL,
	"interval" text NOT NULL,
	"close_market_ms" bigint NOT NULL,
	"state" text NOT NULL,
	"agents" integer DEFAULT 0 NOT NULL,
	"finished_at" bigint,
	CONSTRAINT "ticks_source_interval_close_market_ms_pk" PRIMARY KEY("source","interval","close_market_ms")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"uid" text PRIMARY KEY NOT NULL,
	"email" text,
	"created_at" bigint NOT NULL,
	"sequence" bigint DEFAULT 0 NOT NULL,
	"settings" jsonb NOT NULL,
	"settings_version" integer DEFAULT 1 NOT NULL,
	"trial_started_at" bigint,
	"trial_ends_at" bigint
);
--> statement-breakpoint
CREATE TABLE "webhook_events" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"received_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_book" ON "accounts" USING btree ("uid","source","book");--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_open" ON "accounts" USING btree ("uid","source") WHERE closed_at is null;--> statement-breakpoint
CREATE INDEX "agents_uid" ON "agents" USING btree ("uid","source");--> statement-breakpoint
CREATE INDEX "agents_due" ON "agents" USING btree ("source","next_due_market_ms") WHERE status = 'running' and deleted_at is null;--> statement-breakpoint
CREATE INDEX "checkouts_uid" ON "checkouts" USING btree ("uid");--> statement-breakpoint
CREATE UNIQUE INDEX "decisions_once" ON "decisions" USING btree ("agent_id","pair","tick_id");--> statement-breakpoint
CREATE INDEX "decisions_recorded" ON "decisions" USING btree ("recorded_at");--> statement-breakpoint
CREATE INDEX "events_created" ON "events" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "fills_once" ON "fills" USING btree ("agent_id","pair","tick_id");--> statement-breakpoint
CREATE INDEX "fills_account" ON "fills" USING btree ("account_id","filled_market_ms");--> statement-breakpoint
CREATE INDEX "fills_agent" ON "fills" USING btree ("agent_id","filled_market_ms");--> statement-breakpoint
CREATE INDEX "ledger_account" ON "ledger" USING btree ("account_id","bucket","asset");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_once" ON "orders" USING btree ("agent_id","pair","tick_id");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_client" ON "orders" USING btree ("client_order_id");--> statement-breakpoint
CREATE UNIQUE INDEX "positions_open" ON "positions" USING btree ("agent_id","pair") WHERE closed_market_ms is null;--> statement-breakpoint
CREATE INDEX "positions_account" ON "positions" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "receipts_created" ON "receipts" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "subscriptions_customer" ON "subscriptions" USING btree ("customer_id");