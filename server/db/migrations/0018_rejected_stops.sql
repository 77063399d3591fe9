-- Stops at Binance had no limit; one that was turned down for that can rest with one.
DELETE FROM "live_failed_stops" USING "agents", "live_connections"
WHERE "live_failed_stops"."why" = 'rejected'
  AND "agents"."id" = "live_failed_stops"."agent_id"
  AND "live_connections"."id" = "agents"."connection_id"
  AND "live_connections"."exchange" = 'binance';
