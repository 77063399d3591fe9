ALTER TABLE "subscriptions" ADD COLUMN "paid_tier" text;--> statement-breakpoint
-- Of an overdue plan nobody knows any more: it keeps what it has.
UPDATE "subscriptions" SET "paid_tier" = "tier" WHERE "provider_subscription_id" IS NOT NULL AND "status" <> 'incomplete' AND "tier" <> 'free';
