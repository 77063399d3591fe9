// @vitest-environment happy-dom
/** Which frame is shown at a start, and with which ages. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { KeptFrame } from '../../../src/first-frame/read-device.ts';
import { frameToShow, showFrame } from '../../../src/first-frame/show-frame.ts';
import { frameMark, type FrameRecord } from '../../../src/offline/frame-record.ts';

const HARBOUR = { id: 'a', name: 'Harbour', generation: 4, version: 2, status: 'running' };
const PAGE = { styles: '/assets/app-1.css', layout: 'narrow en 0' };
const FRAME: FrameRecord = {
  ...PAGE,
  mark: frameMark([HARBOUR], ['c1']),
  agents: [HARBOUR],
  html: '<p>10,000.00 <span data-age-since="1000">now</span></p>',
};
const ADA = { uid: 'ada', isAuthenticated: true };

const kept = (change: Partial<KeptFrame> = {}): KeptFrame => ({
  frame: FRAME,
  agents: { version: 1, savedAt: 5, value: { agents: [HARBOUR] } },
  commandIds: ['c1'],
  presses: [],
  ...change,
});

describe('the frame to show', () => {
  it('is the last one while everything it depends on is as it was', () => {
    expect(frameToShow(kept(), ADA, PAGE)).toBe(FRAME);
  });

  it('is none once the four hours are over (R5-18)', () => {
    expect(frameToShow(kept(), { ...ADA, isAuthenticated: false }, PAGE)).toBeNull();
  });

  it('is none for another build, another width, another language', () => {
    expect(frameToShow(kept(), ADA, { ...PAGE, styles: '/assets/app-2.css' })).toBeNull();
    expect(frameToShow(kept(), ADA, { ...PAGE, layout: 'wide en 0' })).toBeNull();
  });

  it.each([
    ['an agent was stopped', { ...HARBOUR, status: 'stopped' }],
    ['an agent was started anew', { ...HARBOUR, generation: 5 }],
    ['an agent was edited', { ...HARBOUR, version: 3 }],
  ])('is none where %s meanwhile, as by the service worker', (_what, agent) => {
    expect(frameToShow(kept({ agents: { value: { agents: [agent] } } }), ADA, PAGE)).toBeNull();
  });

  it('is none where the queue has changed, or the agents do not read', () => {
    expect(frameToShow(kept({ commandIds: [] }), ADA, PAGE)).toBeNull();
    expect(frameToShow(kept({ commandIds: ['c1', 'c2'] }), ADA, PAGE)).toBeNull();
    expect(frameToShow(kept({ agents: undefined }), ADA, PAGE)).toBeNull();
    expect(frameToShow(kept({ agents: { value: { agents: [null] } } }), ADA, PAGE)).toBeNull();
    expect(frameToShow(kept({ frame: null }), ADA, PAGE)).toBeNull();
  });
});

describe('a shown frame', () => {
  beforeEach(() => {
    document.body.innerHTML = '<div id="root"></div>';
  });

  it('has its ages as of now, never as of when it was drawn', () => {
    const root = document.querySelector('#root');
    if (root === null) throw new Error('no root');
    showFrame(root, FRAME, 1_000 + 5 * 60_000);
    expect(root.textContent).toBe('10,000.00 5 min ago');
    showFrame(root, FRAME, 500);
    expect(root.textContent).toBe('10,000.00 now');
  });

  it('has an unknown age where the clock was put back since, and is not called new (F20)', () => {
    const root = document.querySelector('#root');
    if (root === null) throw new Error('no root');
    showFrame(root, FRAME, 1_000 - 24 * 3_600_000);
    expect(root.textContent).toBe('10,000.00 age unknown');
  });
});
