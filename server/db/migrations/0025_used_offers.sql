CREATE TABLE "used_offers" (
	"digest" text PRIMARY KEY NOT NULL,
	"trial" boolean NOT NULL,
	"invited" boolean NOT NULL,
	"kept_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "used_offers_kept" ON "used_offers" USING btree ("kept_at");