CREATE TABLE "account_deletions" (
	"uid" text PRIMARY KEY NOT NULL,
	"asked_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deleted_accounts" (
	"digest" text PRIMARY KEY NOT NULL,
	"deleted_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "plan_credits" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"cause" text NOT NULL,
	"days" integer NOT NULL,
	"created_at" bigint NOT NULL,
	"subscription_id" text,
	"paid_until" bigint,
	"granted_at" bigint
);
--> statement-breakpoint
CREATE TABLE "referral_codes" (
	"uid" text PRIMARY KEY NOT NULL,
	"code" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "referrals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"inviter_uid" text,
	"invited_uid" text,
	"joined_at" bigint NOT NULL,
	"earned_at" bigint
);
--> statement-breakpoint
CREATE TABLE "support_messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"request_id" uuid NOT NULL,
	"author" text NOT NULL,
	"text" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "support_requests" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"category" text NOT NULL,
	"state" text NOT NULL,
	"priority" boolean NOT NULL,
	"diagnostics" jsonb,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "plan_credits_cause" ON "plan_credits" USING btree ("cause");--> statement-breakpoint
CREATE INDEX "plan_credits_uid" ON "plan_credits" USING btree ("uid");--> statement-breakpoint
CREATE UNIQUE INDEX "referral_codes_code" ON "referral_codes" USING btree ("code");--> statement-breakpoint
CREATE UNIQUE INDEX "referrals_invited" ON "referrals" USING btree ("invited_uid");--> statement-breakpoint
CREATE INDEX "referrals_inviter" ON "referrals" USING btree ("inviter_uid");--> statement-breakpoint
CREATE INDEX "support_messages_request" ON "support_messages" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "support_requests_uid" ON "support_requests" USING btree ("uid");--> statement-breakpoint
CREATE INDEX "support_requests_state" ON "support_requests" USING btree ("state","created_at");