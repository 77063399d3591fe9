/** Assembles the HTTP server from its parts, independent of database, market and provider. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import Fastify, { type FastifyInstance } from 'fastify';
import { Refusal } from '../../contract/errors.ts';
import type { WallClock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import type { EventNotifier } from '../db/user-events.ts';
import type { EndedSessions } from '../identity/ended-sessions.ts';
import type { Identity, TokenVerifier } from '../identity/verifier.ts';
import type { Log } from '../log.ts';
import type { Market } from '../market/market-source.ts';
import type { Portfolio } from '../../contract/trading.ts';
import { BODY_LIMIT_BYTES, registerBodies } from './body.ts';
import { registerCallables, type Callables } from './callable.ts';
import { ReplyCache } from '../reads/reply-cache.ts';
import { registerCalls, type CallsDeps } from './register-calls.ts';
import { answerError, registerErrors } from './http-errors.ts';
import { Gate } from './gate.ts';
import type { Handlers } from './handlers.ts';
import { registerHeaders } from './headers.ts';
import { registerMetrics, type Gauge } from './prometheus.ts';
import { openApiDocument } from './openapi.ts';
import { RateLimits } from './rate-limit.ts';
import { registerStatic } from './static.ts';
import { registerStream, Streams, type StreamDeps } from './event-stream.ts';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 65_000;
const SWEEP_EVERY_MS = 100;
/** A request that takes longer than this to finish is cut off by a shutdown. */
const CLOSE_PATIENCE_MS = 10_000;

export interface AppDeps {
  config: Config;
  handlers: Handlers;
  readings: CallsDeps['readings'];
  turn: CallsDeps['turn'];
  database: Database;
  verifier: TokenVerifier;
  notifier: EventNotifier;
  market: Market;
  log: Log;
  clock: WallClock;
  /** Makes a person's row and account at their first call; idempotent. */
  admit(identity: Identity, isStop: boolean): Promise<void>;
  readMarks(uid: string): Promise<Portfolio | null>;
  readRuns: StreamDeps['readRuns'];
  readEntriesOff: StreamDeps['readEntriesOff'];
  callables?: Callables;
  /** Tells whose sign-ins were ended just now. */
  ended?: EndedSessions;
  /** Shared with other servers; else this process counts for itself. */
  limits?: RateLimits;
  gauges?: readonly Gauge[];
  /** Routes of other nouns: webhooks, the test checkout, the emulator's proxy. */
  extend?: readonly ((app: FastifyInstance) => void | Promise<void>)[];
  /** Paths whose answers bring their own headers. */
  bare?: readonly string[];
  /** Folder of the built app. */
  dist?: string;
}

/**
 * Closes the connections of a server that is closing, once the requests under way are finished. A
 * browser also opens connections on which it sends nothing; Node does not count them as idle and
 * would wait for them.
 */
function closeConnections(server: Server, underWay: () => number): void {
  const sweep = setInterval(() => {
    if (underWay() === 0) server.closeAllConnections();
    else server.closeIdleConnections();
  }, SWEEP_EVERY_MS);
  const last = setTimeout(() => {
    server.closeAllConnections();
  }, CLOSE_PATIENCE_MS);
  server.once('close', () => {
    clearInterval(sweep);
    clearTimeout(last);
  });
}

/** Streams run while the app does. A close refuses new requests and finishes those under way. */
function finishBeforeClosing(app: FastifyInstance, streams: Streams): void {
  let closing = false;
  let underWay = 0;
  app.server.on('request', (_request, response: ServerResponse) => {
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
    });
  });
  app.addHook('onRequest', async () => {
    if (!closing) return;
    throw new Refusal('shutting_down', 'The server is shutting down', { retryAfterMs: 2_000 });
  });
  // Answers under way at that moment are finished, and their connections with them.
  app.addHook('onSend', async (_request, reply) => {
    if (closing) void reply.header('connection', 'close');
  });
  app.addHook('onReady', async () => {
    streams.start();
  });
  app.addHook('preClose', async () => {
    closing = true;
    streams.stop();
    closeConnections(app.server, () => underWay);
  });
}

/**
 * Node puts its "100 Continue" behind the head of an answer that waits for its turn on the
 * connection, where it counts as the body's first bytes and every later answer is misread. Such a
 * request goes without, and Node closes the connection behind its answer.
 */
function continueInTurn({ server }: FastifyInstance): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (response.socket !== null) response.writeContinue();
    server.emit('request', request, response);
  });
}

/**
 * Only the neighbour's word on where a request came from: everything further along the list was
 * written by the caller.
 */
const nearest = (_address: string, hop: number): boolean => hop === 0;

export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const { config, log, clock } = deps;
  const onError = answerError(log);
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: config.trustProxy && nearest,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4_096, ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => {
      onError(error, request, reply);
    },
  });
  const gate = new Gate({
    verifier: deps.verifier,
    limits: deps.limits ?? new RateLimits(config.rateLimit, clock),
    admit: (identity, isStop) => deps.admit(identity, isStop),
  });
  const streams = new Streams({ ...deps, gate, recheckMs: config.accountCheckMs });

  deps.ended?.listen((uid) => {
    deps.verifier.forget(uid);
    gate.forget(uid);
    streams.endOf(uid);
  });

  finishBeforeClosing(app, streams);
  continueInTurn(app);
  registerErrors(app, log);
  registerBodies(app);
  registerHeaders(app, config, deps.bare ?? []);
  if (config.metrics)
    registerMetrics(app, [
      {
        name: 'tradewind_streams',
        help: 'Open event streams.',
        read: () => [{ value: streams.size }],
      },
      ...(deps.gauges ?? []),
    ]);
  const replies = new ReplyCache(clock);
  registerCalls(app, { ...deps, replies, gate });
  registerCallables(app, { callables: deps.callables ?? {}, gate, log });
  registerStream(app, streams, gate);
  // Made for the first who asks: it takes most of a second.
  let openApi: string | null = null;
  app.get('/openapi.json', async (_request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send((openApi ??= JSON.stringify(openApiDocument()))),
  );
  for (const extend of deps.extend ?? []) await extend(app);
  await registerStatic(app, deps.dist ?? config.distDir ?? DIST, {
    compression: config.compression,
    publicOrigin: config.publicOrigin,
    killWorker: config.killServiceWorker,
  });
  return app;
}
