/** How the lines over the candles are told apart: a colour and a dash each. */

export type Dash = 'solid' | 'dashed' | 'dotted';

export const LINE_TONES: readonly { token: string; dash: Dash }[] = [
  { token: '--accent', dash: 'solid' },
  { token: '--amber', dash: 'solid' },
  { token: '--blue', dash: 'dashed' },
  { token: '--ink-2', dash: 'dotted' },
];
