/** Metrics for the operator as Prometheus text. No user's data. */
import type { FastifyInstance } from 'fastify';

/** A number read when it is asked for. `labels` is already in Prometheus form, or empty. */
export interface Gauge {
  name: string;
  help: string;
  read(): Reading[] | Promise<Reading[]>;
}
interface Reading {
  labels: string;
  value: number;
}

const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

class Requests {
  private readonly counts = new Map<string, number>();
  private readonly buckets = BUCKETS_SECONDS.map(() => 0);
  private total = 0;
  private sumSeconds = 0;

  record(method: string, route: string, status: number, seconds: number): void {
    const labels = `{method="${method}",route="${route}",status="${status}"}`;
    this.counts.set(labels, (this.counts.get(labels) ?? 0) + 1);
    BUCKETS_SECONDS.forEach((limit, index) => {
      if (seconds <= limit) this.buckets[index] = (this.buckets[index] ?? 0) + 1;
    });
    this.total += 1;
    this.sumSeconds += seconds;
  }

  lines(): string[] {
    return [
      '# HELP tradewind_requests_total Requests answered.',
      '# TYPE tradewind_requests_total counter',
      ...[...this.counts].map(([labels, count]) => `tradewind_requests_total${labels} ${count}`),
      '# HELP tradewind_request_seconds Time to answer.',
      '# TYPE tradewind_request_seconds histogram',
      ...BUCKETS_SECONDS.map(
        (limit, index) =>
          `tradewind_request_seconds_bucket{le="${limit}"} ${this.buckets[index] ?? 0}`,
      ),
      `tradewind_request_seconds_bucket{le="+Inf"} ${this.total}`,
      `tradewind_request_seconds_sum ${this.sumSeconds}`,
      `tradewind_request_seconds_count ${this.total}`,
    ];
  }
}

const processGauges: Gauge[] = [
  {
    name: 'process_resident_memory_bytes',
    help: 'Resident memory.',
    read: () => [{ labels: '', value: process.memoryUsage().rss }],
  },
  {
    name: 'process_uptime_seconds',
    help: 'Seconds since start.',
    read: () => [{ labels: '', value: process.uptime() }],
  },
];

export function registerMetrics(app: FastifyInstance, gauges: readonly Gauge[]): void {
  const requests = new Requests();
  app.addHook('onResponse', async (request, reply) => {
    requests.record(
      request.method,
      request.routeOptions.url ?? 'static',
      reply.statusCode,
      reply.elapsedTime / 1_000,
    );
  });
  app.get('/metrics', async (_request, reply) => {
    const lines = requests.lines();
    for (const gauge of [...processGauges, ...gauges]) {
      lines.push(`# HELP ${gauge.name} ${gauge.help}`, `# TYPE ${gauge.name} gauge`);
      for (const { labels, value } of await gauge.read())
        lines.push(`${gauge.name}${labels} ${value}`);
    }
    return reply
      .type('text/plain; version=0.0.4; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(`${lines.join('\n')}\n`);
  });
}
