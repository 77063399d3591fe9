/** The parts of Settings, by the anchors that lead to them. */
export const SETTINGS_PARTS = [
  ['profile', 'Profile'],
  ['appearance', 'Appearance'],
  ['notifications', 'Notifications'],
  ['trading', 'Trading and risk'],
  ['data', 'Data'],
  ['app', 'App'],
] as const;
