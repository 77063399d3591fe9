/**
 * The last frame of a screen, as a start paints it before the app's code has run, and the presses
 * made on it. It imports no code, because the first script of the page does.
 */

/** Screens whose last frame is kept. */
export const FRAME_PATHS = ['/dashboard', '/portfolio', '/agents'] as const;
export type FramePath = (typeof FRAME_PATHS)[number];

export const isFramePath = (path: string): path is FramePath =>
  (FRAME_PATHS as readonly string[]).includes(path);

/** Its key in the store of snapshots, so that whatever deletes those deletes it too. */
export const frameKey = (path: FramePath): string => `frame ${path}`;
export const isFrameKey = (key: string): boolean => key.startsWith('frame ');

/** An agent on the frame, as a press on its Stop will name it. */
export interface FrameAgent {
  id: string;
  name: string;
  generation: number;
}

export interface FrameRecord {
  /** The style sheets that the markup was drawn for: those of another build do not fit it. */
  styles: string;
  /** What the layout depends on besides the styles: `wide` or `narrow`, and the language. */
  layout: string;
  /** What was true of agents and queue. Where it no longer is, the frame is not shown. */
  mark: string;
  agents: FrameAgent[];
  /** The screen as React draws it at a start, with every age as of `data-age-since`. */
  html: string;
}

/** One Stop pressed on a frame, kept until the queue takes it over. */
export interface FramePress {
  commandId: string;
  agentId: string;
  agentName: string;
  seenGeneration: number;
  /** Device clock, ms. */
  pressedAt: number;
}

/** The key of the list of presses in the store of queue facts. */
export const PRESSES_KEY = 'framePresses';

interface MarkedAgent {
  id: string;
  generation: number;
  version: number;
  status: string;
}

/** Which agents there are and what became of them, and which commands wait. */
export const frameMark = (agents: readonly MarkedAgent[], commandIds: readonly string[]): string =>
  JSON.stringify([
    agents.map(({ id, generation, version, status }) => [id, generation, version, status]),
    [...commandIds].sort(),
  ]);
