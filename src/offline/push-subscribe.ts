/**
 * Subscribes this browser to push, in page and worker. A subscription with another server's key is
 * replaced.
 */

function keyBytes(publicKey: string): Uint8Array<ArrayBuffer> {
  const text = atob(publicKey.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** `publicKey` is the server's, base64url. Permission must have been given. */
export async function subscribe(
  { pushManager }: Pick<ServiceWorkerRegistration, 'pushManager'>,
  publicKey: string,
): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: keyBytes(publicKey) };
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
