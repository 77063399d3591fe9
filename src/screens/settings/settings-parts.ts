/** The parts of Settings by the names under which an address leads to them. */
export const SETTINGS_PARTS = [
  ['profile', 'Profile'],
  ['appearance', 'Appearance'],
  ['notifications', 'Notifications'],
  ['trading', 'Trading and risk'],
  ['data', 'Data'],
  ['app', 'App'],
] as const;
