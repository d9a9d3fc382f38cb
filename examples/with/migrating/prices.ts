/** What all four shops sell. */
export const prices = new Map([
  ['A-1041', 12.5],
  ['A-1042', 80],
]);
export const confirmation = {
  type: 'object' as const,
  properties: { confirm: { type: 'boolean' as const } },
  required: ['confirm'],
};
