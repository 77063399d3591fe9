/** Metrics for the operator as Prometheus text. No user's data. */
import type { FastifyInstance } from 'fastify';
import { Counter, Gauge as PrometheusGauge, Histogram, Registry } from 'prom-client';

/** A number read when it is asked for. Without a reading the metric has no value. */
export interface Gauge {
  name: string;
  help: string;
  labelNames?: readonly string[];
  read(): Reading[] | Promise<Reading[]>;
}
interface Reading {
  labels?: Record<string, string>;
  value: number;
}

const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

const PROCESS_GAUGES: readonly Gauge[] = [
  {
    name: 'process_resident_memory_bytes',
    help: 'Resident memory.',
    read: () => [{ value: process.memoryUsage().rss }],
  },
  {
    name: 'process_uptime_seconds',
    help: 'Seconds since start.',
    read: () => [{ value: process.uptime() }],
  },
];

function addGauge(registry: Registry, source: Gauge): void {
  const { name, help, labelNames = [] } = source;
  const gauge = new PrometheusGauge({
    name,
    help,
    labelNames,
    registers: [registry],
    async collect() {
      const readings = await source.read();
      this.reset();
      // A gauge without labels starts at 0, which would be a reading.
      if (labelNames.length === 0) this.remove();
      for (const { labels = {}, value } of readings) this.set(labels, value);
    },
  });
  if (labelNames.length === 0) gauge.remove();
}

function countRequests(app: FastifyInstance, registry: Registry): void {
  const registers = [registry];
  const requests = new Counter({
    name: 'tradewind_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'tradewind_request_seconds',
    help: 'Time to answer.',
    buckets: BUCKETS_SECONDS,
    registers,
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    requests.inc({ method, route: routeOptions.url ?? 'static', status: reply.statusCode });
    seconds.observe(reply.elapsedTime / 1_000);
  });
}

export function registerMetrics(app: FastifyInstance, gauges: readonly Gauge[]): void {
  // Its own registry: tests run several servers in one process.
  const registry = new Registry();
  countRequests(app, registry);
  for (const gauge of [...PROCESS_GAUGES, ...gauges]) addGauge(registry, gauge);
  app.get('/metrics', async (request, reply) => {
    // One spelling: the router would take a slash behind it too, which a proxy's rule for this path
    // may not have in mind.
    if (!/^\/metrics(\?|$)/.test(request.url)) return reply.callNotFound();
    return reply
      .type(registry.contentType)
      .header('cache-control', 'no-store')
      .send(await registry.metrics());
  });
}
