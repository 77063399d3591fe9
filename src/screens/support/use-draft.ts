/** A text to support in a form, kept until it is sent. */
import { useRef, useState } from 'react';
import { keepsSnapshots } from '../../commands.ts';
import { useIsHere } from '../use-is-here.ts';
import type { DraftPlace, MessageDraft } from './support-draft.ts';

/** Where the unsent text is: what the person kept off the device is in this tab alone. */
export type Place = 'device' | 'tab' | 'nowhere';

export interface KeptDraft<D extends MessageDraft> {
  draft: D;
  place: Place;
  change: (part: Partial<D>) => void;
  markTried: () => void;
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
  const markTried = (): void => {
    put({ ...newest.current, tried: true });
  };
  /** What was typed after the press, here or on the screen opened again, stays. */
  const sent = ({ text }: D): void => {
    const present = isHere.current ? newest.current : read();
    if (present.text === text) put(empty());
  };
  const onDevice = keepsSnapshots() ? 'device' : 'tab';
  const place: Place = kept ? onDevice : 'nowhere';
  return { draft, place, change, markTried, sent };
}
