// @vitest-environment happy-dom
/** The offer to undo a stop: what it says of the agent, how long it stays, where the focus goes. */
import '../../../../support/page-world.ts';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { queue } from '../../../../../src/commands.ts';
import { recordedReplies, recordState } from '../../../../../src/api/recorded-replies.ts';
import { StartAgain } from '../../../../../src/screens/agents/start-stop/StartAgain.tsx';
import { UndoStop } from '../../../../../src/screens/agents/start-stop/UndoStop.tsx';
import { applyAgents, clearAgents } from '../../../../../src/stores/agents-store.ts';
import { connection } from '../../../../../src/stores/connection.ts';
import {
  OFFER_MS,
  offerUndo,
  stopOffer,
  withdrawOffer,
} from '../../../../../src/stores/stop-offer.ts';
import { entryOf, stop } from '../../../offline/samples.ts';

const NOW = Date.now();
const replies = recordedReplies(recordState(NOW), NOW);
const agent = { ...replies.agents!.agents[0]!, status: 'stopped' as const };

beforeEach(() => {
  connection.online = 'online';
  applyAgents({ ...replies.agents!, agents: [agent] }, 'network');
});
afterEach(() => {
  cleanup();
  withdrawOffer();
  clearAgents();
  queue.entries = [];
  vi.useRealTimers();
});

function offer(commandId: string | null): void {
  offerUndo({ agent, commandId, atTop: false }, OFFER_MS);
  render(<UndoStop />);
}

it('calls no agent stopped whose stop is still on its way: a start may have taken effect before it', () => {
  const entry = entryOf(stop(agent.id), { state: 'sending', attempts: 1 });
  queue.entries = [entry];
  offer(entry.commandId);
  expect(screen.getByRole('region', { name: 'Undo' }).textContent).toContain(
    `Stop sent. Undo starts ${agent.name} again.`,
  );
});

it('calls it stopped once the server has accepted the stop', () => {
  offer('00000000-0000-4000-8000-00000000ffff');
  expect(screen.getByRole('region', { name: 'Undo' }).textContent).toContain(
    `${agent.name} stopped. Undo starts it again.`,
  );
});

it('stays while the focus is on it, also when the pointer leaves', () => {
  vi.useFakeTimers();
  offer(null);
  const place = screen.getByRole('region', { name: 'Undo' });
  const undo = screen.getByRole('button', { name: 'Undo' });
  act(() => {
    undo.focus();
  });
  fireEvent.pointerEnter(place);
  fireEvent.pointerLeave(place);
  act(() => {
    vi.advanceTimersByTime(10 * OFFER_MS);
  });
  expect(stopOffer.offer).not.toBeNull();
  act(() => {
    undo.blur();
  });
  act(() => {
    vi.advanceTimersByTime(10 * OFFER_MS);
  });
  expect(stopOffer.offer).toBeNull();
});

it('leaves the focus in the screen where Undo was pressed by key', async () => {
  offerUndo({ agent, commandId: null, atTop: false }, OFFER_MS);
  render(
    <main id="content" tabIndex={-1}>
      <UndoStop />
    </main>,
  );
  const undo = screen.getByRole('button', { name: 'Undo' });
  undo.focus();
  fireEvent.click(undo);
  await waitFor(() => {
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  });
  await waitFor(() => {
    expect(document.activeElement?.id).toBe('content');
  });
});

it('says of real money that starting again needs a confirmation, and leads to it', async () => {
  const live = {
    ...agent,
    connectionId: 'connection-1',
    account: {
      kind: 'live' as const,
      connectionId: 'connection-1',
      exchange: 'kraken' as const,
      label: 'Main',
      quote: 'USD',
    },
  };
  applyAgents({ ...replies.agents!, agents: [live] }, 'network');
  offerUndo({ agent, commandId: null, atTop: false }, OFFER_MS);
  render(
    <>
      <UndoStop />
      <StartAgain />
    </>,
  );
  expect(screen.getByRole('region', { name: 'Undo' }).textContent).toContain(
    `${agent.name} stopped. Starting it again needs your confirmation.`,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
  const dialog = await screen.findByRole('dialog');
  expect(dialog.textContent).toContain(`Start ${agent.name} with real money`);
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  await waitFor(() => {
    expect(screen.queryByRole('dialog')).toBeNull();
  });
  expect(stopOffer.startAgain).toBeNull();
  expect(queue.entries).toEqual([]);
});
