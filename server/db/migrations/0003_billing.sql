CREATE SEQUENCE "public"."observations" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "test_invoices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"subscription_id" text NOT NULL,
	"cause" text NOT NULL,
	"text" text NOT NULL,
	"amount" numeric(36, 12) NOT NULL,
	"credit" numeric(36, 12) NOT NULL,
	"currency" text NOT NULL,
	"status" text NOT NULL,
	"card" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "checkouts" ADD COLUMN "session_id" text;--> statement-breakpoint
ALTER TABLE "checkouts" ADD COLUMN "coupon" text;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "observation" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "test_invoices_once" ON "test_invoices" USING btree ("subscription_id","cause");--> statement-breakpoint
CREATE INDEX "test_invoices_uid" ON "test_invoices" USING btree ("uid","created_at");--> statement-breakpoint
CREATE INDEX "subscriptions_updated" ON "subscriptions" USING btree ("updated_at");