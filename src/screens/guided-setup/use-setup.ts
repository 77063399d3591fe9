/**
 * The user's progress in the guided setup, kept on the device and in the address, so that every way
 * back agrees.
 */
import { useEffect, useRef } from 'react';
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { isSameDraft, type AgentDraft } from '../agents/create/agent-draft.ts';
import { readDraft, useKeptDraft } from '../agents/create/kept-draft.ts';
import { addressOf, BEGIN, furthest, placeIn, Progress, SETUP_DRAFT } from './setup-progress.ts';

export interface Setup {
  progress: Progress;
  /** The place that is shown. */
  at: number;
  /** Keeps what has changed; null forgets everything. */
  keep: (part: Partial<Progress> | null) => void;
  /** Goes to a place, with what has changed. `replace`: the present one is not gone back to. */
  to: (at: number, part?: Partial<Progress>, replace?: boolean) => void;
  back: () => void;
  /** The sent draft is an agent now. False where it was changed since, which is kept. */
  settle: (sent: AgentDraft) => boolean;
  again: () => void;
}

export function useSetup(mayCreate: boolean): Setup {
  const search = useSearch();
  const [progress, put] = useKeptDraft(SETUP_DRAFT, Progress, BEGIN);
  const at = Math.min(placeIn(search) ?? progress.at, furthest(progress, mayCreate));
  // What is typed while the trial starts is part of what goes on.
  const latest = useRef(progress);
  useEffect(() => {
    latest.current = progress;
  });

  const keep = (part: Partial<Progress> | null): void => {
    put(part === null ? null : { ...latest.current, at, ...part });
  };
  return {
    progress,
    at,
    keep,
    to: (next, part = {}, replace = false) => {
      keep({ ...part, at: next });
      navigate(addressOf(next), replace ? { replace } : { state: { setup: true } });
    },
    back: () => {
      // By the browser's own history where it leads there, so that its back button and this one
      // agree.
      const within = (history.state as { setup?: boolean } | null)?.setup === true;
      keep({ at: at - 1 });
      if (within) history.back();
      else navigate(addressOf(at - 1), { replace: true });
    },
    settle: (sent) => {
      const now = readDraft(SETUP_DRAFT, Progress) ?? latest.current;
      const isDone = isSameDraft(now.draft, sent);
      if (isDone) put(null);
      return isDone;
    },
    again: () => {
      put(null);
      navigate(addressOf(0), { replace: true });
    },
  };
}
