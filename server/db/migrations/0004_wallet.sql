CREATE TABLE "link_messages" (
	"nonce" text PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"chain_id" integer NOT NULL,
	"address" text NOT NULL,
	"message" text NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"used_at" bigint
);
--> statement-breakpoint
CREATE TABLE "linked_addresses" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"chain_id" integer NOT NULL,
	"address" text NOT NULL,
	"label" text NOT NULL,
	"proof" text NOT NULL,
	"linked_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "link_messages_uid" ON "link_messages" USING btree ("uid");--> statement-breakpoint
CREATE INDEX "link_messages_expires" ON "link_messages" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "linked_addresses_once" ON "linked_addresses" USING btree ("chain_id","address");--> statement-breakpoint
CREATE INDEX "linked_addresses_uid" ON "linked_addresses" USING btree ("uid");