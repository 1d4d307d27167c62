/** Nothing in the task store is sealed. */
export const NO_KEYS = {
  find: async () => await Promise.resolve(undefined),
  findAll: async () => await Promise.resolve(new Map<string, never>()),
};
