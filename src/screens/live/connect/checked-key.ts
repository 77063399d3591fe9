/** A pasted key on its way through the steps, and what was found of it. */
import type { CallReply } from '../../../../contract/calls.ts';

export interface PastedKey {
  apiKey: string;
  secret: string;
}

export type CheckedKey = CallReply<'checkExchangeKey'>;
