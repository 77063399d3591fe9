/** A key pair of our own and tokens signed with it, as the identity provider would. */
import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT, type JSONWebKeySet } from 'jose';

export const TEST_PROJECT = 'tradewind-test';
type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

export interface TestKeys {
  /** Address of the key set, for FIREBASE_KEYS_URL. */
  readonly url: string;
  readonly privateKey: PrivateKey;
  readonly kid: string;
  /** How often the key set was asked for. */
  asked(): number;
  /** Off: the address refuses to answer, as in an outage. */
  setOnline(online: boolean): void;
  /** Time in ms UTC that tokens are issued at; `claims` on top, undefined removes one. */
  sign(uid: string, claims?: Record<string, unknown>, nowMs?: number): Promise<string>;
  close(): Promise<void>;
}

export async function signToken(
  key: PrivateKey,
  kid: string,
  uid: string,
  claims: Record<string, unknown> = {},
  nowMs = Date.now(),
): Promise<string> {
  const seconds = Math.floor(nowMs / 1_000);
  const all = {
    sub: uid,
    aud: TEST_PROJECT,
    iss: `https://securetoken.google.com/${TEST_PROJECT}`,
    iat: seconds,
    auth_time: seconds,
    exp: seconds + 3_600,
    email: `${uid.toLowerCase()}@example.com`,
    user_id: uid,
    ...claims,
  };
  return new SignJWT(
    Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
  )
    .setProtectedHeader({ alg: 'RS256', kid })
    .sign(key);
}

export async function startTestKeys(maxAgeSeconds = 3_600): Promise<TestKeys> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const kid = 'test-key-1';
  const set: JSONWebKeySet = {
    keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }],
  };
  let online = true;
  let asked = 0;
  const server: Server = createServer((_request, response) => {
    asked += 1;
    if (!online) {
      response.destroy();
      return;
    }
    response
      .setHeader('content-type', 'application/json')
      .setHeader('cache-control', `public, max-age=${maxAgeSeconds}`);
    response.end(JSON.stringify(set));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/keys`,
    privateKey,
    kid,
    asked: () => asked,
    setOnline: (value) => {
      online = value;
    },
    sign: (uid, claims, nowMs) => signToken(privateKey, kid, uid, claims, nowMs),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
