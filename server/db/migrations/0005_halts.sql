CREATE TABLE "halts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "halts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"scope" text NOT NULL,
	"target" text NOT NULL,
	"act" text NOT NULL,
	"reason" text NOT NULL,
	"by" text NOT NULL,
	"until" bigint,
	"at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "halts_newest" ON "halts" USING btree ("scope","target","id");