ALTER TABLE "live_marks" ADD COLUMN "held_elsewhere" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "live_marks" ADD COLUMN "held_at_ms" bigint;