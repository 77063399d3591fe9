/** Draws screens as a later start shows them first: the last known data, and no word of a network. */
import { renderToString } from 'react-dom/server';
import { Router } from 'wouter';
import { Routes } from '../App.tsx';
import { drawAsOld } from '../components/use-now.ts';
import { connection, type ConnectionStore } from '../stores/connection.ts';
import { stopOffer } from '../stores/stop-offer.ts';

/** What a page knows of the network before it has asked. */
const UNASKED: Partial<ConnectionStore> = {
  online: 'unknown',
  verifiedAt: null,
  stream: 'closed',
  backAt: null,
  gapAt: null,
};

/**
 * Runs with the state of a page that has just begun. Within one task, so that nobody hears of it.
 */
function asAtStart<T>(draw: () => T): T {
  const present = { ...connection };
  const { offer } = stopOffer;
  Object.assign(connection, UNASKED);
  stopOffer.offer = null;
  try {
    return drawAsOld(draw);
  } finally {
    Object.assign(connection, present);
    stopOffer.offer = offer;
  }
}

/** The markup of the screen at `path`, whose code is loaded. */
export function drawScreen(path: string): string {
  return asAtStart(() =>
    renderToString(
      <Router ssrPath={path} ssrSearch="">
        <Routes />
      </Router>,
    ),
  );
}
