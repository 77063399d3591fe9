/** A text to support in a form, kept until it is sent. */
import { useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { keepsSnapshots } from '../../commands.ts';
import { useIsHere } from '../use-is-here.ts';
import type { DraftPlace, MessageDraft } from './support-draft.ts';

/** Where the unsent text is: what the person kept off the device is in this tab alone. */
export type Place = 'device' | 'tab' | 'nowhere';

export interface KeptDraft<D extends MessageDraft> {
  draft: D;
  place: Place;
  change: (part: Partial<D>) => void;
  /** Sends what is here, and empties the field once it has arrived. */
  deliver: <R>(send: (draft: D) => Promise<R>) => Promise<R>;
  /** Nothing of this text is left to be sent. */
  sent: (draft: D) => void;
}

export function useDraft<D extends MessageDraft>({
  read,
  keep,
  empty,
}: DraftPlace<D>): KeptDraft<D> {
  const [draft, setDraft] = useState<D>(read);
  const [kept, setKept] = useState(true);
  const isHere = useIsHere();
  /** As typed last: an answer may come after it. */
  const newest = useRef(draft);
  const put = (next: D): void => {
    newest.current = next;
    setDraft(next);
    setKept(keep(next));
  };
  /**
   * A text that was sent without an answer may have arrived: a changed text is a new message, also on
   * the screen opened again.
   */
  const change = (part: Partial<D>): void => {
    const { id, tried } = newest.current;
    put({ ...draft, ...part, id: tried === true ? crypto.randomUUID() : id, tried: false });
  };
  /** As it is now, here or on the screen opened again. */
  const present = (): D => (isHere.current ? newest.current : read());
  /** What was typed after the press stays. */
  const sent = ({ text }: D): void => {
    if (present().text === text) put(empty());
  };
  const deliver = async <R>(send: (draft: D) => Promise<R>): Promise<R> => {
    put({ ...newest.current, tried: true });
    const reply = await send(draft).catch((error: unknown) => {
      const isTaken = error instanceof ApiError && error.code === 'idempotency_mismatch';
      if (!isTaken) throw error;
      // Another tab has sent its own words under this id: these are a message of their own.
      const own = { ...draft, id: crypto.randomUUID() };
      if (present().id === draft.id) put({ ...present(), id: own.id });
      return send(own);
    });
    sent(draft);
    return reply;
  };
  const onDevice = keepsSnapshots() ? 'device' : 'tab';
  const place: Place = kept ? onDevice : 'nowhere';
  return { draft, place, change, deliver, sent };
}
