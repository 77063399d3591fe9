ALTER TABLE "push_subscriptions" ADD COLUMN "token_issued_at" bigint;--> statement-breakpoint
UPDATE "push_subscriptions" SET "token_issued_at" = (extract(epoch from now()) * 1000)::bigint;
