/**
 * Keeps unsent form entries on this device for their user until they are sent. They are deleted at
 * log-out.
 */
import type * as z from 'zod/mini';
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { anything, fields, readJson, text } from '../../../../contract/readers.ts';
import { keepsSnapshots } from '../../../commands.ts';
import { readLastUser } from '../../../identity/last-user.ts';
import { session } from '../../../identity/session.ts';

/** Log-out deletes everything under this prefix except settings of the device. */
const keyOf = (name: string): string => `tradewind.draft.${name}`;

const keptRecord = fields({ uid: text, value: anything });

/** What is kept under the name for this user; undefined where nothing is. */
export function keptValue(name: string, uid: string): unknown {
  try {
    const kept = readJson(keptRecord, localStorage.getItem(keyOf(name)));
    return kept?.uid === uid ? kept.value : undefined;
  } catch {
    // Storage is closed to us.
    return undefined;
  }
}

function read<S extends z.ZodMiniType>(name: string, uid: string, schema: S): z.output<S> | null {
  const value = schema.safeParse(keptValue(name, uid));
  return value.success ? value.data : null;
}

function write(name: string, uid: string, value: unknown): void {
  try {
    // Also checks the device's record: it has another tab's log-out before this page hears of it.
    if (value === null || readLastUser()?.uid !== uid || !keepsSnapshots())
      localStorage.removeItem(keyOf(name));
    else localStorage.setItem(keyOf(name), JSON.stringify({ uid, value }));
  } catch {
    // Without free storage the draft stays on the screen only.
  }
}

/** The wizard's draft, and the path on which it is open. */
export const WIZARD_DRAFT = 'agent';
export const NEW_AGENT_PATH = '/agents?new';

/** Saves a draft for the current user. */
export function keepDraft(name: string, value: unknown): void {
  write(name, session.user?.uid ?? '', value);
}

/** What the current user's draft holds; null where there is none of this form. */
export function readDraft<S extends z.ZodMiniType>(name: string, schema: S): z.output<S> | null {
  return read(name, session.user?.uid ?? '', schema);
}

/** Whether there is an unfinished draft under this name. */
export function hasDraft(name: string, uid: string): boolean {
  return keptValue(name, uid) != null;
}

/** State that survives a reload. `null` deletes it. */
export function useKeptDraft<S extends z.ZodMiniType>(
  name: string,
  schema: S,
  initial: z.output<S>,
): [z.output<S>, (next: z.output<S> | null) => void] {
  const uid = useSnapshot(session).user?.uid ?? '';
  const [value, setValue] = useState<z.output<S>>(() => read(name, uid, schema) ?? initial);
  return [
    value,
    (next) => {
      write(name, uid, next);
      setValue(next ?? initial);
    },
  ];
}
