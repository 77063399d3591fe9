CREATE TABLE "account_drawdowns" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"to_market_ms" bigint NOT NULL,
	"peak" numeric(36, 12) NOT NULL,
	"peak_market_ms" bigint NOT NULL,
	"deepest" double precision NOT NULL,
	"deepest_market_ms" bigint NOT NULL
);
