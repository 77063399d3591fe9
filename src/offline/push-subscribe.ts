/** Subscribes a browser at its push service, for page and worker alike. */
import { base64urlBytes } from '../../contract/base64url.ts';

/** `publicKey` is the server's, base64url. Permission must have been given. */
export async function subscribe(
  { pushManager }: Pick<ServiceWorkerRegistration, 'pushManager'>,
  publicKey: string,
): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: base64urlBytes(publicKey) };
  try {
    return await pushManager.subscribe(options);
  } catch (error) {
    // Subscribed with another server's key: unsubscribe.
    const old = await pushManager.getSubscription();
    if (old === null) throw error;
    await old.unsubscribe();
    return pushManager.subscribe(options);
  }
}
