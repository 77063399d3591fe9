/** A passkey of the browser's own, without a person: it is there and agrees to everything. */
import type { Page } from 'playwright-core';

export interface VirtualPasskey {
  /** How many passkeys it has made. */
  made(): Promise<number>;
  /** Whether the person is recognised when asked. */
  recognise(isUser: boolean): Promise<void>;
}

/** Of this page alone, until it is closed. */
export async function openVirtualPasskey(page: Page): Promise<VirtualPasskey> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    async made() {
      const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
      return credentials.length;
    },
    async recognise(isUser) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: isUser });
    },
  };
}
