/** A push service of the test's own: HTTPS, one device's keys, and what it decrypts. */
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  randomUUID,
  verify,
  type ECDH,
} from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { PushSubscriptionBody } from '../../contract/push.ts';
import { testCertificate } from './certificate.ts';

interface TakenPush {
  path: string;
  headers: IncomingHttpHeaders;
  /** The message as the browser would hand it to the worker. */
  text: string;
  /** Size of the encrypted body, bytes. */
  bytes: number;
}

export interface PushService {
  readonly url: string;
  /** PEM of its certificate, to be trusted by the sender. */
  readonly ca: string;
  readonly taken: TakenPush[];
  /** A subscription as a browser would have got it here. */
  subscribe(): PushSubscriptionBody;
  /** What it answers from now on to an address; 201 by default. */
  answer(endpoint: string, status: number, headers?: Record<string, string>): void;
  /** Resolves with the `count`th message (from 1) to come. */
  wait(count: number, timeoutMs?: number): Promise<TakenPush>;
  close(): Promise<void>;
}

interface Device {
  ecdh: ECDH;
  auth: Buffer;
  status: number;
  headers: Record<string, string>;
}

const hkdf = (secret: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));

/**
 * RFC 8291 over RFC 8188 (aes128gcm), one record, written from the standards and not from the
 * sender's library.
 */
function decrypt(body: Buffer, { ecdh, auth }: Device): string {
  const salt = body.subarray(0, 16);
  const keySize = body.readUInt8(20);
  const theirs = body.subarray(21, 21 + keySize);
  const record = body.subarray(21 + keySize);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), theirs]);
  const secret = hkdf(ecdh.computeSecret(theirs), auth, info, 32);
  const key = hkdf(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = hkdf(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = padded.lastIndexOf(2);
  return padded.subarray(0, end).toString('utf8');
}

/** RFC 8292: who sends, signed for this service. Throws where a service would answer 401 or 403. */
function checkVapid(header: string | undefined, origin: string): void {
  const found = /^vapid t=([^,\s]+), ?k=([\w-]+)$/.exec(header ?? '');
  const [head = '', claims = '', signature = ''] = (found?.[1] ?? '').split('.');
  const point = Buffer.from(found?.[2] ?? '', 'base64url');
  const key = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
  const good = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    aud: string;
    exp: number;
    sub: string;
  };
  if (!good || aud !== origin || exp * 1_000 < Date.now() || !/^(mailto:|https:)/.test(sub))
    throw new Error('VAPID refused');
}

export async function startPushService({ cert, key } = testCertificate()): Promise<PushService> {
  const devices = new Map<string, Device>();
  const taken: TakenPush[] = [];
  const waiting = new Set<() => void>();
  let origin = '';
  const server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
    });
    request.on('end', () => {
      const device = devices.get(request.url ?? '');
      const body = Buffer.concat(chunks);
      let status = device?.status ?? 404;
      if (device !== undefined && status === 201) {
        try {
          checkVapid(request.headers.authorization, origin);
          if (
            request.headers['content-encoding'] !== 'aes128gcm' ||
            request.headers.ttl === undefined ||
            body.length > 4_096
          )
            throw new Error('Malformed');
          taken.push({
            path: request.url ?? '',
            headers: request.headers,
            text: decrypt(body, device),
            bytes: body.length,
          });
        } catch {
          status = 403;
        }
      }
      response.writeHead(status, device?.headers ?? {}).end();
      for (const wake of waiting) wake();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  return {
    url: origin,
    ca: cert,
    taken,
    subscribe() {
      const ecdh = createECDH('prime256v1');
      ecdh.generateKeys();
      const auth = randomBytes(16);
      const path = `/push/${randomUUID()}`;
      devices.set(path, { ecdh, auth, status: 201, headers: {} });
      return {
        endpoint: `${origin}${path}`,
        keys: {
          p256dh: ecdh.getPublicKey().toString('base64url'),
          auth: auth.toString('base64url'),
        },
      };
    },
    answer(endpoint, status, headers = {}) {
      const device = devices.get(new URL(endpoint).pathname);
      if (device !== undefined) Object.assign(device, { status, headers });
    },
    async wait(count, timeoutMs = 15_000) {
      const end = Date.now() + timeoutMs;
      for (;;) {
        const found = taken[count - 1];
        if (found !== undefined) return found;
        if (Date.now() > end) throw new Error(`Only ${taken.length} of ${count} pushes came`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 200);
          waiting.add(() => {
            clearTimeout(timer);
            resolve();
          });
        });
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
