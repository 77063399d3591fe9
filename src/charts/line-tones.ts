/** Colour and dash of each line over the candles. */

export type Dash = 'solid' | 'dashed' | 'dotted';

export const LINE_TONES: readonly { token: string; dash: Dash }[] = [
  { token: '--accent', dash: 'solid' },
  { token: '--amber', dash: 'solid' },
  { token: '--blue', dash: 'dashed' },
  { token: '--ink-2', dash: 'dotted' },
];
